r"""Tell what texts within rows are: written as JSON of their own (`"two\nlines"`), or part of what was retrieved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from annotate.domain.field_mapping import follow, paths_in, without_split
from annotate.domain.passages import CONTEXT_TEXTS
from annotate.traffic.content import decoded, loaded
from annotate.traffic.source_format import Paths, Row

FEWEST = 2
# Messages have these, and documents do not.
SPEAKERS = frozenset(("role", "from", "sender"))
DOCUMENTS = frozenset(("page_content", "pageContent"))
BESIDE_TEXTS = frozenset(("metadata", "score", "title", "source", "url", "distance", "similarity"))


def quoted_paths(rows: Sequence[Row], paths: Paths, *, is_of_tool: bool) -> tuple[str, ...]:
    """Return the paths below columns at which each text of the first rows is written as JSON.

    Parameters
    ----------
    rows
        The first rows of a file.
    paths
        Where the user says that fields lie.
    is_of_tool
        Whether some tool wrote the rows, for which one text is enough; else a quote may belong to a text.
    """
    named = dict.fromkeys(without_split(part) for path in paths.values() for part in paths_in(path) if part)
    fewest = 1 if is_of_tool else FEWEST
    return tuple(path for path in named if _are_quoted(list(_below_columns(rows, path)), fewest))


def unquoted(row: Row, paths: Sequence[str]) -> Mapping[str, object]:
    """Return a row with the texts at these paths as columns of their own, without the quotes and escapes of JSON."""
    return {**row, **{path: text for path in paths if (text := decoded(follow(row, path))) is not None}}


def is_retrieved(row: Row, path: str) -> bool:
    """Return whether a path leads into a list of documents, which hold no question and no answer; messages are none."""
    ways = [path[:place] for place, sign in enumerate(path) if sign in ".["]
    return any(map(_lists_documents, (loaded(follow(row, way)) for way in (*ways, path))))


def _lists_documents(value: object) -> bool:
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(part, Mapping) and _is_document(part) for part in value)


def _is_document(value: Mapping[str, object]) -> bool:
    """Return whether an object has a text beside what only documents have; the text of an answer may stand alone."""
    has_text = not DOCUMENTS.isdisjoint(value) or not (
        BESIDE_TEXTS.isdisjoint(value) or {*CONTEXT_TEXTS}.isdisjoint(value)
    )
    return has_text and SPEAKERS.isdisjoint(value)


def _below_columns(rows: Sequence[Row], path: str) -> Iterator[object]:
    for row in rows:
        value = None if path in row else follow(row, path)
        if value not in (None, "", "null"):
            yield value


def _are_quoted(values: Sequence[object], fewest: int) -> bool:
    return len(values) >= fewest and all(
        isinstance(value, str) and value.startswith('"') and decoded(value) is not value for value in values
    )
