"""The JSON of a plan."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from annotate.analysis.planning.plan import LabellingPlan
from annotate.analysis.planning.time_budget import TimeBudget
from annotate.present import planning
from annotate.present.document import Document
from annotate.present.messages import text
from annotate.present.schemas.base import AnswerModel, EstimateModel, Model, Sentence, document_fields
from annotate.present.schemas.effective_labels import EffectiveLabelsModel
from annotate.present.schemas.predictor import PredictorModel, behind
from annotate.present.schemas.waves import StratumModel
from proxy.planning.labels_needed import PlanStatus


class PresentModel(EstimateModel):
    """What the labels at hand give, without the items that came since the last wave that counts."""

    width: float | None
    labels: int
    items_left_out: int


class MissingModel(Model):
    """Draws without a right or wrong, of which no width speaks, and by how much their worst cases widen the present one."""

    draws: int
    drawn: int = Field(alias="of")
    unsure: int
    unanswered: int
    pending: int
    wider_by: float | None
    words: str | None


class ExpertTimeModel(Model):
    """The expert's time for all that is left to label."""

    minutes: float | None
    mean_seconds: float | None
    median_seconds: float | None
    timed_annotations: int


class TimeBudgetModel(Model):
    """What fits into so many minutes of an expert; the seconds of a label are `assumed` from lengths where none were timed."""

    minutes: float
    labels: int
    further: int
    width: float | None
    mean_seconds: float
    median_seconds: float
    low_seconds: float
    high_seconds: float
    n: int
    assumed: bool


class AssumedModel(Model):
    """Items of a kind without a label, of which one half is taken to be right."""

    items: int
    all_items: int = Field(alias="of")


class PlainSampleModel(Model):
    """The labels that a plain random sample of all traffic would take in all, and the error that simulations leave.

    It `falls_short` where even a sample of everything does not reach the width as often as asked.
    """

    labels: int | None
    monte_carlo_error: float
    falls_short: bool


class PlanModel(AnswerModel):
    """How many labels a wanted width asks for; it `falls_short` where all answers left do not reach it as often as asked.

    `expected_width` is no estimate of anything in the traffic: half of the rehearsals of the plan, under what is assumed of the
    answers, end with an interval that is no wider. What is left to chance is told by `assurance`, the share of the rehearsals
    that keep `wanted_width`.
    """

    SCHEMA: ClassVar[str] = "assay/plan/1"

    quantity: str
    wanted_width: float
    audit: float | None
    needed: PlanStatus
    falls_short: bool
    reason: Sentence | None
    further_labels: int
    open_draws: int
    expected_width: float | None
    assurance: float
    labels_in_all: int
    further_labels_error: float
    plain_random_sample: PlainSampleModel
    present: PresentModel
    strata: tuple[StratumModel, ...]
    missing: MissingModel | None
    effective_labels: EffectiveLabelsModel
    predictors: tuple[PredictorModel, ...]
    expert_time: ExpertTimeModel
    budget: TimeBudgetModel | None
    assumed_half_right: AssumedModel


MODEL = PlanModel


def of(result: LabellingPlan, document: Document) -> PlanModel:
    """Make the model of a plan that is told by this document."""
    pace = result.pace
    return PlanModel.of(
        **document_fields(PlanModel, document),
        quantity=result.quantity,
        wanted_width=result.wanted,
        audit=result.audit,
        needed=result.status,
        falls_short=result.is_short,
        reason=planning.reason(result),
        further_labels=result.further,
        open_draws=result.open,
        expected_width=result.width,
        assurance=result.assurance,
        labels_in_all=result.in_all,
        further_labels_error=result.further_error,
        plain_random_sample=PlainSampleModel.of(
            labels=result.plain, monte_carlo_error=result.plain_error, falls_short=result.is_plain_short
        ),
        present=PresentModel.of(
            **dict(EstimateModel.model_validate(result.present)),
            width=result.present_width,
            labels=result.labels,
            items_left_out=result.uncovered,
        ),
        strata=tuple(map(StratumModel.of_plan, result.strata)),
        missing=_missing(result),
        effective_labels=result.effective_labels,
        predictors=behind(result.present),
        expert_time=ExpertTimeModel.of(
            minutes=result.minutes,
            mean_seconds=pace.mean,
            median_seconds=pace.seconds,
            timed_annotations=pace.n,
        ),
        budget=_budget(result.budget),
        assumed_half_right=AssumedModel.of(items=result.unlabelled, of=result.items),
    )


def _budget(budget: TimeBudget | None) -> TimeBudgetModel | None:
    if budget is None:
        return None
    pace = budget.label_time
    return TimeBudgetModel.of(
        minutes=budget.minutes,
        labels=budget.labels,
        further=budget.further,
        width=budget.width,
        mean_seconds=pace.mean,
        median_seconds=pace.median,
        low_seconds=pace.low,
        high_seconds=pace.high,
        n=pace.n,
        assumed=pace.is_assumed,
    )


def _missing(plan: LabellingPlan) -> MissingModel | None:
    if plan.missing is None:
        return None
    counts, wider = plan.missing
    return MissingModel.of(
        draws=counts.missing,
        of=counts.drawn,
        unsure=counts.unsure,
        unanswered=counts.unanswered,
        pending=counts.pending,
        wider_by=wider,
        words=" ".join(map(text, planning.unjudged(plan))) or None,
    )
