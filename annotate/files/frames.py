"""Write DataFrames as JSON lines."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

BLOCK = 10_000


def write_frame(frame: pd.DataFrame, stream: IO[bytes]) -> None:
    """Write a line a row; what is missing is left out, so that no NaN enters. A named index is a column like any other."""
    import orjson

    if frame.index.name is not None and frame.index.name not in frame.columns:
        frame = frame.reset_index()
    for start in range(0, len(frame), BLOCK):
        for row in frame.iloc[start : start + BLOCK].to_dict("records"):
            kept = {str(name): value for name, value in row.items() if not _is_missing(value)}
            stream.write(
                orjson.dumps(kept, default=_plain, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE)
            )


def _is_missing(value: Any) -> bool:
    """Whether a cell holds nothing: None, NaN, NaT or NA, none of which is text or a list."""
    from pandas import isna
    from pandas.api.types import is_scalar

    return bool(is_scalar(value) and isna(value))


def _plain(value: object) -> object:
    """A cell that JSON has no word for."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    return str(value)
