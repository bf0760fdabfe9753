"""Rows in quarantine: what could not be read, with the file, the line and the reason."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class QuarantineState(StrEnum):
    """State of a row in quarantine: nobody has repaired it, it came in repaired, or somebody does not want it."""

    OPEN = "open"
    REPAIRED = "repaired"
    DISMISSED = "dismissed"


class QuarantinedRow(NamedTuple):
    """A row that could not be read, by its number in quarantine; `stage` is the command and `at` the time (ISO 8601 in UTC)."""

    row: int
    stage: str
    source: str
    line: int
    reason: str
    at: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RowChoice:
    """Which rows are meant: those of these numbers, those whose reason holds a text, else all."""

    rows: Collection[int] = ()
    reason: str = ""

    def chooses(self, row: QuarantinedRow) -> bool:
        """Return whether a row is meant."""
        if self.rows and row.row not in self.rows:
            return False
        return self.reason.casefold() in row.reason.casefold()
