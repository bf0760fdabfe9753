"""The part of a list that the reader is on, ten at a time."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TypeVar

import streamlit as st

from annotate.domain.gold import GoldEntry, GoldStatus
from annotate.store import Store
from proxy.records import Item

PAGE = 10
T = TypeVar("T")


def start(count: int, key: str) -> int:
    """The place of the first of the reader's page; a choice of pages where there are several."""
    pages = ceil(count / PAGE)
    return 0 if pages < 2 else (min(st.pagination(pages, key=key), pages) - 1) * PAGE


def part(rows: Sequence[T], key: str) -> Sequence[T]:
    """Those of the rows that are on the reader's page."""
    first = start(len(rows), key)
    return rows[first : first + PAGE]


def paged(store: Store, status: GoldStatus, count: int) -> list[tuple[GoldEntry, Item]]:
    """The entries with this status on the reader's page, with their items."""
    return with_items(store, store.gold.page(status, start=start(count, f"page-{status}"), size=PAGE))


def with_items(store: Store, entries: Sequence[GoldEntry]) -> list[tuple[GoldEntry, Item]]:
    """The entries with their items."""
    items = store.gold.items(entries)
    return [(entry, items[entry.gold_id]) for entry in entries]
