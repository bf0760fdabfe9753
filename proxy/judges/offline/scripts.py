"""Decide whether two texts can be compared by their words at all: a Chinese answer and English passages cannot.

Abstain only where the words themselves do not match either, so that a Latin name in a Korean text is still judged.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping

from proxy.text.language import dominant, script_shares

_NAMES = {
    "latin": "in Latin script",
    "han": "Chinese",
    "kana": "Japanese",
    "hangul": "Korean",
    "other": "in another script",
}
_ENOUGH = 0.1


def script_mismatch(
    text: str, tokens: Collection[str], scripts: Mapping[str, float], known: Container[str], sides: tuple[str, str]
) -> str | None:
    """Say why the text cannot be compared with the other side, whose `scripts` and `known` words are given, or None.

    `sides` names both as in "the answer is", "the passages are".
    """
    own = script_shares(text)
    if comparable(own, scripts) or sum(token in known for token in tokens) * 2 >= len(tokens) > 0:
        return None
    return f"{sides[0]} {_NAMES[dominant(own)]}, {sides[1]} {_NAMES[dominant(scripts)]}: their words cannot be compared"


def comparable(own: Mapping[str, float], theirs: Mapping[str, float]) -> bool:
    """Return whether words in these scripts can match at all: no letters, the same script, or enough of it."""
    if not own or not theirs:
        return True
    main = dominant(own)
    return main == dominant(theirs) or theirs.get(main, 0.0) >= _ENOUGH
