"""Handle the written side of language: script and language of a text, and its sentences.

Texts are taken exactly as production wrote them. No text raises, whatever it holds (lone surrogates, NUL, HTML), and
every pattern runs in linear time.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping

from proxy.text.controls import displayable

# Characters of scripts that are written without spaces, or whose words change at the end: judged by character pairs.
HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
HANGUL = "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"

_COUNTED = re.compile(
    rf"(?P<han>[{HAN}]+)|(?P<kana>[{KANA}]+)|(?P<hangul>[{HANGUL}]+)"
    rf"|(?P<latin>[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+)|(?P<other>[^\W\d_A-Za-z\u00c0-\u024f\u1e00-\u1eff{HAN}{KANA}{HANGUL}]+)"
)
_LATIN = re.compile("[A-Za-z]")
_LANGUAGES = {"hangul": "ko", "kana": "ja", "han": "zh"}
# A tenth of kana makes a text Japanese: its nouns are mostly Chinese characters.
_KANA_SHARE = 0.1

_CITATION = re.compile(r"\[\^?\d{1,4}(?:\s?[,;\u2013-]\s?\d{1,4}){0,20}\]|【[^【】]{0,200}】")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>|<!--|-->")
_BULLET = re.compile(r"^[ \t]{0,20}(?:[-*+•·▪◦]|#{1,6}|>|\d{1,3}[.)])[ \t]+")
# Finding sentences takes quadratic time in a line full of quotation marks.
_LONGEST_LINE = 5_000
_PIECE = 2_000
_SURROGATE = re.compile("[\ud800-\udfff]")


def composed(text: str) -> str:
    """Return the text in compatibility form (NFKC); in pieces, because a run of accents would take quadratic time."""
    pieces = (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
    return text if text.isascii() else "".join(unicodedata.normalize("NFKC", piece) for piece in pieces)


def quoted(text: str, limit: int = 120) -> str:
    """Put one line of the text in quotation marks, cut at `limit` characters."""
    line = " ".join(text[: limit * 4].split())
    return f"“{displayable(line if len(line) <= limit else line[: limit - 1].rstrip() + '…')}”"


def without_marks(text: str) -> str:
    """Remove citation marks such as [1] and 【…】 and HTML tags, which claim nothing."""
    if "[" in text or "【" in text:
        text = _CITATION.sub("", text)
    return _TAG.sub(" ", text) if "<" in text or "-->" in text else text


def mark_spans(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) of each mark that `without_marks` leaves out."""
    return [match.span() for pattern in (_CITATION, _TAG) for match in pattern.finditer(text)]


def script_shares(text: str) -> dict[str, float]:
    """Compute the share of each script in the text, {} where it has no letter.

    A word counts one; so do two characters of a script without spaces, or one English term would outweigh a sentence.
    """
    if text.isascii():
        return {"latin": 1.0} if _LATIN.search(text) else {}
    counts: dict[str, float] = {}
    for match in _COUNTED.finditer(text):
        name = match.lastgroup or "other"
        spaced = name in ("latin", "other")
        counts[name] = counts.get(name, 0.0) + (1.0 if spaced else (match.end() - match.start()) / 2)
    total = sum(counts.values())
    return {name: count / total for name, count in counts.items()}


def script(text: str) -> str:
    """Return the dominant script: latin, han, kana (Japanese, with its Chinese characters), hangul, or other."""
    return dominant(script_shares(text))


def dominant(shares: Mapping[str, float]) -> str:
    """Return the dominant script of these shares."""
    if not shares:
        return "other"
    han, kana = shares.get("han", 0.0), shares.get("kana", 0.0)
    japanese = kana > 0 and kana >= _KANA_SHARE * (han + kana)
    merged = {**shares, "han": 0.0, "kana": han + kana} if japanese else {**shares, "han": han + kana, "kana": 0.0}
    return max(merged, key=lambda name: merged[name])


def language(text: str) -> str | None:
    """Return ko, ja or zh by script; None where the script does not tell."""
    return _LANGUAGES.get(script(text))


def is_traditional(text: str) -> bool:
    """Return whether a Chinese text has more characters of Big5 alone than of GB 2312 alone."""
    characters = set(text)
    traditional = sum(_in(character, "big5") and not _in(character, "gb2312") for character in characters)
    simplified = sum(_in(character, "gb2312") and not _in(character, "big5") for character in characters)
    return traditional > simplified


def _in(character: str, encoding: str) -> bool:
    """Return whether the character set has the character."""
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def sentences(text: str, language: str | None = None) -> list[str]:
    """Split the text into its sentences, without citation marks; lines and list entries end a sentence too."""
    from sentencex import segment  # loaded on use: the command's help must stay quick

    safe = _SURROGATE.sub("\ufffd", without_marks(text))
    texts: list[str] = []
    for line in safe.splitlines():
        for piece in _pieces(_BULLET.sub("", line, count=1)):
            texts.extend(part.strip() for part in segment(language or "en", piece) if part.strip())
    return texts


def _pieces(line: str) -> Iterator[str]:
    """Split the line into parts of at most `_LONGEST_LINE` characters, cut at a space where there is one."""
    start = 0
    while start < len(line):
        end = start + _LONGEST_LINE
        if end < len(line):
            end = line.rfind(" ", start, end) + 1 or end
        yield line[start:end]
        start = end
