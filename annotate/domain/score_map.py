"""Define a measured map: what tuning labels taught of a judge's score, and how that was measured on others."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.evaluation.score_map import LanguageMaps, MapContrast

# What the events are called that put a map in force, and out of it again.
MAPPED = "judge score mapped"
UNMAPPED = "judge score map undone"


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredMap:
    """A map that was measured.

    Attributes
    ----------
    key
        Its row in the store; 0 before it is kept.
    judge
        The name of the judge.
    base, signature
        The signatures of the scores as they are, and of those that are mapped.
    maps
        P(right) by score, for all answers and for the languages that have a map of their own.
    contrast
        How it was measured.
    right, wrong
        How many of the labels that measured it say so.
    at
        When, ISO 8601 in UTC.
    is_in_force
        Whether new scores are mapped as they come.
    """

    key: int = 0
    judge: str
    base: str
    signature: str
    maps: LanguageMaps
    contrast: MapContrast
    right: int
    wrong: int
    at: str
    is_in_force: bool
