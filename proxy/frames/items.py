"""Read the answers of a DataFrame as items: the fields that a file of traffic has, and every other column as metadata."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from proxy.errors import InputError
from proxy.frames import checks
from proxy.records import Context, Item, Turn
from proxy.text.alternatives import joined
from proxy.text.times import parse
from proxy.text.turns import with_roles

if TYPE_CHECKING:
    import pandas as pd

TEXTS = ("question", "answer", "reference")
LISTS = ("contexts", "history")
NAMES = ("system", "group", "language")
CONTEXT_TEXTS = ("text", "content", "page_content")
CONTEXT_FIELDS = {*CONTEXT_TEXTS, "id", "title", "score"}
TURN_TEXTS = ("text", "content")
SPEAKERS = ("role", "speaker")


def items(frame: pd.DataFrame) -> list[Item]:
    """Return one item a row.

    Raises
    ------
    InputError
        For a column that is not there, and a cell of the wrong kind; the message names the column and the row.
    """
    texts = {name: checks.texts(frame, name) for name in ("question", "answer")}
    texts["reference"] = _references(frame)
    contexts = checks.lists(frame, "contexts")
    history = checks.lists(frame, "history") if "history" in frame.columns else [()] * len(frame)
    names = {name: _names(frame, name) for name in NAMES}
    rows = list(frame.index)
    read = [tuple(_context(cell, row) for cell in cells) for row, cells in zip(rows, contexts, strict=True)]
    turns = [with_roles([_turn(cell, row) for cell in cells]) for row, cells in zip(rows, history, strict=True)]
    metadata = list(_metadata(frame))
    times = [_time(cell) for cell in frame["timestamp"]] if "timestamp" in frame.columns else [None] * len(frame)
    for place, cells in enumerate(contexts):
        if any(isinstance(cell, Mapping) and cell.keys() - CONTEXT_FIELDS for cell in cells):
            metadata[place]["contexts"] = _plain(cells)
        if times[place] is None and "timestamp" in frame.columns and not _is_missing(frame["timestamp"].iloc[place]):
            metadata[place]["timestamp"] = _plain(frame["timestamp"].iloc[place])
    return [
        Item(
            id=item_id,
            question=texts["question"][place] or "",
            answer=texts["answer"][place] or "",
            contexts=read[place],
            system=names["system"][place],
            timestamp=times[place],
            group=names["group"][place],
            language=names["language"][place],
            history=turns[place],
            reference=texts["reference"][place],
            metadata=metadata[place],
        )
        for place, item_id in enumerate(checks.ids(frame))
    ]


def _references(frame: pd.DataFrame) -> list[str | None]:
    """Return the references, None where a row has none; a list of texts is one with alternatives."""
    if "reference" not in frame.columns:
        return [None] * len(frame)
    cells = frame["reference"].map(_joined)
    return [text or None for text in checks.texts(frame.assign(reference=cells), "reference", needed=False)]


def _joined(cell: object) -> object:
    """Join a list of texts into one text with alternatives; return any other cell unchanged."""
    values = cell.tolist() if hasattr(cell, "tolist") else cell
    if not isinstance(values, (list, tuple)) or not all(isinstance(text, str) for text in values):
        return values
    return joined(values)


def _names(frame: pd.DataFrame, name: str) -> list[str | None]:
    """Return a column of texts or whole numbers as text, None where a row has none."""
    if name not in frame.columns:
        return [None] * len(frame)
    return [_name(value, name, row) for row, value in frame[name].items()]


def _name(value: object, column: str, row: object) -> str | None:
    plain = _plain(value)
    if _is_missing(value) or plain == "":
        return None
    if isinstance(plain, float) and plain.is_integer():
        plain = int(plain)
    if isinstance(plain, bool) or not isinstance(plain, (str, int)):
        raise InputError(
            f"column {column!r}, row {checks.shown(row)}: expected text or a whole number, not {checks.shown(value)}"
        )
    return str(plain)


def _time(value: object) -> str | None:
    """Return the time in ISO 8601, UTC; None where there is none or it cannot be read."""
    if _is_missing(value) or value == "":
        return None
    try:
        return parse(value.item() if hasattr(value, "item") else value)
    except (ValueError, OverflowError, OSError):
        return None


def _metadata(frame: pd.DataFrame) -> Iterator[dict[str, object]]:
    """Yield what each row holds beside the fields of an item, without what is missing."""
    identity = next((name for name in checks.IDS if name in frame.columns), None)
    known = {*TEXTS, *LISTS, *NAMES, "timestamp", identity}
    others = [name for name in frame.columns if name not in known]
    columns = [list(frame[name]) for name in others]
    for place in range(len(frame)):
        cells = zip(others, (column[place] for column in columns), strict=True)
        yield {str(name): _plain(value) for name, value in cells if not _is_missing(value)}


def _context(cell: object, row: object) -> Context:
    if isinstance(cell, str):
        return Context(text=cell)
    if isinstance(cell, Mapping):
        text = next((cell[name] for name in CONTEXT_TEXTS if cell.get(name) is not None), None)
        if isinstance(text, str):
            title = cell.get("title")
            return Context(
                text=text,
                id=_name(cell.get("id"), "contexts", row),
                title=title if isinstance(title, str) and title else None,
                score=_score(cell.get("score"), row),
            )
    raise InputError(
        f"column 'contexts', row {checks.shown(row)}: a passage is text, or a mapping with text, not {checks.shown(cell)}"
    )


def _score(value: object, row: object) -> float | None:
    if _is_missing(value) or value == "":
        return None
    try:
        score = math.nan if isinstance(value, bool) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        score = math.nan
    if not math.isfinite(score):
        raise InputError(
            f"column 'contexts', row {checks.shown(row)}: the score of a passage is a number, not {checks.shown(value)}"
        )
    return score


def _turn(cell: object, row: object) -> Turn:
    if isinstance(cell, str):
        return Turn(role="", text=cell)
    if isinstance(cell, Mapping):
        text = next((cell[name] for name in TURN_TEXTS if cell.get(name) is not None), None)
        role = next((cell[name] for name in SPEAKERS if cell.get(name) is not None), "")
        if isinstance(text, str):
            return Turn(role=str(role), text=text)
    raise InputError(
        f"column 'history', row {checks.shown(row)}: a turn is text, or a mapping with role and text, not {checks.shown(cell)}"
    )


def _is_missing(value: object) -> bool:
    """Whether a cell holds nothing: None, NaN, NaT or NA, none of which is text or a list."""
    import pandas as pd

    return value is None or bool(pd.api.types.is_scalar(value) and pd.isna(value))  # type: ignore[call-overload]


def _plain(value: object) -> object:
    """Return a value as JSON holds it: numbers of numpy as Python's, times as ISO 8601, NaN and the rest as text."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(inner) for inner in value]
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
