"""Check that a model's quote stands in the passages: that a claimed support is there at all.

Case, spaces, quotation marks and dashes may differ, words and numbers may not ("30 metres" is no quote of "330
metres"); parts joined by an ellipsis must stand in one passage in that order.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from proxy.text.language import HAN, KANA

_SAME = str.maketrans({
    **dict.fromkeys("\u2018\u2019\u201a\u2039\u203a", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d\u300e\u300f", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    **dict.fromkeys("\u200b\u2060\ufeff\u00ad"),
})  # fmt: skip
_GAP = re.compile(r"\.{3,}|\u2026+")
# Chinese and Japanese are written without spaces: one beside their characters is a line break of the source, or the model's.
_NO_SPACE = re.compile(rf"(?<=[{HAN}{KANA}]) | (?=[{HAN}{KANA}])")
_LETTER = "a-z\u00df-\u024f\u0370-\u052f\u1e00-\u1fff"
_INSIDE = re.compile(rf"(?<=[{_LETTER}])(?=[{_LETTER}])|(?<=\d)(?=[.,]?\d)|(?<=\d[.,])(?=\d)")
# Normalising takes quadratic time in a run of accents; in pieces, cut at a space where there is one, it cannot.
_PIECES = re.compile(r".{1,2000}(?!\S)|.{1,2000}", re.DOTALL)
_EDGE = " \t\n\"'.,;:!?()[]{}*_`\u3002\uff0c\u3001\uff1b\uff1a\uff01\uff1f"
_SHORTEST = 2


def normal(text: str) -> str:
    """Normalise the text for comparing quotes: compatibility form, lower case, single spaces, plain marks."""
    if text.isascii():
        return " ".join(text.casefold().split())
    plain = "".join(unicodedata.normalize("NFKC", piece) for piece in _PIECES.findall(text)).translate(_SAME)
    return _NO_SPACE.sub("", " ".join(plain.casefold().split()))


def rank_of(quote: str, passages: Sequence[str]) -> int | None:
    """Return the rank, from 1, of the first passage that holds the quote; None if none does.

    `passages` are in normal form.
    """
    parts = [part for piece in _GAP.split(quote) if (part := normal(piece).strip(_EDGE))]
    if sum(map(len, parts)) < _SHORTEST:
        return None
    return next((rank for rank, passage in enumerate(passages, start=1) if _holds(passage, parts)), None)


def _holds(passage: str, parts: Sequence[str]) -> bool:
    """Return whether the parts stand in the passage one after the other."""
    at = 0
    for part in parts:
        start = _find(passage, part, at)
        if start < 0:
            return False
        at = start + len(part)
    return True


def _find(passage: str, part: str, start: int) -> int:
    """Find the part in whole words and numbers, from `start` on; -1 where it is not there."""
    place = passage.find(part, start)
    while place >= 0 and (_INSIDE.match(passage, place) or _INSIDE.match(passage, place + len(part))):
        place = passage.find(part, place + 1)
    return place
