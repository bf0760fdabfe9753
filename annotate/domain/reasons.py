"""Count the reasons why rows were refused; reasons that differ in a value or a number only are one kind."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

SPECIFIC = re.compile(r"'[^']*'|\"[^\"]*\"|\d[\d.,]*|…")
MOST_KINDS = 1000
OTHERS = "other reasons"


class RefusalReason(NamedTuple):
    """Reason why rows were refused, as the first of them says it, and the number of rows."""

    reason: str
    rows: int


class Reasons:
    """A running count of reasons by their kind."""

    def __init__(self) -> None:
        self._kinds: dict[str, RefusalReason] = {}

    def add(self, reasons: Iterable[RefusalReason]) -> None:
        """Add what was counted elsewhere, or one row each."""
        for reason, rows in reasons:
            kind = SPECIFIC.sub("…", reason)
            if kind not in self._kinds and len(self._kinds) >= MOST_KINDS:
                kind, reason = OTHERS, OTHERS  # noqa: PLW2901 (the table is bounded)
            before = self._kinds.get(kind) or RefusalReason(reason, 0)
            self._kinds[kind] = before._replace(rows=before.rows + rows)

    @property
    def counted(self) -> tuple[RefusalReason, ...]:
        """The reasons, the most frequent first."""
        return tuple(sorted(self._kinds.values(), key=lambda reason: -reason.rows))


def together(*every: Iterable[RefusalReason]) -> tuple[RefusalReason, ...]:
    """Return several counts as one."""
    reasons = Reasons()
    for reason in every:
        reasons.add(reason)
    return reasons.counted
