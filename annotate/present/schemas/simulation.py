"""The JSON of rehearsals of a sample."""

from __future__ import annotations

from typing import ClassVar

from annotate.analysis.planning.simulate import Rehearsed, Simulated
from annotate.present.document import Document
from annotate.present.schemas.base import AnswerModel, Model, document_fields


class PlainSampleWidthsModel(Model):
    """A plain random sample of as many labels; `wider_by` is the mean of the widths' difference as a share of the design's."""

    mean_width: float | None
    assured_width: float | None
    wider_by: float | None
    monte_carlo_error: float


class RehearsedModel(Model):
    """One quantity over all rehearsals in which it was measurable; `measurable` is their share.

    `assured_width` is kept by the share `assurance` of all rehearsals.
    """

    coverage: float | None
    monte_carlo_error: float | None
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
    quantities: dict[str, RehearsedModel]
    labels_left_out: int


MODEL = SimulationModel


def of(result: Simulated, document: Document) -> SimulationModel:
    """Make the model of rehearsals that this document presents."""
    request, stage = result.request, result.stage
    names = ("labels", "waves", "active", "audit", "repetitions", "assurance", "seed")
    return SimulationModel.of(
        **document_fields(SimulationModel, document),
        **{name: getattr(request, name) for name in names},
        items=stage.items,
        simulated_items=len(stage.right),
        assumed=stage.basis,
        quantities={rehearsed.quantity: _rehearsed(rehearsed) for rehearsed in result.quantities},
        labels_left_out=stage.labels,
    )


def _rehearsed(rehearsed: Rehearsed) -> RehearsedModel:
    plain = rehearsed.plain
    return RehearsedModel.of(
        coverage=rehearsed.coverage,
        monte_carlo_error=rehearsed.error,
        mean_width=rehearsed.width,
        assured_width=rehearsed.assured,
        assured_width_error=rehearsed.assured_error,
        plain_random_sample=PlainSampleWidthsModel.of(
            mean_width=plain.width,
            assured_width=plain.assured,
            wider_by=plain.wider,
            monte_carlo_error=plain.wider_error,
        ),
        mean_assumed=rehearsed.truth,
        measurable=rehearsed.measured / rehearsed.repetitions,
    )
