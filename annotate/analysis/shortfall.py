"""Say why no answer passes the rule in force, and which judge could score the answers."""

from __future__ import annotations

from typing import NamedTuple

from annotate.analysis.rule_in_force import why_some_unscored
from annotate.domain.reasons import RefusalReason, together
from annotate.store import Store
from proxy.records import Verdict
from proxy.rule import Rule

BY_REFERENCE = "correctness_vs_reference"
NO_PASSAGES = "no passages were retrieved"


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
    is_tried = all(not store.traffic.items.count_without_outcome([row], retries=True) for row in keys.values())
    references = 0 if BY_REFERENCE in rule.signatures else store.traffic.items.count_with_reference()
    return Shortfall(
        items=items,
        scored=counts[Verdict.FAIL],
        highest=store.scores.rules.highest(key),
        failures=failures,
        untried=None if is_tried else why_some_unscored(store, rule.signatures),
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
