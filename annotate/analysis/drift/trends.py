"""Compute the trend of each headline figure over time, with marks where a judge's signature or the rule changed.

A course has a point for each window of the drift, with that window's own estimate and interval. Time is the time of the answers.
Answers without a timestamp are in no window, and are counted; the time of import never stands in for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from annotate.analysis.drift.windows import By, Drift, drift, first_day
from annotate.domain.feedback import thumbs_down
from annotate.store import Store
from annotate.store.traffic.windows import WindowThumbs
from proxy.drift.drift import Plan, Window
from proxy.evaluation.estimate import Estimate
from proxy.rule import Rule

# Half a year, the horizon that `assay drift` has where nothing else is asked.
WEEKS = 26
NO_TIME = "no answer has a timestamp; bring the time of each answer as `timestamp`, or name its field with --map"
NO_TRAFFIC = "there is no traffic; start with `assay ingest FILE`"


class TrendQuantity(StrEnum):
    """A figure that has a course, by its name in the report."""

    CORRECTNESS = "correctness"
    PASS_RATE = "pass_rate"  # noqa: S105 (it is none)
    PASS_PRECISION = "pass_precision"  # noqa: S105 (it is none)
    THUMBS_DOWN = "thumbs_down"


class TrendPoint(NamedTuple):
    """A window by its first day, and what is known of the figure in it."""

    day: str
    estimate: Estimate


class WindowLabels(NamedTuple):
    """A window by its first day, and how many of its answers have a label that counts."""

    day: str
    labelled: int


class Changed(StrEnum):
    """The kind of change that a mark stands for."""

    JUDGE = "judge"
    RULE = "rule"


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """A change of a judge's signature or of the rule; `is_within` says whether it fell into the windows of the courses."""

    kind: Changed
    at: str
    name: str
    before: str
    after: str
    is_within: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Courses:
    """The course of every figure, oldest window first; `reason` is why there is none."""

    by: By
    points: Mapping[TrendQuantity, tuple[TrendPoint, ...]]
    labels: tuple[WindowLabels, ...]
    marks: tuple[Mark, ...]
    items: int
    without_time: int
    reason: str | None

    def values(self, figure: TrendQuantity) -> list[float]:
        """Return the estimates of the windows that have one, in order."""
        return [point.estimate.estimate for point in self.points[figure] if point.estimate.estimate is not None]


def over(store: Store, by: By) -> Drift:
    """Return the drift as `assay drift` finds it when nothing but the window is asked; the courses are read from its weeks."""
    return drift(store, Plan(horizon=by.windows_in(WEEKS)), by=by, weeks=WEEKS, since=None)


def courses(store: Store, result: Drift) -> Courses:
    """Return the courses over the windows of this drift."""
    thumbs = store.traffic.windows.thumbs(result.by)
    rated = any(window_thumbs.rated for window_thumbs in thumbs.values())
    windows = result.windows
    return Courses(
        by=result.by,
        points={
            TrendQuantity.CORRECTNESS: _points(windows, [window.correctness for window in windows]),
            TrendQuantity.PASS_RATE: _points(windows, [window.pass_rate for window in windows]),
            TrendQuantity.PASS_PRECISION: _points(windows, [window.pass_precision for window in windows]),
            TrendQuantity.THUMBS_DOWN: _points(
                windows,
                [thumbs_down(_down(thumbs, window.name), window.items, has_feedback=rated) for window in windows],
            ),
        },
        labels=tuple(WindowLabels(first_day(window.name), window.labels) for window in windows),
        marks=marks(result, store.scores.rules.history()),
        items=result.items,
        without_time=result.without_time,
        reason=None if windows else NO_TIME if result.items else NO_TRAFFIC,
    )


def marks(result: Drift, rules: Sequence[tuple[Rule, str, bool]]) -> tuple[Mark, ...]:
    """Return every change of a judge that has scored drawn answers and every new version of the rule, oldest first."""
    judges: list[tuple[Changed, str, str, str, str]] = [
        (Changed.JUDGE, change.at, change.judge, change.before, change.after)
        for change in result.changes
        if change.at and not change.is_rule
    ]
    versions = [
        (Changed.RULE, at, rule.name, _version(before, rule), _version(rule, before))
        for (before, _, _), (rule, at, _) in pairwise(rules)
    ]
    first, last = _span(result)
    return tuple(
        Mark(kind=kind, at=at, name=name, before=before, after=after, is_within=first <= at[: len(first)] < last)
        for kind, at, name, before, after in sorted(judges + versions, key=lambda mark: (mark[1], mark[0], mark[2]))
    )


def _version(rule: Rule, other: Rule) -> str:
    """Return the rule with its version; told from one with the same expression by what it reads."""
    signatures = f" [{', '.join(rule.signatures.values())}]" if rule.expression == other.expression else ""
    return f"v{rule.version}: {rule.expression}{signatures}"


def _span(result: Drift) -> tuple[str, str]:
    """Return the first day of the first window and the first day after the last; equal where there is none."""
    if not result.windows:
        return "", ""
    first, last = (date.fromisoformat(first_day(result.windows[place].name)) for place in (0, -1))
    match result.by:
        case By.DAY:
            end = last + timedelta(days=1)
        case By.WEEK:
            end = last + timedelta(days=7)
        case By.MONTH:
            end = (last + timedelta(days=31)).replace(day=1)
    return first.isoformat(), end.isoformat()


def _points(windows: Sequence[Window], estimates: Sequence[Estimate]) -> tuple[TrendPoint, ...]:
    return tuple(
        TrendPoint(first_day(window.name), estimate) for window, estimate in zip(windows, estimates, strict=True)
    )


def _down(thumbs: Mapping[str | None, WindowThumbs], window: str) -> int:
    """Count the answers of the window that a user marked down."""
    return thumbs[window].down if window in thumbs else 0
