"""Figures that take long are counted in a thread and on a connection of their own: whoever clicks elsewhere need not wait.

The count goes on when its user leaves, all sessions share it, and it is there for whoever comes back. Work that writes goes on
in the same way; what it brings is in the store.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from threading import Lock, Thread
from typing import Any, NamedTuple, TypeVar, cast

import streamlit as st

from annotate.domain.sign_in.signed_in import SignedIn
from annotate.pages.kit import cache, reruns, sign_in
from annotate.store import Store

LOOK_EVERY = 0.1  # seconds
T = TypeVar("T")


class BackgroundCount(NamedTuple):
    """A count that was begun, and the version of the store that it speaks of."""

    version: str
    future: Future[Any]


class Counts(NamedTuple):
    """The newest count of each figure of a store."""

    lock: Lock
    newest: dict[tuple[str, str], BackgroundCount]


def awaited(store: Store, name: str, count: Callable[[Store], T], *question: Hashable) -> T:
    """What `count` gives for this question: begun once for each version of the store, waited for while nobody clicks."""
    version, key, counts = cache.version(store), (name, repr(question)), _counts(str(store.path.resolve()))
    with counts.lock:
        known = counts.newest.get(key)
        if known is None or known.version != version:
            known = BackgroundCount(version, Future())
            job = partial(_count, store.path, name, count, question, known.future)
            Thread(target=job, daemon=True, name=f"assay-counts {name}").start()
            counts.newest[key] = known
    while not known.future.done():
        reruns.look()
        _wait(known.future)
    if known.future.exception():
        with counts.lock:
            if counts.newest.get(key) is known:
                del counts.newest[key]
    return cast("T", known.future.result())


def begin(store: Store, name: str, work: Callable[[Store], object], *question: Hashable) -> None:
    """Begin work that writes, on a connection of its own, in the name of who acts; nothing where the same is under way."""
    counts, key = _counts(str(store.path.resolve())), (name, repr(question))
    with counts.lock:
        known = counts.newest.get(key)
        if known is None or known.future.done():
            known = BackgroundCount("", Future())
            job = partial(_work, store.path, sign_in.person(), work, known.future)
            Thread(target=job, daemon=True, name=f"assay-works {name}").start()
            counts.newest[key] = known


def begun(store: Store, name: str, *question: Hashable) -> Future[Any] | None:
    """The newest work of this name, under way or done; None where none was begun."""
    known = _counts(str(store.path.resolve())).newest.get((name, repr(question)))
    return known.future if known else None


def _work(path: Path, who: SignedIn | None, work: Callable[[Store], object], future: Future[Any]) -> None:
    try:
        store = Store(path, signed_in=who)
        try:
            made = work(store)
        finally:
            store.close()
        future.set_result(made)
    except BaseException as error:  # noqa: BLE001 (the page says it)
        future.set_exception(error)


def _wait(future: Future[Any]) -> None:
    """For a moment, or until it is there."""
    try:
        future.exception(LOOK_EVERY)
    except TimeoutError:
        return


def _count(
    path: Path, name: str, count: Callable[[Store], object], question: tuple[Hashable, ...], future: Future[Any]
) -> None:
    try:
        store = Store(path, reads_only=True)
        try:
            counted = cache.kept(store, name, lambda: count(store), *question)
        finally:
            store.close()
        future.set_result(counted)
    except BaseException as error:  # noqa: BLE001 (whoever waits raises it)
        future.set_exception(error)


@st.cache_resource(show_spinner=False)
def _counts(path: str) -> Counts:
    """What is counted of the store at this path."""
    return Counts(Lock(), {})
