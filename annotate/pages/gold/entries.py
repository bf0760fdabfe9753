"""One gold entry on the page: its texts, its doubts, its history, and the small forms that change it."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TypeVar

import streamlit as st

from annotate.domain.gold import GoldEntry, GoldStatus
from annotate.domain.sign_in.roles import Act
from annotate.pages.gold import actions, shown
from annotate.pages.kit import actor, texts
from annotate.pages.kit.messages import render, say
from annotate.pages.kit.privacy import escaped
from annotate.present.gold import coverage as gold_coverage
from annotate.present.gold import lists as gold_lists
from annotate.store import Store
from proxy.records import Item

FORM_HEIGHT = 120
PAGE = 10
T = TypeVar("T")


def show(
    entry: GoldEntry, item: Item, notes: Sequence[str] = (), corrects: Sequence[str] = (), place: str = ""
) -> None:
    """Question and reference side by side, where they come from, which other answers it corrects, what speaks against them."""
    question, reference = st.columns(2, gap="medium")
    with question:
        texts.show_conversation(item.history, f"{place}before-{entry.gold_id}")
        texts.heading(say("gold.question"))
        texts.show(item.question, f"{place}question-{entry.gold_id}")
    with reference:
        texts.heading(say("gold.reference"))
        shown.reference(entry, f"{place}reference-{entry.gold_id}")
    for note in notes:
        st.caption(f":material/info: {escaped(note[:1].upper() + note[1:])}.")
    show_origin(entry, corrects)


def show_origin(entry: GoldEntry, corrects: Sequence[str]) -> None:
    """Where an entry comes from, and the items with other answers that it corrects."""
    st.text(texts.others(origin(entry)))
    if corrects:
        st.text(texts.others(say("gold.corrects_too", items=", ".join(corrects))))


def origin(entry: GoldEntry) -> str:
    """Where an entry comes from, on one line."""
    who = f" ({entry.annotator})" if entry.annotator else ""
    item = say("gold.of_item", item=entry.item_id) if entry.item_id else say("gold.no_item")
    used = f" · {render(gold_coverage.role(entry.role))}" if entry.role else ""
    return f"{say(f'gold.source_{entry.source.name.lower()}')}{who} · {item} · {entry.gold_id}{used}"


def edit_popover(store: Store, entry: GoldEntry, place: str, suggestion: str | None = None) -> None:
    """A form that is made when it is opened: a page of them with long texts would be slow."""
    with st.popover(say("gold.edit"), key=f"{place}-open-{entry.gold_id}", on_change="rerun") as box:
        if box.open:
            _edit_form(store, entry, place, suggestion)


def behind_popover(store: Store, entry: GoldEntry, item: Item, place: str, corrects: Sequence[str] = ()) -> None:
    """What the app answered, also where the reference corrects it too, and had found, to check it against; made when opened."""
    with st.popover(say("gold.behind"), key=f"{place}-behind-{entry.gold_id}", on_change="rerun") as box:
        if box.open:
            key = f"{place}-behind-{entry.gold_id}-text"
            texts.heading(say("gold.said_answer"))
            texts.show(item.answer, f"{key}-answer")
            rows = store.traffic.items.keys(corrects) if corrects else {}
            for number, other in enumerate(store.traffic.items.read(list(rows.values())).values()):
                texts.heading(texts.others(say("gold.said_answer_of", item=other.id)))
                texts.show(other.answer, f"{key}-answer-{number}")
            texts.heading(say("gold.queue_passages"))
            texts.show_passages(item, key)


def history_popover(store: Store, entry: GoldEntry, place: str) -> None:
    """The history, read when it is opened."""
    with st.popover(say("gold.history"), key=f"{place}-history-{entry.gold_id}", on_change="rerun") as box:
        if box.open:
            history(store, entry.gold_id)


def history(store: Store, gold_id: str) -> None:
    """Who did what with an entry, oldest first, and what its reference was where that changed."""
    before = None
    for place, revision in enumerate(store.gold.revisions(gold_id)):
        status = say(f"gold.status_{revision.status.value}")
        why = f": {texts.others(revision.why, 'rationale')}" if revision.why else ""
        step = say("gold.said_by", at=texts.moment(revision.at), status=status, who=revision.who or texts.UNKNOWN)
        begun = gold_lists.began_as(revision)
        st.text(texts.others(f"{step}{f', {render(begun)}' if begun else ''}{why}"))
        if revision.reference != before:
            with st.container(border=True):
                texts.show(revision.reference, f"history-{gold_id}-{place}", *shown.fields(revision.source))
        before = revision.reference


def _edit_form(store: Store, entry: GoldEntry, place: str, suggestion: str | None) -> None:
    """A form that replaces the reference of an entry; it names the revision that the user saw."""
    key = f"{place}-edit-{entry.gold_id}-{entry.revision}"
    with st.form(key, border=False):
        st.text_area(
            say("gold.reference"),
            value=texts.others(
                suggestion or entry.reference, *(("reference",) if suggestion else shown.fields(entry.source))
            ),
            key=f"{key}-text",
            height=FORM_HEIGHT,
        )
        st.text_input(say("gold.why"), key=f"{key}-why", help=say("gold.why_help"))
        st.form_submit_button(
            say("gold.edit_save"),
            key=f"{key}-save",
            on_click=actions.edit,
            args=(store, entry.gold_id, entry.revision, f"{key}-text", f"{key}-why"),
            **actor.lock(Act.CURATE),
        )


def retire_form(store: Store, entry: GoldEntry, place: str = "") -> None:
    """A reason and a button that takes an entry out."""
    key = f"{place}why-{entry.gold_id}"
    st.text_input(say("gold.why"), key=key, help=say("gold.why_help"))
    st.button(
        say("gold.retire"),
        key=f"{place}retire-{entry.gold_id}",
        on_click=actions.set_status,
        args=(store, {entry.gold_id: entry.revision}, GoldStatus.RETIRED, key),
        **actor.lock(Act.CURATE),
    )


def mark_box(store: Store, entry: GoldEntry) -> None:
    """Whether the knowledge base lacks what the question asks for."""
    key = f"lacks-{entry.gold_id}-{entry.revision}"
    st.checkbox(
        say("gold.lacks"),
        value=entry.lacks_knowledge,
        key=key,
        on_change=actions.mark,
        args=(store, entry.gold_id, key),
    )


def start(count: int, key: str) -> int:
    """The place of the first of the user's page; a choice of pages where there are several."""
    pages = ceil(count / PAGE)
    return 0 if pages < 2 else (min(st.pagination(pages, key=key), pages) - 1) * PAGE


def part(rows: Sequence[T], key: str) -> Sequence[T]:
    """Those of the rows that are on the user's page."""
    first = start(len(rows), key)
    return rows[first : first + PAGE]


def paged(store: Store, status: GoldStatus, count: int) -> list[tuple[GoldEntry, Item]]:
    """The entries with this status on the user's page, with their items."""
    return with_items(store, store.gold.page(status, start=start(count, f"page-{status}"), size=PAGE))


def with_items(store: Store, entries: Sequence[GoldEntry]) -> list[tuple[GoldEntry, Item]]:
    """The entries with their items."""
    items = store.gold.items(entries)
    return [(entry, items[entry.gold_id]) for entry in entries]
