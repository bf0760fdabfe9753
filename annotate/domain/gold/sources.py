"""Detect that a passage behind a gold entry has changed: the same id came in with another text.

Passages are compared by id and by a hash of their text.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from proxy.records import Context

# Chosen: characters of context on each side of a change, about a line; and passages that a sentence can name.
AROUND, NAMED = 60, 3


class SourceChange(NamedTuple):
    """A passage that came in with another text: what it said, what it says now, and the item that brought it."""

    passage: str
    before: str
    now: str
    item_id: str


def text_hash(text: str) -> bytes:
    """Return a hash of a passage's text; white space and the form of accents do not count."""
    plain = " ".join((text if text.isascii() else unicodedata.normalize("NFC", text)).split())
    return blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def texts_by_id(contexts: Sequence[Context]) -> Mapping[str, list[str]]:
    """Return the different texts of each passage id, in their order; passages without an id are left out.

    An id has several texts where it is that of a whole document, which was cut into passages.
    """
    texts: dict[str, list[str]] = defaultdict(list)
    for context in contexts:
        if context.id:
            texts[context.id].append(context.text)
    for name, several in texts.items():
        if len(several) > 1:
            texts[name] = list({text_hash(text): text for text in reversed(several)}.values())[::-1]
    return texts


def unambiguous_texts(contexts: Sequence[Context]) -> dict[str, str]:
    """Return the text of each passage id that has just one.

    Only such an id can show a change: an id with several texts does not say which of them a new text replaces.
    """
    return {name: texts[0] for name, texts in texts_by_id(contexts).items() if len(texts) == 1}


def source_doubt(passages: Sequence[str]) -> str | None:
    """Return the sentence that names the changed passages, by their ids; None where there is none."""
    if not passages:
        return None
    more = len(passages) - NAMED
    names = ", ".join(passages[:NAMED]) + (f" and {more:,} more" if more > 0 else "")
    return f"its source changed: passage {names} came in with another text"


def where_they_differ(before: str, now: str) -> tuple[str, str]:
    """Return the part of both texts that differs, with AROUND characters beside it; … stands for the rest."""
    shorter = min(len(before), len(now))
    start = next((place for place in range(shorter) if before[place] != now[place]), shorter)
    end = next((place for place in range(shorter - start) if before[-1 - place] != now[-1 - place]), shorter - start)
    first, last = max(0, start - AROUND), max(0, end - AROUND)
    lead, tail = ("…" if first else ""), ("…" if last else "")
    return tuple(f"{lead}{text[first : len(text) - last]}{tail}" for text in (before, now))  # type: ignore[return-value] # two
