"""Which stage failed, why, and what to do about it: retrieval first, synthesis only where the passages were relevant."""

from proxy.diagnosis.causes import Cause, causes_of
from proxy.diagnosis.clues import Clue, Sight
from proxy.diagnosis.people import disagreements
from proxy.diagnosis.reranking import Lost, lost
from proxy.diagnosis.stages import (
    CUT,
    NAMES,
    NO_PASSAGES,
    LabelledScores,
    Place,
    Quadrant,
    Stage,
    is_too_few,
    look,
    most,
    place_of,
    quadrants,
    rival,
    too_few,
    where_to_look,
    wrong_share,
)

__all__ = [
    "CUT",
    "NAMES",
    "NO_PASSAGES",
    "Cause",
    "Clue",
    "LabelledScores",
    "Lost",
    "Place",
    "Quadrant",
    "Sight",
    "Stage",
    "causes_of",
    "disagreements",
    "is_too_few",
    "look",
    "lost",
    "most",
    "place_of",
    "quadrants",
    "rival",
    "too_few",
    "where_to_look",
    "wrong_share",
]
