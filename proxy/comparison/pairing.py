"""Pair the answers of two systems by question.

A pair counts as labelled when annotators called an answer of either system right or wrong, at the chances that the sampling
gave it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.comparison.comparison import AnsweredQuestion, QuestionPair, SharedQuestions
from proxy.comparison.given_answers import GivenAnswers
from proxy.evaluation.ledger import DECIDED
from proxy.evaluation.predictor import PredictorSource
from proxy.records import Judgement, Verdict
from proxy.rule import VERDICTS

Numbers = NDArray[np.float64]
Indices = NDArray[np.intp]


class PairedQuestions(NamedTuple):
    """The questions that both answered, and how many pairs have labels that count for nothing because they were hand-picked."""

    shared: SharedQuestions
    hand_picked: int


class LabelChance(NamedTuple):
    """The label of an answer, and its chance to be labelled: drawn by itself, with its question, and with its group."""

    judgement: Judgement
    chance: float = 1.0
    joint: float = 0.0
    by_group: float = 0.0

    @classmethod
    def of(
        cls,
        judgement: Judgement | None,
        chances: Sequence[float],
        joint: Sequence[float] = (),
        by_group: Sequence[float] = (),
    ) -> LabelChance:
        """Combine the waves: 1 - prod (1 - chance) over those that drew answers one by one, whole questions, and whole groups.

        `joint` has one of `chances` again where that wave drew whole questions, `by_group` where it drew whole groups; both have
        0 where it did not, and may be left out where none did.
        """
        is_alone = [not any(ways) for ways in zip(joint, by_group, strict=True)] or [True] * len(chances)
        by_itself = [chance for chance, alone in zip(chances, is_alone, strict=True) if alone]
        return cls(judgement or Judgement.UNSURE, _any(by_itself), _any(joint), _any(by_group))

    def with_group(self, *, is_joint: bool) -> LabelChance:
        """Count the waves that drew by group among those that drew the pair together, or among those that did not."""
        if is_joint:
            return self._replace(joint=_any((self.joint, self.by_group)), by_group=0.0)
        return self._replace(chance=_any((self.chance, self.by_group)), by_group=0.0)


class _Decided(NamedTuple):
    """An answer that annotators called right or wrong."""

    item: int
    group: str
    verdict: Verdict
    label: LabelChance


class _Numbered(NamedTuple):
    """The answers of a system to the shared questions, and the number of the question that each answers."""

    given: GivenAnswers
    question: Indices


def pair_answers(
    systems: tuple[GivenAnswers, GivenAnswers],
    drawn: Mapping[int, LabelChance],
    *,
    by_hand: Mapping[int, Judgement],
    predicted: Sequence[Numbers],
    source: PredictorSource | None = None,
) -> PairedQuestions:
    """Pair the answers of two systems to the questions that both answered.

    Parameters
    ----------
    systems : tuple of GivenAnswers
        The answers of each to the shared questions; no item is in both.
    drawn : Mapping
        The label of each drawn item that came back, with its chances.
    by_hand : Mapping
        Labels of items that nothing drew; they count only where every answer has a label.
    predicted : two arrays of numbers
        P(right) of each answer of the first and of the second, as the scores predict it.
    source : PredictorSource, optional
        What predicted it.

    Returns
    -------
    PairedQuestions
        The labelled pairs, what is expected of all pairs within reach, and how many labelled pairs do not count.
    """
    items = np.concatenate([answers.items for answers in systems])
    questions = list(dict.fromkeys(systems[0].questions))
    number = {question: place for place, question in enumerate(questions)}
    numbered = [
        _Numbered(answers, np.array([number[question] for question in answers.questions], dtype=np.intp))
        for answers in systems
    ]
    known = {item: label.judgement for item, label in drawn.items()} | dict(by_hand)
    # Where every answer has a label nothing was chosen, however the labels came.
    is_census = bool(len(items)) and all(item in known for item in items.tolist())
    with_hands = {item: LabelChance(judgement) for item, judgement in known.items()}
    is_usable = np.full(len(questions), is_census) | _reachable(numbered, len(questions))
    expected = _expected(numbered[1], predicted[1]) - _expected(numbered[0], predicted[0])
    shared = SharedQuestions(
        pairs=_pairs(numbered, questions, np.where(is_usable, expected, np.nan), with_hands if is_census else drawn),
        expected=expected[is_usable],
        out_of_reach=int((~is_usable).sum()),
        repeated=_repeated(numbered, len(questions)),
        source=source,
    )
    picked = len(_pairs(numbered, questions, np.zeros(len(questions)), with_hands)) if by_hand else 0
    return PairedQuestions(shared, picked - len(shared.pairs) if by_hand else 0)


def _any(chances: Sequence[float]) -> float:
    return 1 - math.prod((1 - chance for chance in chances), start=1.0)


def _reachable(numbered: Sequence[_Numbered], count: int) -> NDArray[np.bool_]:
    """Return the questions on which labels could have come on both sides."""
    first, second = (np.bincount(answers.question[answers.given.is_reachable], minlength=count) for answers in numbered)
    return np.asarray(np.minimum(first, second) > 0)


def _repeated(numbered: Sequence[_Numbered], count: int) -> int:
    """Count the questions to which one of the two gave several answers."""
    first, second = (np.bincount(answers.question, minlength=count) for answers in numbered)
    return int((np.maximum(first, second) > 1).sum())


def _pairs(
    numbered: Sequence[_Numbered], questions: Sequence[str], expected: Numbers, labels: Mapping[int, LabelChance]
) -> list[QuestionPair]:
    """Return the questions with both answers called right or wrong, but for those of which nothing is expected."""
    (first, first_counts), (second, second_counts) = (
        (_decided(answers, labels), np.bincount(answers.question)) for answers in numbered
    )
    pairs = []
    for place in sorted(first.keys() & second.keys()):
        if not np.isnan(expected[place]):
            groups = sorted({answer.group for answer in (*first[place], *second[place])})
            is_joint = len(groups) == 1
            answers = [
                [answer._replace(label=answer.label.with_group(is_joint=is_joint)) for answer in decided[place]]
                for decided in (first, second)
            ]
            # An answer that was labelled before pairs were drawn was not drawn again: the other one holds the chance of both.
            joint = max(answer.label.joint for decided in answers for answer in decided)
            pairs.append(
                QuestionPair(
                    question=questions[place],
                    groups=tuple(groups),
                    first=_answered(answers[0], int(first_counts[place])),
                    second=_answered(answers[1], int(second_counts[place])),
                    expected=float(expected[place]),
                    joint=joint,
                )
            )
    return pairs


def _decided(answers: _Numbered, labels: Mapping[int, LabelChance]) -> Mapping[int, Sequence[_Decided]]:
    """Return the answers that annotators called right or wrong, by the number of their question."""
    decided_items = [item for item, label in labels.items() if label.judgement in DECIDED]
    decided = defaultdict[int, list[_Decided]](list)
    for row in np.flatnonzero(np.isin(answers.given.items, decided_items)).tolist():
        item = int(answers.given.items[row])
        verdict = VERDICTS[answers.given.verdicts[row]]
        decided[int(answers.question[row])].append(_Decided(item, answers.given.groups[row], verdict, labels[item]))
    return decided


def _answered(decided: Sequence[_Decided], answers: int) -> AnsweredQuestion:
    """Estimate one side of a question; unlabelled answers are taken to have had the mean chance of the labelled ones."""
    chances = np.array([1 - (1 - answer.label.chance) * (1 - answer.label.joint) for answer in decided])
    rights = np.array([answer.label.judgement is Judgement.RIGHT for answer in decided], dtype=np.float64)
    mean = float(np.mean([answer.label.chance for answer in decided]))
    return AnsweredQuestion(
        items=tuple(answer.item for answer in decided),
        right=float((rights / chances).sum() / (1 / chances).sum()),
        chance=1 - (1 - mean) ** answers,
        verdict=decided[0].verdict,
    )


def _expected(answers: _Numbered, predicted: Numbers) -> Numbers:
    """Return the mean predicted P(right) of the answers to each question."""
    sums = np.bincount(answers.question, predicted)
    return np.asarray(sums / np.maximum(np.bincount(answers.question), 1), dtype=np.float64)
