"""Read the passages that questions are built from: a file of them, or the contexts of the traffic in the store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from annotate.domain.field_mapping import Fields
from annotate.domain.passages import read_contexts
from annotate.files.reading import read_rows
from annotate.files.rows import Rejected
from annotate.store import Store
from proxy.errors import InputError, UsageError
from proxy.questions.nearest import PassageIndex
from proxy.questions.records import Passage, distinct, passage_of

# Passages are compared with each question in memory.
MOST = 20_000


class PassagesRead(NamedTuple):
    """The passages without repeats, how many more there were, and the rows of a file that hold none."""

    passages: PassageIndex
    unread: int
    refused: int


def read_passages(store: Store, file: str | None) -> PassagesRead:
    """Read the passages of a file; None: those of the traffic. UsageError where there are none."""
    if file is None:
        kept, unread = _first(store.questions.passages())
        refused = 0
    else:
        rows = list(_of_file(file))
        kept, unread = _first(passage for row in rows if row is not None for passage in row)
        refused = rows.count(None)
    if not kept:
        where = "the store has no contexts" if file is None else f"{file} has no passages (rows with a text)"
        raise UsageError(f"{where}: give a file of passages, or ingest traffic with contexts first")
    return PassagesRead(PassageIndex(kept), unread, refused)


def _first(passages: Iterable[Passage]) -> tuple[list[Passage], int]:
    """Return the first passages without repeats, and how many others there are."""
    kept = distinct(passages)
    return kept[:MOST], max(0, len(kept) - MOST)


def _of_file(file: str) -> Iterator[tuple[Passage, ...] | None]:
    """Yield the passages of each row: a text with its id, or the contexts of a row of traffic; None where there are none."""
    for row in read_rows(file):
        yield None if isinstance(row, Rejected) else _of_row(row.fields)


def _of_row(fields: Mapping[str, object]) -> tuple[Passage, ...] | None:
    try:
        contexts = Fields(fields, {}).sequence("contexts") if "contexts" in fields else [fields]
        return tuple(passage_of(context.text, context.id) for context in read_contexts(contexts))
    except InputError:
        return None
