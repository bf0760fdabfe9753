"""Find the traffic that end users could not have rated: systems and weeks with no feedback at all.

An answer of a system without a feedback button, or from before there was one, has no thumb whatever it was like. Counted in, it
would make feedback look blind.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

# That chance alone left a run of weeks without feedback is rarer than this, over all runs together.
RARE = 0.001


class RatedWeek(NamedTuple):
    """The answers of one system in one week (None: without a system, without a time), and how many of them have feedback."""

    system: str | None
    week: str | None
    items: int
    rated: int


class Unrated(NamedTuple):
    """Weeks of a system without any feedback, by the Mondays of the first and the last; None: all its traffic."""

    system: str | None
    first: str | None
    last: str | None
    items: int


def without_channel(weeks: Iterable[RatedWeek]) -> list[Unrated]:
    """List the systems, and the runs of weeks of the others, that had no way to give feedback.

    A run of n answers without feedback is left out where e^(-n r), the chance of none at the rate r, is below RARE over the
    number of runs looked at. r is that of the other systems for a whole system, and for a run that of the weeks of its system
    with any.
    Answers without a time are distinguished by system alone.
    """
    by_system = [list(own) for _, own in groupby(sorted(weeks, key=_order), key=lambda week: week.system)]
    rated = [own for own in by_system if any(week.rated for week in own)]
    runs = [run for own in rated for run in _runs(own)]
    silent = [own for own in by_system if own not in rated]
    enough = math.log(max(1, len(silent) + len(runs)) / RARE)
    rate = _rate([week for own in rated for week in own])
    unrated = [Unrated(own[0].system, None, None, _items(own)) for own in silent if _items(own) * rate >= enough]
    for run in runs:
        own_rate = _rate([week for own in rated for week in own if own[0].system == run[0].system and week.rated])
        if _items(run) * own_rate >= enough:
            unrated.append(Unrated(run[0].system, run[0].week, run[-1].week, _items(run)))
    return unrated


def _runs(own: Sequence[RatedWeek]) -> list[list[RatedWeek]]:
    """Return the runs of weeks without feedback."""
    dated = [week for week in own if week.week is not None]
    return [list(run) for is_rated, run in groupby(dated, key=lambda week: week.rated > 0) if not is_rated]


def _order(week: RatedWeek) -> tuple[bool, str, str]:
    return week.system is None, week.system or "", week.week or ""


def _items(weeks: Sequence[RatedWeek]) -> int:
    return sum(week.items for week in weeks)


def _rate(weeks: Sequence[RatedWeek]) -> float:
    items = _items(weeks)
    return sum(week.rated for week in weeks) / items if items else 0.0
