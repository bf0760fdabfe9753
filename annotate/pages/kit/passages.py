"""The passages that the app had found for an answer, in its order."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from annotate.domain.passages import PassageName
from annotate.pages.kit import texts
from annotate.pages.kit.messages import say
from annotate.pages.kit.sheet import Sheet, is_long, markup
from proxy.records import Context

BEGINNING = 90


def show(
    contexts: Sequence[Context],
    names: Sequence[PassageName],
    sheet: Sheet,
    key: str,
    *,
    is_folded: bool = False,
    notes: Sequence[str] = (),
) -> None:
    """The first passages, each whole or folded to its title, or to its beginning where it has none; the rest on demand.

    `names` are those of `texts.passage_names`, and stand before each passage; `notes` say something more of each.
    """
    put, first = _put_folded if is_folded else _put, contexts[: texts.SHOWN_PASSAGES]
    # Where a form stands below them on a narrow screen, the script of that form folds them all.
    is_one = is_folded and not any(is_long(context.text) for context in first)
    sheet.put("<details class='a-passages' open><summary>" if is_one else "")
    sheet.heading(say("texts.passages", count=len(contexts)))
    sheet.put("</summary>" if is_one else "")
    if not contexts:
        sheet.note(say("texts.no_passage"))
    named = [
        (_name(rank, name, notes[rank - 1] if notes else ""), context)
        for rank, (context, name) in enumerate(zip(contexts, names, strict=True), start=1)
    ]
    for rank, (name, context) in enumerate(named[: texts.SHOWN_PASSAGES], start=1):
        put(rank, name, context, sheet, key)
    sheet.put("</details>" if is_one else "")
    if below := named[texts.SHOWN_PASSAGES :]:
        sheet.draw()
        words = say("texts.passages_below", count=len(below))
        with st.expander(words, key=f"{key}-passages", on_change="rerun") as rest:
            for rank, (name, context) in enumerate(below if rest.open else (), start=texts.SHOWN_PASSAGES + 1):
                put(rank, name, context, sheet, key)
            sheet.draw()


def _put(rank: int, name: str, context: Context, sheet: Sheet, key: str) -> None:
    sheet.line(f"{name}<br>", context.text, f"{key}-passage-{rank}")


def _put_folded(rank: int, name: str, context: Context, sheet: Sheet, key: str) -> None:
    """A passage that opens where it stands; a very long one, in part, as on every page."""
    if is_long(context.text):
        _put(rank, name, context, sheet, key)
        return
    text = texts.others(context.text)
    is_named = bool(context.title or context.id)
    begins = "" if is_named else f" <i><bdi>{escape(text[:BEGINNING])}{' …' if len(text) > BEGINNING else ''}</bdi></i>"
    sheet.put(f"<details class='a-fold'><summary>{name}{begins}</summary>{markup(context.text)}</details>")


def _name(rank: int, name: PassageName, note: str) -> str:
    """Rank, title, date and source; for the browser, what a text that is copied from here is called."""
    title = f" · <bdi class='a-text'>{escape(name.title)}</bdi>" if name.title else ""
    origin = f" · <bdi class='a-text'>{escape(name.origin)}</bdi>" if name.origin else ""
    source = " · ".join(filter(None, (say("texts.passage", rank=rank), name.title)))
    after = f" <small>{escape(note)}</small>" if note else ""
    return f"<b data-source='{escape(source)}'>{rank}{title}</b>{origin}{after}"
