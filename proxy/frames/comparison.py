"""Compare two systems by the labelled answers of a DataFrame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from proxy.comparison.comparison import (
    ComparisonStanding,
    PairedComparison,
    SharedQuestions,
    chosen,
    could_turn,
    doubted,
    from_rates,
    paired,
    right_of,
)
from proxy.comparison.given_answers import MissingAnswers
from proxy.comparison.pairing import LabelChance, pair_answers
from proxy.errors import UsageError
from proxy.evaluation.agreement import correctness_of
from proxy.evaluation.estimate import Estimate, as_dict, as_long_run
from proxy.evaluation.evidence_ledger import SilentShare
from proxy.evaluation.ledger import DECIDED
from proxy.frames.labelled_rows import Design
from proxy.frames.result import ESTIMATE_COLUMNS, LONG_RUN, Result, estimate_row, frame_of
from proxy.frames.system_rows import SystemRows, system_rows
from proxy.rule import DEFAULT_EXPRESSION, Rule
from proxy.stats.testing.paired import Pairs
from proxy.text.numbers import Kind, several

if TYPE_CHECKING:
    import pandas as pd


DIFFERENCE = "difference"


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedSystem:
    """A system of a comparison: its answers, questions and labels, the long-run share right, and its missing labels."""

    name: str
    answers: int
    questions: int
    labels: int
    correctness: Estimate
    missing: MissingAnswers

    @property
    def silent(self) -> SilentShare:
        """The share right among its labels, with the share of its drawn answers that has none."""
        return SilentShare(right_of(self.correctness), self.missing.share)


@dataclass(frozen=True, kw_only=True, repr=False)
class SystemComparison(Result):
    """What the labels show of the second system against the first.

    Attributes
    ----------
    rule : Rule
        The rule whose value sharpens the estimate.
    systems : tuple of ComparedSystem
        The first and the second.
    comparison : PairedComparison
        The difference in correctness, second minus first, with its standing and the counts of labelled pairs.
    shared : SharedQuestions
        The questions that both answered, and the pairs with both answers labelled.
    is_doubted : bool
        Whether drawn answers without a right or wrong could take away what is shown.
    """

    ENDS: ClassVar[str] = LONG_RUN

    rule: Rule
    systems: tuple[ComparedSystem, ComparedSystem]
    comparison: PairedComparison
    shared: SharedQuestions
    is_doubted: bool

    @property
    def difference(self) -> Estimate:
        """The long-run difference in correctness, second minus first; `method` says whether it rests on pairs."""
        return self.comparison.difference

    @property
    def p_value(self) -> float | None:
        """McNemar's mid-p of the labelled pairs; None where the difference does not rest on pairs."""
        return self.comparison.mid_p if self.comparison.is_paired else None

    @property
    def standing(self) -> ComparisonStanding:
        """What is shown: better, worse, looks better, looks worse, no difference, or not measurable."""
        return self.comparison.standing

    def facts(self) -> Mapping[str, str | None]:
        """Return what is shown of the second against the first, and what it rests on."""
        first, second = (system.name for system in self.systems)
        return {
            "difference": f"{second} minus {first}, in points",
            "standing": self.standing.value,
            "pairs": f"{len(self.shared.pairs):,} labelled of {several(self.shared.questions, 'shared question')}",
            "method": self.difference.method or None,
            "missing": "drawn answers without a right or wrong could turn what is shown" if self.is_doubted else None,
        }

    def kind(self, row: object, column: str) -> Kind:
        """Return how a rate or the difference is written."""
        is_difference = row == DIFFERENCE and column in {"estimate", "low"}
        return Kind.POINTS if is_difference else super().kind(row, column)

    def to_dict(self) -> dict[str, object]:
        """Return the comparison as plain values, under the keys of `assay compare --json`."""
        counts = self.comparison.counts
        first, second = (
            {
                "name": system.name,
                "answers": system.answers,
                "questions": system.questions,
                "labels": system.labels,
                "correctness_long_run": as_dict(system.correctness),
            }
            for system in self.systems
        )
        return {
            "first": first,
            "second": second,
            "difference": as_dict(self.difference),
            "standing": self.standing.value,
            "mcnemar_mid_p": self.comparison.mid_p,
            "exact": self.comparison.exact,
            "more_labels_for_5_points": self.comparison.more,
            "pairs": {
                "questions": self.shared.questions,
                "labelled": len(self.shared.pairs),
                "out_of_reach": self.shared.out_of_reach,
                **(dict.fromkeys(Pairs._fields) if counts is None else counts._asdict()),
            },
            "rule": self.rule.expression,
        }

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each system's correctness and one for the difference, with its p-value."""
        rows = [{"quantity": system.name, **estimate_row(system.correctness)} for system in self.systems]
        difference = {"quantity": DIFFERENCE, **estimate_row(self.difference), "p_value": self.p_value}
        return frame_of([*rows, difference], ["quantity", *ESTIMATE_COLUMNS, "p_value"]).set_index("quantity")


