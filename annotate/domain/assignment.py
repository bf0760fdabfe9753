"""Assign annotators to draws, given what became of each draw so far.

One project serves everybody, or each annotator has one: only then are two readings of an answer independent, since annotators see
each other's work inside a project. All answers to a question go to one annotator, who reads it once; questions go to whoever has
least to do. Rules may say which draws an annotator takes (`annotator_rules`).

The first draws of each wave by key, which is a random order and not the one in which they are read, go to two annotators
(the overlap), so that every answer is as likely as another to be read twice. Unsure draws go on to the next annotator, and so
does what is not an annotator's field or, with named annotators, skipped, and a draw for which a person asked for a second one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
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
    HANDED_ON = "handed on"
    WAITING = "waiting"
    ADJUDICATED = "adjudicated"


class Given(NamedTuple):
    """An annotator who has or had a draw, and how that ended."""

    annotator: str
    outcome: Outcome


class DrawPlace(NamedTuple):
    """A draw by its place in its wave of `size` draws, in the random order of the keys; `question` is the key of what it asks."""

    draw: int
    rank: int
    size: int
    question: str = ""


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
    takers: Mapping[int, Collection[str]] | None = None,
) -> dict[int, tuple[str, ...]]:
    """Return the annotators of each draw: those who have it, and as many more as it takes; `annotators` is empty for everybody.

    For the draws that are `asked` somebody wants a second annotator. `takers` has, by draw, those of the annotators who may take
    it; None: all. A draw that nobody is left for has none.
    """
    chosen: dict[int, tuple[str, ...]] = {}
    load: Counter[str] = Counter()
    for draws in _by_question(places):
        has_some = {reading.annotator for place in draws for reading in given.get(place.draw, ())}
        # Who has read the question goes on with it; then whoever has least to do.
        order = sorted(annotators, key=lambda name: (name not in has_some, load[name])) or [EVERYBODY, SECOND]
        for place in draws:
            chosen[place.draw] = _annotators(
                given.get(place.draw, ()),
                [name for name in order if takers is None or name in takers.get(place.draw, ())],
                TWICE if place.draw in asked or place.rank < round(overlap * place.size) else 1,
            )
            load.update(chosen[place.draw])
    return chosen


def _by_question(places: Sequence[DrawPlace]) -> list[list[DrawPlace]]:
    """Group draws by what they answer, in the order of the first of each; a draw without a question stands alone."""
    groups: dict[object, list[DrawPlace]] = defaultdict(list)
    for place in places:
        groups[place.question or place.draw].append(place)
    return list(groups.values())


def _annotators(given: Sequence[Given], takers: Sequence[str], needed: int) -> tuple[str, ...]:
    """Return those who have read the draw; then, until enough have and one of them may decide, who has it and who is free.

    `takers` are those who may take it, whoever is first among them first.
    """
    has = {outcome: [reading.annotator for reading in given if reading.outcome is outcome] for outcome in Outcome}
    chosen = list(dict.fromkeys(has[Outcome.DECIDED] + has[Outcome.UNSURE]))
    may_decide = bool(has[Outcome.DECIDED] or has[Outcome.ADJUDICATED])
    waiting = [name for name in has[Outcome.WAITING] if name in takers]
    free = [name for name in takers if name not in {reading.annotator for reading in given}]
    for name in waiting + free:
        if len(chosen) >= needed and may_decide:
            break
        if name not in chosen:
            chosen.append(name)
            may_decide = True
    return tuple(chosen)


def combined(outcomes: Sequence[Outcome], *, is_everybodys: bool) -> Outcome:
    """Combine all annotations of a draw in a project to its outcome; what one skips, others there may still take.

    What is not an annotator's field counts as answered on the server, so nobody there gets it any more: it is handed on.
    """
    for outcome in (Outcome.DECIDED, Outcome.UNSURE, Outcome.HANDED_ON):
        if outcome in outcomes:
            return outcome
    return Outcome.SKIPPED if outcomes and not is_everybodys else Outcome.WAITING
