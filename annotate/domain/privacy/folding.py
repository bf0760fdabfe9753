"""Write a text in ASCII digits, signs and letters of the usual width, each character at its place, for patterns to look at."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache

_DASHES = "\u00ad\u058a\u05be\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63\u200b\u200c\u200d\u2060\ufeff"
_DOTS = "\u00b7\u2024\u30fb\u0701"
_SPACES = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"


def folded(text: str) -> str:
    """Return the text with digits of any script, full-width signs, dashes and spaces as their ASCII signs, at the same places.

    What stands between digits without being seen, such as a zero-width space, becomes a dash.
    """
    if text.isascii():
        return text
    table, odd = _folding()
    return odd.sub(lambda match: table[match[0]], text)


@lru_cache(maxsize=1)
def _folding() -> tuple[dict[str, str], re.Pattern[str]]:
    digits = {
        sign: str(unicodedata.decimal(sign))
        for sign in map(chr, range(0x80, sys.maxunicode + 1))
        if unicodedata.category(sign) == "Nd"
    }
    wide = {chr(code + 0xFEE0): chr(code) for code in range(0x21, 0x7F)}
    quotes = {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u05f3": "'", "\u05f4": '"'}
    table = (
        quotes | dict.fromkeys(_DASHES, "-") | dict.fromkeys(_DOTS, ".") | dict.fromkeys(_SPACES, " ") | wide | digits
    )
    return table, re.compile(f"[{''.join(map(re.escape, sorted(table)))}]")
