"""Dismiss rows in quarantine that somebody has looked at and does not want: they stay there, and count no more."""

from __future__ import annotations

from dataclasses import dataclass

from annotate.domain.quarantine import QuarantineState, RowChoice
from annotate.store import Store
from proxy.errors import UsageError

EVENT = "quarantine dismiss"


@dataclass(frozen=True, kw_only=True, slots=True)
class Dismissed:
    """How many rows were dismissed, and how many are open still."""

    rows: int
    open: int


def dismiss(store: Store, choice: RowChoice, *, who: str, now: str) -> Dismissed:
    """Dismiss the open rows that are meant, and log it.

    UsageError where a number is that of no open row, or no reason holds the text; nothing is dismissed then.
    """
    with store.atomic():
        rows = store.traffic.quarantine.all(QuarantineState.OPEN)
        meant = [row.row for row in rows if choice.chooses(row)]
        if unknown := sorted(set(choice.rows).difference(row.row for row in rows)):
            raise UsageError(f"there is no open row {unknown[0]} in quarantine: `assay quarantine` lists them")
        if choice.reason and not meant:
            raise UsageError("no open row in quarantine has this text in its reason: `assay quarantine` lists them")
        if meant:
            store.traffic.quarantine.dismiss(meant, now=now)
            store.audit.events.append(EVENT, {"rows": len(meant)}, who=who, now=now)
    return Dismissed(rows=len(meant), open=len(rows) - len(meant))
