"""Tables of scores with a column a judge, as Ragas and spreadsheets have them: which columns are judges, and what a row scores.

A judge is a column of a known score's name, or one that holds nothing but numbers in [0, 1] and empty cells. A row with `judge`,
or one that a tracer wrote, is of no such table.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from annotate.domain.field_mapping import Fields
from annotate.domain.passages import TRAFFIC_FIELDS
from annotate.domain.timestamps import shown
from annotate.domain.tool_score import judge_name
from annotate.traffic.evaluations import evaluations_in
from annotate.traffic.named import METRICS
from annotate.traffic.rows import item_from_row
from annotate.traffic.source_format import Paths, Row, SourceFormat, TrafficRow
from proxy.errors import InputError

IDS = ("item_id", "id", "trace_id")
# Rows of a score each, under these names or under others.
LONG = ("value", "score", "reason", "signature")
NAMING = ("judge", "name", "metric", "metric_name", "evaluator", "evaluator_name", "criterion", "key", "score_name")
# Numbers beside an answer that say nothing about how good it is.
NO_JUDGES = frozenset(
    (
        *("label", "labels", "annotation", "verdict", "split", "fold", "index", "idx", "row", "number", "rank", "seed"),
        *("cost", "price", "total_cost", "latency", "duration", "elapsed", "time", "tokens", "temperature", "top_p"),
        *(
            "stratum",
            "weight",
            "weights",
            "probability",
            "inclusion_probability",
            "unnamed: 0",
            "__index_level_0__",
            "",
        ),
    )
)
EMPTY = ("", "nan", "none", "null")


class WideTable(NamedTuple):
    """The columns of a table that are judges, and those that are not used."""

    judges: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()


class WideRow(NamedTuple):
    """What a row scores: the ids that its answer may have, the likeliest first, and a value by judge, None for an empty cell."""

    item_ids: tuple[str, ...]
    values: Mapping[str, float | None]


def is_wide(rows: Iterable[Row], paths: Paths) -> bool:
    """Return whether rows may be a table with a column a judge."""
    if {"judge", "value"} & paths.keys():
        return False
    looked = False
    for row in rows:
        looked = True
        columns = {str(name).casefold() for name in row}
        if "judge" in columns or {"resourceSpans", "resourceLogs"} & row.keys() or evaluations_in(row) is not None:
            return False
        if not columns.isdisjoint(LONG[:2]) and not columns.isdisjoint(NAMING):
            return False
    return looked


def wide_table(rows: Iterable[Row], scaled: Collection[str], claimed: Collection[str]) -> WideTable:
    """Return which columns of the table are judges.

    Parameters
    ----------
    rows
        All rows, so that no number comes later that makes a column another.
    scaled
        Judges whose scale is known: their numbers may be any.
    claimed
        Columns that are fields of the answers.
    """
    held: dict[str, bool | None] = {}  # None: no number yet
    for row in rows:
        for name, value in row.items():
            if held.get(name) is not False:
                held[name] = _held(held.get(name), value)
    taken = {*IDS, *TRAFFIC_FIELDS, *LONG, *claimed}
    free = [name for name in held if name not in taken]
    judges = tuple(name for name in free if _is_known(name, scaled) or (held[name] and not _says_nothing(name)))
    return WideTable(judges, tuple(name for name in free if name not in judges))


def _held(before: bool | None, value: object) -> bool | None:
    """Return whether a column holds numbers in [0, 1] alone, with one more value."""
    try:
        number = _number(value)
    except InputError:
        return False
    return before if number is None else 0 <= number <= 1


def _is_known(name: str, scaled: Collection[str]) -> bool:
    return name.casefold().partition("(")[0].strip() in METRICS or judge_name(name) in scaled


def _says_nothing(name: str) -> bool:
    plain = name.casefold()
    return plain in NO_JUDGES or plain == "id" or plain.endswith(("_id", "_ms", "_tokens", "_cost", "_count"))


def read_wide(row: Row, table: WideTable, paths: Paths, source_format: SourceFormat | None, own: Paths) -> WideRow:
    """Return what a row scores.

    Parameters
    ----------
    row
        The raw row.
    table
        Which columns are judges.
    paths
        Where `item_id` lies, if the user says so.
    source_format
        The format of the traffic that the row repeats, None for our own.
    own
        Where the fields of that traffic lie.

    Raises
    ------
    InputError
        For a row that names no answer, and for a cell that is no number.
    """
    item_ids = _item_ids(row, paths, source_format, own)
    if not item_ids:
        raise InputError("a row of scores must name its item_id, or hold its question and answer as they were ingested")
    return WideRow(item_ids, {judge_name(name): _number(row.get(name), name) for name in table.judges})


def _item_ids(row: Row, paths: Paths, source_format: SourceFormat | None, own: Paths) -> tuple[str, ...]:
    fields = Fields(row, paths)
    given = fields.short("item_id")
    if given is not None or paths.get("item_id"):
        return () if given is None else (given,)
    named = tuple(name for column in IDS[1:] if (name := fields.short(column)) is not None)
    ingested = _ingested_id(row, source_format, own)
    return tuple(dict.fromkeys((*named, *ingested)))


def _ingested_id(row: Row, source_format: SourceFormat | None, own: Paths) -> tuple[str, ...]:
    """Return the id that the answer in the row has when it is ingested."""
    try:
        if source_format is None:
            return (item_from_row(row, own).id,)
        readings = [each for each in source_format.read(row, own) if isinstance(each, TrafficRow)]
        return (item_from_row(readings[0].fields, {}).id,) if len(readings) == 1 else ()
    except InputError:
        return ()


def _number(value: object, name: str = "") -> float | None:
    """Return the number in a cell, None for an empty one; InputError for anything else."""
    if value is None or (isinstance(value, str) and value.strip().casefold() in EMPTY):
        return None
    try:
        number = math.inf if isinstance(value, bool) else float(value)  # type: ignore[arg-type] # what is none is refused
    except (TypeError, ValueError, OverflowError):
        number = math.inf
    if math.isinf(number):
        raise InputError(f"{name}: expected a number, found {shown(value)}")
    return None if math.isnan(number) else number
