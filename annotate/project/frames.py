"""Turn rows into frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def frame(rows: Iterable[Mapping[str, object]], columns: Sequence[str]) -> pd.DataFrame:
    """Return the rows as a frame with these columns, also where there are none."""
    import pandas as pd

    return pd.DataFrame.from_records(list(rows), columns=list(columns))
