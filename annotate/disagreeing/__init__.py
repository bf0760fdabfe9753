"""Where the proxy is wrong: the answers on which it and people differ, as a list, one by one, and as a file."""

from __future__ import annotations

from annotate.disagreeing.detail import Detail, Said, Sentences, detail
from annotate.disagreeing.listing import Ground, Listed, Sided, ground, listed, place, sided, slices
from annotate.disagreeing.weighing import Weighed, weigh
from annotate.disagreeing.whole import EXPORTED, as_file, exported

__all__ = [
    "EXPORTED",
    "Detail",
    "Ground",
    "Listed",
    "Said",
    "Sentences",
    "Sided",
    "Weighed",
    "as_file",
    "detail",
    "exported",
    "ground",
    "listed",
    "place",
    "sided",
    "slices",
    "weigh",
]
