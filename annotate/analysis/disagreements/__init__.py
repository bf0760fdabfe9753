"""Show where the proxy is wrong: the answers on which it and annotators differ, as a list, one by one, and as a file."""

from __future__ import annotations

from annotate.analysis.disagreements.detail import ItemDetail, JudgeResult, Sentences, detail
from annotate.analysis.disagreements.export import EXPORTED, as_file, exported
from annotate.analysis.disagreements.listing import (
    Ground,
    Listed,
    Sided,
    WeighedDisagreements,
    ground,
    listed,
    place,
    sided,
    slices,
    weigh,
)
from annotate.analysis.disagreements.masking import masked

__all__ = [
    "EXPORTED",
    "Ground",
    "ItemDetail",
    "JudgeResult",
    "Listed",
    "Sentences",
    "Sided",
    "WeighedDisagreements",
    "as_file",
    "detail",
    "exported",
    "ground",
    "listed",
    "masked",
    "place",
    "sided",
    "slices",
    "weigh",
]
