"""Read the evidence ledger from the store: what the labels at hand can carry, before anything is claimed from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

from annotate.analysis.evidence import Traffic, gather
from annotate.analysis.excluded_draws import excluded_from_rule
from annotate.analysis.selected_items import SelectedItems
from annotate.domain.selection import Selection
from annotate.store import Store
from proxy.evaluation.agreement import AgreementReport, measure
from proxy.evaluation.annotator_agreement import AnnotatorAgreement, agreement_between
from proxy.evaluation.candidates import FLAGS
from proxy.evaluation.discrimination import auroc_of, valued
from proxy.evaluation.domains import Evidence
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.evidence_ledger import (
    DrawCounts,
    EvidenceLedger,
    JudgeEvidence,
    Objection,
    against_labels,
    clusters_behind,
)
from proxy.evaluation.false_passes import false_passes
from proxy.evaluation.ledger import DECIDED, SampledItem, draws_of
from proxy.evaluation.worst_case import Cases, cases
from proxy.records import Judgement, Verdict
from proxy.rule import Rule


class State(StrEnum):
    """The outcome of a draw."""

    ANSWERED = "answered"
    UNSURE = "unsure"
    UNANSWERED = "unanswered"
    PENDING = "pending"


class Basis(NamedTuple):
    """The caller's measurements, so that nothing is measured again.

    `scoring` is the traffic that the labels that chose nothing speak of, `measured` what is measured on it; `within` are the
    items of the part of the traffic that both are of, None for all.
    """

    scoring: Traffic
    measured: AgreementReport
    annotator_agreement: AnnotatorAgreement
    within: SelectedItems | None = None


def objections(store: Store) -> tuple[Objection, ...]:
    """List the objections to any claim from the labels: those of the ledger, without what it takes to measure the rest of it."""
    return against_labels(agreement_between(store.labels.readings()))


def evidence_ledger(store: Store, key: int, rule: Rule, known: Basis | None = None) -> EvidenceLedger:
    """Read the ledger of the rule in force, in row `key`; of the part of the traffic that the measurements are of.

    How far annotators agree is a property of the annotators, so that it limits what can be claimed of a part, too.
    """
    excluded_draws = excluded_from_rule(store, key, rule)
    if known is None:
        scoring = gather(store, key, [rule], excluded_draws=excluded_draws)
        evidence = scoring.evidence(scoring.rules[0])
        known = Basis(scoring, measure(evidence), agreement_between(store.labels.readings()))
    scoring, within = known.scoring, known.within
    selection = None if within is None else within.selection
    evidence = scoring.evidence(scoring.rules[0])
    drawn = gather(store, key, [rule], as_drawn=True, within=within)
    everything = drawn.evidence(drawn.rules[0])
    waiting = store.sampling.ledger.waiting()
    states = [
        _state(item.judgement, is_waiting=draw.item in waiting)
        for item, draw in zip(everything.sample, drawn.drawn, strict=True)
    ]
    weights = _weights(drawn, everything.sample)
    verdicts = [item.verdict for item in everything.sample]
    without, labelled_without = store.sampling.ledger.without_passages(selection)
    begun = store.sampling.ledger.last_begun()
    return EvidenceLedger(
        draws=_counts(states, weights, verdicts, tuple(Verdict)),
        passed=_counts(states, weights, verdicts, (Verdict.PASS,)),
        failed=_counts(states, weights, verdicts, (Verdict.FAIL,)),
        pending_waves=tuple(wave for wave, _, _ in store.sampling.ledger.answered() if wave > begun),
        among=known.measured,
        auroc=known.measured.known(auroc_of(valued(evidence, scoring.rules[0].values)[0])),
        false_passes=false_passes_of(evidence, known.measured),
        cases=_cases(store, key, rule, drawn, known) if any(state is not State.ANSWERED for state in states) else None,
        annotators=known.annotator_agreement,
        clusters=clusters_behind(evidence, store.sampling.ledger.clusters(selection)),
        judges=_judges(store, selection),
        items=sum(scoring.rules[0].counts.values()),
        without_passages=without,
        labelled_without_passages=labelled_without,
        chose=excluded_draws,
    )


def false_passes_of(evidence: Evidence, agreement: AgreementReport) -> Estimate:
    """Return the share of the judged answers that pass and are wrong; with the report's reason where no label is left to tell."""
    estimate = false_passes(evidence)
    if estimate.estimate is not None:
        return estimate
    return replace(estimate, reason=agreement.pass_precision.reason or estimate.reason)


def _state(judgement: Judgement | None, *, is_waiting: bool) -> State:
    """Return what became of a draw."""
    if judgement in DECIDED:
        return State.ANSWERED
    if judgement is Judgement.UNSURE:
        return State.UNSURE
    return State.PENDING if is_waiting else State.UNANSWERED


def _weights(traffic: Traffic, sample: Sequence[SampledItem]) -> list[float]:
    """Return how many items each draw stands for."""
    if not sample:
        return []
    return [float(weight) for weight in draws_of(sample, traffic.drawings).weight]


def _counts(
    states: Sequence[State], weights: Sequence[float], verdicts: Sequence[Verdict], of: Collection[Verdict]
) -> DrawCounts:
    """Count the draws with these verdicts."""
    rows = [row for row in zip(states, weights, verdicts, strict=True) if row[2] in of]
    number = Counter(state for state, _, _ in rows)
    whole = sum(weight for _, weight, _ in rows) or 1.0
    share = {member: sum(weight for state, weight, _ in rows if state is member) / whole for member in State}
    return DrawCounts(
        drawn=len(rows),
        answered=number[State.ANSWERED],
        unsure=number[State.UNSURE],
        unanswered=number[State.UNANSWERED],
        pending=number[State.PENDING],
        unsure_share=share[State.UNSURE],
        unanswered_share=share[State.UNANSWERED],
        pending_share=share[State.PENDING],
    )


def _cases(store: Store, key: int, rule: Rule, drawn: Traffic, known: Basis) -> Cases:
    """Return both corner cases: correctness from all draws, the proxy without those that chose its threshold."""
    excluded_draws = excluded_from_rule(store, key, rule)
    everything = cases(drawn.evidence(drawn.rules[0]), drawn.rules[0].values)
    if not excluded_draws:
        return everything
    others = gather(store, key, [rule], excluded_draws=excluded_draws, as_drawn=True, within=known.within)
    scoring = cases(others.evidence(others.rules[0]), others.rules[0].values)
    return scoring.with_correctness(everything)


def _judges(store: Store, selection: Selection | None) -> tuple[JudgeEvidence, ...]:
    """Read what every judge has scored, and what it has not."""
    judges = [
        totals
        for totals in store.scores.by_judge(selection)
        if totals.judge not in FLAGS and totals.scored + totals.failed
    ]
    abstained = store.sampling.ledger.abstained(selection)
    return tuple(
        JudgeEvidence(
            judge=totals.judge,
            signature=totals.signature,
            scored=totals.scored,
            failed=totals.failed - abstained.get(totals.key, 0),
            abstained=abstained.get(totals.key, 0),
        )
        for totals in judges
    )
