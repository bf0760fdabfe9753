"""Read which items a selection holds: the part of the traffic that is reported."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotate.domain.selection import Selection
from annotate.store import Store
from proxy.errors import UsageError
from proxy.text.times import parse


@dataclass(frozen=True, kw_only=True, slots=True)
class SelectedItems:
    """A selection with the rows of its current items, ascending."""

    selection: Selection
    rows: NDArray[np.int64]

    def has(self, items: Iterable[int]) -> NDArray[np.bool_]:
        """Return which of these items are in it."""
        return np.isin(np.fromiter(items, dtype=np.int64), self.rows)

    def __contains__(self, item: object) -> bool:
        """Whether the item in this row is in it."""
        place = int(np.searchsorted(self.rows, item)) if isinstance(item, int) else len(self.rows)
        return place < len(self.rows) and int(self.rows[place]) == item


def selection(system: str | None = None, since: str | None = None, until: str | None = None) -> Selection | None:
    """Return the selection of a system, a window of time, or both; None where neither is asked for.

    Parameters
    ----------
    system : str, optional
        The name of a system; "" for the answers that name none.
    since, until : str, optional
        A day or a time, in UTC unless it says otherwise; `until` is not in the window.

    Raises
    ------
    UsageError
        For a time that is none, and a window that ends before it begins.
    """
    first, last = _moment(since), _moment(until)
    if first is not None and last is not None and first >= last:
        raise UsageError(f"the period {since} to {until} ends before it begins; until is not in it")
    if system is None and first is None and last is None:
        return None
    return Selection(system=system, since=first, until=last)


def _moment(text: str | None) -> str | None:
    try:
        return None if text is None else parse(text.strip())
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(f"{text} is no date and no time; write 2026-11-01 or 2026-11-01T08:00:00Z") from error


def selected_items(store: Store, asked: Selection) -> SelectedItems:
    """Read the items of a selection; UsageError where there are none, with what there is.

    Parameters
    ----------
    store : Store
    asked : Selection

    Returns
    -------
    SelectedItems

    Raises
    ------
    UsageError
        For a system that is not known, and for a window without an answer.
    """
    sizes = store.traffic.partitions.sizes("system")
    if asked.system is not None and (asked.system or None) not in sizes:
        known = ", ".join(f"{name} ({size:,})" for name, size in sizes.items() if name is not None)
        wanted = f"is of the system {asked.system}" if asked.system else "is without a system"
        raise UsageError(f"no answer {wanted}: the systems are {known or 'none: items have a field system'}")
    rows = store.traffic.selections.keys(asked)
    if not len(rows):
        raise UsageError(f"no answer is in {asked.name}: {_dated(store, Selection(system=asked.system))}")
    return SelectedItems(selection=asked, rows=rows)


def _dated(store: Store, whole: Selection) -> str:
    counts = store.traffic.selections.counted(whole)
    if counts.first is None or counts.last is None:
        return "none has a timestamp, so that no period holds any"
    return f"those with a timestamp run from {counts.first[:10]} to {counts.last[:10]}"
