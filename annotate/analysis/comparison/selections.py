"""Parse the names of systems and windows into selections, and pair the answers of two selections by question.

A name is a system of the store, or NAME@FROM..TO with either end left out (UTC, TO is not in it); @FROM..TO is all systems. A
pair counts as labelled when people called an answer of either side right or wrong, at the chances that the ledger holds.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.analysis.labelled_draws import Ground
from annotate.domain.timestamps import parse
from annotate.store import Store
from annotate.store.sampling.ledger import Drawn, speaking
from annotate.store.traffic.selections import Given, Selection
from proxy.comparison.comparison import Answered, Pair, SharedQuestions
from proxy.errors import UsageError
from proxy.evaluation.ledger import DECIDED
from proxy.evaluation.score_levels import LEVELS, UNSCORED, levels_of
from proxy.records import Judgement, Verdict
from proxy.rule import VERDICTS

SPAN = ".."


@dataclass(frozen=True, kw_only=True, slots=True)
class Names:
    """The systems of the store with their number of answers."""

    systems: Mapping[str, int]

    @classmethod
    def of(cls, store: Store) -> Names:
        """Read them from the store as they are now."""
        return cls(systems={system: size for system, size in store.parts.sizes("system").items() if system is not None})

    @property
    def words(self) -> str:
        """All of them, as words for messages."""
        return (
            ", ".join(f"{system} ({size:,})" for system, size in self.systems.items())
            or "none: items have a field system"
        )


def selection_of(name: str, known: Names) -> Selection:
    """Parse a name into a selection; UsageError for a name that means nothing."""
    if name in known.systems:
        return Selection(system=name)
    system, at, window = name.rpartition("@")
    if not at or SPAN not in window:
        raise UsageError(f"no item is of the system {name}: the systems are {known.words}")
    if system and system not in known.systems:
        raise UsageError(f"no item is of the system {system}: the systems are {known.words}")
    since, _, until = window.partition(SPAN)
    selection = Selection(system=system or None, since=_moment(since, name), until=_moment(until, name))
    if selection.since is not None and selection.until is not None and selection.since >= selection.until:
        raise UsageError(f"{name}: the window ends before it begins; write FROM..TO, and TO is not in it")
    return selection


def _moment(text: str, name: str) -> str | None:
    """Parse the end of a window into the form in which items hold times; None where it is left out."""
    try:
        return parse(text.strip()) if text.strip() else None
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(f"{name}: {text} is no date and no time; write 2026-11-01 or 2026-11-01T08:00:00Z") from error


class Questions(NamedTuple):
    """The questions that both answered, and how many pairs have labels that count for nothing because they were hand-picked."""

    shared: SharedQuestions
    hand_picked: int


class _Said(NamedTuple):
    """The label of an answer, and its chance to be labelled: drawn by itself, with its question, and with its group."""

    judgement: Judgement
    chance: float = 1.0
    joint: float = 0.0
    by_group: float = 0.0

    def with_group(self, *, is_joint: bool) -> _Said:
        """Count the waves that drew by group among those that drew the pair together, or among those that did not."""
        if is_joint:
            return self._replace(joint=_any((self.joint, self.by_group)), by_group=0.0)
        return self._replace(chance=_any((self.chance, self.by_group)), by_group=0.0)


class _Decided(NamedTuple):
    """An answer that people called right or wrong."""

    item: int
    group: str
    verdict: Verdict
    said: _Said


Numbers = NDArray[np.float64]
Indices = NDArray[np.intp]


class _Side(NamedTuple):
    """The answers of one side to the shared questions, and the number of the question that each answers."""

    given: Given
    question: Indices


def pairs_of(store: Store, basis: Ground, selections: tuple[Selection, Selection]) -> Questions:
    """Return the questions that both answered; UsageError where an answer belongs to both."""
    traffic = basis.traffic
    reach = speaking(list(traffic.drawings))
    selected = store.selections.on_shared_questions(basis.key, selections, traffic.last, reach)
    items = np.concatenate([side.items for side in selected])
    if overlapping := len(items) - len(np.unique(items)):
        raise UsageError(f"{overlapping:,} answers are in both: name systems or windows that do not overlap")
    questions = list(dict.fromkeys(selected[0].questions))
    number = {question: place for place, question in enumerate(questions)}
    sides = [
        _Side(side, np.array([number[question] for question in side.questions], dtype=np.intp)) for side in selected
    ]
    by_hand = store.selections.hand_labelled(items)
    drawn = {draw.item: _said(draw) for draw in traffic.drawn if draw.judgement is not None}
    known = {item: label.judgement for item, label in drawn.items()} | {
        item: Judgement(word) for item, word in by_hand.items()
    }
    # Where every answer has a label nothing was chosen, however the labels came.
    is_census = bool(len(items)) and all(item in known for item in items.tolist())
    with_hands = {item: _Said(judgement) for item, judgement in known.items()}
    is_usable = np.full(len(questions), is_census) | _reachable(sides, len(questions))
    expected = _expected(store, basis, sides[1]) - _expected(store, basis, sides[0])
    shared = SharedQuestions(
        pairs=_pairs(sides, questions, np.where(is_usable, expected, np.nan), with_hands if is_census else drawn),
        expected=expected[is_usable],
        out_of_reach=int((~is_usable).sum()),
    )
    picked = len(_pairs(sides, questions, np.zeros(len(questions)), with_hands)) if by_hand else 0
    return Questions(shared, picked - len(shared.pairs) if by_hand else 0)


def _said(drawn: Drawn) -> _Said:
    """Return 1 - prod (1 - chance) over the waves that drew answers one by one, whole questions, and whole groups."""
    ways = zip(drawn.chances, drawn.joint, drawn.by_group, strict=True)
    by_itself = [chance for chance, joint, by_group in ways if not joint and not by_group]
    return _Said(drawn.judgement or Judgement.UNSURE, _any(by_itself), _any(drawn.joint), _any(drawn.by_group))


def _any(chances: Sequence[float]) -> float:
    return 1 - math.prod((1 - chance for chance in chances), start=1.0)


def _reachable(sides: Sequence[_Side], count: int) -> NDArray[np.bool_]:
    """Return the questions on which labels could have come on both sides."""
    first, second = (np.bincount(side.question[side.given.is_reachable], minlength=count) for side in sides)
    return np.asarray(np.minimum(first, second) > 0)


def _pairs(
    sides: Sequence[_Side], questions: Sequence[str], expected: Numbers, labels: Mapping[int, _Said]
) -> list[Pair]:
    """Return the questions with both answers called right or wrong, but for those of which nothing is expected."""
    (first, first_counts), (second, second_counts) = (
        (_decided(side, labels), np.bincount(side.question)) for side in sides
    )
    pairs = []
    for place in sorted(first.keys() & second.keys()):
        if not np.isnan(expected[place]):
            groups = sorted({answer.group for answer in (*first[place], *second[place])})
            is_joint = len(groups) == 1
            answers = [
                [answer._replace(said=answer.said.with_group(is_joint=is_joint)) for answer in side[place]]
                for side in (first, second)
            ]
            # An answer that was labelled before pairs were drawn was not drawn again: the other one holds the chance of both.
            joint = max(answer.said.joint for side in answers for answer in side)
            pairs.append(
                Pair(
                    question=questions[place],
                    groups=tuple(groups),
                    first=_answered(answers[0], int(first_counts[place])),
                    second=_answered(answers[1], int(second_counts[place])),
                    expected=float(expected[place]),
                    joint=joint,
                )
            )
    return pairs


def _decided(side: _Side, labels: Mapping[int, _Said]) -> Mapping[int, Sequence[_Decided]]:
    """Return the answers that people called right or wrong, by the number of their question."""
    decided_items = [item for item, label in labels.items() if label.judgement in DECIDED]
    decided = defaultdict[int, list[_Decided]](list)
    for row in np.flatnonzero(np.isin(side.given.items, decided_items)).tolist():
        item = int(side.given.items[row])
        verdict = VERDICTS[side.given.verdicts[row]]
        decided[int(side.question[row])].append(_Decided(item, side.given.groups[row], verdict, labels[item]))
    return decided


def _answered(decided: Sequence[_Decided], answers: int) -> Answered:
    """Estimate one side of a question; unlabelled answers are taken to have had the mean chance of the labelled ones."""
    chances = np.array([1 - (1 - answer.said.chance) * (1 - answer.said.joint) for answer in decided])
    rights = np.array([answer.said.judgement is Judgement.RIGHT for answer in decided], dtype=np.float64)
    mean = float(np.mean([answer.said.chance for answer in decided]))
    return Answered(
        items=tuple(answer.item for answer in decided),
        right=float((rights / chances).sum() / (1 / chances).sum()),
        chance=1 - (1 - mean) ** answers,
        verdict=decided[0].verdict,
    )


def _expected(store: Store, basis: Ground, side: _Side) -> Numbers:
    """Return P(right) by the rule's value, the mean over the answers to each question."""
    levels = levels_of(side.given.values, store.totals.edges(basis.key))
    score = basis.traffic.columns.score
    table = np.array([score.get(level, 0.5) for level in range(UNSCORED, LEVELS + 1)])
    sums = np.bincount(side.question, table[levels - UNSCORED])
    return np.asarray(sums / np.maximum(np.bincount(side.question), 1), dtype=np.float64)
