"""Name the stage that makes answers wrong where labels show it, else say why none can be named; list causes and remedies."""

from proxy.diagnosis.causes import Cause, causes_of
from proxy.diagnosis.clues import Clue, Sight
from proxy.diagnosis.contrast import (
    BAD,
    GOOD,
    MATTERS,
    NEITHER,
    Population,
    Sides,
    StageContrast,
    contrast,
    is_measurable,
)
from proxy.diagnosis.named_causes import CAUSE_WORDS, disagreements
from proxy.diagnosis.naming import CONTRASTED, Area, Naming, Obstacle, Tested, separates
from proxy.diagnosis.reach import Reach, ReachedScore, reach
from proxy.diagnosis.reranking import Lost, lost
from proxy.diagnosis.stages import (
    THRESHOLD,
    LabelledScores,
    Quadrant,
    Stage,
    StageEvidence,
    place_of,
    quadrants,
    wrong_share,
)

__all__ = [
    "BAD",
    "CAUSE_WORDS",
    "CONTRASTED",
    "GOOD",
    "MATTERS",
    "NEITHER",
    "THRESHOLD",
    "Area",
    "Cause",
    "Clue",
    "LabelledScores",
    "Lost",
    "Naming",
    "Obstacle",
    "Population",
    "Quadrant",
    "Reach",
    "ReachedScore",
    "Sides",
    "Sight",
    "Stage",
    "StageContrast",
    "StageEvidence",
    "Tested",
    "causes_of",
    "contrast",
    "disagreements",
    "is_measurable",
    "lost",
    "place_of",
    "quadrants",
    "reach",
    "separates",
    "wrong_share",
]
