"""Suggest the name that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is spelled most alike, in upper or lower case; None where none is near."""
    by_folded = {each.casefold(): each for each in known}
    close = get_close_matches(name.casefold(), by_folded, 1)
    return by_folded[close[0]] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean X?` for the known name that is spelled most alike; an empty text where none is."""
    near = nearest(name, known)
    return f"; did you mean {near}?" if near else ""
