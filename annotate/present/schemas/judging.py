"""The JSON of a run of judges, and of what a run would take."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar

from annotate.analysis.shortfall import Shortfall
from annotate.analysis.verdicts import Verdicts
from annotate.present import judging
from annotate.present.document import Document
from annotate.present.messages import text
from annotate.present.schemas.base import ActionModel, IntervalModel, Model
from annotate.present.schemas.ingest import ReasonModel

if TYPE_CHECKING:
    from annotate.workflow.judging.cost_estimate import CallEstimate
    from annotate.workflow.judging.runs import ModelJudged


class ShortfallModel(Model):
    """Why nothing passes; `next` are commands, in the order in which they are run."""

    sentence: str
    items: int
    scored: int
    highest: float | None
    failures: dict[str, tuple[ReasonModel, ...]]
    untried: str | None
    references: int
    next: tuple[str, ...]


class JudgedModel(ActionModel):
    """How many answers were scored, and the verdicts that follow."""

    items: int
    scores: int
    abstentions: int
    errors: int
    rule: str
    verdicts: dict[str, int]
    rule_reads: dict[str, str]
    nothing_passes: ShortfallModel | None


class SpentModel(Model):
    """The part of an offline judge."""

    judge: str
    signature: str
    scores: int
    failures: int
    seconds: float


class OfflineModel(JudgedModel):
    """A run of offline judges."""

    SCHEMA: ClassVar[str] = "assay/judge/1"

    judges: tuple[SpentModel, ...]
    error: str | None


class UsedModel(Model):
    """What the requests of some judges took, of the probe or of the canaries; null where the endpoint never told."""

    judge: str
    signatures: tuple[str, ...]
    attempts: int
    replies: int
    seconds: float
    prompt_tokens: int | None
    cached_tokens: int | None
    completion_tokens: int | None
    cost: float | None


class CanaryModel(Model):
    """What a judge gave a test answer that tells it what to say."""

    judge: str
    signature: str
    value: float | None
    fooled: bool
    reason: str


class RequestsModel(Model):
    """What a model judged, and what its requests took."""

    items: int
    scores: int
    abstentions: int
    errors: int
    failures: dict[str, int]
    judges: tuple[UsedModel, ...]
    attempts: dict[str, int]
    canaries: tuple[CanaryModel, ...]
    stopped: str | None


class AgreementModel(Model):
    """How far one call agrees with two."""

    judge: str
    items: int
    same: int
    interval: IntervalModel
    distance: float


class OneCallModel(Model):
    """The check of one call against two, and what it took."""

    agreements: tuple[AgreementModel, ...]
    run: RequestsModel


class ByModelModel(JudgedModel):
    """A run of a model as judge."""

    SCHEMA: ClassVar[str] = "assay/judge_by_model/1"

    failures: dict[str, int]
    judges: tuple[UsedModel, ...]
    attempts: dict[str, int]
    canaries: tuple[CanaryModel, ...]
    stopped: str | None
    one_call: OneCallModel | None


class EstimateCallsModel(ActionModel):
    """What a run would take."""

    SCHEMA: ClassVar[str] = "assay/judge_estimate/1"

    dry_run: bool
    items: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


MODELS = {"judge": OfflineModel, "judge_by_model": ByModelModel, "judge_estimate": EstimateCallsModel}


def offline(result: judging.OfflineRun, document: Document) -> OfflineModel:
    """Make the model of a run of offline judges."""
    judged = result.judged
    spent = [{**work._asdict(), "seconds": round(work.seconds, 6)} for work in judged.judges]
    return OfflineModel.of_document(document, **judged._asdict() | {"judges": spent}, **_verdicts(result.verdicts))


def by_model(result: judging.ModelVerdicts, document: Document) -> ByModelModel:
    """Make the model of a run of a model as judge."""
    check = result.run.check
    one_call = {"agreements": check.agreements, "run": _requests(check.run)} if check else None
    return ByModelModel.of_document(
        document, **_requests(result.run.judged), **_verdicts(result.verdicts), one_call=one_call
    )


def estimate(result: CallEstimate, document: Document) -> EstimateCallsModel:
    """Make the model of what a run would take."""
    return EstimateCallsModel.of_document(document, dry_run=True, **asdict(result))


def _requests(judged: ModelJudged) -> dict[str, Any]:
    return {
        "items": judged.items,
        "scores": judged.scores,
        "abstentions": judged.failures.get(judging.ABSTAINED, 0),
        "errors": judged.failed,
        "failures": {kind.value: count for kind, count in judged.failures.items()},
        "judges": [_used(**used._asdict()) for used in judged.used],
        "attempts": dict(judged.attempts),
        "canaries": [asdict(canary) | {"fooled": canary.is_fooled} for canary in judged.canaries],
        "stopped": judged.stopped,
    }


def _used(judges: str, **used: Any) -> dict[str, Any]:
    """Give what some judges' requests took; `judge` says which, or that they were a probe or canaries."""
    signatures = judges.split(" + ")
    names = "+".join(signature.split("|")[0] for signature in signatures)
    return {"judge": names, "signatures": signatures, **used}


def _verdicts(verdicts: Verdicts) -> dict[str, Any]:
    return {
        "rule": verdicts.rule.expression,
        "verdicts": {verdict.value: count for verdict, count in verdicts.counts.items()},
        "rule_reads": dict(verdicts.rule.signatures),
        "nothing_passes": _shortfall(verdicts.shortfall) if verdicts.shortfall else None,
    }


def _shortfall(shortfall: Shortfall) -> dict[str, Any]:
    failures = {judge.judge: judge.reasons for judge in shortfall.failures}
    return {**shortfall._asdict(), "failures": failures, "sentence": text(judging.nothing_passes(shortfall))}
