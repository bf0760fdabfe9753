"""Tables of scores with a column a judge, as Ragas and spreadsheets have them: which columns are judges, and what a row scores.

A judge is a column that is called like a known score, or whose scale the user says (`--scale tone=0..1`), and a number within an
object of scores (see score_objects.py). Any other is not taken, and what looks like a score, a label or a thumb is named with
what would take it. A row with `judge`, or one that a tracer wrote, is of no such table.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeVar

from annotate.domain.feedback import read_value
from annotate.domain.field_mapping import Fields
from annotate.domain.judge_names import folded
from annotate.domain.label_words import is_label_word
from annotate.domain.passages import TRAFFIC_FIELDS
from annotate.domain.timestamps import shown
from annotate.traffic.evaluations import evaluations_in
from annotate.traffic.metrics import LOW_IS_GOOD, PEOPLE_TOO, is_of_annotators, is_of_users, metric_name
from annotate.traffic.rows import item_from_row
from annotate.traffic.score_objects import cells
from annotate.traffic.source_format import Paths, Row, SourceFormat, TrafficRow
from proxy.errors import InputError
from proxy.records import Item

IDS = ("item_id", "id", "trace_id")
# Braintrust's name for a trace.
ROOTS = ("root_span_id",)
# Rows of a score each, under these names or under others.
LONG = ("value", "score", "reason", "signature")
NAMING = ("judge", "name", "metric", "metric_name", "evaluator", "evaluator_name", "criterion", "key", "score_name")
# Numbers beside an answer that say nothing about how good it is.
NO_JUDGES = frozenset(
    (
        "label",
        "labels",
        "annotation",
        "verdict",
        "split",
        "fold",
        "index",
        "idx",
        "row",
        "number",
        "rank",
        "seed",
        "cost",
        "price",
        "total_cost",
        "latency",
        "duration",
        "elapsed",
        "time",
        "tokens",
        "temperature",
        "top_p",
        "top_k",
        "frequency_penalty",
        "presence_penalty",
        "logprob",
        "logprobs",
        "prob",
        "seconds",
        "p",
        "threshold",
        "stratum",
        "weight",
        "weights",
        "probability",
        "inclusion_probability",
        "unnamed: 0",
        "__index_level_0__",
        "",
    )
)
# Says what a row is, and not how good its answer: `is_root`, `hasTools`.
PROPERTY = re.compile(r"(?i:is|has)[_ -]|(?:is|has)[A-Z]")
T = TypeVar("T")
EMPTY = ("", "nan", "none", "null")


class ColumnKind(StrEnum):
    """What a column seems to hold; only those of judges are taken."""

    JUDGE = "judge"
    SCORE = "score"
    LOW_IS_GOOD = "low_is_good"
    SCORE_OR_LABEL = "score_or_label"
    LABEL = "label"
    FEEDBACK = "feedback"
    OTHER = "other"


class ProposedColumn(NamedTuple):
    """A column that is not taken, what it seems to hold, and the options or commands that would take it in."""

    column: str
    kind: ColumnKind
    options: tuple[str, ...]


class WideTable(NamedTuple):
    """The columns of a table that are judges, those that may hold something and are not taken, and all that are not used."""

    judges: tuple[str, ...] = ()
    proposed: tuple[ProposedColumn, ...] = ()
    unused: tuple[str, ...] = ()


@dataclass(slots=True)
class _Column:
    """What the cells of a column can be read as so far, the path to it, and whether it stands among judges' scores."""

    path: str
    is_of_judges: bool = False
    is_empty: bool = True
    is_truth: bool = True
    is_share: bool = True
    is_binary: bool = True
    is_label: bool = True
    is_vote: bool = True
    rows: int = 0
    first: object = None
    is_constant: bool = True

    def add(self, value: object) -> None:
        """Look at one more cell."""
        if not (self.is_share or self.is_label or self.is_vote) or _is_blank(value):
            return
        number = _read(_number, value)
        self.first = value if self.is_empty else self.first
        self.is_constant = self.is_constant and value == self.first
        self.rows += 1
        self.is_empty = False
        self.is_truth = self.is_truth and str(value).strip().casefold() in ("true", "false")
        self.is_label = self.is_label and is_label_word(value)
        self.is_vote = self.is_vote and _read(read_value, value) is not None
        self.is_share = self.is_share and number is not None and 0 <= number <= 1
        self.is_binary = self.is_binary and number in (0, 1)

    @property
    def is_same_truth(self) -> bool:
        """Whether several rows all say true, or all false: that tells no answer from another."""
        return self.is_truth and self.is_constant and self.rows > 1


class WideRow(NamedTuple):
    """What a row scores: a value by judge, None for an empty cell.

    `item_ids` are those that its answer may have, the likeliest first, and `content` is what the row repeats of it.
    """

    item_ids: tuple[str, ...]
    values: Mapping[str, float | None]
    content: Item | None = None


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
    columns: dict[str, _Column] = {}
    for row in rows:
        for cell in cells(row):
            columns.setdefault(cell.name, _Column(cell.path, cell.is_of_judges)).add(cell.value)
    taken, with_scale = {*IDS, *TRAFFIC_FIELDS, *LONG, *claimed}, set(map(folded, scaled))
    kinds = {name: _kind(name, column, with_scale) for name, column in columns.items() if name not in taken}
    unused = [name for name, kind in kinds.items() if kind is not ColumnKind.JUDGE]
    return WideTable(
        judges=tuple(name for name in kinds if name not in unused),
        proposed=tuple(
            ProposedColumn(name, kinds[name], options)
            for name in unused
            if (options := _options(name, columns[name].path, kinds[name], next(filter(columns.__contains__, IDS), "")))
        ),
        unused=tuple(unused),
    )


