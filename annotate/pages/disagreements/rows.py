"""The list, a page at a time, as a radio group dressed as rows: the browser's own arrow keys walk through it.

With it which item is open, and the file of the whole list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from pathlib import Path

import streamlit as st

from annotate.analysis import disagreements
from annotate.analysis.disagreements import Ground, ItemDetail
from annotate.domain.annotation import HARMS, SERIOUS
from annotate.pages.disagreements import filters
from annotate.pages.kit import cache, reruns, texts, url_state
from annotate.pages.kit.messages import say
from annotate.pages.kit.privacy import escaped
from annotate.store import Store
from annotate.store.labels.disagreements import DisagreementFilter, DisagreementKind, ListPlace, Row

SIZE = 20
SHOWN = 110
UNSEEN = "\u2060"
ROWS, NUMBER = "disagreements-rows", "disagreements-number"
MIMES = {"csv": "text/csv", "jsonl": "application/x-ndjson"}
# Emphasis and colour tell the style sheet which sign it is.
SIGNS: Mapping[DisagreementKind | None, str] = {DisagreementKind.MISS: "*◆*", DisagreementKind.FALSE_FAIL: ":blue[●]"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Opened:
    """The page of the list and the item that is open beside it.

    `name` is the item's id, None where the list is empty; `known` is None where there is no such item. `stands` is its place,
    None where the filters leave it out; `before` and `after` are the ids beside it, or beside the place where it stood.
    """

    total: int
    page: int
    rows: Sequence[Row]
    name: str | None
    known: ItemDetail | None
    stands: ListPlace | None
    before: str | None
    after: str | None


def opened(store: Store, ground: Ground, asked: DisagreementFilter) -> Opened:
    """What the address asks for; the first of the page where it names no item."""
    name, number = url_state.get(filters.ITEM), url_state.number(filters.PAGE)
    known = disagreements.detail(store, ground, name) if name is not None else None
    stands = disagreements.place(store, ground, asked, known.row) if known else None
    if stands is not None and url_state.get(filters.PAGE) is None:
        number = page_of(stands.number)
    listed = cache.kept(
        store,
        "disagreements-page",
        lambda: disagreements.listed(store, ground, asked, page=number, size=SIZE),
        ground.key,
        asked,
        number,
    )
    if name is None and listed.rows:
        name = listed.rows[0].item_id
        known = disagreements.detail(store, ground, name)
        stands = disagreements.place(store, ground, asked, listed.rows[0].item)
    if stands is not None:
        st.session_state[NUMBER] = stands.number
    before, after = (stands.before, stands.after) if stands else _beside(store, ground, asked)
    return Opened(
        total=listed.total,
        page=number,
        rows=listed.rows,
        name=name,
        known=known,
        stands=stands,
        before=before,
        after=after,
    )


def _beside(store: Store, ground: Ground, asked: DisagreementFilter) -> tuple[str | None, str | None]:
    """The ids around the place where an item stood that has left the list."""
    at = int(st.session_state.get(NUMBER, 1))
    start = max(0, at - 2)
    names = [row.item_id for row in store.labels.disagreements.page(ground.key, asked, start=start, size=2)]
    if at == 1:
        return None, names[0] if names else None
    return names[0] if names else None, names[1] if len(names) > 1 else None


def page_of(number: int) -> int:
    """The page on which this place of the list stands."""
    return (number - 1) // SIZE + 1


def show(now: Opened) -> None:
    """The rows, which scroll by themselves; below them how many there are, and the pages."""
    with st.container(border=False, key="disagreements-rows-box"):
        if not now.total:
            st.caption(say("disagreements.nothing_fits"))
        elif not now.rows:
            st.caption(say("disagreements.past_the_end"))
        else:
            _rows(now)
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="disagreements-foot"):
        st.markdown(say("disagreements.listed", shown=len(now.rows), total=now.total), width="content")
        _pages(now)


def _rows(now: Opened) -> None:
    """A choice among the rows of this page; none is chosen where the open item is not one of them."""
    labels = _labels(now.rows)
    chosen = now.name if now.name in labels else None
    if ROWS not in st.session_state or st.session_state[ROWS] != chosen:
        st.session_state[ROWS] = chosen
    st.radio(
        say("disagreements.list_alt"),
        list(labels),
        index=None,
        format_func=labels.__getitem__,
        captions=[_caption(row) for row in now.rows],
        key=ROWS,
        on_change=_open,
        label_visibility="collapsed",
        width="stretch",
    )


def _labels(rows: Sequence[Row]) -> dict[str, str]:
    """The question of each row, told apart by what nobody sees: Streamlit takes the last of equal labels for all of them."""
    labels, seen = dict[str, str](), Counter[str]()
    for row in rows:
        question = _question(row)
        labels[row.item_id] = question + UNSEEN * seen[question]
        seen[question] += 1
    return labels


@reruns.whole
def _open() -> None:
    """Callback of the list: the row that was chosen is open now, on the page where it stands."""
    url_state.put(filters.ITEM, st.session_state.get(ROWS))
    url_state.put(filters.PAGE, None)


def _question(row: Row) -> str:
    """As much of the question as two lines hold; all of it stands beside the list."""
    question = texts.others(" ".join(row.question[: SHOWN * 4].split()))
    return escaped(texts.others(question if len(question) <= SHOWN else f"{question[:SHOWN]}…")) or "—"


def _caption(row: Row) -> str:
    """Sign, verdict and label, system, day, harm."""
    parts = [_standing(row)]
    parts += [escaped(texts.others(row.system))] if row.system else []
    parts += [texts.day(row.timestamp)] if row.timestamp else []
    harm = say(f"disagreements.row_{row.harm}") if row.harm in HARMS[1:] else ""
    parts += [f"**{harm}**" if row.harm == SERIOUS else harm] if harm else []
    return f"{SIGNS.get(row.kind, '')} {' · '.join(parts)}".lstrip()


def _standing(row: Row) -> str:
    """What the proxy says and annotators."""
    if row.kind:
        return say(f"disagreements.row_{row.kind.value}")
    verdict, judgement = (say(f"disagreements.{name}") for name in (f"verdict_{row.verdict}", f"said_{row.judgement}"))
    return f"{verdict}, {judgement}"


def _pages(now: Opened) -> None:
    """The choice of pages, where there are several."""
    pages = ceil(now.total / SIZE)
    if pages < 2:
        return
    number = min(now.page, pages)
    key = f"disagreements-p-{number}-{pages}"
    st.pagination(pages, default=number, key=key, on_change=_turn, args=(key,))


@reruns.whole
def _turn(key: str) -> None:
    """Callback of the choice of pages: the first of that page is open."""
    number = int(st.session_state[key])
    url_state.put(filters.ITEM, None)
    url_state.put(filters.PAGE, None if number == 1 else str(number))


def files(store: Store, ground: Ground, asked: DisagreementFilter) -> None:
    """The buttons that make a file of the whole list when they are pressed."""
    for ending, mime in MIMES.items():
        st.download_button(
            ending.upper(),
            data=partial(content, store.path, ground, asked, ending),
            file_name=f"disagreements.{ending}",
            mime=mime,
            on_click="ignore",
            icon=":material/download:",
            key=f"disagreements-{ending}",
            help=say("disagreements.file_help"),
            type="tertiary",
        )


def content(path: Path, ground: Ground, asked: DisagreementFilter, ending: str) -> bytes:
    """The file; read through a connection of its own, for it runs beside the page."""
    store = Store(path, reads_only=True)
    try:
        return disagreements.as_file(store, ground, asked, ending)
    finally:
        store.close()
