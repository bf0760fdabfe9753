"""What is to be read before a reference is written: the conversation, the answer, what people said of it, the passages.

Texts of others are HTML here, each escaped, because a conversation is bubbles and a passage folds without asking the server. A
text that is too long to be sent at once is shown as on every page.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from annotate.domain.feedback import Feedback
from annotate.pages.kit import privacy, texts
from annotate.pages.kit.messages import say, told
from annotate.present.gold import coverage as gold_coverage
from annotate.store import Store
from proxy.records import Context, Item, Judgement, Label, Turn

LAST_TURNS = 2
LONG_TURN = 400
BEGINNING = 90
SHOWN_FEEDBACK = 3
THUMBS = {-1: "thumb_down", 0: "thumb_none", 1: "thumb_up"}
USERS = ("user", "human")


def show(store: Store, row: int, item: Item) -> None:
    """All that is known of an answer, in the order in which it is read."""
    label, key = store.labels.of_item(row), f"queue-{row}"
    _chips(item, label)
    with st.container(gap="xsmall"):
        _conversation(item, key)
        _bubble(say("gold_write.answer"), item.answer, f"{key}-answer", "a-answer")
    _feedback(store.traffic.feedback.of_item(item.id))
    _notes(store, row, label)
    _passages(item.contexts, key)


def _html(text: str, *fields: str) -> str:
    """A text of others as HTML that shows it literally."""
    return escape(texts.others(text, *fields))


def _cut(text: str, *fields: str) -> str:
    """The same of a text of which a page's worth is enough."""
    shown = texts.others(text, *fields)
    return escape(shown if len(shown) <= texts.SHOWN_CHARACTERS else f"{shown[: texts.SHOWN_CHARACTERS]} …")


def _is_long(text: str, *fields: str) -> bool:
    return len(text) > texts.SHOWN_CHARACTERS and not any(map(privacy.hides, fields))


def _chips(item: Item, label: Label | None) -> None:
    """Harm, causes, and where the answer comes from."""
    chips = [f"<span class='a-chip harm'>{escape(say('gold_write.serious'))}</span>"] if _is_serious(label) else []
    causes = [escape(told(gold_coverage.cause(cause))) for cause in (label.causes if label else ())]
    came = " · ".join(part for part in (item.system, item.timestamp and texts.day(item.timestamp)) if part)
    chips += [f"<span class='a-chip'>{words}</span>" for words in (*causes, _html(came)) if words]
    if chips:
        st.html(f"<div class='a-chips'>{' '.join(chips)}</div>")


def _is_serious(label: Label | None) -> bool:
    return label is not None and label.harm == "serious"


def _conversation(item: Item, key: str) -> None:
    """The last turns and the question; those before them are folded."""
    earlier, last = item.history[:-LAST_TURNS], item.history[-LAST_TURNS:]
    if earlier:
        words = say("gold_write.earlier", count=len(earlier))
        if any(_is_long(turn.text, "history") for turn in earlier):
            with st.expander(words, type="compact", key=f"{key}-earlier", on_change="rerun") as box:
                if box.open:
                    texts.show_conversation(earlier, key)
        else:
            turns = "".join(_turn(turn) for turn in earlier)
            st.html(
                f"<details class='a-fold'><summary>{escape(words)}</summary><div class='a-chat'>{turns}</div></details>"
            )
    for place, turn in enumerate(last, start=len(earlier)):
        if _is_long(turn.text, "history"):
            _bubble(_speaker(turn), turn.text, f"{key}-turn-{place}", "", "history")
        else:
            st.html(f"<div class='a-chat'>{_turn(turn)}</div>")
    _bubble(say("gold_write.user"), item.question, f"{key}-question", "user now")


def _turn(turn: Turn) -> str:
    """A turn as a bubble; of a long one the beginning, which opens."""
    text, kind = texts.others(turn.text, "history"), "user" if (turn.role or "").lower() in USERS else "app"
    body = f"<span>{escape(text)}</span>" if len(text) <= LONG_TURN else _folded(f"{text[:LONG_TURN]} …", text)
    return f"<div class='a-bubble {kind}'><b>{escape(_speaker(turn))}</b>{body}</div>"


