"""What a source of traffic is: a program that is asked for what came since some time, a page at a time.

A source for another program is one file with one class, which an entry point names (see docs/traffic.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from annotate.traffic.source_format import Row


class Page(NamedTuple):
    """Rows as the program gives them, and where to go on after them: a cursor of the source's own, None at the end.

    `scales` are of judges of the program, where it knows them: `{"quality": "1..5"}`, worst first.
    """

    rows: Sequence[Row]
    cursor: str | None
    scales: Mapping[str, str] = {}


class CursorRefused(Exception):
    """The program does not know the cursor any more: the window has to be asked for from its start."""


class TrafficSource(Protocol):
    """A program that holds traffic."""

    @property
    def name(self) -> str:
        """The word before the colon: `assay ingest NAME:`."""

    @property
    def row_format(self) -> str:
        """The format of its rows, a word of `--format`: "own" for rows in our names."""

    def pages(self, since: datetime, until: datetime, cursor: str | None) -> Iterator[Page]:
        """Yield what began from `since` on and before `until`, from the cursor on; in any order, the same rows in each call.

        A page is bounded (about 1,000 rows), and is asked for when the one before is kept. SourceError where the program cannot
        be asked, CursorRefused for a cursor that it no longer knows.
        """
