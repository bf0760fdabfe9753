"""The JSON of a simulated sample."""

from __future__ import annotations

from typing import ClassVar

from annotate.analysis.planning.simulate import Simulated, SimulatedQuantity
from annotate.present.document import Document
from annotate.present.schemas.base import AnswerModel, Model, document_fields


class PlainSampleWidthsModel(Model):
    """A plain random sample of as many labels; `wider_by` is the mean of the widths' difference as a share of the design's."""

    mean_width: float | None
    assured_width: float | None
    wider_by: float | None
    wider_by_error: float


class SimulatedQuantityModel(Model):
    """One quantity over all repetitions in which it was measurable; `measurable` is their share.

    `assured_width` is kept by the share `assurance` of all repetitions.
    """

    coverage: float | None
    coverage_error: float | None
    mean_width: float | None
    assured_width: float | None
    assured_width_error: float
    plain_random_sample: PlainSampleWidthsModel
    mean_assumed: float | None
    measurable: float


class SimulationModel(AnswerModel):
    """How wide the intervals of a sample would be, and how often they contained the assumed value."""

    SCHEMA: ClassVar[str] = "assay/simulation/1"

    labels: int
    waves: int
    active: bool
    audit: float | None
    repetitions: int
    assurance: float
    seed: int
    items: int
    simulated_items: int
    assumed: tuple[str, ...]
    quantities: dict[str, SimulatedQuantityModel]
    labels_left_out: int


MODEL = SimulationModel


def of(result: Simulated, document: Document) -> SimulationModel:
    """Make the model of a simulation that this document presents."""
    request, stage = result.request, result.stage
    names = ("labels", "waves", "active", "audit", "repetitions", "assurance", "seed")
    return SimulationModel.of(
        **document_fields(SimulationModel, document),
        **{name: getattr(request, name) for name in names},
        items=stage.items,
        simulated_items=len(stage.right),
        assumed=stage.basis,
        quantities={outcome.quantity: _quantity(outcome) for outcome in result.quantities},
        labels_left_out=stage.labels,
    )


def _quantity(outcome: SimulatedQuantity) -> SimulatedQuantityModel:
    plain = outcome.plain
    return SimulatedQuantityModel.of(
        coverage=outcome.coverage,
        coverage_error=outcome.error,
        mean_width=outcome.width,
        assured_width=outcome.assured,
        assured_width_error=outcome.assured_error,
        plain_random_sample=PlainSampleWidthsModel.of(
            mean_width=plain.width,
            assured_width=plain.assured,
            wider_by=plain.wider,
            wider_by_error=plain.wider_error,
        ),
        mean_assumed=outcome.truth,
        measurable=outcome.measured / outcome.repetitions,
    )
