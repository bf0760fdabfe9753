"""Read what an item's metadata says of its retrieval: the list before reranking, and the passages known to be relevant.

Both are kept as they came and read only where they are asked for, so that a malformed field costs no row of traffic.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from contextlib import suppress

from proxy.errors import InputError
from proxy.records import Context, Item
from proxy.text.written_lists import as_list

RETRIEVED, REFERENCE_CONTEXTS = "retrieved", "reference_contexts"
# Ragas calls them reference_context_ids.
RELEVANT = ("relevant_ids", "reference_context_ids")
# Of passages without a text, as tracers and Ragas log them.
PASSAGE_IDS = "passage_ids"
TEXTS = ("text", "content", "page_content", "pageContent")
LONGEST_ID = 1000
# Between ids in one text, the last for a text of which no part is known; an id may hold any of them.
_SEPARATORS = (r"\n", r"\|", ";", ",", r"[\n|;,]")
_SPELLING = re.compile(r"[\s_-]+")


def retrieved(item: Item) -> tuple[Context, ...] | None:
    """Return the passages before reranking, in rank order, from the field `retrieved`: texts, or objects with text or id.

    Returns
    -------
    tuple of Context or None
        None where the item has no such field. A passage of which only the id is known has an empty text.

    Raises
    ------
    InputError
        Where the field is no list of passages.
    """
    return _passages(item, RETRIEVED)


def reference_contexts(item: Item) -> tuple[Context, ...] | None:
    """Return the passages that hold the reference, from the field `reference_contexts`; None where the item has no such field.

    Raises
    ------
    InputError
        Where the field is no list of passages.
    """
    return _passages(item, REFERENCE_CONTEXTS)


def _passages(item: Item, name: str) -> tuple[Context, ...] | None:
    value = _field(item, name)
    return (
        None if value is None else tuple(_passage(entry, name, rank) for rank, entry in enumerate(as_list(value, name)))
    )


def relevant_grades(item: Item) -> dict[str, float] | None:
    """Return the passages known to be relevant, from `relevant_ids`: 1 for each id of a list, or the grades above 0 of an object.

    A text that is no id or text of the item's own passages is a list with `|`, `;`, `,` or line breaks between its ids.

    Returns
    -------
    dict of str to float or None
        None where the item has no such field; empty where it says that no passage is relevant.

    Raises
    ------
    InputError
        Where the field holds neither ids nor grades by id.
    """
    name = next((name for name in RELEVANT if _field(item, name) is not None), None)
    if name is None:
        return None
    value = _field(item, name)
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{name}: expected ids, or an object of grades by id") from error
    if isinstance(value, Mapping):
        grades = {str(identity): _grade(grade, name) for identity, grade in value.items()}
        return {identity: grade for identity, grade in grades.items() if grade > 0}
    entries = as_list(value, name)
    if isinstance(value, str) and entries == [value]:
        entries = _parts(value, _named_passages(item))
    ids = (_identifier(entry, name) for entry in entries)
    return {identity: 1.0 for identity in ids if identity is not None}


def passage_ids(item: Item) -> tuple[str, ...]:
    """Return the ids of the passages that the answer was given, where they came without their texts; InputError for no ids."""
    ids = (_identifier(entry, PASSAGE_IDS) for entry in as_list(item.metadata.get(PASSAGE_IDS), PASSAGE_IDS))
    return tuple(identity for identity in ids if identity is not None)


def _parts(text: str, known: frozenset[str]) -> list[object]:
    """Return the ids that one text names: itself where it is known, else its parts at the separator that finds a known id."""
    if text.strip() in known:
        return [text.strip()]
    ways = [[part.strip() for part in re.split(separator, text)] for separator in _SEPARATORS]
    return list(next((parts for parts in ways if not known.isdisjoint(parts)), ways[-1]))


def _named_passages(item: Item) -> frozenset[str]:
    """Return the ids and texts of the passages of an item, before and after reranking, as far as they can be read."""
    passages, ids = list(item.contexts), set[str]()
    with suppress(InputError):
        passages += retrieved(item) or ()
    with suppress(InputError):
        ids |= {*passage_ids(item)}
    names = {name for context in passages for name in (context.id, context.text) if name}
    return frozenset(name.strip() for name in names | ids)


def _field(item: Item, name: str) -> object:
    """Return what the metadata holds under this name, in any spelling of it; None for nothing."""
    if name in item.metadata:
        return item.metadata[name]
    folded = _SPELLING.sub("", name)
    return next((value for key, value in item.metadata.items() if _SPELLING.sub("", key).casefold() == folded), None)


def _passage(value: object, name: str, rank: int) -> Context:
    if isinstance(value, str):
        return Context(text=value)
    if isinstance(value, Mapping):
        text = next((value[name] for name in TEXTS if value.get(name) is not None), None)
        identity = _identifier(value.get("id"), f"{name}[{rank}]")
        if isinstance(text, str):
            return Context(text=text, id=identity)
        if text is None and identity is not None:
            return Context(text="", id=identity)
    raise InputError(f"{name}[{rank}]: expected text, or an object with text or id")


def _identifier(value: object, name: str) -> str | None:
    """Return an id, which is text or a whole number; None for an empty one."""
    if value is None or value == "":
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or len(value) > LONGEST_ID:
        raise InputError(f"{name}: an id is text or a whole number of at most {LONGEST_ID} characters")
    return value


def _grade(value: object, name: str) -> float:
    """Return a grade of relevance; an empty one is 0."""
    if value is None or value == "":
        return 0.0
    try:
        grade = math.nan if isinstance(value, bool) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        grade = math.nan
    if not math.isfinite(grade):
        raise InputError(f"{name}: a grade is a number")
    return grade
