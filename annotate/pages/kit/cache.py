"""What pages show, computed once and kept until the store has changed: a rerun of a page computes nothing anew.

The rule: a figure is never older than the store. It is kept under the version that the store had before it was computed, as
one connection that never writes sees it, and all sessions share it. A write that no figure depends on, such as of a draft,
leaves the version as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TypeVar, cast

import streamlit as st

from annotate.analysis.report import head as report_head
from annotate.analysis.report import report as reports
from annotate.analysis.report.head import ReportHead
from annotate.domain import gate_limits
from annotate.domain.gate_limits import ReportLimits
from annotate.domain.selection import Selection
from annotate.store import Store
from proxy.errors import UsageError
from proxy.evaluation.trust import DEFAULT_LIMIT

KEPT = 200
WATCHED = 4
NUMBERS = count()
T = TypeVar("T")


def kept(store: Store, name: str, compute: Callable[[], T], *question: Hashable) -> T:
    """What `compute` gives for this question; `name` and the question tell it from every other figure of the store."""
    path = str(store.path.resolve())
    return cast("T", _kept(name, repr(question), path, version(store), compute))


def version(store: Store) -> str:
    """Changes whenever anybody has written to the store, and stays the same between two writes."""
    watch = _watch_of(store)
    return f"{watch.number} {watch.changes()}"


@contextmanager
def unmoved(store: Store) -> Iterator[None]:
    """Write what no figure depends on, in one transaction that leaves the version as it is.

    Nobody else can write before the transaction ends. Whoever does so after it, before the watch has looked, is noticed by the
    connection that wrote: SQLite moves its `data_version` for the writes of others alone. The version then moves on.
    """
    watch = _watch_of(store)
    with store.atomic():
        others, before = store.changes(), watch.changes()
        yield
    after = watch.store.changes()
    if store.changes() == others:
        watch.same = after, before


def _watch_of(store: Store) -> _Watch:
    return _watch(str(store.path.resolve()), store.path.stat().st_ino)


def head(store: Store, selection: Selection | None = None) -> ReportHead:
    """The head of the report, before the whole is measured: of all traffic, or of a part."""
    limit = _limits()[0]
    return kept(store, "head", lambda: report_head.head(store, limit=limit, selection=selection), limit, selection)


def report(store: Store, selection: Selection | None = None) -> reports.ProjectReport:
    """The report, of all traffic or of a part."""
    limit, wanted = _limits()
    return kept(
        store,
        "report",
        lambda: reports.build(store, limit=limit, limits=wanted, selection=selection),
        limit,
        repr(wanted),
        selection,
    )


def _limits() -> tuple[float, ReportLimits]:
    """The limits of assay.toml; the plain ones where those cannot be read, which `limits_problem` says."""
    if limits_problem():
        return DEFAULT_LIMIT, ReportLimits()
    return gate_limits.of_verdict(), gate_limits.of_report()


def limits_problem() -> str | None:
    """Why the limits of assay.toml cannot be read; None where they can."""
    try:
        gate_limits.of_verdict()
        gate_limits.of_report()
    except UsageError as error:
        return str(error)
    return None


@st.cache_resource(max_entries=KEPT, show_spinner=False)
def _kept(name: str, question: str, path: str, version: str, _compute: Callable[[], object]) -> object:
    return _compute()


@dataclass(slots=True)
class _Watch:
    """A connection that only looks whether others have written; `number` tells it from a later one.

    `same` are two numbers of the connection between which nothing was written that a figure depends on.
    """

    store: Store
    number: int = field(default_factory=lambda: next(NUMBERS))
    same: tuple[int, int] = (-1, -1)

    def changes(self) -> int:
        """Return a number that moves on with every write that a figure may depend on."""
        now, (after, before) = self.store.changes(), self.same
        return before if now == after else now

    def close(self) -> None:
        """Close the connection."""
        self.store.close()


@st.cache_resource(max_entries=WATCHED, show_spinner=False, on_release=_Watch.close)
def _watch(path: str, file: int) -> _Watch:
    """The watch over a store; `file` tells it from one that took its place."""
    return _Watch(Store(Path(path), reads_only=True))