def _speaker(turn: Turn) -> str:
    role = (turn.role or "").lower()
    if role in (*USERS, "assistant"):
        return say("gold_write.user" if role in USERS else "gold_write.assistant")
    return texts.others(turn.role or "")


def _folded(beginning: str, whole: str) -> str:
    """The beginning of a text, in whose place all of it comes when it is opened."""
    return f"<details><summary><i>{escape(beginning)}</i></summary><span>{escape(whole)}</span></details>"


def _bubble(who: str, text: str, key: str, kind: str, *fields: str) -> None:
    """A text by somebody; a very long one as on every page."""
    if _is_long(text, *fields):
        with st.container(border=True, gap="xsmall"):
            texts.heading(who)
            texts.show(text, key, *fields)
        return
    shown = _html(text, *fields) if text.strip() else escape(say("texts.empty"))
    st.html(f"<div class='a-chat'><div class='a-bubble {kind}'><b>{escape(who)}</b><span>{shown}</span></div></div>")


def _feedback(given: Sequence[Feedback]) -> None:
    """What end users said of the answer, complaints first."""
    for feedback in given[:SHOWN_FEEDBACK]:
        lines = [f"<p class='a-muted'>{escape(say(f'gold_write.{THUMBS[feedback.sign]}'))}</p>"]
        if comment := (feedback.comment or "").strip():
            lines.append(f"<p>“{_cut(comment, 'comment')}”</p>")
        if correction := (feedback.correction or "").strip():
            lines.append(f"<p><b>{escape(say('gold_write.correction'))}</b> {_cut(correction, 'correction')}</p>")
        st.html(f"<div class='a-said{' down' if feedback.sign < 0 else ''}'>{''.join(lines)}</div>")


def _notes(store: Store, row: int, label: Label | None) -> None:
    """Who labelled the answer, as what, and why."""
    readings = store.labels.annotations(row, store.labels.disagreements.draw_of_label(row)) if label else []
    given = [
        (each.annotator, each.judgement, each.rationale) for each in readings if each.judgement and not each.deleted
    ]
    if label and not given:
        given = [(label.annotator or texts.UNKNOWN, label.judgement, label.rationale)]
    lines = [_note(*note) for note in given]
    if lines:
        st.html(f"<div class='a-notes'>{''.join(lines)}</div>")


def _note(who: str, judgement: Judgement, why: str | None) -> str:
    note = f": {_cut(why, 'rationale')}" if why and why.strip() else ""
    return f"<p><b>{_html(who)}</b> · {escape(say(f'gold.label_{judgement.value}'))}{note}</p>"


def _passages(contexts: Sequence[Context], key: str) -> None:
    """Each passage by its title, or by its beginning where it has none; it opens where it stands."""
    if not contexts:
        st.caption(say("texts.no_passage"))
        return
    rows = list[str]()
    texts.heading(say("gold_write.passages", count=len(contexts)))
    for rank, context in enumerate(contexts[: texts.SHOWN_PASSAGES], start=1):
        title = texts.others(context.title, "title") if context.title else texts.others(context.id or "")
        name = f"<b>{rank}{escape(f' · {title}') if title else ''}</b>"
        if _is_long(context.text):
            _flush(rows)
            st.html(f"<p class='a-passage'>{name}</p>")
            texts.show(context.text, f"{key}-passage-{rank}")
            continue
        text = texts.others(context.text)
        begins = "" if title else f" <i>{escape(text[:BEGINNING])}{' …' if len(text) > BEGINNING else ''}</i>"
        rows.append(
            f"<details class='a-passage'><summary>{name}{begins}</summary><span>{escape(text)}</span></details>"
        )
    _flush(rows)
    if len(contexts) > texts.SHOWN_PASSAGES:
        st.caption(say("texts.more_passages", count=len(contexts) - texts.SHOWN_PASSAGES))


def _flush(rows: list[str]) -> None:
    """Draw the passages so far."""
    if rows:
        st.html("".join(rows))
        rows.clear()
