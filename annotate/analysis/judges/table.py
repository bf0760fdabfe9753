"""Build the table of judges: each judge of the report with the cost of its scores and the settings behind its signature.

How far a judge agrees with annotators is the report's, never measured anew. What is not known is None, never 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from annotate.analysis.judges.metric_coverage import MetricCoverage, coverage_of
from annotate.analysis.report.compared_rules import ComparedRule
from annotate.analysis.report.partial_judges import is_partial
from annotate.analysis.report.report import ProjectReport
from annotate.analysis.signatures import JudgeKind, described, kind_of, labels, model_of
from annotate.domain.reasons import RefusalReason
from annotate.store import Store
from annotate.store.scores.judge_pairs import Judged
from annotate.store.scores.judge_totals import JudgeTotals
from annotate.store.scores.usage import JudgingPeriod, Requests
from proxy.evaluation.candidates import FLAGS, is_lower_better, is_reference_based
from proxy.evaluation.discrimination import Separation
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.judge_agreement import JudgePair, pair_of
from proxy.stats.intervals import Interval

# Chosen: twelve judges make 66 pairs to count; of more, those in use that come first.
MOST = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Failures:
    """The number of answers on which a judge failed in this way, and the share of those that it was asked of."""

    kind: str
    count: int
    share: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Obeyed:
    """The number of scored test answers that talked a judge into a good verdict."""

    obeyed: int
    asked: int


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeRow:
    """A judge under one signature.

    `is_in_use` marks the signature that the rule in force reads, else the judge's newest; `is_read` whether that rule reads it.
    `is_partial` was asked of a part of the answers that the rule in force was not confined to. `separation` says whether its
    score separates right from wrong answers, by `auroc_of_all`, which holds for all judges at once; nothing is said where
    `own_references` of its scores rest on a reference that was written with the answer's own label. `reasons` say why it gave
    none on some. Where `is_lower_better`, 1 is bad, and all that is measured is of 1 - score.
    """

    totals: JudgeTotals
    label: str
    kind: JudgeKind
    model: str | None
    is_in_use: bool
    is_read: bool
    is_partial: bool
    needs_reference: bool
    is_lower_better: bool
    own_references: int
    alone: ComparedRule
    auroc_of_all: Interval | None
    separation: Separation
    reasons: Sequence[RefusalReason]
    failures: Sequence[Failures]
    span: JudgingPeriod | None
    requests: Requests | None
    obeyed: Obeyed | None
    described: Sequence[tuple[str, str]]

    @property
    def failed_share(self) -> float | None:
        """Failed / (scored + failed)."""
        attempts = self.totals.scored + self.totals.failed
        return self.totals.failed / attempts if attempts else None

    @property
    def with_others(self) -> int:
        """The number of other judges that were asked in the same requests."""
        return len(self.requests.signatures) - 1 if self.requests else 0

    @property
    def cost_an_answer(self) -> float | None:
        """Money an answer: 0 for offline judges, None where the price is not known for every request."""
        if self.kind is JudgeKind.OFFLINE:
            return 0.0
        requests = self.requests
        if requests is None or requests.cost is None or not requests.items or requests.priced < requests.replies:
            return None
        return requests.cost / requests.items

    @property
    def tokens_an_answer(self) -> float | None:
        """Tokens an answer, those of the prompt and of the reply."""
        requests = self.requests
        if (
            requests is None
            or not requests.items
            or requests.prompt_tokens is None
            or requests.completion_tokens is None
        ):
            return None
        return (requests.prompt_tokens + requests.completion_tokens) / requests.items


@dataclass(frozen=True, kw_only=True, slots=True)
class Best:
    """The judge with the highest kappa; `rivals` are those whose interval for traffic to come reaches into its own."""

    row: JudgeRow
    rivals: Sequence[JudgeRow]


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgesTable:
    """All judges on `items` answers, oldest signature first; `without_scores` are those that have none yet.

    `unscored` names the judges without a score in any version. `best` is one in use that needs no reference; `reason` says why
    there is none. `objections` forbid any claim from the labels; `hand_picked` labels are in no number.
    """

    items: int
    rows: Sequence[JudgeRow]
    without_scores: Sequence[MetricCoverage]
    unscored: frozenset[str]
    objections: Sequence[str]
    hand_picked: int
    best: Best | None
    reason: str | None

    @property
    def count(self) -> int:
        """The number of judges and metrics, each once whatever its versions."""
        return sum(row.is_in_use for row in self.rows) + len(self.unscored)

    def with_separation(self, separation: Separation) -> list[JudgeRow]:
        """Return the judges with this verdict, each in the version that is in use."""
        return [row for row in self.rows if row.is_in_use and row.separation is separation]


def build(store: Store, report: ProjectReport) -> JudgesTable:
    """Build a row for every judge that the report measures."""
    judges = [(measured.totals.judge, measured.totals.signature) for measured in report.judges]
    without = [
        totals
        for totals in store.scores.by_judge(report.selection)
        if totals.failed and not totals.scored and totals.judge not in FLAGS
    ]
    names = labels([*judges, *((totals.judge, totals.signature) for totals in without)])
    in_use = {judge: signature for judge, signature in judges} | dict(report.rule.signatures)  # noqa: C416 - one for each
    read_by_rule = set(report.rule.signatures.items())
    spans, settings, canaries = store.scores.usage.spans(), store.scores.usage.settings(), store.scores.calls.canaries()
    requests = {signature: usage for usage in store.scores.usage.requests() for signature in usage.signatures}
    rows = []
    for measured, pair in zip(report.judges, judges, strict=True):
        totals, (judge, signature) = measured.totals, pair
        obeyed, asked = canaries.get(signature, (0, 0))
        rows.append(
            JudgeRow(
                totals=totals,
                label=names[pair],
                kind=kind_of(judge, signature),
                model=model_of(signature),
                is_in_use=in_use[judge] == signature,
                is_read=pair in read_by_rule,
                is_partial=is_partial(totals, report.items) and pair not in read_by_rule,
                needs_reference=is_reference_based(judge),
                is_lower_better=is_lower_better(judge),
                own_references=measured.own_references,
                alone=measured.alone,
                auroc_of_all=measured.auroc_of_all,
                separation=measured.separation,
                reasons=coverage_of(store, totals, report.items, report.selection).reasons,
                failures=_failures(store, totals),
                span=spans.get(totals.key),
                requests=requests.get(signature),
                obeyed=Obeyed(obeyed=obeyed, asked=asked) if asked else None,
                described=described(settings.get(signature, {})),
            )
        )
    best = _best(rows)
    return JudgesTable(
        items=report.items,
        rows=rows,
        without_scores=[
            replace(
                coverage_of(store, totals, report.items, report.selection), judge=names[totals.judge, totals.signature]
            )
            for totals in without
        ],
        unscored=frozenset(totals.judge for totals in without) - in_use.keys(),
        objections=[objection.words for objection in report.evidence.against()],
        hand_picked=report.hand_picked,
        best=best,
        reason=None if best else _why_none(rows, report),
    )


def _failures(store: Store, totals: JudgeTotals) -> list[Failures]:
    """Count the failures by kind, the commonest first."""
    if not totals.failed:
        return []
    attempts = totals.scored + totals.failed
    kinds = sorted(store.scores.failures(totals.key).items(), key=lambda entry: (-entry[1], entry[0]))
    return [Failures(kind=kind, count=count, share=count / attempts) for kind, count in kinds]


def _best(rows: Sequence[JudgeRow]) -> Best | None:
    """Choose by kappa among those in use that were asked of all answers and need no reference."""
    eligible = [row for row in rows if row.is_in_use and not row.is_partial and not row.needs_reference]
    known = [(row.alone.agreement.kappa, row) for row in eligible]
    ranked = sorted(
        ((kappa.estimate, row) for kappa, row in known if kappa.estimate is not None),
        key=lambda pair: -pair[0],
    )
    if not ranked:
        return None
    first = ranked[0][1]
    low = reach(first.alone.agreement.kappa).low
    rivals = [row for _, row in ranked[1:] if reach(row.alone.agreement.kappa).high >= low]
    return Best(row=first, rivals=rivals)


def reach(kappa: Estimate) -> Interval:
    """Return its interval for traffic to come, for that is what a judge is chosen for; -1 to 1 where nothing is known."""
    if kappa.long_run:
        return kappa.long_run
    return Interval(-1.0, 1.0) if kappa.low is None or kappa.high is None else Interval(kappa.low, kappa.high)


def _why_none(rows: Sequence[JudgeRow], report: ProjectReport) -> str:
    """Say why no judge can be called best."""
    reasons = [row.alone.agreement.kappa.reason for row in rows if row.alone.agreement.kappa.reason]
    return reasons[0] if reasons else report.agreement.kappa.reason or "no judge was asked of all answers"


@dataclass(frozen=True, kw_only=True, slots=True)
class Beside:
    """Two judges, each passing above its own threshold, and what their scores of the same answers have in common."""

    first: JudgeRow
    other: JudgeRow
    pair: JudgePair


@dataclass(frozen=True, kw_only=True, slots=True)
class PairedJudges:
    """The judges in use, two by two, and each signature beside the one before it; `left_out` judges were too many to pair."""

    between: Sequence[Beside]
    versions: Sequence[Beside]
    left_out: int


def paired_judges(store: Store, rows: Sequence[JudgeRow]) -> PairedJudges:
    """Count all traffic once for the judges in use and for the signatures before them."""
    in_use = [row for row in rows if row.is_in_use]
    steps = [
        (before, after)
        for judge in dict.fromkeys(row.totals.judge for row in rows)
        for before, after in pairwise(row for row in rows if row.totals.judge == judge)
    ]
    paired, newest = in_use[:MOST], steps[-MOST:]
    rows_by_key = {row.totals.key: row for row in (*paired, *(version for step in newest for version in step))}
    judges = [Judged(key, rows_by_key[key].alone.rule.threshold) for key in sorted(rows_by_key)]
    sums = {(first.key, second.key): counts for first, second, counts in store.scores.judge_pairs.sums(judges)}

    def beside(row: JudgeRow, other_row: JudgeRow) -> Beside:
        first, second = sorted((row, other_row), key=lambda judge_row: judge_row.totals.key)
        return Beside(first=first, other=second, pair=pair_of(sums[first.totals.key, second.totals.key]))

    return PairedJudges(
        between=[beside(row, other) for place, row in enumerate(paired) for other in paired[place + 1 :]],
        versions=[beside(before, after) for before, after in newest],
        left_out=len(in_use) - len(paired),
    )
