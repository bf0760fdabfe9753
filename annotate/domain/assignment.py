"""Assign annotators to draws, given what became of each draw so far.

One project serves everybody, or each annotator has one: only then are two readings of an answer independent, since annotators see
each other's work inside a project. The first draws of each wave by key, which is a random order, go to two annotators (the
overlap), so that every answer is as likely as another to be read twice. Unsure and, with named annotators, skipped draws go on
to the next annotator, and so does a draw for which a person asked for a second one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from proxy.errors import UsageError

EVERYBODY = ""
SECOND = "second annotator"  # as stores and servers have it
# What the projects of nobody in particular are known by.
RESERVED = ("everybody", SECOND)
TWICE = 2


class Outcome(StrEnum):
    """Outcome of a draw with one annotator; adjudicated is a person's word on what annotators said, and no reading."""

    DECIDED = "decided"
    UNSURE = "unsure"
    SKIPPED = "skipped"
    WAITING = "waiting"
    ADJUDICATED = "adjudicated"


class Given(NamedTuple):
    """An annotator who has or had a draw, and how that ended."""

    annotator: str
    outcome: Outcome


class DrawPlace(NamedTuple):
    """A draw by its place in its wave of `size` draws, in the random order of the keys."""

    draw: int
    rank: int
    size: int


def check(annotators: Sequence[str], overlap: float) -> None:
    """Raise UsageError unless the names differ and there are annotators enough for the overlap."""
    names = [" ".join(name.split()).casefold() for name in annotators]
    if not all(names) or len({*names, *RESERVED}) < len(names) + len(RESERVED):
        raise UsageError(
            f"--annotator: give each annotator a name of their own, and none is called {' or '.join(RESERVED)}"
        )
    if overlap and len(annotators) < TWICE:
        raise UsageError("--overlap needs two annotators or more: name each with --annotator, or give --overlap 0")


def assigned(
    places: Sequence[DrawPlace],
    given: Mapping[int, Sequence[Given]],
    annotators: Sequence[str],
    overlap: float,
    asked: Collection[int] = (),
) -> dict[int, tuple[str, ...]]:
    """Return the annotators of each draw: those who have it, and as many more as it takes; `annotators` is empty for everybody.

    For the draws that are `asked` somebody wants a second annotator.
    """
    return {
        place.draw: _annotators(
            place,
            given.get(place.draw, ()),
            annotators,
            TWICE if place.draw in asked or place.rank < round(overlap * place.size) else 1,
        )
        for place in places
    }


def _annotators(place: DrawPlace, given: Sequence[Given], annotators: Sequence[str], needed: int) -> tuple[str, ...]:
    """Return those who have read the draw; then, until enough have and one of them may decide, who has it and who is free."""
    has = {outcome: [reading.annotator for reading in given if reading.outcome is outcome] for outcome in Outcome}
    chosen = list(dict.fromkeys(has[Outcome.DECIDED] + has[Outcome.UNSURE]))
    may_decide = bool(has[Outcome.DECIDED] or has[Outcome.ADJUDICATED])
    free = [name for name in order(place.rank, annotators) if name not in {reading.annotator for reading in given}]
    for name in has[Outcome.WAITING] + free:
        if len(chosen) >= needed and may_decide:
            break
        if name not in chosen:
            chosen.append(name)
            may_decide = True
    return tuple(chosen)


def order(rank: int, annotators: Sequence[str]) -> tuple[str, ...]:
    """Order the annotators of a draw: in turn, so that everybody has as much to do."""
    if not annotators:
        return (EVERYBODY, SECOND)
    first = rank % len(annotators)
    return (*annotators[first:], *annotators[:first])


def combined(outcomes: Sequence[Outcome], *, is_everybodys: bool) -> Outcome:
    """Combine all annotations of a draw in a project to its outcome; what one skips, others there may still take."""
    for outcome in (Outcome.DECIDED, Outcome.UNSURE):
        if outcome in outcomes:
            return outcome
    return Outcome.SKIPPED if outcomes and not is_everybodys else Outcome.WAITING
