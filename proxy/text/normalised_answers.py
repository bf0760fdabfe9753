"""Normalise answers as question answering compares them: SQuAD's normalisation, and characters for scripts without spaces.

Lower case, no punctuation, no articles, white space between the tokens (Rajpurkar et al. 2016). As in MLQA (Lewis et al. 2020)
every character of Unicode's punctuation counts, and each character of Chinese is a token; so it is of Japanese and Korean, as
in CMRC, JaQuAD and KorQuAD.
"""

from __future__ import annotations

import re
import string
import sys
import unicodedata
from functools import lru_cache

from proxy.text.language import HAN, HANGUL, KANA, composed

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_CHARACTER = re.compile(f"([{HAN}{KANA}{HANGUL}])")


def answer_tokens(text: str) -> list[str]:
    """Return the tokens of a text after normalisation, in order."""
    plain = composed(text).lower().translate(_without_punctuation(is_ascii=text.isascii()))
    return _CHARACTER.sub(r" \1 ", _ARTICLES.sub(" ", plain)).split()


@lru_cache(maxsize=2)
def _without_punctuation(*, is_ascii: bool) -> dict[int, None]:
    """Return the table that deletes punctuation; all of Unicode's takes a tenth of a second to list."""
    codes = () if is_ascii else range(0x80, sys.maxunicode + 1)
    punctuation = (code for code in codes if unicodedata.category(chr(code)).startswith("P"))
    return dict.fromkeys((*map(ord, string.punctuation), *punctuation))
