"""What is to be read before a reference is written: the conversation, the answer, what users and annotators say, passages."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from annotate.domain.annotation import SERIOUS
from annotate.pages.kit import chat, feedback, passages, texts
from annotate.pages.kit.messages import render, say
from annotate.pages.kit.sheet import Sheet, markup
from annotate.present.gold import coverage as gold_coverage
from annotate.store import Store
from proxy.records import Item, Judgement, Label


def show(store: Store, row: int, item: Item) -> None:
    """All that is known of an answer, in the order in which it is read."""
    label, key, sheet = store.labels.of_item(row), f"queue-{row}", Sheet()
    if chips := [*_chips(item, label)]:
        sheet.chips(chips)
    chat.show(item, sheet, key)
    chat.answer(item.answer, say("gold_write.answer"), sheet, key)
    feedback.show(store.traffic.feedback.of_item(item.id), sheet, key)
    _notes(store, row, label, sheet, key)
    passages.show(item.contexts, sheet, key, is_folded=True)
    sheet.draw()


def _chips(item: Item, label: Label | None) -> Iterator[tuple[str, str]]:
    """Harm, causes, and where the answer comes from."""
    if label is not None and label.harm == SERIOUS:
        yield "bad", say("gold_write.serious")
    for cause in label.causes if label else ():
        yield "", render(gold_coverage.cause(cause))
    for text in (item.system, item.timestamp and texts.day(item.timestamp)):
        if text:
            yield "", texts.others(text)


def _notes(store: Store, row: int, label: Label | None, sheet: Sheet, key: str) -> None:
    """Who labelled the answer, as what, and why."""
    readings = store.labels.annotations(row, store.labels.disagreements.draw_of_label(row)) if label else []
    given = [
        (reading.annotator, reading.judgement, reading.rationale)
        for reading in readings
        if reading.judgement and not reading.deleted
    ]
    if label and not given:
        given = [(label.annotator or texts.UNKNOWN, label.judgement, label.rationale)]
    for place, (who, judgement, why) in enumerate(given):
        head = f"<b>{markup(who)}</b> · {_judgement_words(judgement, has_reason=bool(why and why.strip()))}"
        sheet.line(head, (why or "").strip(), f"{key}-note-{place}", "rationale")


def _judgement_words(judgement: Judgement, *, has_reason: bool) -> str:
    return escape(say(f"gold.label_{judgement.value}")) + (":" if has_reason else "")
