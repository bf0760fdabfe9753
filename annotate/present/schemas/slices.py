"""The JSON of a search of slices: every test, what has too few labels, and what fresh labels confirm."""

from __future__ import annotations

from collections.abc import Mapping

from annotate.analysis.slices.confirm import ConfirmationStatus, SliceConfirmation
from annotate.analysis.slices.find import Slices, Turnable
from annotate.present import slices as present_slices
from annotate.present.schemas.base import AnswerModel, EstimateModel, Model, read_from
from annotate.present.schemas.keyed import FieldsOf
from annotate.present.schemas.ranking import ObjectionModel
from proxy.evaluation.slices import Mistake, Share, Slice, SliceFinding, SlicePower, Untested
from proxy.records import Verdict
from proxy.stats.testing.detectable import POWER

TRUTH = "its values tell right from wrong among passed and among failed answers: it is the truth, and no slice"


class SlicePowerModel(Model):
    """What the labels of a side can show: a slice of `slice_of` of them if its share of mistakes is `detectable_share`."""

    mistake: Mistake
    labels: int
    share: float
    slice_of: float
    detectable_share: float | None
    power: float


class SliceModel(Model):
    """A slice by its field and value, and the mistake that is looked for in it."""

    slice: str
    field: str
    value: str
    searched: bool
    mistake: Mistake


class ShareModel(EstimateModel):
    """A share of mistakes, and how many of its labels are mistakes."""

    errors: int


class SliceFindingModel(SliceModel):
    """A tested slice."""

    here: ShareModel
    elsewhere: ShareModel
    difference: EstimateModel
    p_value: float
    adjusted_p: float
    same_labels: tuple[str, ...]


class UntestedModel(SliceModel):
    """A slice with too few labels."""

    n: int
    missing: int
    missing_elsewhere: int


class SliceConfirmationModel(Model):
    """A wave that was drawn of a slice, and what its fresh labels say."""

    wave: int
    slice: str
    mistake: Mistake
    open: int
    status: ConfirmationStatus
    fresh: SliceFindingModel | UntestedModel | None


class LeftOutFieldModel(Model):
    """A field that is no slice, and why."""

    field: str
    reason: str


class SlicesModel(AnswerModel, schema="assay/slices/1"):
    """Where the proxy errs more than elsewhere."""

    rule: str
    items: int
    level: float = read_from("examined.level", "level")
    labels: dict[Verdict, int]
    tests: int
    power: tuple[SlicePowerModel, ...]
    left_out: tuple[LeftOutFieldModel, ...]
    worse: tuple[SliceFindingModel, ...]
    objections: tuple[ObjectionModel, ...]
    could_turn: tuple[FieldsOf[Turnable], ...] = read_from("turnable", "could_turn")
    tested: tuple[SliceFindingModel, ...]
    untested: tuple[UntestedModel, ...]
    to_confirm: tuple[SliceConfirmationModel, ...]

    @classmethod
    def computed(cls, result: Slices) -> Mapping[str, object]:
        """Give each test, and what has too few labels."""
        examined = result.examined
        return {
            "tests": len(examined.tested),
            "power": tuple(map(_power, examined.power)),
            "left_out": tuple(LeftOutFieldModel(field=field, reason=TRUTH) for field in result.truths),
            "worse": () if result.objections else tuple(map(_finding, examined.worse)),
            "tested": tuple(map(_finding, examined.tested)),
            "untested": tuple(map(_untested, examined.untested)),
            "to_confirm": tuple(_confirmation(confirmation, examined.level) for confirmation in result.confirmations),
        }


MODEL = SlicesModel


def _power(power: SlicePower) -> SlicePowerModel:
    return SlicePowerModel(
        mistake=power.mistake,
        labels=power.labels,
        share=power.base,
        slice_of=power.part,
        detectable_share=power.share,
        power=POWER,
    )


def _slice(part: Slice) -> dict[str, object]:
    return {"slice": part.name, "field": part.field, "value": part.value, "searched": part.is_searched}


def _finding(finding: SliceFinding) -> SliceFindingModel:
    return SliceFindingModel.of(
        **_slice(finding.slice),
        mistake=finding.mistake,
        here=_share(finding.here),
        elsewhere=_share(finding.elsewhere),
        difference=present_slices.difference(finding),
        p_value=finding.p_value,
        adjusted_p=finding.adjusted_p,
        same_labels=tuple(twin.name for twin in finding.twins),
    )


def _share(share: Share) -> ShareModel:
    estimate = EstimateModel.model_validate(present_slices.estimate(share))
    return ShareModel(**dict(estimate), errors=share.errors)


def _untested(untested: Untested) -> UntestedModel:
    sizes = {name: getattr(untested, name) for name in ("mistake", "n", "missing", "missing_elsewhere")}
    return UntestedModel.of(**_slice(untested.slice), **sizes)


def _confirmation(confirmation: SliceConfirmation, level: float) -> SliceConfirmationModel:
    fresh = confirmation.fresh
    return SliceConfirmationModel.of(
        wave=confirmation.wave,
        slice=confirmation.slice,
        mistake=confirmation.mistake,
        open=confirmation.open,
        status=confirmation.status(level),
        fresh=_finding(fresh) if isinstance(fresh, SliceFinding) else _untested(fresh) if fresh else None,
    )
