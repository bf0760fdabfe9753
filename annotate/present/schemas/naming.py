"""The JSON of the stage that is named, or of the obstacle to naming one."""

from __future__ import annotations

from annotate.analysis.diagnosis import SharedNaming
from annotate.present import naming as present_naming
from annotate.present.messages import text
from annotate.present.schemas.base import EstimateModel, Model, read_from
from proxy.diagnosis import Naming, Obstacle, Stage


class AreaModel(Model):
    """The labels of one stage, and its share of the wrong answers."""

    right: int
    wrong: int
    of_wrong: EstimateModel = read_from("share", "of_wrong")


class LabelsNeededModel(Model):
    """How many more labels would show a difference that matters, on each side of the threshold."""

    bad: int | None
    good: int | None


class TestedModel(Model):
    """The contrast that a stage is named by."""

    difference: EstimateModel
    wrong_given_bad: float | None
    wrong_given_good: float | None
    labels_needed: LabelsNeededModel
    auroc: EstimateModel


class NamingModel(Model):
    """A stage, or why none can be named, for one system or for all."""

    system: str | None
    stage: Stage | None
    obstacle: Obstacle | None
    same_passages_as: tuple[str | None, ...]
    sentence: str
    details: tuple[str, ...]
    advice: str | None
    right: int
    wrong: int
    unsure: int
    comparisons: int
    areas: dict[Stage, AreaModel]
    tested: dict[Stage, TestedModel]


def of(naming: Naming) -> NamingModel:
    """Make the model of a naming."""
    advice = present_naming.advices((naming,))
    return NamingModel.of(
        **{
            name: getattr(naming, name)
            for name in ("system", "stage", "obstacle", "right", "wrong", "unsure", "comparisons")
        },
        same_passages_as=naming.others if isinstance(naming, SharedNaming) else (),
        sentence=text(present_naming.answer(naming)),
        details=tuple(map(text, present_naming.details(naming))),
        advice=text(advice[0]) if advice else None,
        areas=naming.areas,
        tested={
            stage: TestedModel.of(
                difference=tested.contrast.difference,
                wrong_given_bad=tested.contrast.bad,
                wrong_given_good=tested.contrast.good,
                labels_needed=LabelsNeededModel.of(
                    **dict(zip(("bad", "good"), tested.contrast.needed, strict=True)),
                ),
                auroc=tested.auroc,
            )
            for stage, tested in naming.tested.items()
        },
    )