def _kind(name: str, column: _Column, scaled: Collection[str]) -> ColumnKind:
    """Return what a column seems to hold, by its name first."""
    metric = metric_name(name)
    if folded(name) in scaled:
        return ColumnKind.JUDGE
    if metric in LOW_IS_GOOD:
        return ColumnKind.LOW_IS_GOOD
    is_of_either = column.is_binary and not column.is_empty and metric in PEOPLE_TOO
    if metric and not is_of_either:
        return ColumnKind.JUDGE
    if column.is_empty:
        return ColumnKind.OTHER
    if column.is_label and is_of_annotators(name):
        return ColumnKind.LABEL
    if column.is_vote and is_of_users(name):
        return ColumnKind.FEEDBACK
    if not column.is_share or _says_nothing(name):
        return ColumnKind.OTHER
    if column.is_of_judges:
        return ColumnKind.JUDGE
    if column.is_same_truth or PROPERTY.match(name):
        return ColumnKind.OTHER
    return ColumnKind.SCORE_OR_LABEL if column.is_binary else ColumnKind.SCORE


def _options(name: str, path: str, kind: ColumnKind, id_column: str) -> tuple[str, ...]:
    """Return what would take a column in, once the user says what it is."""
    names_item = f" --map item_id={id_column}" if id_column not in ("", IDS[0]) else ""
    scale = f"--scale {shlex.quote(f'{name}=0..1')}"
    labels = f"assay labels import FILE --map {shlex.quote(f'label={path}')}{names_item}"
    match kind:
        case ColumnKind.SCORE:
            return (scale,)
        case ColumnKind.LOW_IS_GOOD:
            return (f"--scale {shlex.quote(f'{name}=1..0')}",)
        case ColumnKind.SCORE_OR_LABEL:
            return scale, labels
        case ColumnKind.LABEL:
            return (labels,)
        case ColumnKind.FEEDBACK:
            return (f"assay feedback FILE --map {shlex.quote(f'value={path}')}{names_item}",)
        case _:
            return ()


def _read(read: Callable[[object], T], value: object) -> T | None:
    """Return what a cell is read as, None where it cannot be."""
    try:
        return read(value)
    except InputError:
        return None


def _is_blank(value: object) -> bool:
    is_nan = isinstance(value, float) and math.isnan(value)
    return value is None or is_nan or (isinstance(value, str) and value.strip().casefold() in EMPTY)


def _says_nothing(name: str) -> bool:
    plain = name.casefold()
    return (
        plain in NO_JUDGES
        or plain == "id"
        or plain.startswith("time_")
        or plain.endswith(("_id", "_ms", "_s", "_tokens", "_cost", "_count"))
    )


def of_one_judge(columns: Iterable[str]) -> tuple[str, str] | None:
    """Return the first two columns that name the same judge; None where no two do."""
    seen: dict[str, str] = {}
    for column in columns:
        if (before := seen.setdefault(folded(column), column)) != column:
            return before, column
    return None


def read_wide(
    row: Row,
    table: WideTable,
    paths: Paths,
    source_format: SourceFormat | None,
    own: Paths,
    judge_of: Callable[[str], str],
) -> WideRow:
    """Return what a row scores.

    Parameters
    ----------
    row
        The raw row.
    table
        Which columns are judges.
    paths
        Where `item_id` and the content lie, if the user says so.
    source_format
        The format of the traffic that the row repeats, None for our own.
    own
        Where the fields of that traffic lie.
    judge_of
        Gives the judge that a name means.

    Raises
    ------
    InputError
        For a row that names no answer, and for a cell that is no number.
    """
    fields = Fields(row, paths)
    given = fields.short("item_id")
    is_named = given is not None or bool(paths.get("item_id"))
    content = None if is_named else _content(row, source_format, own)
    # Where the user says that the row is found by its content, a column called `id` may number the rows.
    named = (
        [given]
        if is_named or paths.keys() & {"question", "answer"}
        else [fields.short(name) for name in (*IDS[1:], *ROOTS)]
    )
    candidates = [*named, *([] if content is None else [content.id])]
    item_ids = tuple(dict.fromkeys(name for name in candidates if name is not None))
    if not item_ids:
        raise InputError(
            "a row of scores must name its item_id, or hold its question and answer as they were ingested "
            "(use --map question=COLUMN and --map answer=COLUMN)"
        )
    scored = {cell.name: cell.value for cell in cells(row)}
    values = {judge_of(name): _number(scored.get(name), name) for name in table.judges}
    return WideRow(item_ids, values, content)


def _content(row: Row, source_format: SourceFormat | None, own: Paths) -> Item | None:
    """Return the answer that the row repeats, as it is when it is ingested."""
    try:
        if source_format is None:
            return item_from_row(row, own)
        readings = [reading for reading in source_format.read(row, own) if isinstance(reading, TrafficRow)]
        return item_from_row(readings[0].fields, {}) if len(readings) == 1 else None
    except InputError:
        return None


def _number(value: object, name: str = "") -> float | None:
    """Return the number in a cell, 1 or 0 for a truth value, None for an empty one; InputError for anything else."""
    if value is None or (isinstance(value, str) and value.strip().casefold() in EMPTY):
        return None
    if str(value).strip().casefold() in ("true", "false"):
        return float(str(value).strip().casefold() == "true")
    try:
        number = float(value)  # type: ignore[arg-type] # what is none is refused
    except (TypeError, ValueError, OverflowError):
        number = math.inf
    if math.isinf(number):
        raise InputError(f"{name}: expected a number, found {shown(value)}")
    return None if math.isnan(number) else number
