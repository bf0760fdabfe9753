"""What is to be read before a reference is written: the conversation, each wrong answer with what was said of it, passages.

The rule: words that passages share with question and answers are marked here alone, where the verdict is given.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from annotate.domain.annotation import SERIOUS
from annotate.domain.gold.answers import ComparedAnswer
from annotate.domain.passages import PassageName
from annotate.pages.kit import chat, feedback, passages, texts
from annotate.pages.kit.messages import render, say
from annotate.pages.kit.sheet import Sheet, markup
from annotate.present import naming
from annotate.store import Store
from proxy.records import Context, Item, Judgement, Label
from proxy.text.tokens import content_words, phrases


def show(store: Store, items: Mapping[int, Item]) -> None:
    """All that is known of the wrong answers to a question, by row, in the order in which it is read."""
    rows, several, sheet = list(items), len(items) > 1, Sheet()
    first, key = items[rows[0]], f"queue-{rows[0]}"
    left_out = store.gold.answers.left_out(rows)
    chat.show(first, sheet, key)
    for number, (row, item) in enumerate(items.items(), start=1):
        title = say("gold_write.answer_of", number=number, count=len(items)) if several else say("gold_write.answer")
        _answer(store, row, item, title, [answer for answer in left_out if answer.item == row], sheet)
    contexts, names, places = _passages(list(items.values()))
    if contexts:
        sheet.put(_tools(list(items.values()), contexts))
        sheet.draw()
    passages.show(contexts, names, sheet, key, is_folded=True, notes=_found_for(places, len(items)))
    sheet.draw()


def _answer(store: Store, row: int, item: Item, title: str, left_out: Sequence[ComparedAnswer], sheet: Sheet) -> None:
    """An answer with its chips, what users and annotators say of it, and why a reference leaves it out."""
    label, key = store.labels.of_item(row), f"queue-{row}"
    if chips := [*_chips(item, label)]:
        sheet.chips(chips)
    chat.answer(item.answer, title, sheet, key)
    for place, answer in enumerate(left_out):
        head = say("gold_write.left_out", who=texts.others(answer.who), at=texts.day(answer.at))
        sheet.line(f"<b>{escape(head)}</b>", answer.why, f"{key}-left-{place}", "rationale")
    feedback.show(store.traffic.feedback.of_item(item.id), sheet, key)
    _notes(store, row, label, sheet, key)


def _chips(item: Item, label: Label | None) -> Iterator[tuple[str, str]]:
    """Harm, causes, and where the answer comes from."""
    if label is not None and label.harm == SERIOUS:
        yield "bad", say("gold_write.serious")
    for cause in label.causes if label else ():
        yield "", render(naming.cause(cause))
    for text in (item.system, item.timestamp and texts.day(item.timestamp)):
        if text:
            yield "", texts.others(text)


def _passages(items: Sequence[Item]) -> tuple[list[Context], list[PassageName], list[list[int]]]:
    """Return the passages of all answers, a text of one date and source once, with their names, and which answers had each.

    Those of the first answer come first.
    """
    contexts, names = dict[tuple[str, str], Context](), dict[tuple[str, str], PassageName]()
    places = dict[tuple[str, str], list[int]]()
    for number, item in enumerate(items, start=1):
        for place, (context, name) in enumerate(zip(item.contexts, texts.passage_names(item), strict=True)):
            passage = (context.text, name.origin)
            # The first answer's passages keep their ranks: a number in a note is one of its passages.
            if number == 1 and passage in contexts:
                passage = (f"{place}:{context.text}", name.origin)
            contexts.setdefault(passage, context)
            names.setdefault(passage, name)
            if number not in places.setdefault(passage, []):
                places[passage].append(number)
    return list(contexts.values()), list(names.values()), list(places.values())


def _found_for(places: Sequence[Sequence[int]], count: int) -> list[str]:
    """Say of each passage which answers it was found for; nothing where that is all of them."""
    return [
        "" if len(numbers) == count else say("gold_write.found_for", numbers=", ".join(map(str, numbers)))
        for numbers in places
    ]


def _tools(items: Sequence[Item], contexts: Sequence[Context]) -> str:
    """Find in the passages, and copy what is marked there; for the browser the words that they share with the texts above."""
    asked, answered = (
        _shared([texts.others(text) for text in above], contexts)
        for above in ([items[0].question], [item.answer for item in items])
    )
    find, copy = escape(say("gold_write.find")), escape(say("gold_write.copy"))
    return (
        f"<div class='a-tools' data-shared='{escape(json.dumps([answered, asked], ensure_ascii=False))}'>"
        f"<input type='search' placeholder='{find}' aria-label='{find}'>"
        f"<span role='status' data-none='{escape(say('gold_write.found_none'))}'></span>"
        f"<button type='button' title='{escape(say('gold_write.copy_what'))}'>{copy} <kbd>Alt+C</kbd></button>"
        f"<p class='a-small'>{escape(say('gold_write.tools'))}</p></div>"
    )


def _shared(above: Sequence[str], contexts: Sequence[Context]) -> list[str]:
    """The words of the texts above that a passage on screen has too, as either writes them."""
    retrieved = [texts.others(context.text) for context in contexts]
    shared = _words_of(above) & _words_of(retrieved)
    return sorted({phrase.text for text in (*above, *retrieved) for phrase in phrases(text, shared)})


def _words_of(written: Sequence[str]) -> set[str]:
    return {token for text in written for token in content_words(text)}


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
