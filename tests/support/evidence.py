"""The evidence ledger of waves made by hand: the labels as they came back, and every draw with what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from proxy.evaluation.agreement import measure
from proxy.evaluation.annotator_agreement import Reading, agreement_between
from proxy.evaluation.discrimination import auroc_of, valued
from proxy.evaluation.domains import Evidence
from proxy.evaluation.evidence_ledger import Clusters, DrawCounts, EvidenceLedger
from proxy.evaluation.false_passes import false_passes
from proxy.evaluation.ledger import DECIDED
from proxy.evaluation.worst_case import cases
from proxy.records import Judgement, Verdict
from support.agreement import wave

Row = tuple[str, Verdict, int, int, int] | tuple[str, Verdict, int, int, int, int, int]


def as_drawn(evidence: Evidence) -> Evidence:
    """The same draws with the chances that they would have if all of them had been answered."""
    drawings = [drawing._replace(returned=drawing.asked) for drawing in evidence.drawings]
    return Evidence(
        totals=[total._replace(is_reachable=True) for total in evidence.totals],
        sample=[sampled._replace(chances=(drawings[sampled.drawing].chance,)) for sampled in evidence.sample],
        drawings=drawings,
        grouping=evidence.grouping,
    )


def counts(evidence: Evidence, *verdicts: Verdict) -> DrawCounts:
    rows = [sampled for sampled in evidence.sample if sampled.verdict in verdicts]
    told = Counter(row.judgement for row in rows)
    n = len(rows) or 1
    return DrawCounts(
        drawn=len(rows),
        answered=sum(told[word] for word in DECIDED),
        unsure=told[Judgement.UNSURE],
        pending=told[None],
        unsure_share=told[Judgement.UNSURE] / n,
        pending_share=told[None] / n,
    )


def ledger_of(evidence: Evidence, readings: Iterable[Reading] = (), clusters: Clusters | None = None) -> EvidenceLedger:
    """The ledger; a draw without a label is pending."""
    values = [0.9 if sampled.verdict is Verdict.PASS else 0.1 for sampled in evidence.sample]
    among, whole = measure(evidence), as_drawn(evidence)
    is_whole = all(sampled.judgement in DECIDED for sampled in evidence.sample)
    labels = among.counts.labels
    return EvidenceLedger(
        draws=counts(evidence, *Verdict),
        passed=counts(evidence, Verdict.PASS),
        failed=counts(evidence, Verdict.FAIL),
        pending_waves=(),
        among=among,
        auroc=among.known(auroc_of(valued(evidence, values)[0])),
        false_passes=false_passes(evidence),
        cases=None if is_whole else cases(whole, values),
        annotators=agreement_between(readings),
        clusters=clusters or Clusters(groups=labels, questions=labels, effective=float(labels), there=1e9),
        judges=(),
        items=sum(total.size for total in evidence.totals),
        without_passages=0,
        labelled_without_passages=0,
        chose=frozenset(),
    )


def ledger(*rows: Row, readings: Iterable[Reading] = (), clusters: Clusters | None = None) -> EvidenceLedger:
    """One wave of (stratum, verdict, size, right, wrong) rows, or with (unsure, open) after them."""
    return ledger_of(wave(*rows), readings, clusters)
