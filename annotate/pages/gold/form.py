"""The form that writes a reference: the box with its note and mark, a check per answer, and the buttons that save and skip."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from html import escape

import streamlit as st

from annotate.analysis.gold import model_draft
from annotate.domain.gold import GoldEntry, stands
from annotate.domain.gold.drafts import DraftVersion, ReferenceDraft
from annotate.domain.sign_in.roles import Act
from annotate.pages.gold import actions, asking, drafting, offers
from annotate.pages.gold.actions import Conflict
from annotate.pages.kit import actor as kit_actor
from annotate.pages.kit import privacy, reruns, stand_ins, texts
from annotate.pages.kit.messages import marked, say
from annotate.pages.kit.privacy import escaped
from annotate.store import Store
from annotate.workflow.gold import drafts
from proxy.records import Item

SAVED = "reference-saved"
HEIGHT = 190
# Emphasis, code, a link, or a line that begins as a heading, a quotation or an item of a list.
MARKDOWN = re.compile(r"(?<!\w)\*\S[^*\n]*\*|`[^`\n]+`|\]\(\S|^ {0,3}(#{1,6}|>|[-*+]|\d+[.)]) +\S", re.MULTILINE)


def say_saved() -> None:
    """Say that the last reference was saved, over the page and once."""
    if news := st.session_state.pop(SAVED, None):
        st.toast(news, icon=":material/check:")


def show(store: Store, items: Mapping[int, Item], references: Sequence[GoldEntry]) -> None:
    """The form for the wrong answers to a question, by row, and below it what the box may begin as."""
    answers = tuple(items)
    who, kept = kit_actor.name_given(), store.gold.drafts.of_question(answers[0])
    screen = drafting.on_screen()
    others = [draft for draft in kept if draft.annotator == who and (screen is None or draft.version != screen.version)]
    if not who:
        kit_actor.when_named(partial(drafting.sign, store))
    with st.container(key="reference-form"):
        with st.container(border=True, key="card-reference", gap="small"):
            _heading(answers, sorted({draft.annotator for draft in kept} - {who}), is_signed=bool(who))
            if any(map(stands, references)):
                st.html(f"<p class='a-small' role='note'>{escape(say('gold_write.second'))}</p>")
            _fields(store, answers)
            if MARKDOWN.search(drafting.typed_text()):
                st.html(f"<p class='a-small' role='note'>{escape(say('gold_write.markdown'))}</p>")
            if len(items) > 1:
                _ticks(store, items)
            if drafting.is_models():
                st.checkbox(say("gold_write.model_read"), key=drafting.key(drafting.READ))
            _refusal()
            _buttons(
                store,
                answers,
                frozenset(entry.gold_id for entry in references),
                [draft.version for draft in others],
            )
        made = model_draft.kept(store, answers[0])
        offers.show(store, answers, offers.offered(store, answers, references, others, made))
        asking.show(store, answers[0], has_draft=made is not None)


def _heading(answers: Sequence[int], colleagues: Sequence[str], *, is_signed: bool) -> None:
    """What the box is for, whether it is kept, who else is at it, and for the browser what this session has of the texts."""
    kept = escape(say("gold_write.kept" if is_signed else "gold_write.unsigned"))
    texts_here = f"data-text='{escape(drafting.typed_text())}' data-note='{escape(drafting.typed_note())}'"
    reasons = "".join(f" data-why-{row}='{escape(drafting.typed_reason(row))}'" for row in answers)
    st.html(f"<h2 class='a-part' {texts_here}{reasons}>{escape(say('gold_write.box'))} <small>{kept}</small></h2>")
    if colleagues:
        names = ", ".join(texts.others(name) for name in colleagues)
        st.caption(escaped(say("gold_write.colleague", names=names)))


def _fields(store: Store, answers: tuple[int, ...]) -> None:
    st.text_area(
        say("gold_write.box"),
        key=drafting.key(drafting.TEXT),
        height=HEIGHT,
        placeholder=say("gold_write.what"),
        label_visibility="collapsed",
        on_change=drafting.keep,
        args=(store, answers),
    )
    st.text_input(
        say("gold.note"),
        key=drafting.key(drafting.NOTE),
        placeholder=say("gold.note"),
        label_visibility="collapsed",
        on_change=drafting.keep,
        args=(store, answers),
    )
    st.checkbox(say("gold.lacks"), key=drafting.key(drafting.LACKS), on_change=drafting.keep, args=(store, answers))


def _ticks(store: Store, items: Mapping[int, Item]) -> None:
    """A check per answer: the reference corrects it, or why it does not."""
    answers = tuple(items)
    with st.container(key="reference-corrects", gap="xxsmall"):
        st.html(f"<p class='a-small'>{escape(say('gold_write.corrects'))}</p>")
        for number, (row, item) in enumerate(items.items(), start=1):
            name = marked("gold_write.answer_number", number=number)
            st.checkbox(
                f"{name} · {escaped(texts.others(item.system))}" if item.system else name,
                key=drafting.key(f"{drafting.CORRECTS}-{row}"),
                on_change=drafting.keep,
                args=(store, answers),
            )
            if not drafting.is_ticked(row):
                words = say("gold_write.why_not", number=number)
                st.text_input(
                    words,
                    key=drafting.key(f"{drafting.WHY}-{row}"),
                    placeholder=words,
                    label_visibility="collapsed",
                    on_change=drafting.keep,
                    args=(store, answers),
                )


def _refusal() -> None:
    """Why the last save was refused; read out when it comes."""
    if refused := reruns.pending_message(actions.REFUSED):
        st.html(f"<p class='a-refused' role='alert'>{escape(privacy.shown(refused))}</p>")


def _buttons(store: Store, answers: tuple[int, ...], known: frozenset[str], seen: Sequence[DraftVersion]) -> None:
    # Of this form alone: a second press of a key finds no button, and nothing is saved for a question that was not read.
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.button(
            say("gold_write.save"),
            type="primary",
            shortcut="Ctrl+Enter",
            key=drafting.key("reference-save"),
            on_click=_save,
            args=(store, answers, known, tuple(seen)),
        )
        st.button(
            say("gold_write.skip"),
            type="tertiary",
            shortcut="Alt+N",
            key=drafting.key("reference-skip"),
            on_click=drafting.skip,
            args=(store, answers),
        )


@kit_actor.writes(Act.WRITE)
def _save(store: Store, answers: tuple[int, ...], known: frozenset[str], seen: Sequence[DraftVersion]) -> None:
    """Write the reference and go on; or say why not and keep what was typed."""
    screen = drafting.on_screen()
    row = answers[0]
    if screen is None or screen.row != row:
        return
    draft, raw = drafting.typed(store, answers)
    if refused := _missing(draft, answers):
        reruns.tell(actions.REFUSED, refused)
        return
    own = (screen.version,) if screen.version else ()

    def act() -> None:
        stand_ins.checked(draft.text, raw)
        is_read = bool(st.session_state.get(drafting.key(drafting.READ)))
        drafts.save(store, answers, draft, actions.actor(), (*own, *seen), known=known, is_read=is_read)

    def mine() -> Conflict:
        theirs = [entry for entry in store.gold.answers.references(row) if entry.gold_id not in known]
        return Conflict(theirs[0].gold_id if theirs else "", draft.text, draft.note.strip() or None, row)

    if actions.attempt(act, mine):
        st.session_state.pop(actions.REFUSED, None)
        left = sum(answer.item in answers for answer in draft.left_out)
        st.session_state[SAVED] = say("gold_write.saved_left", count=left) if left else say("gold_write.saved")
        drafting.unsigned().pop(row, None)
        drafting.take_off()
    elif any(conflict.item == row for conflict in actions.conflicts().values()):
        st.session_state.pop(actions.REFUSED, None)  # both texts stand above, and say more
        drafting.take_off()


def _missing(draft: ReferenceDraft, answers: Sequence[int]) -> str | None:
    """What the form lacks; None where it can be saved."""
    if not draft.text.strip():
        return say("gold_write.empty")
    if len(draft.left_out) == len(answers):
        return say("gold_write.none_ticked")
    if any(not answer.why.strip() for answer in draft.left_out):
        return say("gold_write.no_reason")
    return None
