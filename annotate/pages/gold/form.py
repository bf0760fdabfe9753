"""The form that writes a reference: the box with its note and mark, and the buttons that save and skip."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape

import streamlit as st

from annotate.analysis.gold import model_draft
from annotate.domain.gold import Overtaken
from annotate.domain.gold.drafts import DraftVersion, ReferenceDraft
from annotate.domain.sign_in.roles import Act
from annotate.pages.gold import actions, asking, drafting, offers, shown
from annotate.pages.gold.actions import Conflict
from annotate.pages.kit import actor as kit_actor
from annotate.pages.kit import privacy, reruns, texts
from annotate.pages.kit.messages import say
from annotate.pages.kit.privacy import escaped
from annotate.store import Store
from annotate.workflow.gold import drafts
from annotate.workflow.gold.review import Actor
from proxy.records import Item

SAVED = "reference-saved"
HEIGHT = 190


def say_saved() -> None:
    """Say that the last reference was saved, over the page and once."""
    if news := st.session_state.pop(SAVED, None):
        st.toast(news, icon=":material/check:")


def show(store: Store, row: int, item: Item) -> None:
    """The form, and below it what the box may begin as."""
    who, kept = kit_actor.name_given(), store.gold.drafts.of_item(row)
    screen = drafting.on_screen()
    others = [draft for draft in kept if draft.annotator == who and (screen is None or draft.version != screen.version)]
    if not who:
        kit_actor.when_named(partial(drafting.sign, store))
    with st.container(key="reference-form"):
        with st.container(border=True, key="card-reference", gap="small"):
            _heading(sorted({draft.annotator for draft in kept} - {who}), is_signed=bool(who))
            _fields(store, row)
            if drafting.is_models():
                st.checkbox(say("gold_write.model_read"), key=drafting.key(drafting.READ))
            _refusal()
            _buttons(store, row, item, [draft.version for draft in others])
        made = model_draft.kept(store, row)
        offers.show(store, row, offers.offered(store, row, item, others, made))
        asking.show(store, row, has_draft=made is not None)


def _heading(colleagues: Sequence[str], *, is_signed: bool) -> None:
    """What the box is for, whether it is kept, who else is at it, and for the browser what this session has of the texts."""
    kept = escape(say("gold_write.kept" if is_signed else "gold_write.unsigned"))
    texts_here = f"data-text='{escape(drafting.typed_text())}' data-note='{escape(drafting.typed_note())}'"
    st.html(f"<h2 class='a-part' {texts_here}>{escape(say('gold_write.box'))} <small>{kept}</small></h2>")
    if colleagues:
        names = ", ".join(texts.others(name) for name in colleagues)
        st.caption(escaped(say("gold_write.colleague", names=names)))


def _fields(store: Store, row: int) -> None:
    st.text_area(
        say("gold_write.box"),
        key=drafting.key(drafting.TEXT),
        height=HEIGHT,
        placeholder=say("gold_write.what"),
        label_visibility="collapsed",
        on_change=drafting.keep,
        args=(store, row),
    )
    st.text_input(
        say("gold.note"),
        key=drafting.key(drafting.NOTE),
        placeholder=say("gold.note"),
        label_visibility="collapsed",
        on_change=drafting.keep,
        args=(store, row),
    )
    st.checkbox(say("gold.lacks"), key=drafting.key(drafting.LACKS), on_change=drafting.keep, args=(store, row))


def _refusal() -> None:
    """Why the last save was refused; read out when it comes."""
    if refused := reruns.pending_message(actions.REFUSED):
        st.html(f"<p class='a-refused' role='alert'>{escape(privacy.shown(refused))}</p>")


def _buttons(store: Store, row: int, item: Item, seen: Sequence[DraftVersion]) -> None:
    # Of this form alone: a second press of a key finds no button, and nothing is saved for an item that was not read.
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.button(
            say("gold_write.save"),
            type="primary",
            shortcut="Ctrl+Enter",
            key=drafting.key("reference-save"),
            on_click=_save,
            args=(store, row, item.id, tuple(seen)),
        )
        st.button(
            say("gold_write.skip"),
            type="tertiary",
            shortcut="Alt+N",
            key=drafting.key("reference-skip"),
            on_click=drafting.skip,
            args=(store, row),
        )


@kit_actor.writes(Act.WRITE)
def _save(store: Store, row: int, item_id: str, seen: Sequence[DraftVersion]) -> None:
    """Write the reference and go on; or say why not and keep what was typed."""
    screen = drafting.on_screen()
    if screen is None or screen.row != row:
        return
    draft, known = drafting.typed(store, row)
    if not draft.text.strip():
        reruns.tell(actions.REFUSED, say("gold_write.empty"))
        return
    own = (screen.version,) if screen.version else ()

    def act() -> None:
        shown.checked(draft.text, known)
        is_read = bool(st.session_state.get(drafting.key(drafting.READ)))
        write(store, row, item_id, draft, actions.actor(), (*own, *seen), is_read=is_read)

    def mine() -> Conflict:
        existing = store.gold.of_item(row)
        return Conflict(existing.gold_id if existing else "", draft.text, draft.note.strip() or None, row)

    if actions.attempt(act, mine):
        st.session_state.pop(actions.REFUSED, None)
        st.session_state[SAVED] = say("gold_write.saved")
        drafting.unsigned().pop(row, None)
        drafting.take_off()
    elif any(conflict.item == row for conflict in actions.conflicts().values()):
        st.session_state.pop(actions.REFUSED, None)  # both texts stand above, and say more
        drafting.take_off()


def write(
    store: Store,
    row: int,
    item_id: str,
    draft: ReferenceDraft,
    actor: Actor,
    seen: Sequence[DraftVersion] = (),
    *,
    is_read: bool = False,
) -> str:
    """Put the reference into the gold set; refused if it is blank, unread, nobody signs it, or another was quicker.

    The same text by the same person again is the same reference.
    """
    actor.checked()
    with store.atomic(durable=True):
        existing = store.gold.of_item(row)
        is_mine = existing is not None and (existing.reference, existing.annotator) == (draft.text.strip(), actor.who)
        if not is_mine and row not in store.gold.without_reference():
            raise Overtaken(say("gold.overtaken"))
        return drafts.save(store, row, item_id, draft, actor, seen, is_read=is_read)
