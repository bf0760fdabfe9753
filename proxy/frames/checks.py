"""Check a DataFrame from the caller; every error names its column and its row.

What comes out is arrays and records of this package; nothing else here knows pandas.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from proxy.errors import InputError, UsageError
from proxy.records import Judgement

if TYPE_CHECKING:
    import pandas as pd

Numbers = NDArray[np.float64]
WORDS = {judgement.value: judgement for judgement in Judgement}
IDS = ("id", "item_id")
SHOWN = 60


def checked(frame: object) -> pd.DataFrame:
    """Return the frame, whose rows must be distinguished by their index and, where it has one, by its column of ids.

    Raises
    ------
    InputError
        For something that is no frame, a frame without rows, a column or a row of which there are two, a row without a label.
    """
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise InputError(f"expected a pandas DataFrame, found {type(frame).__name__}: pass one row an answer")
    if not len(frame):
        raise InputError("the frame has no rows: pass one row an answer")
    if not frame.columns.is_unique:
        raise InputError(f"column {_first_twice(frame.columns)!r} stands twice in the frame: rename one of them")
    if not frame.index.is_unique:
        raise InputError(
            f"row {shown(_first_twice(frame.index))} stands twice in the index: call frame.reset_index(drop=True), or drop "
            "the repeats"
        )
    unnamed = frame.index.to_frame().isna().any(axis=1).to_numpy()
    if unnamed.any():
        raise InputError(
            f"row {int(np.flatnonzero(unnamed)[0]) + 1} has no label in the index: call frame.reset_index(drop=True), or give "
            "it one"
        )
    for name in IDS:
        if name in frame.columns:
            _refuse_repeated(frame[name], name)
    return frame


def ids(frame: pd.DataFrame) -> list[str]:
    """Return the id of each row as text: its column of ids, or its index."""
    name = next((name for name in IDS if name in frame.columns), None)
    return [str(value) for value in (frame.index if name is None else frame[name])]


def scores(frame: pd.DataFrame, names: Sequence[str]) -> dict[str, Numbers]:
    """Return the scores of these judges, NaN where a judge gave none.

    Raises
    ------
    InputError
        For a column that is not there, and a score that is no number in [0, 1].
    """
    return {name: _numbers(_column(frame, name, "a judge of the rule"), name, least=0.0) for name in names}


def score_columns(frame: pd.DataFrame, without: Collection[str]) -> dict[str, Numbers]:
    """Return the columns of decimal numbers in [0, 1], but for those named, NaN where a row has none."""
    columns = {
        name: frame[name].to_numpy(dtype=np.float64, na_value=np.nan)
        for name in frame.columns
        if isinstance(name, str) and name not in without and frame[name].dtype.kind == "f"
    }
    return {
        name: column for name, column in columns.items() if np.all(np.isnan(column) | ((column >= 0) & (column <= 1)))
    }


def labels(frame: pd.DataFrame, name: str) -> list[Judgement | None]:
    """Return the label of each row, None where it has none.

    Raises
    ------
    InputError
        For a column that is not there, and a value that is none of right, wrong, unsure, True, False and missing.
    """
    column = _column(frame, name, "the labels")
    is_missing = column.isna().to_numpy()
    judgements = list[Judgement | None]()
    for row, value, missing in zip(frame.index, column, is_missing, strict=True):
        judgement = None if missing else _judgement(value)
        if judgement is None and not missing:
            raise InputError(
                f"column {name!r}, row {shown(row)}: a label is right, wrong or unsure (or True, False), not {shown(value)}"
            )
        judgements.append(judgement)
    return judgements


def names(frame: pd.DataFrame, name: str, what: str) -> list[str]:
    """Return a column that names something of each row, as text.

    Raises
    ------
    InputError
        For a column that is not there, and a row without a name.
    """
    column = _column(frame, name, what)
    if column.isna().any():
        raise InputError(
            f"column {name!r}, row {shown(column.index[column.isna()][0])}: {what} is missing: give every row one"
        )
    return [str(value) for value in column]


def strata(frame: pd.DataFrame, name: str, rows: Sequence[bool]) -> list[str]:
    """Return the stratum of each row, drawn or not; `rows` says which were drawn.

    Raises
    ------
    InputError
        For a column that is not there, and a row without a stratum.
    """
    column = _column(frame, name, "the stratum")
    missing = column.isna().to_numpy() & ~np.array(rows, dtype=np.bool_)
    if missing.any():
        raise InputError(
            f"column {name!r}, row {shown(column.index[missing][0])}: the stratum of a row that was not drawn is missing: give "
            "every row one, or leave strata out and pass probability=, the column with the inclusion probability of drawn rows"
        )
    return names(frame, name, "the stratum")


def categories(frame: pd.DataFrame, name: str, what: str) -> list[str | None]:
    """Return a column of categories as text, None where it has none.

    Raises
    ------
    InputError
        For a column that is not there.
    """
    column = _column(frame, name, what)
    return [None if is_missing else str(value) for value, is_missing in zip(column, column.isna(), strict=True)]


def between(value: float, name: str, *, low: float = 0.0, high: float = 1.0, ends: str = "") -> None:
    """Check that an argument is a number between two others.

    Raises
    ------
    UsageError
        For anything else; `ends` names the limits that are allowed themselves: "low", "high" or "both".
    """
    is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    at_end = is_number and ((value == low and ends in {"low", "both"}) or (value == high and ends in {"high", "both"}))
    if not (is_number and (low < value < high or at_end)):
        raise UsageError(f"{name} is a number between {low:g} and {high:g}, not {shown(value)}")


def texts(frame: pd.DataFrame, name: str, *, needed: bool = True) -> list[str | None]:
    """Return a column of texts, None where one is missing that is not `needed`.

    Raises
    ------
    InputError
        For a column that is not there, and a cell that is no text.
    """
    column = _column(frame, name, "text")
    cells = list[str | None]()
    for row, value, missing in zip(frame.index, column, column.isna().to_numpy(), strict=True):
        if isinstance(value, str) or (missing and not needed):
            cells.append(None if missing else value)
            continue
        raise InputError(f"column {name!r}, row {shown(row)}: expected text, found {shown(value)}")
    return cells


def lists(frame: pd.DataFrame, name: str) -> list[Sequence[object]]:
    """Return a column of lists, empty where one is missing.

    Raises
    ------
    InputError
        For a column that is not there, and a cell that is no list.
    """
    cells = list[Sequence[object]]()
    for row, value in _column(frame, name, "a list").items():
        if isinstance(value, (list, tuple, np.ndarray)):
            cells.append(list(value))
        elif value is None or (isinstance(value, float) and np.isnan(value)):
            cells.append(())
        else:
            raise InputError(f"column {name!r}, row {shown(row)}: expected a list, found {shown(value)}")
    return cells


def probabilities(frame: pd.DataFrame, name: str, rows: Sequence[bool]) -> Numbers:
    """Return the inclusion probability of each row; those of the `rows` that were drawn must be in (0, 1].

    Raises
    ------
    InputError
        For a column that is not there, and a number that is no probability, such as a weight.
    """
    column = _column(frame, name, "the inclusion probabilities")
    values = _numbers(column, name, least=0.0, hint="; give the inclusion probability, 1 / weight")
    is_drawn = np.array(rows, dtype=np.bool_)
    odd = np.flatnonzero(is_drawn & ~(values > 0))
    if len(odd):
        row = frame.index[odd[0]]
        what = "is missing" if np.isnan(values[odd[0]]) else "is 0"
        raise InputError(
            f"column {name!r}, row {shown(row)}: the inclusion probability of a labelled row {what}; it lies in (0, 1]"
        )
    return values


def sizes(given: Mapping[str, float] | pd.Series, strata: Sequence[str]) -> dict[str, int]:
    """Return the number of items of each stratum in all traffic.

    Raises
    ------
    InputError
        For a stratum without a size, and a size that is no whole number of at least the rows of the stratum.
    """
    import pandas as pd

    known = {str(name): size for name, size in (given.items() if isinstance(given, pd.Series) else dict(given).items())}
    rows = {name: strata.count(name) for name in dict.fromkeys(strata)}
    for name, count in rows.items():
        size = known.get(name)
        if size is None:
            raise InputError(f"sizes: stratum {name!r} has {count:,} rows and no size; the sizes name {list(known)}")
        if not (isinstance(size, (int, float, np.integer, np.floating)) and float(size).is_integer() and size >= count):
            raise InputError(
                f"sizes: stratum {name!r} has {count:,} rows, so its size cannot be {shown(size)}: "
                f"give a whole number of at least {count:,}"
            )
    if left := [name for name in known if name not in rows]:
        raise InputError(f"sizes: stratum {left[0]!r} has a size and no drawn row: leave it out, or bring its rows")
    return {name: int(size) for name, size in known.items()}


def _column(frame: pd.DataFrame, name: str, what: str) -> pd.Series:
    if name not in frame.columns:
        there = ", ".join(map(repr, list(frame.columns)[:20]))
        raise InputError(f"there is no column {name!r} ({what}); the frame has {there}")
    return frame[name]


def _numbers(column: pd.Series, name: str, *, least: float, hint: str = "") -> Numbers:
    """Return the column as numbers in [least, 1], NaN where it has none."""
    import pandas as pd

    values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    is_odd = np.isnan(values) & ~column.isna().to_numpy() | (values < least) | (values > 1)
    if is_odd.any():
        place = int(np.flatnonzero(is_odd)[0])
        raise InputError(
            f"column {name!r}, row {shown(column.index[place])}: {shown(column.iloc[place])} is not a number from 0 to 1{hint}"
        )
    return values


def _judgement(value: object) -> Judgement | None:
    """Read a cell: a word, or whether the answer is right; None for anything else."""
    if isinstance(value, str):
        return WORDS.get(value.strip().lower())
    if isinstance(value, (bool, np.bool_, int, float, np.integer, np.floating)) and value in (0, 1):
        return Judgement.RIGHT if value else Judgement.WRONG
    return None


def _refuse_repeated(column: pd.Series, name: str) -> None:
    if column.isna().any():
        raise InputError(
            f"column {name!r}, row {shown(column.index[column.isna()][0])}: the id is missing: give every row one, or drop "
            "the column"
        )
    if not column.is_unique:
        twice = column[column.duplicated()]
        raise InputError(
            f"column {name!r}, row {shown(twice.index[0])}: the id {shown(twice.iloc[0])} is there twice: keep one row an answer"
        )


def _first_twice(index: pd.Index) -> object:
    return index[index.duplicated()][0]


def shown(value: object) -> str:
    """Return a cell or the name of a row as Python writes it, cut where it is long."""
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"
