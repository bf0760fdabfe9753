"""Say which judge compares answers with references where nobody named one, and by which labels it was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from annotate.domain.gold.matching import AskedKey


class AurocDifference(NamedTuple):
    """AUROC of a judge minus that of the default, with its interval."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True, slots=True)
class ReferenceJudgeChoice:
    """The judge that is meant.

    Attributes
    ----------
    judge
        Its name.
    labels
        The labelled answers that could choose.
    difference
        How much better than the default it orders them; None for the default itself.
    questions
        The questions whose labels chose another judge than the default: they must not measure it.
    """

    judge: str
    labels: int = 0
    difference: AurocDifference | None = None
    questions: frozenset[AskedKey] = frozenset()
