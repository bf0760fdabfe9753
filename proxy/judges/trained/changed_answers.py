"""Change one number or one name of an answer, so that its passages no longer support it."""

from __future__ import annotations

import random
import re

from proxy.text.language import HAN, HANGUL, KANA

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_PART = rf"[^\W\d_a-z{HAN}{KANA}{HANGUL}][^\W_{HAN}{KANA}{HANGUL}]+"
# A name is told by capitals within a sentence; in katakana by its script.
_NAME = re.compile(rf"(?<=[^\W_,;] ){_PART}(?: {_PART})*|[\u30a1-\u30fa\u30fc]{{3,}}")


def changed(answer: str, passages: str, rng: random.Random) -> str | None:
    """Return the answer with another number, or where it has none with another name; None where neither can be changed.

    A number gets another digit, and the passages do not hold the new one. A name becomes another name of the passages, which
    is the harder error: every word of the answer still stands in them.
    """
    return _with_other_number(answer, passages, rng) or _with_other_name(answer, passages, rng)


def _with_other_number(answer: str, passages: str, rng: random.Random) -> str | None:
    known = set(_NUMBER.findall(passages))
    matches = [match for match in _NUMBER.finditer(answer) if match.group() in known]
    if not matches:
        return None
    match = rng.choice(matches)
    number = match.group()
    digits = [at for at, sign in enumerate(number) if sign.isdigit()]
    others = [number[:at] + digit + number[at + 1 :] for at in digits for digit in "123456789"]
    unknown = [other for other in others if other != number and other not in known]
    return answer[: match.start()] + rng.choice(unknown) + answer[match.end() :] if unknown else None


def _with_other_name(answer: str, passages: str, rng: random.Random) -> str | None:
    known = sorted(set(_NAME.findall(passages)))
    matches = [match for match in _NAME.finditer(answer) if match.group() in known]
    if not matches:
        return None
    match = rng.choice(matches)
    others = [name for name in known if name not in answer and match.group() not in name]
    return answer[: match.start()] + rng.choice(others) + answer[match.end() :] if others else None
