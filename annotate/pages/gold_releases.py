"""What can be taken from the gold set: all that is accepted now, and each release with its hash."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

import streamlit as st

from annotate import gold_releasing
from annotate.gold import GoldStatus
from annotate.gold.export import export_row
from annotate.pages import gold_entries, texts
from annotate.pages.steps import for_store
from annotate.store import Store

MIME = "application/jsonl"


def show(store: Store, accepted: int) -> None:
    """The releases, newest first, each with a file; and how to make the next."""
    found = store.releases.all()[::-1]
    if not found:
        st.caption("None yet. A release is a version that never changes, to test with and to cite by its hash:")
    for place, one in enumerate(found):
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(
                f"**{texts.escaped(one.name)}**  \n:small[{gold_entries.moment(one.at)} · {one.entries:,} entries · "
                f"{texts.escaped(one.who)}]  \n:small[`{one.hash}`]"
            )
            st.download_button(
                "Download",
                data=partial(released, store.path, one.name),
                file_name=f"gold-release-{place}.jsonl" if not one.name.isalnum() else f"gold-{one.name}.jsonl",
                mime=MIME,
                on_click="ignore",
                icon=":material/download:",
                key=f"download-{one.name}",
            )
    if accepted:
        st.code(for_store("assay gold release NAME", store.path), language=None)


def download_accepted(store: Store, count: int) -> None:
    """A button for the file with all that is accepted."""
    st.download_button(
        f"Download all {count:,} as JSONL",
        data=partial(jsonl, store.path),
        file_name="gold.jsonl",
        mime=MIME,
        on_click="ignore",
        icon=":material/download:",
    )


def jsonl(path: Path) -> bytes:
    """The accepted entries as the gold file holds them; read through a connection of its own, for it runs beside the page."""
    store = Store(path)
    try:
        return _lines(_accepted(store))
    finally:
        store.close()


def released(path: Path, name: str) -> bytes:
    """The entries of a release as the gold file holds them."""
    store = Store(path)
    try:
        return _lines(gold_releasing.rows(store, name, None))
    finally:
        store.close()


def _accepted(store: Store) -> Iterator[Mapping[str, object]]:
    for entry in store.gold.entries(GoldStatus.ACCEPTED):
        item = store.gold.items([entry])[entry.gold_id]
        yield export_row(entry, item, store.labels.of_item(entry.item) if entry.item is not None else None)


def _lines(rows: Iterable[Mapping[str, object]]) -> bytes:
    return "".join(json.dumps(row, allow_nan=False) + "\n" for row in rows).encode()
