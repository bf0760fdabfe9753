"""Work with Label Studio in a thread of its own: one at a time for each store, seen by every session, stopped by none of them.

A push goes on when its session looks elsewhere, so that what it did is always noted; its outcome stays until the next one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st

from annotate.domain.sign_in.signed_in import SignedIn
from annotate.present.document import Document
from annotate.progress import heard_by
from annotate.store import Store
from proxy.errors import AssayError

BUG = "this did not work for a reason that nobody foresaw: see what the app says in its terminal"


@dataclass
class LabellingJob:
    """One push or pull: how far it is, and in the end what it did with the links to label at, or why it failed."""

    kind: str
    who: str
    at: str
    signed_in: SignedIn | None = None
    done: int = 0
    total: int | None = None
    document: Document | None = None
    links: Sequence[tuple[str, str]] = ()
    error: str | None = None
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def share(self) -> float:
        """How much is done, for a bar; 0 while nobody knows of how much."""
        return min(1.0, self.done / self.total) if self.total else 0.0


@dataclass
class Desk:
    """The newest work on one store."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    newest: LabellingJob | None = None


@st.cache_resource(show_spinner=False)
def _desk(path: str) -> Desk:
    return Desk()


def newest(path: Path) -> LabellingJob | None:
    """The work that is under way on this store, or the last."""
    return _desk(str(path.resolve())).newest


def begin(path: Path, work: LabellingJob, act: Callable[[Store, LabellingJob], None]) -> LabellingJob:
    """Start it, unless other work is under way: that one is given back."""
    desk = _desk(str(path.resolve()))
    with desk.lock:
        if desk.newest is not None and not desk.newest.ended.is_set():
            return desk.newest
        desk.newest = work
    threading.Thread(target=_run, args=(path, work, act), daemon=True, name=f"assay {work.kind}").start()
    return work


def _run(path: Path, work: LabellingJob, act: Callable[[Store, LabellingJob], None]) -> None:
    """Do it on a connection of its own."""

    def hear(what: str, done: int, total: int | None) -> None:
        work.done, work.total = done, total

    try:
        store = Store(path, signed_in=work.signed_in)
        try:
            with heard_by(hear):
                act(store, work)
        finally:
            store.close()
    except AssayError as error:
        work.error = str(error)
    except BaseException:
        work.error = BUG
        raise
    finally:
        work.ended.set()
