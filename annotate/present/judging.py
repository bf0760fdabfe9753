"""Say what judges did: how many answers they scored, which verdicts follow, and what speaks against their scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from annotate.analysis.judges.metric_coverage import MetricCoverage
from annotate.analysis.verdicts import BY_REFERENCE, Shortfall, Verdicts
from annotate.domain.alignment import Alignment
from annotate.domain.message import (
    Code,
    EvidenceText,
    IntervalBasis,
    Kind,
    Listing,
    Message,
    Name,
    Number,
    Quote,
    Step,
    Value,
    coefficient,
    message,
)
from annotate.present import ingest, rule
from annotate.present.actions import command_document
from annotate.present.document import Document
from proxy.records import FailureKind, Verdict

if TYPE_CHECKING:
    from annotate.workflow.judging.cost_estimate import CallEstimate
    from annotate.workflow.judging.engines.engine import StayedHere
    from annotate.workflow.judging.model_request import ModelRun
    from annotate.workflow.judging.offline import JudgingResult
    from annotate.workflow.judging.one_call_check import OneCallCheck
    from annotate.workflow.judging.runs import ModelJudged

ABSTAINED = FailureKind.NOT_APPLICABLE
# Chosen: a threshold that leaves so few answers on one side is worth a look; of fewer answers, chance alone may do it.
NEARLY_ALL, FEWEST_SCORED = 0.85, 20


class OfflineRun(NamedTuple):
    """What offline judges did, the verdicts that follow, and on how many items metrics with references could be worked out."""

    judged: JudgingResult
    verdicts: Verdicts
    metrics: tuple[MetricCoverage, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether no judge broke on an item."""
        return self.judged.is_complete


