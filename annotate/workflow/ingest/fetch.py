"""Fetch traffic from a program that is asked for it, a page at a time, and go on where a fetch was stopped.

A fetch is of a window of time. Each page is kept in one transaction with the cursor behind it; once the window is whole, its end
is the watermark from which `last` goes on, less an overlap: what came late or changed meanwhile comes again, revises what it
changes, and adds nothing twice. A window that was stopped is finished first.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import cast

import orjson

from annotate.domain.timestamps import EARLIEST, Times
from annotate.domain.tool_score import read_scales
from annotate.progress import ProgressCounter
from annotate.store import Store
from annotate.store.traffic.items import Added
from annotate.traffic.formats import BY_NAME, OWN, OWN_TITLE
from annotate.traffic.how_read import HowRead, ReadingTally
from annotate.traffic.traffic_source import CursorRefused, Page, TrafficSource
from annotate.workflow.ingest import ingest
from annotate.workflow.ingest.batches import IngestTally, Intake, Paths, Source
from annotate.workflow.ingest.joining import join_changed
from annotate.workflow.ingest.receive import Ingested, ingested
from annotate.workflow.ingest.recognition import paths_of
from annotate.workflow.ingest.repairs import TRAFFIC
from annotate.workflow.ingest.tool_scores import ToolTally, settle
from proxy.errors import UsageError
from proxy.text.times import iso

LAST = "last"
OVERLAP = timedelta(days=1)
AGO = re.compile(r"(\d+)\s*([smhdw])")
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True, kw_only=True, slots=True)
class FetchWindow:
    """A window of time that is being fetched, and the cursor behind what is kept of it."""

    since: str
    until: str
    cursor: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class FetchProgress:
    """How far a source is fetched: all up to `until`, and a part of a window that was stopped."""

    until: str | None = None
    window: FetchWindow | None = None

    def to_json(self) -> str:
        """Return it as the store keeps it."""
        window = self.window
        kept = window and {"since": window.since, "until": window.until, "cursor": window.cursor}
        return json.dumps({"until": self.until, "window": kept})

    @classmethod
    def from_json(cls, text: str | None) -> FetchProgress:
        """Return what `to_json` wrote."""
        kept = json.loads(text) if text else {}
        return cls(until=kept.get("until"), window=FetchWindow(**kept["window"]) if kept.get("window") else None)

    def finished(self, window: FetchWindow) -> FetchProgress:
        """Return the progress once a window is whole; one that leaves a gap behind the watermark does not move it."""
        leaves_gap = self.until is not None and window.since > self.until
        until = self.until if leaves_gap else max(self.until or window.until, window.until)
        return FetchProgress(until=until)


def start_of(since: str, progress: FetchProgress, now: str) -> str:
    """Return the time from which to fetch: `last`, `7d`, or a date; UsageError for anything else."""
    if since == LAST:
        return EARLIEST if progress.until is None else iso(datetime.fromisoformat(progress.until) - OVERLAP)
    if ago := AGO.fullmatch(since.strip().lower()):
        return iso(datetime.fromisoformat(now) - timedelta(**{UNITS[ago[2]]: int(ago[1])}))
    start = Times(now).read(since)
    if start is None or start > now:
        raise UsageError(f"--since {since}: write last, a time before now such as 7d, or a date such as 2026-11-01")
    return start


class Fetch:
    """One fetch from a source; `now` ends its window."""

    def __init__(self, store: Store, source: TrafficSource, *, fields: Paths, now: str) -> None:
        self._store, self._source, self._now = store, source, now
        self._paths = {**paths_of(source.row_format), **fields}
        self._place = f"{source.name}:"
        self._intake, self._added, self._evaluated = Intake(), Added(), ToolTally()
        self._joined = ReadingTally()
        self._rows = 0
        self._scales: dict[str, str] = {}

    def run(self, since: str, *, who: str, scales: Mapping[str, str]) -> Ingested:
        """Fetch what a stopped fetch left, then from `since` on; what is kept is kept also where it is stopped."""
        progress = FetchProgress.from_json(self._store.traffic.fetched.state(self._source.name))
        start_of(since, progress, self._now)
        with ProgressCounter(f"fetching from {self._source.name}") as counter:
            if progress.window is not None:
                progress = self._window(progress, progress.window, counter)
            window = FetchWindow(since=start_of(since, progress, self._now), until=self._now)
            self._window(progress, window, counter)
            self._join(counter)
        known = {**self._scales, **scales}
        settled = settle(self._store, now=self._now, scales=read_scales(known))
        source_format = BY_NAME.get(self._source.row_format)
        how = HowRead(
            file=self._source.name,
            format=self._source.row_format,
            title=source_format.title if source_format else OWN_TITLE,
            recognised=self._rows,
            looked_at=self._rows,
            has_spans=source_format is not None and source_format.has_spans,
        )
        return ingested(
            self._store,
            self._intake,
            self._added,
            (self._joined.with_counts(how),) if self._rows else (),
            evaluated=self._evaluated,
            settled=settled,
            who=who,
            now=self._now,
        )

    def _window(self, progress: FetchProgress, window: FetchWindow, counter: ProgressCounter) -> FetchProgress:
        """Fetch a window page by page; return the progress with it."""
        for page in self._pages(window):
            is_last = page.cursor is None
            after = replace(progress, window=replace(window, cursor=page.cursor))
            after = progress.finished(window) if is_last else after
            with self._store.atomic(durable=True):
                self._keep(page)
                self._store.traffic.fetched.keep(self._source.name, after.to_json(), now=self._now)
            counter.advance(len(page.rows))
        return progress.finished(window)

    def _pages(self, window: FetchWindow) -> Iterator[Page]:
        since, until = (datetime.fromisoformat(time) for time in (window.since, window.until))
        try:
            yield from self._source.pages(since, until, window.cursor)
        except CursorRefused:
            yield from self._source.pages(since, until, None)

    def _keep(self, page: Page) -> None:
        self._rows += len(page.rows)
        self._scales |= page.scales
        if not page.rows:
            return
        lines = b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in page.rows)
        source_format = BY_NAME.get(self._source.row_format)
        paths = {} if source_format else self._paths
        source = Source(
            self._place,
            "jsonl",
            paths,
            io.BufferedReader(cast("io.RawIOBase", io.BytesIO(lines))),
            source_format=source_format,
            source_paths=self._paths if source_format else {},
        )
        intake, added = ingest.ingest(self._store, source, now=self._now, evaluated=self._evaluated, joins=False)
        self._intake, self._added = self._intake.plus(intake), self._added.plus(added)

    def _join(self, counter: ProgressCounter) -> None:
        times = Times(self._now)
        tally = IngestTally(self._store, TRAFFIC, Source(self._place), times, counter)
        self._added = self._added.plus(join_changed(self._store, tally, times, self._joined, now=self._now))
        self._intake = self._intake.plus(tally.intake)


def check_format(source: TrafficSource) -> None:
    """Raise UsageError where the rows of a source have a format that is not known."""
    if source.row_format not in (OWN, *BY_NAME):
        raise UsageError(f"the source {source.name} has rows in {source.row_format!r}, no format that is known here")
