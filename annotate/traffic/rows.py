"""Read rows of production traffic as Items. A row without a question or an answer is an InputError with the reason."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import TypeGuard

from annotate.domain.absent import NO_NAMES, NO_TEXTS, is_absent
from annotate.domain.field_mapping import Fields, missing, plain
from annotate.domain.passages import BESIDE, TRAFFIC_FIELDS, holds_more, read_contexts
from annotate.domain.timestamps import Times, is_spoken, stable
from annotate.domain.turns import read_turns
from proxy.errors import InputError
from proxy.records import Context, Item, Turn
from proxy.text.alternatives import joined

# Of what programs write for none, the words that a model may have answered.
ANSWERED = ("null", "NULL")
# What a sheet keeps of a number.
DIGITS, LARGEST_WHOLE = 15, 10**15
# How an id begins that is made of the content, and what it looks like.
MADE = "item-"
MADE_ID = re.compile(f"{MADE}[0-9a-f]{{24}}")
# Fields that are texts: a number in a cell of a table is one that a program took for a number.
TEXTS = ("question", "answer", "reference")
OWN_FIELDS = tuple(name for name in TRAFFIC_FIELDS if name not in BESIDE)


def item_from_row(row: Mapping[str, object], mapping: Mapping[str, str], times: Times | None = None) -> Item:
    """Build the item that a row describes; what we have no field for becomes metadata, and so does what is dropped."""
    fields = Fields(row, mapping)
    question, answer = fields.text("question"), fields.value("answer")
    if question is None or not question.strip():
        raise InputError(missing("question", row, mapping))
    if answer is None:
        raise InputError(missing("answer", row, mapping))
    if not isinstance(answer, str):
        answer = fields.text("answer") or ""  # refuses it, and says what it is
    for name, text in (("question", question), ("answer", answer)):
        if text in NO_TEXTS and text not in ANSWERED:
            raise InputError(f"no {name}: {text} stands for a missing value")
    passages = fields.sequence("contexts")
    if len(passages) == 1 and _is_none(passages[0]):
        passages = []
    contexts = read_contexts(passages, times)
    system, written_time, reference = fields.short("system"), fields.value("timestamp"), _reference(fields)
    timestamp = (times or Times()).read(written_time)
    turns = fields.sequence("history")
    is_told = bool(turns) and not (len(turns) == 1 and _is_none(turns[0]))
    history = read_turns(turns) if is_told else ()
    moved = tuple(name for name in BESIDE if name in mapping) if mapping else ()
    metadata = fields.others((*OWN_FIELDS, *moved) if moved else OWN_FIELDS)
    for name in moved:
        if (value := fields.value(name)) is not None:
            metadata[name] = plain(value)
    if holds_more(passages, contexts):
        metadata["contexts"] = plain(passages)
    if timestamp is None and written_time is not None and not is_absent(written_time):
        metadata["timestamp"] = plain(written_time)
    if reference is not None and reference in NO_NAMES:
        metadata["reference"], reference = reference, None
    item_id = fields.short("id")
    if item_id is None:
        # The id is the same, whatever order is known of a date's day and month.
        is_open = timestamp is None or is_spoken(written_time)
        known_time = stable(written_time) if is_open else timestamp
        item_id = _content_id(question, answer, contexts, system, known_time, history)
    return Item(
        id=item_id,
        question=question,
        answer=answer,
        contexts=contexts,
        system=system,
        timestamp=timestamp,
        group=fields.short("group"),
        language=fields.short("language"),
        history=history,
        reference=reference,
        metadata=metadata,
    )


def numbers_as_texts(
    row: Mapping[str, object], columns: Mapping[str, str], shown: Mapping[str, str]
) -> Mapping[str, object]:
    """Return a row of a table with the numbers in these columns as the texts that they are.

    Parameters
    ----------
    row
        The row.
    columns
        The column of each field that is a text.
    shown
        Numbers that a sheet shows in another way, by their column; with "" they are left as they are.
    """
    numbers = {column: number for column in columns.values() if is_number(number := row.get(column))}
    texts = {column: shown.get(column, number_as_text(number)) for column, number in numbers.items()}
    return {**row, **{column: text for column, text in texts.items() if text}} if texts else row


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def number_as_text(number: float) -> str:
    """Return a number by its digits, a whole one without decimals."""
    if isinstance(number, int) or (number.is_integer() and abs(number) < LARGEST_WHOLE):
        return str(int(number))
    return f"{number:.{DIGITS}g}"


def _is_none(value: object) -> bool:
    """Return whether the one value of a list is what programs write for none."""
    return value not in ("", None) and is_absent(value)


def _reference(fields: Fields) -> str | None:
    """Return the reference; a list of texts is one with alternatives."""
    value = fields.value("reference")
    if value is None:
        return None
    if isinstance(value, list) and value and all(isinstance(text, str) for text in value):
        return joined([str(text) for text in value]) or None
    return fields.text("reference")


def _content_id(
    question: str,
    answer: str,
    contexts: tuple[Context, ...],
    system: str | None,
    timestamp: str | None,
    history: tuple[Turn, ...],
) -> str:
    """Return the id of an item that came without one: the same row always gets the same."""
    digest = blake2b(digest_size=12)
    passages = [context.text for context in contexts]
    turns = [f"{turn.role}:{turn.text}" for turn in history]
    for part in (question, answer, system or "", timestamp or "", *passages, *(["", *turns] if turns else [])):
        digest.update(f"{len(part)}:{part}".encode("utf-8", "surrogatepass"))
    return MADE + digest.hexdigest()


def is_made_id(item_id: str) -> bool:
    """Return whether an id was made of the content."""
    return MADE_ID.fullmatch(item_id) is not None
