"""The list, a page at a time: select a row to open it. With it the file of the whole list."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from annotate.analysis import disagreements
from annotate.analysis.disagreements import Ground, Listed
from annotate.pages.disagreements import filters
from annotate.pages.kit import cache, reruns, texts, url_state
from annotate.pages.kit.messages import marked, say
from annotate.store import Store
from annotate.store.labels.disagreements import DisagreementFilter, DisagreementKind, Row

SIZE = 10
SHOWN = 140
COLUMNS = ("kind", "question", "value", "system", "language", "cause", "harm", "labelled_at", "id")
MIMES = {"csv": "text/csv", "jsonl": "application/x-ndjson"}


def page() -> int:
    """The page that the address asks for."""
    return url_state.number(filters.PAGE)


def show(store: Store, ground: Ground, asked: DisagreementFilter, listed: Listed) -> None:
    """How many there are, the file, the page and the choice of pages."""
    count = sum(listed.counts.values())
    words, *files = st.columns([4, 1, 1], vertical_alignment="center")
    words.markdown(
        marked(
            "disagreements.listed",
            misses=listed.counts[DisagreementKind.MISS],
            false_fails=listed.counts[DisagreementKind.FALSE_FAIL],
        )
    )
    for column, ending in zip(files, MIMES, strict=True):
        with column:
            _file(store, ground, asked, ending)
    if not count:
        st.caption(say("disagreements.nothing_fits"))
        return
    if not listed.rows:
        st.caption(say("disagreements.past_the_end"))
    else:
        _rows(listed.rows)
    _pages(count)


def _rows(rows: Sequence[Row]) -> None:
    """The page as a table of which a row can be selected."""
    ids = tuple(row.item_id for row in rows)
    # A new key for other rows or another open item, so that no selection of before stands beside it.
    key = f"disagreements-rows-{hash((ids, url_state.get(filters.ITEM)))}"
    opened = url_state.get(filters.ITEM)
    default: Any = {"selection": {"rows": [ids.index(opened)]}} if opened in ids else None
    st.dataframe(
        pd.DataFrame([_cells(row) for row in rows], columns=[say(f"disagreements.column_{name}") for name in COLUMNS]),
        hide_index=True,
        alt=say("disagreements.list_alt"),
        key=key,
        on_select=partial(_open, key, ids),
        selection_mode="single-row",
        selection_default=default,
        column_config={
            say("disagreements.column_question"): st.column_config.TextColumn(width="large"),
            say("disagreements.column_value"): st.column_config.NumberColumn(
                format="%.2f", help=say("disagreements.value_help")
            ),
        },
    )


@reruns.whole
def _open(key: str, ids: Sequence[str]) -> None:
    """Callback of the table: the row that was selected is open now."""
    places = st.session_state[key]["selection"]["rows"]
    url_state.put(filters.ITEM, ids[places[0]] if places and places[0] < len(ids) else None)


def _cells(row: Row) -> tuple[object, ...]:
    """What the table shows of one of them; what stands in no column is not sent."""
    question = texts.others(" ".join(row.question[: SHOWN * 4].split()))
    return (
        filters.kind_words(row.kind),
        question if len(question) <= SHOWN else f"{question[:SHOWN]}…",
        row.value,
        texts.others(row.system or "—"),
        texts.others(row.language or "—"),
        ", ".join(filters.cause_words(cause) for cause in row.causes) or "—",
        "—" if row.harm is None else filters.harm_words(row.harm),
        texts.moment(row.labelled_at),
        texts.others(row.item_id),
    )


def _pages(count: int) -> None:
    """The choice of pages, where there are several."""
    pages = ceil(count / SIZE)
    if pages < 2:
        return
    number = min(page(), pages)
    key = f"disagreements-p-{number}-{pages}"
    st.pagination(pages, default=number, key=key, on_change=_turn, args=(key,))


@reruns.whole
def _turn(key: str) -> None:
    """Callback of the choice of pages."""
    number = int(st.session_state[key])
    url_state.put(filters.PAGE, None if number == 1 else str(number))


def _file(store: Store, ground: Ground, asked: DisagreementFilter, ending: str) -> None:
    """The button that makes the file of the list when it is pressed."""
    st.download_button(
        say("disagreements.file", form=ending.upper()),
        data=partial(content, store.path, ground, asked, ending),
        file_name=f"disagreements.{ending}",
        mime=MIMES[ending],
        on_click="ignore",
        icon=":material/download:",
        key=f"disagreements-{ending}",
        help=say("disagreements.file_help"),
        width="stretch",
    )


def content(path: Path, ground: Ground, asked: DisagreementFilter, ending: str) -> bytes:
    """The file; read through a connection of its own, for it runs beside the page."""
    store = Store(path, reads_only=True)
    try:
        return disagreements.as_file(store, ground, asked, ending)
    finally:
        store.close()


def show_opposite(store: Store) -> None:
    """A folded list, and nothing where there are none."""
    groups = cache.kept(store, "opposite-labels", store.labels.opposite_labels.groups)
    if not groups:
        return
    with st.expander(say("disagreements.opposite", count=len(groups)), key="disagreements-opposite"):
        st.caption(say("disagreements.opposite_help"))
        for place, group in enumerate(groups):
            with st.container(border=True, gap="xsmall"):
                for number, judge in enumerate(group):
                    word = say(f"disagreements.said_{judge.judgement.value}")
                    texts.show(f"{judge.item_id} · {word} · {judge.annotator or '—'}", f"opposite-{place}-{number}")
