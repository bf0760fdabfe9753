"""Turn rows into frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def frame(rows: Iterable[Mapping[str, object]], columns: Sequence[str]) -> pd.DataFrame:
    """Return the rows as a frame with these columns, also where there are none."""
    import pandas as pd

    listed = list(rows)
    try:
        return pd.DataFrame.from_records(listed, columns=list(columns))
    except UnicodeEncodeError:
        return pd.DataFrame({name: _column([row.get(name) for row in listed]) for name in columns})


def _column(values: list[object]) -> pd.Series:
    """Return a column; text that UTF-8 cannot hold (half of a surrogate pair) stays as objects, as Arrow has no place for it."""
    import pandas as pd

    try:
        return pd.Series(values)
    except UnicodeEncodeError:
        return pd.Series(values, dtype=object)
