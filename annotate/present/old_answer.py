"""An answer as lines and plain values, until it is told by a Document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    import pandas as pd

Result_co = TypeVar("Result_co", covariant=True)
QUANTITY = "estimate"


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class OldAnswer(Generic[Result_co]):
    """What a question to a project came to.

    Attributes
    ----------
    result
        The record, with everything that is known.
    text : str
        What the command prints.
    data : Mapping
        What the command prints with --json.
    """

    result: Result_co
    text: str
    data: Mapping[str, object]

    def to_text(self, *, full: bool = False, colour: bool = False) -> str:
        """Return what the command prints."""
        return self.text + "\n"

    def to_dict(self) -> dict[str, object]:
        """Return the answer as plain values, under the keys of the command's --json."""
        return dict(self.data)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a measured quantity: estimate, low, high, n, the ends for the long run, method and reason."""
        import pandas as pd

        rows = {
            name: _row(value) for name, value in self.data.items() if isinstance(value, Mapping) and QUANTITY in value
        }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("quantity")

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>"


def _row(quantity: Mapping[str, object]) -> dict[str, object]:
    """One estimate of the JSON as a row."""
    behind = quantity.get("long_run")
    ends = behind if isinstance(behind, Mapping) else {}
    names = (QUANTITY, "low", "high", "n")
    return {
        **{name: quantity.get(name) for name in names},
        "long_run_low": ends.get("low"),
        "long_run_high": ends.get("high"),
        "method": quantity.get("method"),
        "reason": quantity.get("reason"),
    }
