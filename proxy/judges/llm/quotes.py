"""Whether a model's quote stands in the passages: the check that a claimed support is there at all.

In come passages and a quote, out comes the rank of the passage that holds it. The rule: case, spaces, quotation marks and
dashes may differ, words may not; parts joined by an ellipsis must stand in one passage in that order.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_SAME = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u300c": '"', "\u300d": '"', "\u00ab": '"', "\u00bb": '"',
    "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2212": "-", "\u200b": None, "\u00ad": None,
})  # fmt: skip
_GAP = re.compile(r"\s*(?:\.\.\.+|\u2026+|\[\.\.\.\])\s*")
_EDGE = " \t\n\"'.,;:!?()[]{}*_`\u3002\uff0c\u3001\uff1b\uff1a\uff01\uff1f"
_SHORTEST = 2


def normal(text: str) -> str:
    """The text as quotes are compared: compatibility form, lower case, one space, plain marks."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text).translate(_SAME)
    return " ".join(plain.casefold().split())


def rank_of(quote: str, passages: Sequence[str]) -> int | None:
    """The rank, from 1, of the first passage that holds the quote; `passages` are in normal form. None if none does."""
    parts = [part for piece in _GAP.split(quote) if (part := normal(piece).strip(_EDGE))]
    if sum(map(len, parts)) < _SHORTEST:
        return None
    return next((rank for rank, passage in enumerate(passages, start=1) if _holds(passage, parts)), None)


def _holds(passage: str, parts: Sequence[str]) -> bool:
    """Whether the parts stand in the passage one after the other."""
    at = 0
    for part in parts:
        found = passage.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True
