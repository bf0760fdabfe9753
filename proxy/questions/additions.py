"""Tell by spelling whether a refusal goes on to state something that neither its question nor its passages hold."""

from __future__ import annotations

import re
from collections.abc import Sequence

from proxy.text.language import HAN, HANGUL, KANA, composed
from proxy.text.tokens import is_number, words

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
# A capital after a small letter, a comma or a character without case opens no sentence.
_NAME = re.compile(rf"(?:(?<=[^\W_A-Z][ ])|(?<=[,;:][ ])|(?<=[{HAN}{HANGUL}{KANA}]))[A-Z][\w’'-]+")
# Words that refusals write with capitals.
_NO_NAMES = frozenset(
    """ai answer answers available cannot context contexts data document documents error found given i'd i'll i'm i've
    information insufficient it's n/a no none not passage passages provided question sorry source sources text the there
    unanswerable unfortunately unknown""".split()  # noqa: SIM905 - read as prose
)


def adds_facts(answer: str, known: Sequence[str]) -> bool:
    """Return whether an answer holds a number or a name that none of the known texts holds.

    Whole numbers up to the number of known texts may count the passages. Names are told by a capital within a sentence, so that
    one in a script without capitals is not seen.
    """
    text = composed(answer)
    before = {word for known_text in known for word in words(composed(known_text))}
    numbers = {word for match in _NUMBER.finditer(text) for word in words(match.group()) if is_number(word)}
    if any(number not in before and not _counts_passages(number, len(known)) for number in numbers):
        return True
    names = (match.group().lower().replace("’", "'") for match in _NAME.finditer(text))
    return any(name not in _NO_NAMES and not before.issuperset(words(name)) for name in names)


def _counts_passages(number: str, most: int) -> bool:
    return number.isdecimal() and int(number) <= most
