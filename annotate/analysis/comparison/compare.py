"""Compare two systems or windows: what annotators' labels and the judges say of the second against the first.

The same questions are compared in pairs, different questions or windows by their corrected rates; nothing is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from annotate.analysis import evidence_ledger
from annotate.analysis.comparison.graded import JudgeGrades, judge_grades
from annotate.analysis.comparison.selections import Names, pairs_of, selection_of, shown
from annotate.analysis.labelled_draws import AnswerGround, evidence_within, ground
from annotate.analysis.report.caveats import on_waves
from annotate.analysis.report.gate import Gate
from annotate.analysis.rule_in_force import rule_in_force, why_some_unscored
from annotate.domain.gate_limits import CompareLimits
from annotate.domain.sampling.outcomes import ToLabel
from annotate.domain.selection import Selection
from annotate.store import Store
from annotate.store.traffic.selections import SelectionCounts
from proxy.comparison.comparison import (
    ComparisonStanding,
    PairedComparison,
    QuestionPair,
    SharedQuestions,
    chosen,
    could_turn,
    doubted,
    from_rates,
    paired,
    right_of,
    unknown,
)
from proxy.comparison.given_answers import missing_answers
from proxy.errors import UsageError
from proxy.evaluation.agreement import correctness_of, pass_precision_of
from proxy.evaluation.estimate import Estimate, as_long_run
from proxy.evaluation.evidence_ledger import Doubt, Objection, SilentShare
from proxy.evaluation.ledger import DECIDED
from proxy.reason import Reason, joined
from proxy.records import Item
from proxy.rule import Rule
from proxy.text.numbers import points

# Most questions are in common: pairs are then what is asked, as in `proxy.comparison.comparison.chosen`.
SAME_QUESTIONS = 0.5
UNCOMPARED = "{second} cannot be compared with {first}: {reason}"
SPAN = "{low} to {high} points in the long run, 95 % interval, n = {n}"
WORSE = "{second} is shown worse than {first} ({span})"
OPEN = "whether {second} is worse than {first} cannot be told ({span}): {reason}"
MAY_BE_WORSE = (
    "{second} may be worse than {first} by more than the {allowed} points that largest_drop allows ({span}): "
    "more labels narrow it"
)
ALONE = "There is nothing to compare with: {name} is all that the store has"
ALONE_OF_SEVERAL = "There is nothing to compare {name} with: name another system"
COUNT_OF = "{count} of {name}"
COULD_TURN = "draws without a right-or-wrong label could change this ({counts})"
LABEL_THEM = "label them, or have them read by a second annotator"
EMPTY = "no answers of {names}; the store has {count}, {span}"
DATED, UNDATED = "those with a timestamp run from {first} to {last}", "none has a timestamp"
WITHOUT_SCORE = "{count} of the {total} answers of {name} have no score by the rule's judges ({reason})"
CAME_LATER = (
    "{count} of the {total} answers of {name} came after the last wave that counts: its rate does not cover them"
)
WITHOUT_TIMESTAMP = "answers without a timestamp: {count}"
OTHER_JUDGE = (
    "{judge} is not the same judge on both (mostly {before} on {first}, {after} on {second}); "
    "the rule reads {signature} alone"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedSide:
    """One of the two systems or windows: answers, labels, and the shares right in the long run, of all and of the passed.

    `framed` are the answers that waves which count have framed, `unscored` all current answers without a verdict; `missing` is
    the share of its drawn answers that nobody called right or wrong, weighted by design, and `missing_count` their number.
    """

    selection: Selection
    counted: SelectionCounts
    rate: Estimate
    pass_precision: Estimate
    labels: int
    framed: int
    unscored: int
    missing: float
    missing_count: int

    @property
    def name(self) -> str:
        """The name that was asked for."""
        return self.selection.name

    @property
    def silent(self) -> SilentShare:
        """The share right among its labels, with the share of its draws that has none."""
        return SilentShare(right_of(self.rate), self.missing)


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedPair:
    """A question on which annotators call one answer right and the other wrong, with an answer of each."""

    pair: QuestionPair
    first: Item
    second: Item

    @property
    def is_broken(self) -> bool:
        """Whether the first was right, and the second is not."""
        return self.pair.difference < 0


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedSystems:
    """The result of a comparison; `hand_picked` pairs have labels that count for nothing.

    `left` is what can still be labelled of them: of the questions that both answered, where they answered mostly the same.
    `objections` speak against a claim; with one, what is shown only looks so. `limits` are those of the gate.
    """

    sides: tuple[ComparedSide, ComparedSide]
    rule: Rule
    comparison: PairedComparison
    shared: SharedQuestions
    left: ToLabel
    hand_picked: int
    listed: Sequence[ListedPair]
    judge_grades: JudgeGrades | None
    notes: tuple[str, ...]
    objections: tuple[Objection, ...]
    limits: CompareLimits = field(default_factory=CompareLimits)

    @property
    def among_passed(self) -> Estimate:
        """The long-run difference in pass precision, second minus first, from the rates of both."""
        first, second = self.sides
        rates = first.pass_precision, second.pass_precision
        return from_rates(*rates, (first.name, second.name)).difference

    @property
    def worst_low(self) -> float | None:
        """The low end of the difference were every missing answer of the first right and of the second wrong."""
        low = self.comparison.difference.low
        if low is None:
            return None
        first, second = self.sides
        return low - first.missing * (1 - first.silent.share) - second.missing * second.silent.share

    @property
    def left_to_tell(self) -> int:
        """How many of what the difference rests on can still be labelled: shared questions, or answers of both."""
        if self.comparison.is_paired:
            return self.shared.questions - self.shared.out_of_reach - len(self.shared.pairs)
        return self.left.undrawn + self.left.waiting

    @property
    def same_questions(self) -> bool:
        """Whether most of what one of them answered, the other answered too."""
        return _share(self.shared, self.sides) >= SAME_QUESTIONS


def compare(
    store: Store, names: tuple[str, str], *, judge: str | None = None, limits: CompareLimits | None = None
) -> ComparedSystems:
    """Compare them under the rule in force; UsageError for a name that the store does not have."""
    selections = _selections(store, names)
    key, rule = rule_in_force(store)
    with store.snapshot():
        # Nothing here is a score of the rule: the labels that chose its threshold are labels like any other.
        basis = ground(store, key, rule, scores_itself=False)
        sides = _side(store, basis, selections[0]), _side(store, basis, selections[1])
        questions = pairs_of(store, basis, selections)
        by_rates = from_rates(sides[0].rate, sides[1].rate, (sides[0].name, sides[1].name))
        labels, share = min(side.labels for side in sides), _share(questions.shared, sides)
        comparison = _empty(store, sides) or chosen(paired(questions.shared), by_rates, labels, share)
        objections = _objections(store, sides, comparison)
        return ComparedSystems(
            sides=sides,
            rule=rule,
            comparison=doubted(comparison) if objections else comparison,
            shared=questions.shared,
            left=store.traffic.selections.to_label(selections, shared=share >= SAME_QUESTIONS),
            hand_picked=questions.hand_picked,
            listed=_listed(store, questions.shared.pairs),
            judge_grades=judge_grades(store, selections, judge),
            notes=_notes(store, basis, sides),
            objections=objections,
            limits=limits or CompareLimits(),
        )


class Alone(NamedTuple):
    """A system, or a window of time, that was named alone, and the other systems."""

    name: str
    others: tuple[str, ...]

    @property
    def gate(self) -> Gate:
        """The gate, which fails: nothing is measured."""
        return Gate((Reason(ALONE_OF_SEVERAL if self.others else ALONE, name=self.name),))


def alone(store: Store, name: str) -> Alone:
    """Return what one name could be compared with; UsageError where the store does not have it."""
    known = Names.of(store)
    selection = selection_of(name, known)
    return Alone(name, tuple(system for system in known.systems if system != selection.system))


def gate_of(compared: ComparedSystems) -> Gate:
    """Fail where the second is shown to be worse, may be worse by more than the limit, or cannot be measured."""
    difference, (first, second) = compared.comparison.difference, compared.sides
    if difference.low is None or difference.high is None:
        return Gate((Reason(UNCOMPARED, second=second.name, first=first.name, reason=difference.reason),))
    low, high = (points(end, "+") for end in (difference.low, difference.high))
    named = {"second": second.name, "first": first.name, "span": Reason(SPAN, low=low, high=high, n=difference.n)}
    if compared.comparison.standing is ComparisonStanding.WORSE:
        return Gate((Reason(WORSE, **named),))
    if compared.objections and compared.comparison.standing is not ComparisonStanding.LOOKS_BETTER:
        return Gate((Reason(OPEN, **named, reason=compared.objections[0].words),))
    allowed = compared.limits.largest_drop
    if allowed is None or (compared.worst_low or 0.0) >= -allowed:
        return Gate(())
    return Gate((Reason(MAY_BE_WORSE, **named, allowed=f"{100 * allowed:g}"),))


def _selections(store: Store, names: tuple[str, str]) -> tuple[Selection, Selection]:
    """Parse the names; UsageError where they mean the same, or nothing."""
    known = Names.of(store)
    first, second = (selection_of(name, known) for name in names)
    if first == second:
        raise UsageError(
            f"{shown(names[0])} and {shown(names[1])} are the same: name two systems, or two windows of one"
        )
    return first, second


def _objections(
    store: Store, sides: tuple[ComparedSide, ComparedSide], comparison: PairedComparison
) -> tuple[Objection, ...]:
    """Collect objections to a claim: from the evidence ledger, and answers without a right or wrong that could turn it."""
    if comparison.difference.estimate is None:
        return ()
    objections = evidence_ledger.objections(store)
    first, second = sides
    is_claimed = comparison.standing in {ComparisonStanding.BETTER, ComparisonStanding.WORSE}
    missing = first.missing_count + second.missing_count
    if not (is_claimed and missing and could_turn(comparison, (first.silent, second.silent))):
        return objections
    counts = [Reason(COUNT_OF, count=side.missing_count, name=side.name) for side in sides if side.missing_count]
    return (*objections, Objection(Doubt.MISSING, Reason(COULD_TURN, counts=joined(counts)), LABEL_THEM))


def _side(store: Store, basis: AnswerGround, selection: Selection) -> ComparedSide:
    counted = store.traffic.selections.counted(selection)
    evidence = evidence_within(store, basis, selection)
    nothing = Estimate(estimate=None, reason="no answers")
    rate = as_long_run(correctness_of(evidence)) if counted.items else nothing
    precision = as_long_run(pass_precision_of(evidence)) if counted.items else nothing
    missing = missing_answers(evidence.sample)
    return ComparedSide(
        selection=selection,
        counted=counted,
        rate=rate,
        pass_precision=precision,
        missing=missing.share,
        missing_count=missing.draws,
        labels=sum(item.judgement in DECIDED for item in evidence.sample),
        framed=sum(total.size for total in evidence.totals),
        unscored=store.traffic.selections.unscored(basis.key, selection),
    )


def _empty(store: Store, sides: tuple[ComparedSide, ComparedSide]) -> PairedComparison | None:
    """Return a comparison with a reason where one of them has no answers at all, else None."""
    names = [side.name for side in sides if not side.counted.items]
    if not names:
        return None
    whole = store.traffic.selections.counted(Selection())
    span = Reason(DATED, first=whole.first, last=whole.last) if whole.first else UNDATED
    return unknown(Reason(EMPTY, names=", ".join(names), count=whole.items, span=span))


def _share(shared: SharedQuestions, sides: tuple[ComparedSide, ComparedSide]) -> float:
    """Return the questions that both answered among those of the side that has fewer."""
    return shared.questions / max(1, min(side.counted.questions for side in sides))


def _listed(store: Store, pairs: Sequence[QuestionPair]) -> list[ListedPair]:
    """Return the pairs that differ, those that broke first; read with their texts."""
    differing = sorted(
        (pair for pair in pairs if pair.difference), key=lambda pair: (pair.difference > 0, pair.first.items)
    )
    items = store.traffic.items.read([row for pair in differing for row in (pair.first.items[0], pair.second.items[0])])
    return [
        ListedPair(pair=pair, first=items[pair.first.items[0]], second=items[pair.second.items[0]])
        for pair in differing
    ]


def _notes(store: Store, basis: AnswerGround, sides: tuple[ComparedSide, ComparedSide]) -> tuple[str, ...]:
    """Note what could not be taken into account."""
    notes = list[str]()
    for side in sides:
        if side.unscored:
            why = why_some_unscored(store, basis.rule.signatures)
            notes.append(unscored_note(side.unscored, side.counted.items, side.name, why))
        if 0 < side.framed < side.counted.items:
            late = side.counted.items - side.framed
            notes.append(Reason(CAME_LATER, count=late, total=side.counted.items, name=side.name))
        if side.selection.is_window and side.counted.undated:
            notes.append(Reason(WITHOUT_TIMESTAMP, count=side.counted.undated))
    known = store.scores.signatures()
    for judge, signature in basis.rule.signatures.items():
        if len(known.get(judge, ())) < 2:
            continue
        first_signature, second_signature = (_mostly(store, judge, side) for side in sides)
        if first_signature and second_signature and first_signature != second_signature:
            first, second = (side.name for side in sides)
            versions = {"before": first_signature, "first": first, "after": second_signature, "second": second}
            notes.append(Reason(OTHER_JUDGE, judge=judge, **versions, signature=signature))
    return (*notes, *on_waves(store.sampling.ledger.answered(), store.sampling.ledger.last_counted(), 0))


def unscored_note(count: int, total: int, name: str, why: str) -> Reason:
    """Note how many answers of a system have no score, and why."""
    return Reason(WITHOUT_SCORE, count=count, total=total, name=name, reason=why)


def _mostly(store: Store, judge: str, side: ComparedSide) -> str | None:
    """Return the signature under which this judge scored most of the answers."""
    signatures = store.traffic.selections.signatures(judge, side.selection)
    return max(signatures, key=lambda signed: signed.scored).signature if signatures else None
