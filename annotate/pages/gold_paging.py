"""The entries of the page that the reader is on."""

from __future__ import annotations

from math import ceil

import streamlit as st

from annotate.gold import GoldEntry, GoldStatus
from annotate.store import Store
from proxy.records import Item

PAGE = 10


def paged(store: Store, status: GoldStatus, count: int) -> list[tuple[GoldEntry, Item]]:
    """The entries with this status on the reader's page, with their items; a choice of pages where there are several."""
    pages, number = ceil(count / PAGE), 1
    if pages > 1:
        number = min(st.pagination(pages, key=f"page-{status}"), pages)
    entries = store.gold.page(status, start=(number - 1) * PAGE, size=PAGE)
    items = store.gold.items(entries)
    return [(entry, items[entry.gold_id]) for entry in entries]
