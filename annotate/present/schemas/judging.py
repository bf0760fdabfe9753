"""The JSON of a run of judges, and of what a run would take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from annotate.analysis.judges.metric_coverage import MetricCoverage
from annotate.analysis.verdicts import Shortfall, Verdicts
from annotate.domain.reasons import RefusalReason
from annotate.present import judging
from annotate.present.messages import text
from annotate.present.schemas.base import ActionModel, EstimateModel, Model, read_from
from annotate.present.schemas.keyed import FieldsOf

if TYPE_CHECKING:
    from annotate.store.scores.calls import Used
    from annotate.workflow.judging.runs import ModelJudged


class ShortfallModel(Model):
    """Why nothing passes; `next` are commands, in the order in which they are run."""

    sentence: str
    items: int
    scored: int
    highest: float | None
    failures: dict[str, tuple[FieldsOf[RefusalReason], ...]]
    untried: str | None
    references: int
    next: tuple[str, ...]


class VerdictsModel(ActionModel):
    """The verdicts that follow from scores."""

    rule: str
    verdicts: dict[str, int]
    rule_reads: dict[str, str]
    nothing_passes: ShortfallModel | None


class SpentModel(Model):
    """The part of an offline judge."""

    judge: str
    signature: str
    scores: int
    abstentions: int
    failures: int
    seconds: float


class OfflineModel(VerdictsModel, schema="assay/judge/1"):
    """A run of offline judges."""

    PARTS = ("judged",)

    items: int
    scores: int
    abstentions: int
    errors: int
    judges: tuple[SpentModel, ...]
    error: str | None
    metrics: tuple[FieldsOf[MetricCoverage], ...]

    @classmethod
    def computed(cls, result: judging.OfflineRun) -> Mapping[str, object]:
        """Give the verdicts."""
        return _verdicts(result.verdicts)


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
    fooled: bool = read_from("is_fooled", "fooled")
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


class CallAgreementModel(Model):
    """How far one call agrees with two."""

    judge: str
    same: EstimateModel
    distance: float


class OneCallModel(Model):
    """The check of one call against two, and what it took."""

    agreements: tuple[CallAgreementModel, ...]
    run: RequestsModel


class ByModelModel(RequestsModel, VerdictsModel, schema="assay/judge_by_model/1"):
    """A run of a model as judge."""

    one_call: OneCallModel | None

    @classmethod
    def computed(cls, result: judging.ModelVerdicts) -> Mapping[str, object]:
        """Give what was asked, the verdicts, and the check."""
        check = result.run.check
        one_call = {"agreements": check.agreements, "run": _requests(check.run)} if check else None
        return {**_requests(result.run.judged), **_verdicts(result.verdicts), "one_call": one_call}


class JudgeEstimateModel(ActionModel, schema="assay/judge_estimate/1"):
    """What a run would take."""

    dry_run: bool = True
    items: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


MODELS = {"offline": OfflineModel, "by_model": ByModelModel, "estimate": JudgeEstimateModel}


def _requests(judged: ModelJudged) -> Mapping[str, Any]:
    same = ("items", "scores", "failures", "attempts", "canaries", "stopped")
    return {
        **{name: getattr(judged, name) for name in same},
        "abstentions": judged.failures.get(judging.ABSTAINED, 0),
        "errors": judged.failed,
        "judges": list(map(_used, judged.used)),
    }


def _used(used: Used) -> Mapping[str, Any]:
    """Give what some judges' requests took; `judge` says which, or that they were a probe or canaries."""
    values = used._asdict()
    signatures = values.pop("judges").split(" + ")
    names = "+".join(signature.split("|")[0] for signature in signatures)
    return {"judge": names, "signatures": signatures, **values}


def _verdicts(verdicts: Verdicts) -> Mapping[str, Any]:
    return {
        "rule": verdicts.rule.expression,
        "verdicts": dict(verdicts.counts),
        "rule_reads": dict(verdicts.rule.signatures),
        "nothing_passes": _shortfall(verdicts.shortfall) if verdicts.shortfall else None,
    }


def _shortfall(shortfall: Shortfall) -> Mapping[str, Any]:
    failures = {judge.judge: judge.reasons for judge in shortfall.failures}
    return {**shortfall._asdict(), "failures": failures, "sentence": text(judging.nothing_passes(shortfall))}
