"""Split a text into the words by which texts are compared, without a dictionary.

Tokens are lower-cased words, numbers as one token (1,000 is 1000), and character pairs for scripts written without
spaces and for Korean. The same text always gives the same tokens, in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from proxy.text.language import HAN, HANGUL, KANA, composed, without_marks

# Thai, Lao, Burmese and Khmer have no spaces either.
_PAIRED = f"{HAN}{KANA}{HANGUL}\u0e01-\u0e4e\u0e81-\u0ecd\u1000-\u103f\u1780-\u17d3"
# Vowel signs are no letters to `re`, yet they stand inside the words of Arabic, Hebrew and the Indic scripts.
_SIGNS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0963\u0980-\u0dff"
_LETTER = rf"[^\W\d_{_PAIRED}]"
_PART = rf"{_LETTER}(?:[^\W_{_PAIRED}]|[{_SIGNS}])*"
_TOKEN = re.compile(rf"(?P<number>\d+(?:[.,]\d+)*)|(?P<run>[{_PAIRED}]+)|(?P<word>{_PART}(?:'{_PART})*)")
_PLAIN = re.compile(r"\d+(?:[.,]\d+)*|[a-z][a-z0-9]*(?:'[a-z][a-z0-9]*)*")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")

_STOP = frozenset(
    """a about after also am an and any are as at be been before being but by can could did do does for from had has
    have he her his how i if in into is it its may me might more most must my no not of on or other our over s shall
    she should so some such t than that the their them then there these they this those to under up was we were what
    when where which who whom whose why will with would you your""".split()  # noqa: SIM905 - read as prose
)
# Cut out of runs of characters before pairing; longer ones first, so that none hides another.
_FILLER = re.compile(
    "为什么|為什麼|什么|什麼|怎么|怎麼|如何|哪些|哪里|哪裡|哪|谁|誰|多少|是否|可以|吗|嗎|呢|的|了|是"
    "|でしょうか|ですか|ください|ました|ません|という|について|です|ます|どう|なぜ|いつ|どこ|だれ|なに|何|する|した|して|いる|ある|から|まで"
    "|[はがをのにでとも]"
    "|무엇|누가|어떻게|언제|어디|누구|얼마|무슨|어떤|입니까|입니다|습니까|습니다|인가요|나요|까요|하는|있는"
)
_PARTICLE = re.compile("(?<=[가-힣]{2})(?:에서|으로|에게|까지|부터|은|는|이|가|을|를|의|에|로|와|과|도)$")
_NEGATORS = frozenset(
    """not no never none neither nor without cannot nobody nothing 不是 不能 不会 不會 不可 没有 沒有 并非 並非 未曾
    ない なく ません ませ 않는 않습 않다 않았 없는 없습 없다 아니 아닙 못한""".split()  # noqa: SIM905
)

_VERB_LAST = re.compile(f"[{KANA}{HANGUL}]")
_REACH, _DENIED = 5, 2


def words(text: str) -> list[str]:
    """Return every token of the text in order."""
    if text.isascii():
        return _plain_words(text)
    tokens: list[str] = []
    for kind, token in _tokens(text):
        tokens.extend(_pairs(token) if kind == "run" else (_normal(token.lower()),))
    return tokens


def content_words(text: str) -> list[str]:
    """Return the tokens that carry meaning: without stop words, question words and particles."""
    if text.isascii():
        return [word for word in _plain_words(text) if word not in _STOP]
    tokens: list[str] = []
    for kind, token in _tokens(text):
        if kind == "run":
            tokens.extend(pair for piece in _content_pieces(token) for pair in _pairs(piece))
        elif (word := _normal(token.lower())) not in _STOP:
            tokens.append(word)
    return tokens


class Phrase(NamedTuple):
    """Wanted tokens as they stand in a text, and the stretch between fillers that they lie in; a word is its own stretch."""

    text: str
    stretch: str

    @property
    def is_fragment(self) -> bool:
        """Whether it is only a part of what is written, so no word that a person would name."""
        return self.text != self.stretch


def phrases(text: str, wanted: Collection[str]) -> list[Phrase]:
    """Find the wanted tokens as a person would read them: adjacent character pairs joined to the longest run."""
    distinct: dict[Phrase, None] = {}
    for kind, token in _tokens(text):
        if kind == "run":
            for piece in _content_pieces(token):
                distinct.update(dict.fromkeys(Phrase(part, piece) for part in _joined(piece, wanted)))
        elif _normal(token.lower()) in wanted:
            distinct[Phrase(token, token)] = None
    return list(distinct)


def is_number(token: str) -> bool:
    """Return whether the token is a number, which is either in the passages or not: numbers have no synonyms."""
    return token[0].isdigit()


def negated(tokens: Collection[str]) -> bool:
    """Return whether any token is a denial."""
    return any(_denies(token) for token in tokens)


def denials(tokens: Sequence[str]) -> list[frozenset[str]]:
    """Return the words that each denial covers: the two content words after it, or in Japanese and Korean before it."""
    return [frozenset(_denied(tokens, at)) for at, token in enumerate(tokens) if _denies(token)]


def _denies(token: str) -> bool:
    """Return whether the token is a denial."""
    return token in _NEGATORS or token.endswith("n't")


def _denied(tokens: Sequence[str], at: int) -> list[str]:
    """Return the words denied by the token at this place."""
    scope = tokens[max(0, at - _REACH) : at][::-1] if _VERB_LAST.match(tokens[at]) else tokens[at + 1 : at + 1 + _REACH]
    return [token for token in scope if token not in _STOP and not _denies(token)][:_DENIED]


def _plain_words(ascii_text: str) -> list[str]:
    """Return every token of a text without accents and other scripts; most are in normal form already."""
    tokens = _PLAIN.findall(without_marks(ascii_text).lower())
    return [token if token[0] > "9" and token[-2:] != "'s" else _normal(token) for token in tokens]


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """Yield kind and written form of each token, in compatibility form so that full-width digits are digits."""
    plain = without_marks(text).replace("\u2019", "'")
    return ((match.lastgroup or "word", match.group()) for match in _TOKEN.finditer(composed(plain)))


def _normal(token: str) -> str:
    """Normalise a word or number: no possessive, no thousands comma, no leading zeros."""
    if token[0].isdigit():
        plain = token.replace(",", "") if _GROUPED.fullmatch(token) else token
        return plain.lstrip("0") or "0" if plain.isdigit() else plain
    return token.removesuffix("'s")


def _pairs(run: str) -> list[str]:
    """Return overlapping character pairs; a character alone stands for itself."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def _content_pieces(run: str) -> list[str]:
    """Split a run at fillers and end particles; single leftovers of a cut are no word."""
    pieces = _FILLER.split(_PARTICLE.sub("", run))
    return [piece for piece in pieces if len(piece) > 1] if len(pieces) > 1 else [piece for piece in pieces if piece]


def _joined(piece: str, wanted: Collection[str]) -> Iterator[str]:
    """Yield the longest stretches of the piece whose pairs are all wanted."""
    start = end = 0
    for at, pair in enumerate(_pairs(piece)):
        if pair not in wanted:
            continue
        if at > end - 1 and end:
            yield piece[start:end]
            start = at
        elif not end:
            start = at
        end = at + len(pair)
    if end:
        yield piece[start:end]
