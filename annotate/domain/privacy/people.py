"""Put what stands for annotators in place of their names, wherever a text names them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

# What acts by itself is written so where a name stands.
MACHINES = frozenset({"", "assay", "unnamed"})


def without_people(text: str, people: Mapping[str, str]) -> str:
    """Return the text with every name replaced, wherever it stands as a word."""
    if not people:
        return text
    if text in people:
        return people[text]
    # As in the store: a name is found however it is written.
    return _names(frozenset(people)).sub(lambda match: people.get(match[0]) or _fold(people)[match[0].casefold()], text)


def pseudonyms(names: list[str]) -> dict[str, str]:
    """Number everybody as an annotator, in this order; what acts by itself is nobody."""
    people = [name for name in dict.fromkeys(names) if name not in MACHINES]
    return {name: f"Annotator {number}" for number, name in enumerate(people, start=1)}


@lru_cache(maxsize=4)
def _names(names: frozenset[str]) -> re.Pattern[str]:
    """Compile a pattern that finds these names as words; one or two letters are no name within a sentence."""
    long = sorted((name for name in names if len(name) > 2), key=lambda name: (-len(name), name))
    words = [
        rf"{r'(?<![A-Za-z0-9_])' if name[0].isascii() else ''}{re.escape(name)}"
        rf"{r'(?![A-Za-z0-9_])' if name[-1].isascii() else ''}"
        for name in long
    ]
    return re.compile("|".join(words) or r"(?!)", re.IGNORECASE)


def _fold(people: Mapping[str, str]) -> dict[str, str]:
    return {name.casefold(): stand_in for name, stand_in in people.items()}