def compare(
    frame: pd.DataFrame,
    *,
    systems: tuple[str, str],
    system: str = "system",
    question: str | None = "question",
    rule: str | Rule = DEFAULT_EXPRESSION,
    label: str = "label",
    design: Design | None = None,
) -> SystemComparison:
    """Compare two systems: the difference in correctness, paired on the same question where there are pairs.

    Parameters
    ----------
    frame : pandas.DataFrame
        All traffic, one row an answer of a system, labelled or not: the scores in [0, 1] of the rule's judges, and the labels.
    systems : tuple of str
        The first and the second; the difference is second minus first.
    system : str
        Column that says which system answered.
    question : str, optional
        Column that says what was asked: equal values are the same question, and two systems' answers to it are a pair. None where
        no two systems answered the same question.
    rule : str or Rule
        Its value sharpens the estimate; its threshold does not matter.
    label : str
        Column of right, wrong, unsure (or True and False); missing where nobody judged the answer.
    design : Design, optional
        How the labelled rows were chosen; needed where some rows have no label.

    Returns
    -------
    SystemComparison
        The long-run difference with its 95 % interval, the p-value of the pairs, and the method.

    Raises
    ------
    InputError
        For a frame or a design that cannot be measured; the message names the column and the row.
    UsageError
        For systems that are not two, or that no row is of.
    RuleError
        For a rule that cannot be read.

    Notes
    -----
    A pair is a question. Several answers of one system to it count once, by the mean of their labels, and `method` says so; in
    the corrected rates each answer counts.

    Pairs: Bonett and Price (2012), J. Educational and Behavioral Statistics 37, or PPI++ on the differences where the rule's
    values help (Angelopoulos, Duchi and Zrnic 2023, arXiv 2311.01453), with clusters as the units; McNemar's mid-p. Without
    enough pairs: MOVER from two corrected rates (Zou and Donner 2008, Statistics in Medicine 27).
    """
    if isinstance(systems, str) or len(systems) != 2:
        raise UsageError("systems names two: systems=(first, second)")
    by_system = system_rows(
        frame, rule=rule, system=system, systems=systems, question=question, label=label, design=design, what="compare"
    )
    first, second = _compared(by_system, 0), _compared(by_system, 1)
    shared = _shared(by_system)
    by_rates = from_rates(first.correctness, second.correctness, (first.name, second.name))
    share = shared.questions / min(first.questions, second.questions)
    comparison = chosen(paired(shared), by_rates, min(first.labels, second.labels), share)
    is_claimed = comparison.standing in {ComparisonStanding.BETTER, ComparisonStanding.WORSE}
    is_missing = bool(first.missing.draws + second.missing.draws)
    is_doubted = is_claimed and is_missing and could_turn(comparison, (first.silent, second.silent))
    return SystemComparison(
        rule=by_system.rows.rule,
        systems=(first, second),
        comparison=doubted(comparison) if is_doubted else comparison,
        shared=shared,
        is_doubted=is_doubted,
    )


def _compared(by_system: SystemRows, number: int) -> ComparedSystem:
    mask = by_system.masks[number]
    evidence = by_system.rows.evidence_within(mask, by_system.whole)
    return ComparedSystem(
        name=by_system.names[number],
        answers=int(mask.sum()),
        questions=len(set(by_system.answers(number).questions)),
        labels=sum(item.judgement in DECIDED for item in evidence.sample),
        correctness=as_long_run(correctness_of(evidence)),
        missing=by_system.missing(number),
    )


def _shared(by_system: SystemRows) -> SharedQuestions:
    """Pair the answers to the questions that both answered."""
    first, second = by_system.answers(0), by_system.answers(1)
    common = {*first.questions} & {*second.questions}
    in_first, in_second = (
        answers.only(np.array([question in common for question in answers.questions], dtype=np.bool_))
        for answers in (first, second)
    )
    places = np.flatnonzero(by_system.rows.drawn).tolist()
    drawn = {
        place: LabelChance.of(item.judgement, item.chances)
        for place, item in zip(places, by_system.whole.sample, strict=True)
        if item.judgement is not None
    }
    predicted = [by_system.rows.predicted[answers.items] for answers in (in_first, in_second)]
    source = by_system.rows.source
    return pair_answers((in_first, in_second), drawn, by_hand={}, predicted=predicted, source=source).shared
