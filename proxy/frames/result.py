"""Show a result in a notebook and hand it on: a sentence first, then its figures; as a frame, as plain values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from proxy.evaluation.estimate import Estimate
from proxy.stats.intervals import Interval

if TYPE_CHECKING:
    import pandas as pd


class Result(ABC):
    """What a function on frames returns: a frozen record that prints itself."""

    @property
    @abstractmethod
    def sentence(self) -> str:
        """The answer in one sentence."""

    @abstractmethod
    def figures(self) -> Mapping[str, str]:
        """Return the figures below the sentence, by name."""

    @abstractmethod
    def to_dict(self) -> dict[str, object]:
        """Return the result as plain values, under the keys of the command's --json."""

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """Return the result as a frame."""

    def __repr__(self) -> str:
        figures = self.figures()
        width = max(map(len, figures), default=0)
        return "\n".join([self.sentence, *(f"  {name:<{width}}  {words}" for name, words in figures.items())])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(words)}</td></tr>" for name, words in self.figures().items()
        )
        return f"<p>{escape(self.sentence)}</p><table>{rows}</table>"


def frame_of(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> pd.DataFrame:
    """Return the rows as a frame that has its columns even where there is no row."""
    import pandas as pd

    return pd.DataFrame.from_records(list(rows), columns=list(columns))


ESTIMATE_COLUMNS = ("estimate", "low", "high", "n", "long_run_low", "long_run_high", "method", "reason")


def estimate_row(quantity: Estimate) -> dict[str, object]:
    """Return an estimate as a row of a frame."""
    behind = quantity.long_run
    values = (
        *(quantity.estimate, quantity.low, quantity.high, quantity.n),
        *(behind.low if behind else None, behind.high if behind else None),
        *(quantity.method, quantity.reason),
    )
    return dict(zip(ESTIMATE_COLUMNS, values, strict=True))


def estimate_words(quantity: Estimate) -> str:
    """Format an estimate in a line, with its interval and n."""
    if quantity.estimate is None:
        return f"—  {quantity.reason or ''}".rstrip()
    if quantity.low is None or quantity.high is None:
        return f"{quantity.estimate:.3f}, n = {quantity.n:,}"
    return interval_words(quantity.estimate, Interval(quantity.low, quantity.high), quantity.n)


def both_intervals(quantity: Estimate) -> str:
    """Format an estimate in a line, with its intervals for this window and for the long run, each by name, and n."""
    if quantity.estimate is None:
        return estimate_words(quantity)
    named = ((quantity.low, quantity.high, "this window"), (*(quantity.long_run or (None, None)), "long run"))
    spans = [f"{name} {low:.3f} to {high:.3f}" for low, high, name in named if low is not None and high is not None]
    words = f" ({', '.join(spans)})" if spans else ""
    return f"{quantity.estimate:.3f}{words}, n = {quantity.n:,}"


def interval_words(value: float, interval: Interval, n: int) -> str:
    """Format a value with its interval and n."""
    return f"{value:.3f} ({interval.low:.3f} to {interval.high:.3f}), n = {n:,}"


def listed(names: Sequence[str]) -> str:
    """Join names as in a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
