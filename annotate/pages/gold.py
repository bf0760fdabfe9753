"""What do we know for sure? First the references that are missing, then the candidates to review, then the gold set."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from math import ceil
from pathlib import Path

import streamlit as st

from annotate.gold import GoldEntry, GoldStatus, export_row
from annotate.pages import acting, references, texts
from annotate.pages.steps import for_store, next_step
from annotate.report import build
from annotate.store import Store
from proxy.errors import AssayError, UsageError
from proxy.records import Item
from proxy.text import displayable

PAGE = 10
MEANINGS = {
    GoldStatus.CANDIDATE: ("Candidates", "References that nobody has reviewed yet."),
    GoldStatus.ACCEPTED: ("Gold set", "References that a person has accepted."),
    GoldStatus.RETIRED: ("Retired", "Taken out; they and their history are kept."),
}
MISSING = "Answers that people call wrong, without a right one beside them."


def show(store: Store) -> None:
    """The page."""
    title, name = st.columns([3, 1], vertical_alignment="bottom")
    title.title("What do we know for sure?")
    with name:
        who = acting.ask_who()
    acting.say_news()
    counts = store.gold.counts()
    missing = len(store.gold.without_reference())
    _counts(missing, counts)
    if not missing and not any(counts.values()):
        _begin(store)
        return
    st.subheader("Wrong answers that need a reference", anchor=False)
    references.show(store, who)
    st.subheader("Candidates to review", anchor=False)
    _candidates(store, counts[GoldStatus.CANDIDATE], who)
    st.subheader("The gold set", anchor=False)
    _accepted(store, counts[GoldStatus.ACCEPTED], who)
    if counts[GoldStatus.RETIRED]:
        st.caption(f"{counts[GoldStatus.RETIRED]:,} retired entries are kept with their history; this lists them:")
        st.code(for_store("assay gold list --status retired", store.path), language=None)


def _counts(missing: int, counts: dict[GoldStatus, int]) -> None:
    """How many items stand where."""
    with st.grid(4):
        st.metric("Need a reference", f"{missing:,}", border=True, help=MISSING)
        for status, (words, meaning) in MEANINGS.items():
            st.metric(words, f"{counts[status]:,}", border=True, help=meaning)


def _begin(store: Store) -> None:
    """What to do where no label has offered anything yet."""
    st.info("The gold set grows out of labels, and none has offered a reference yet.", title="Nothing here yet")
    step = next_step(build(store, now=acting.now()))
    st.markdown(texts.escaped(step.words))
    st.code("\n".join(for_store(command, store.path) for command in step.commands), language=None)


def _candidates(store: Store, count: int, who: str) -> None:
    """The candidates, a page at a time: accept or retire one, or several at once."""
    if not count:
        st.caption("None. Answers that people call right, and references that they write, become candidates.")
        return
    st.caption(
        "Accept a reference if the app should answer like this. What people call right is offered as its own reference."
    )
    shown = _page(store, GoldStatus.CANDIDATE, count)
    keys = {one.gold_id: f"choose-{one.gold_id}" for one, _ in shown}
    chosen = [gold_id for gold_id, key in keys.items() if st.session_state.get(key)]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Choose all on this page", on_click=_choose, args=(list(keys.values()), True))
        is_none = not chosen
        _button(
            f"Accept {len(chosen)} chosen",
            store,
            chosen,
            GoldStatus.ACCEPTED,
            who,
            key="accept-chosen",
            disabled=is_none,
        )
        _button(
            f"Retire {len(chosen)} chosen",
            store,
            chosen,
            GoldStatus.RETIRED,
            who,
            key="retire-chosen",
            disabled=is_none,
        )
    for entry, item in shown:
        with st.container(border=True):
            texts_side, actions = st.columns([5, 1], gap="medium")
            with texts_side:
                _entry(entry, item)
            with actions:
                st.checkbox("Choose", key=keys[entry.gold_id])
                _button("Accept", store, [entry.gold_id], GoldStatus.ACCEPTED, who, key=f"accept-{entry.gold_id}")
                _button("Retire", store, [entry.gold_id], GoldStatus.RETIRED, who, key=f"retire-{entry.gold_id}")


def _accepted(store: Store, count: int, who: str) -> None:
    """The accepted entries, a page at a time, and the file with all of them."""
    if not count:
        st.caption("Nothing yet: accept a candidate above.")
        return
    st.download_button(
        f"Download all {count:,} as JSONL",
        data=partial(jsonl, store.path),
        file_name="gold.jsonl",
        mime="application/jsonl",
        on_click="ignore",
        icon=":material/download:",
    )
    for entry, item in _page(store, GoldStatus.ACCEPTED, count):
        with st.container(border=True, gap="xsmall"):
            _entry(entry, item)
            with st.container(horizontal=True, vertical_alignment="center"):
                with st.popover("History"):
                    _history(store, entry.gold_id)
                with st.popover("Retire"):
                    why = st.text_input("Why?", key=f"why-{entry.gold_id}", help="Kept in the history of this entry.")
                    _button(
                        "Retire",
                        store,
                        [entry.gold_id],
                        GoldStatus.RETIRED,
                        who,
                        key=f"retire-{entry.gold_id}",
                        why=why,
                    )


def _history(store: Store, gold_id: str) -> None:
    """Who did what with an entry, oldest first."""
    for at, status, who, why in store.gold.history(gold_id):
        words = f"{_moment(at)}  {status}" + (f" by {who}" if who else "") + (f": {why}" if why else "")
        st.text(displayable(words))


def _page(store: Store, status: GoldStatus, count: int) -> list[tuple[GoldEntry, Item]]:
    """The entries of the page that the reader is on, with their items."""
    pages, number = ceil(count / PAGE), 1
    if pages > 1:
        number = min(st.pagination(pages, key=f"page-{status}"), pages)
    entries = store.gold.page(status, start=(number - 1) * PAGE, size=PAGE)
    items = store.items.read([entry.item for entry in entries])
    return [(entry, items[entry.item]) for entry in entries]


def _entry(entry: GoldEntry, item: Item) -> None:
    """Question and reference side by side, with where they come from."""
    question, reference = st.columns(2, gap="medium")
    with question:
        texts.heading("Question")
        texts.show(item.question, f"question-{entry.gold_id}")
    with reference:
        texts.heading("Reference")
        texts.show(entry.reference, f"reference-{entry.gold_id}")
    who = f" ({entry.annotator})" if entry.annotator else ""
    st.text(displayable(f"{entry.source}{who} · item {entry.item_id} · {entry.gold_id}"))


def _choose(keys: Sequence[str], is_chosen: bool) -> None:
    for key in keys:
        st.session_state[key] = is_chosen


def _button(
    words: str,
    store: Store,
    gold_ids: Sequence[str],
    status: GoldStatus,
    who: str,
    *,
    key: str,
    why: str | None = None,
    disabled: bool = False,
) -> None:
    """A button that gives entries a status."""
    if not st.button(words, key=key, disabled=disabled):
        return
    try:
        changed = change(store, gold_ids, status, who=who, why=why or None, now=acting.now())
    except AssayError as error:
        st.error(texts.escaped(str(error)), title="Not changed")
        return
    acting.tell(f"{changed:,} {'entry' if changed == 1 else 'entries'} {status}.")
    st.rerun()


def change(store: Store, gold_ids: Sequence[str], status: GoldStatus, *, who: str, why: str | None, now: str) -> int:
    """Accept or retire entries in the name of a person."""
    if not who:
        raise UsageError("give your name at the top of the page first: it is kept in the history")
    with store.atomic(durable=True):
        changed = store.gold.set_status(gold_ids, status, who=who, why=why, now=now)
        store.events.append(f"gold {status}", {"gold_ids": list(gold_ids)}, who=who, now=now)
    return changed


def jsonl(path: Path) -> bytes:
    """The accepted entries as the gold file holds them; read through a connection of its own, for it runs beside the page."""
    store = Store(path)
    try:
        return "".join(_lines(store)).encode()
    finally:
        store.close()


def _lines(store: Store) -> Iterator[str]:
    entries = store.gold.entries(GoldStatus.ACCEPTED)
    for entry in entries:
        row = export_row(entry, store.items.get(entry.item), store.labels.of_item(entry.item))
        yield json.dumps(row, allow_nan=False) + "\n"


def _moment(at: str) -> str:
    """A time as people read it."""
    return at[:16].replace("T", " ") + " UTC"
