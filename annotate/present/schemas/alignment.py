"""The JSON of judges that were aligned with experts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from annotate.domain.alignment import Alignment
from annotate.present.schemas.base import ActionModel, AnswerModel, EstimateModel, Model, Sentence, read_from
from annotate.present.schemas.score_map import LabelKindsModel, ScoreMapModel, map_of
from proxy.evaluation.alignment import GuidanceKind

if TYPE_CHECKING:
    from annotate.analysis.aligned_judges.learning_curve import MeasuredVersions
    from annotate.workflow.judging.alignment import AlignmentRun


class VersionOfJudgeModel(Model):
    """A version that was measured; `replaces` is the judge beside it, `lowest` the bound that holds at all looks together."""

    judge: str
    signature: str
    replaces: str
    kind: GuidanceKind
    guidelines: tuple[str, ...]
    examples: int
    auroc: EstimateModel
    auroc_of_replaced: EstimateModel
    difference: EstimateModel
    lowest: float | None
    at: str
    in_force: bool


class TriedVersionModel(Model):
    """A version on trial, by tuning labels."""

    kind: GuidanceKind
    auroc: float | None
    labels: int


class AlignedModel(ActionModel, schema="assay/alignment/1"):
    """What a run of `assay align` came to; `not_aligned` is null where a version was put in force."""

    judge: str
    share: float
    tuning: LabelKindsModel
    measuring: LabelKindsModel
    tried: tuple[TriedVersionModel, ...]
    version: VersionOfJudgeModel | None
    not_aligned: str | None
    tokens: int
    cost: float | None
    stopped: Sentence | None

    @classmethod
    def computed(cls, result: AlignmentRun) -> Mapping[str, object]:
        """Give the version that was measured."""
        return {"version": version_of(result.alignment) if result.alignment else None}


class AlignmentEstimateModel(ActionModel, schema="assay/alignment_estimate/1"):
    """What aligning would take; `smallest_gain` is the gain in AUROC that the measuring labels show with a power of 0.8."""

    PARTS = ("outlook",)

    judge: str
    share: float
    tuning: LabelKindsModel
    measuring: LabelKindsModel
    base: EstimateModel
    smallest_gain: float | None
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


class UndoneModel(ActionModel, schema="assay/alignment_undone/1"):
    """The version that is in force no longer."""

    version: VersionOfJudgeModel

    @classmethod
    def computed(cls, result: Alignment) -> Mapping[str, object]:
        """Give the version."""
        return {"version": version_of(result)}


class VersionPointModel(Model):
    """A version that was ever in force, on the labels that measure all of them; `at` is null for the judge without guidance."""

    signature: str
    at: str | None
    in_force: bool = read_from("is_in_force", "in_force")
    auroc: EstimateModel


class ExpectedPrecisionModel(Model):
    """What more labels are expected to bring: half the AUROC's interval, and the smallest gain that a power of 0.8 shows."""

    more: int
    measuring: int
    half_width: float
    half_width_then: float
    gain: float
    gain_then: float
    can_show: bool


class LearningCurveModel(Model):
    """The versions of a judge that were ever in force on common measuring labels, the judge without guidance first."""

    judge: str
    right: int
    wrong: int
    points: tuple[VersionPointModel, ...]
    expected: ExpectedPrecisionModel | None


class AlignmentsModel(AnswerModel, schema="assay/alignments/1"):
    """The versions and maps that were measured, the oldest first, and how the versions of each judge agree with experts."""

    versions: tuple[VersionOfJudgeModel, ...]
    curves: tuple[LearningCurveModel, ...]
    maps: tuple[ScoreMapModel, ...]

    @classmethod
    def computed(cls, result: MeasuredVersions) -> Mapping[str, object]:
        """Give each version and each map."""
        return {"versions": tuple(map(version_of, result.versions)), "maps": tuple(map(map_of, result.maps))}


MODELS = {
    "aligned": AlignedModel,
    "estimate": AlignmentEstimateModel,
    "undone": UndoneModel,
    "versions": AlignmentsModel,
}


def version_of(alignment: Alignment) -> VersionOfJudgeModel:
    """Make the model of a version."""
    figures = alignment.figures
    return VersionOfJudgeModel.of(
        judge=alignment.judge,
        signature=alignment.signature,
        replaces=alignment.base,
        kind=alignment.kind,
        guidelines=alignment.guidelines,
        examples=len(alignment.examples),
        auroc=figures.aligned,
        auroc_of_replaced=figures.base,
        difference=figures.difference,
        lowest=figures.lowest,
        at=alignment.at,
        in_force=alignment.is_in_force,
    )
