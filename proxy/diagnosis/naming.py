"""Name the stage of the app that makes answers wrong, or say why none can be named.

In: counts of labels, shares and contrasts of each stage. Out: `Naming`, with a `stage` or an `obstacle`.

A stage is named where both hold:

- answers are shown to be wrong more often where its score is low than where it is high (`contrast`);
- more of the wrong answers lie in its part than in any other.

Counts of labels alone never name a stage.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from proxy.diagnosis.contrast import StageContrast
from proxy.diagnosis.reach import Reach
from proxy.diagnosis.stages import Stage
from proxy.evaluation.estimate import Estimate

CONTRASTED = (Stage.RETRIEVAL, Stage.SYNTHESIS)


class Obstacle(StrEnum):
    """The reason why no stage can be named."""

    NO_LABELS = "no_labels"  # no label says right or wrong
    NO_WRONG = "no_wrong"  # nobody labelled a wrong answer
    OBJECTION = "objection"  # the labels support no conclusion, such as where annotators agree no better than chance
    NO_PASSAGES = "no_passages"  # most labelled wrong answers have no passages logged
    UNSCORED = "unscored"  # most labelled wrong answers lack a score
    ONE_SIDED = "one_sided"  # no system has answers enough on both sides of the relevance threshold
    TOO_FEW = "too_few"  # the labels do not tell
    NOT_SEPARATED = "not_separated"  # the judge is not shown to tell right from wrong answers here
    ELSEWHERE = "elsewhere"  # a stage matters, but another part holds more of the wrong answers


@dataclass(frozen=True, kw_only=True, slots=True)
class Area:
    """The answers that point to one stage: counts of their labels, and the share of all wrong answers that are here."""

    right: int
    wrong: int
    share: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class Tested:
    """The test of a stage: its contrast, and the AUROC of its judge for right against wrong answers."""

    contrast: StageContrast
    auroc: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class Naming:
    """Record the stage that failed, or why none can be named, for one system or for all (`is_all`).

    Attributes
    ----------
    right, wrong, unsure : int
        Labels; those that are unsure decide nothing.
    areas : mapping of Stage to Area
        The parts of the answers.
    tested : mapping of Stage to Tested
        The stages that were tested.
    comparisons : int
        How many contrasts were made at once, over all systems; each interval holds for all of them together.
    thresholds : tuple of two floats
        Those of context relevance and of faithfulness.
    objections : tuple of str
        What forbids any claim from these labels.
    reach : Reach or None
        What would make a comparison possible, where the labels do not allow one.
    stage, obstacle
        The result; one of the two is None.
    """

    system: str | None
    is_all: bool
    right: int
    wrong: int
    unsure: int
    areas: Mapping[Stage, Area]
    tested: Mapping[Stage, Tested]
    comparisons: int
    thresholds: tuple[float, float]
    objections: tuple[str, ...] = ()
    reach: Reach | None = None
    stage: Stage | None = field(init=False)
    obstacle: Obstacle | None = field(init=False)

    def __post_init__(self) -> None:
        """Set the stage or the obstacle."""
        stage = None if self.objections else _shown(self)
        object.__setattr__(self, "stage", stage)
        object.__setattr__(self, "obstacle", None if stage else _obstacle(self))

    @property
    def is_one_sided(self) -> bool:
        """Whether no system has answers enough on both sides of the relevance threshold."""
        return self.reach is not None and self.reach.is_one_sided

    @property
    def largest(self) -> Stage | None:
        """The area that holds most of the wrong answers, by estimate; None where that is not measurable or there is none."""
        shares = {stage: area.share for stage, area in self.areas.items()}
        known = {stage: share.estimate for stage, share in shares.items() if share.estimate is not None}
        if not known:
            return None
        first = max(known, key=lambda stage: known[stage])
        # What is not measurable may be as large as its upper bound.
        bounds = (1.0 if share.high is None else share.high for share in shares.values() if share.estimate is None)
        return first if known[first] > 0 and known[first] > max(bounds, default=0.0) else None


def _shown(naming: Naming) -> Stage | None:
    """Return the stage that holds most of the wrong answers, where its contrast is shown; else None."""
    largest = naming.largest
    tested = naming.tested.get(largest) if largest else None
    return largest if tested and tested.contrast.is_shown else None


def _obstacle(naming: Naming) -> Obstacle:
    """Return the first obstacle that applies."""
    if not naming.right + naming.wrong:
        return Obstacle.NO_LABELS
    if not naming.wrong:
        return Obstacle.NO_WRONG
    if naming.objections:
        return Obstacle.OBJECTION
    for stage, obstacle in ((Stage.NO_PASSAGES, Obstacle.NO_PASSAGES), (Stage.UNTOLD, Obstacle.UNSCORED)):
        if 2 * naming.areas[stage].wrong > naming.wrong:
            return obstacle
    if any(tested.contrast.is_shown for tested in naming.tested.values()):
        return Obstacle.ELSEWHERE
    if naming.is_one_sided:
        return Obstacle.ONE_SIDED
    first = naming.tested[Stage.RETRIEVAL]
    if (
        first.contrast.difference.estimate is not None
        and first.auroc.estimate is not None
        and not separates(first.auroc)
    ):
        return Obstacle.NOT_SEPARATED
    return Obstacle.TOO_FEW


def separates(auroc: Estimate) -> bool:
    """Return whether the long-run interval shows that right answers have the higher scores."""
    return auroc.long_run is not None and auroc.long_run.low > 0.5
