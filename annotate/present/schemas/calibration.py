"""The JSON of a calibration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from annotate.analysis.calibration.choosers import LabelUse
from annotate.present.schemas import guarantee as guarantee_schema
from annotate.present.schemas.base import AnswerModel, Model, Sentence, read_from
from annotate.present.schemas.guarantee import GuaranteeModel
from annotate.present.schemas.keyed import FieldsOf
from proxy.evaluation.threshold import ThresholdChoice, value_of
from proxy.stats.calibration.threshold import CertifiedThreshold, Power, powers
from proxy.stats.calibration.threshold_tests import Claim, ThresholdTest

if TYPE_CHECKING:
    from annotate.analysis.calibration.certify import Calibrated


class ClaimModel(Model):
    """One claim: whether it holds at the threshold, the lowest threshold that it would allow, or why there is none."""

    holds: bool
    threshold: float | None
    p_value: float | None
    n: int
    errors: int
    clusters: float | None
    clusters_needed: int | None
    reason: Sentence | None


class NeedModel(Model):
    """The labels that would bring a threshold, and the draws that bring them."""

    threshold: float
    more: int
    n: int
    errors: int
    undecided: int
    draws: int


class UndecidedTestModel(Model):
    """Draws that keep the failing part from being judged."""

    threshold: float
    undecided: int
    wrong: int
    labels: int


class VersionModel(Model):
    """A rule by name and version."""

    name: str
    version: int
    expression: str


class CalibrationModel(AnswerModel, schema="assay/calibration/1"):
    """A calibration; `threshold` is null, with a `reason`, where none is shown."""

    PARTS = ("request",)

    precision: float
    confidence: float
    share: float
    seed: int
    value: str
    label_use: FieldsOf[LabelUse] = read_from("use", "label_use")
    labels: int
    chose: int
    undecided: int
    earlier_looks: int = read_from("looks", "earlier_looks")
    known_before_value: int = read_from("known_before", "known_before_value")
    threshold: float | None
    n: int | None
    errors: int | None
    thinned: int | None
    p_value: float | None
    precision_low: float | None
    reason: Sentence | None
    coverage: float | None
    claims: dict[Claim, ClaimModel]
    power: tuple[FieldsOf[Power], ...]
    guarantee: GuaranteeModel | None
    rule: VersionModel | None
    replaces: VersionModel | None
    all_pass: bool
    saved: bool = read_from("is_saved", "saved")
    need: NeedModel | None
    adjudicate_first: UndecidedTestModel | None
    thresholds: tuple[FieldsOf[ThresholdTest], ...]

    @classmethod
    def computed(cls, result: Calibrated) -> Mapping[str, object]:
        """Give what was certified and what each test says, where a threshold was looked for."""
        request, choice, guarantee = result.request, result.choice, result.guarantee
        why = result.objection or result.unscored
        return {
            "value": value_of(result.before),
            **_certified(result, choice.certified if choice else None),
            "reason": choice.certified.reason if choice else why.reason if why else None,
            "coverage": choice.coverage if choice else None,
            "claims": {claim: _claim(claim, choice) for claim in choice.by_claim} if choice else {},
            "power": tuple(powers(1 - request.precision, 1 - request.confidence)),
            "guarantee": guarantee_schema.of(guarantee) if guarantee else None,
            "rule": result.rule if guarantee else None,
            "replaces": result.before if guarantee and not result.stands else None,
            "need": {**choice.need._asdict(), "draws": result.draws_needed} if choice and choice.need else None,
            "adjudicate_first": _undecided(choice.undecided_test) if choice and choice.undecided_test else None,
            "thresholds": tuple(choice.steps) if choice else (),
        }


MODEL = CalibrationModel


def _certified(result: Calibrated, certified: CertifiedThreshold | None) -> Mapping[str, object]:
    """The certified threshold with its evidence; each is null where there is none."""
    names = ("threshold", "n", "errors", "thinned", "p_value")
    low = result.proved(certified) if certified else None
    return {**{name: getattr(certified, name, None) for name in names}, "precision_low": low}


def _undecided(step: ThresholdTest) -> UndecidedTestModel:
    return UndecidedTestModel(
        threshold=step.threshold, undecided=step.undecided_labels, wrong=step.wrong, labels=step.labels
    )


def _claim(claim: Claim, choice: ThresholdChoice) -> ClaimModel:
    certified = choice.by_claim[claim]
    return ClaimModel(
        holds=claim in choice.claims,
        threshold=certified.threshold,
        p_value=certified.p_value,
        n=certified.n,
        errors=certified.errors,
        clusters=certified.clusters,
        clusters_needed=certified.needed,
        reason=certified.reason,
    )
