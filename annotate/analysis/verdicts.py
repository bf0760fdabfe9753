"""Count the verdicts of the rule in force, and say why nothing passes where nothing does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from annotate.analysis.rule_in_force import rule_in_force, scored_by, untried
from annotate.domain.reasons import RefusalReason, together
from annotate.store import Store
from annotate.store.scores.judge_totals import JudgeTotals
from proxy.evaluation.guarantee import Guarantee
from proxy.records import Verdict
from proxy.rule import Rule

BY_REFERENCE = "correctness_vs_reference"
NO_PASSAGES = "no passages were retrieved"


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeScores:
    """How many items have a score of a judge; `command` gives some where none has, None where every item was tried."""

    judge: str
    scored: int
    command: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdicts:
    """The rule in force with what its threshold is certified to keep.

    `counts` are items by verdict, `scores` items with a score of each judge that it reads. `untried` says which of these has
    not tried some answers, with the command that has it do so. `scored` are items with a score, by judge and signature, of
    any judge.
    """

    rule: Rule
    counts: Mapping[Verdict, int]
    guarantee: Guarantee | None
    shortfall: Shortfall | None
    scores: tuple[JudgeScores, ...] = ()
    untried: str | None = None
    scored: Mapping[tuple[str, str], int] = field(default_factory=dict)


def verdicts(store: Store) -> Verdicts:
    """Count the verdicts of the rule in force."""
    key, rule = rule_in_force(store)
    counts = store.scores.rules.counts(key)
    totals = store.scores.by_judge()
    return Verdicts(
        rule=rule,
        counts=counts,
        guarantee=store.scores.guarantees.of(key),
        shortfall=shortfall(store, key, rule),
        scores=tuple(_scores(store, rule, totals)),
        untried=untried(store, rule.signatures) if counts[Verdict.UNSCORED] else None,
        scored={(total.judge, total.signature): total.scored for total in totals},
    )


def _scores(store: Store, rule: Rule, totals: Sequence[JudgeTotals]) -> Iterator[JudgeScores]:
    """Count the scores of each judge that the rule reads."""
    items = store.traffic.items.count()
    total_of = {(total.judge, total.signature): total for total in totals}
    for judge, signature in rule.signatures.items():
        total = total_of.get((judge, signature))
        scored, failed = (total.scored, total.failed) if total else (0, 0)
        can_score = not scored and failed < items
        yield JudgeScores(judge=judge, scored=scored, command=scored_by(judge, signature) if can_score else None)


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleVersion:
    """A rule and when it was set; the one in force with what its threshold is certified to keep."""

    rule: Rule
    at: str
    is_in_force: bool
    guarantee: Guarantee | None


def history(store: Store) -> list[RuleVersion]:
    """Return every rule and version."""
    current = store.scores.rules.in_force()
    guarantee = store.scores.guarantees.of(current[0]) if current else None
    return [
        RuleVersion(rule=rule, at=at, is_in_force=is_in_force, guarantee=guarantee if is_in_force else None)
        for rule, at, is_in_force in store.scores.rules.history()
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class Lacking:
    """A judge that has no score of `count` of the `items`, so that a rule that reads it leaves these unscored."""

    judge: str
    count: int
    items: int


def lacking(read: Mapping[str, str], scored: Mapping[tuple[str, str], int], items: int) -> Lacking:
    """Return what the judge with the fewest scores lacks, of those under these signatures."""
    fewest, judge = min((scored.get(pair, 0), pair[0]) for pair in read.items())
    return Lacking(judge=judge, count=items - fewest, items=items)


class JudgeFailures(NamedTuple):
    """The reasons why a judge of the rule gave no score, with counts of answers."""

    judge: str
    reasons: tuple[RefusalReason, ...]


class Shortfall(NamedTuple):
    """The reasons why no answer passes; `next` are commands, in the order in which they are run."""

    items: int
    scored: int
    highest: float | None
    failures: tuple[JudgeFailures, ...]
    untried: str | None
    references: int
    next: tuple[str, ...]


def shortfall(store: Store, key: int, rule: Rule) -> Shortfall | None:
    """Return why no current answer passes the rule in this row; None where one does, or where there is no answer."""
    counts = store.scores.rules.counts(key)
    items = sum(counts.values())
    if counts[Verdict.PASS] or not items:
        return None
    keys = store.scores.known_keys(list(rule.signatures.items()))
    failures = tuple(
        JudgeFailures(judge, reasons)
        for (judge, _), row in keys.items()
        if (reasons := together(store.scores.failure_reasons(row)))
    )
    references = 0 if BY_REFERENCE in rule.signatures else store.traffic.items.count_with_reference()
    return Shortfall(
        items=items,
        scored=counts[Verdict.FAIL],
        highest=store.scores.rules.highest(key),
        failures=failures,
        untried=untried(store, rule.signatures),
        references=references,
        next=_next(store, failures, references),
    )


def _next(store: Store, failures: tuple[JudgeFailures, ...], references: int) -> tuple[str, ...]:
    if references:
        set_rule = f"assay rule set '{BY_REFERENCE} > 0.5'"
        return (
            (set_rule,)
            if BY_REFERENCE in store.scores.signatures()
            else (f"assay judge --judges {BY_REFERENCE}", set_rule)
        )
    if any(reason.reason == NO_PASSAGES for judge in failures for reason in judge.reasons):
        return ("assay ingest FILE --map contexts=FIELD",)
    return ()