class ModelVerdicts(NamedTuple):
    """What a model judged, the verdicts that follow, and versions in force that it was not asked as."""

    run: ModelRun
    verdicts: Verdicts
    out_of_force: tuple[Alignment, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether every item that was begun has a score or an abstention, or else a fault is raised."""
        return self.run.is_complete or self.run.judged.is_fault


def offline(result: OfflineRun, steps: Sequence[Step] = ()) -> Document:
    """Build the document of a run of offline judges."""
    judged, verdicts, metrics = result
    ran = {spent.judge for spent in judged.judges}
    notes = list(_shortfall(verdicts)) if ran & verdicts.rule.signatures.keys() else []
    if judged.error:
        notes.append(message("judging.first_error", error=Quote(judged.error)))
    notes += map(_stayed, judged.stayed_here)
    return command_document(
        _answer(judged.items, judged.scores, judged.abstentions, judged.errors),
        *map(_metric, metrics),
        *_verdicts(verdicts),
        notes=notes,
        steps=steps,
    )


def _stayed(stayed: StayedHere) -> Message:
    """Say why a judge ran in one process."""
    if stayed.fault is None:
        return message("judging.one_process", judge=Name(stayed.judge))
    return message("judging.one_process_fault", judge=Name(stayed.judge), fault=Quote(stayed.fault))


def by_model(result: ModelVerdicts, steps: Sequence[Step] = ()) -> Document:
    """Build the document of a run of a model as judge, and how far one call agrees with two where that was checked."""
    judged, check = result.run.judged, result.run.check
    stopped = [message("judging.stopped", reason=Quote(judged.stopped))] if judged.stopped else []
    return command_document(
        _answer(judged.items, judged.scores, judged.failures.get(ABSTAINED, 0), judged.failed),
        *_failures(judged),
        _used(judged),
        *_verdicts(result.verdicts),
        *(_check(check) if check else ()),
        notes=(
            *map(_without_version, result.out_of_force),
            *_warnings(judged),
            *_shortfall(result.verdicts),
            *([] if judged.is_fault else stopped),
        ),
        steps=steps,
    )


def _without_version(version: Alignment) -> Message:
    """Say that a judge was asked without what experts taught it."""
    return message("judging.without_version", judge=Name(version.judge), version=Code(version.signature))


def estimate(result: CallEstimate) -> Document:
    """Say what a run would take."""
    cost = [] if result.cost is None else [message("judging.cost", cost=Number(result.cost, Kind.MONEY))]
    answer = message(
        "judging.estimate",
        count=result.items,
        calls=result.calls,
        prompt=result.prompt_tokens,
        completion=result.completion_tokens,
    )
    return command_document(answer, *cost, message("judging.nothing_sent"))


def _answer(items: int, scores: int, abstentions: int, errors: int) -> Message:
    counts = {"scores": scores, "abstentions": abstentions, "errors": errors}
    return message(
        "judging.judged", count=items, **{name: message(f"judging.{name}", count=n) for name, n in counts.items()}
    )


def _metric(metric: MetricCoverage) -> Message:
    """Say on how many items a metric ran, and why not on the others."""
    values: Mapping[str, Value] = {"judge": Name(metric.judge), "count": metric.scored, "items": metric.items}
    if not metric.scored and not metric.reasons:
        return message("judging.metric_alone", **values)
    reasons = Listing(tuple(ingest.reasons(metric.reasons)))
    if not metric.scored:
        return message("judging.metric_undefined", **values, reasons=reasons)
    key = "judging.metric_partial" if metric.reasons else "judging.metric"
    return message(key, **values, mean=coefficient(metric.mean), **({"reasons": reasons} if metric.reasons else {}))


def _verdicts(verdicts: Verdicts) -> tuple[Message, Message]:
    return rule.in_force(verdicts.rule), rule.counted(verdicts)


def nothing_passes(shortfall: Shortfall) -> Message:
    """Say that nothing passes, or that nothing could be scored."""
    if not shortfall.scored:
        return message("judging.nothing_scored", items=shortfall.items)
    highest = coefficient(shortfall.highest)
    return message("judging.nothing_passes", scored=shortfall.scored, items=shortfall.items, highest=highest)


def _shortfall(verdicts: Verdicts) -> Iterator[Message | str]:
    """Say why nothing passes, where nothing does, or which judge of the rule has not tried some answers."""
    shortfall = verdicts.shortfall
    if shortfall is None:
        yield from _lopsided(verdicts)
        if verdicts.untried:
            yield verdicts.untried
        return
    yield nothing_passes(shortfall)
    for judge, reasons in shortfall.failures:
        parts = Listing(tuple(ingest.reasons(reasons)))
        yield message("judging.no_score", judge=Name(judge), reasons=parts)
    if shortfall.untried:
        yield shortfall.untried
    if shortfall.references:
        yield message("judging.references", count=shortfall.references, judge=Name(BY_REFERENCE))


def _lopsided(verdicts: Verdicts) -> Iterator[Message]:
    """Say so where nearly all scored answers have one verdict, by a threshold that no labels chose."""
    passed, failed = verdicts.counts[Verdict.PASS], verdicts.counts[Verdict.FAIL]
    scored = passed + failed
    if not verdicts.rule.is_calibrated and scored >= FEWEST_SCORED and max(passed, failed) >= NEARLY_ALL * scored:
        yield message("judging.lopsided", passed=passed, scored=scored)


def _failures(judged: ModelJudged) -> Iterator[Message]:
    kinds = [
        message("judging.kind", count=count, kind=message(f"judging.{kind.value}"))
        for kind, count in judged.failures.items()
        if kind is not ABSTAINED
    ]
    if kinds:
        yield message("judging.failures", kinds=Listing(tuple(kinds)))


def _used(judged: ModelJudged) -> Message:
    """Say what the requests took."""
    tokens = sum((used.prompt_tokens or 0) + (used.completion_tokens or 0) for used in judged.used)
    costs = [used.cost for used in judged.used if used.cost is not None]
    values: Mapping[str, Value] = {"count": sum(judged.attempts.values()), "tokens": tokens}
    if not costs:
        return message("judging.used", **values)
    return message("judging.used_money", **values, cost=Number(sum(costs), Kind.MONEY))


def _warnings(judged: ModelJudged) -> Iterator[Message]:
    """Warn of judges that can be steered, of failures, and of a model that keeps to no form."""
    for canary in judged.canaries:
        if canary.is_fooled:
            yield message("judging.fooled", judge=Name(canary.judge), value=coefficient(canary.value))
    unanswered = judged.failures.get(FailureKind.UNANSWERED, 0)
    if judged.reasons:
        reason, count = judged.reasons.most_common(1)[0]
        key = "judging.most_failures" if unanswered == judged.failed else "judging.most_failures_retry"
        yield message(key, count=count, reason=Quote(reason))
    if any(dict(judge.settings).get("mode") == "last_line" for judge in judged.judges):
        yield message("judging.last_line")
    if unanswered:
        yield message("judging.asked_again")


def _check(check: OneCallCheck) -> Iterator[Message]:
    """Compare one call with two, a line a judge; and say what the check used."""
    for agreement in check.agreements:
        yield message(
            "judging.one_call",
            judge=Name(agreement.judge),
            same=EvidenceText(agreement.same, Kind.SHARE, IntervalBasis.WINDOW),
            distance=coefficient(agreement.distance),
        )
    yield message("judging.check", used=_used(check.run))
    if check.run.stopped:
        yield message("judging.check_stopped", reason=Quote(check.run.stopped))
