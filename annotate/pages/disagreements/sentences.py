"""The answer with the sentences marked that a judge finds no support for: by underline, sign and word beside the colour.

The rule: what reaches the browser is built here from escaped text; nothing that others wrote is read as HTML or markdown.
"""

from __future__ import annotations

from html import escape

import streamlit as st

from annotate.analysis.disagreements import ItemDetail, Sentences
from annotate.domain.sentence_marks import MarkedAnswer, Piece, SentenceMark, marked
from annotate.pages.kit import chat, texts
from annotate.pages.kit.messages import say
from annotate.pages.kit.sheet import Sheet
from proxy.records import Support

LONGEST = 20_000
MOST_MARKS = 100
SIGNS = {Support.NOT_FOUND: "✗", Support.CONTRADICTED: "⚠", Support.UNSURE: "?"}


def show(known: ItemDetail, sheet: Sheet, key: str) -> None:
    """The answer, marked by the judge that the user chooses; as it is where no judge has judged its sentences."""
    answer = known.item.answer
    if known.is_forgotten or not known.sentences:
        chat.answer(answer, say("disagreements.answer"), sheet, key)
        if not known.is_forgotten:
            sheet.note(say("disagreements.no_sentences"))
        return
    chosen = _chosen(known, sheet, key)
    marked_answer = marked(answer[:LONGEST], chosen.verdicts)
    chat.answer_box("".join(map(_piece, marked_answer.pieces)), say("disagreements.answer"), sheet)
    if len(answer) > LONGEST:
        sheet.draw()
        with st.expander(say("disagreements.cut", count=LONGEST), key=f"{key}-whole", on_change="rerun") as rest:
            if rest.open:
                st.text(texts.others(answer))
    _say(marked_answer, chosen, sheet, key)


def _chosen(known: ItemDetail, sheet: Sheet, key: str) -> Sentences:
    """The judge whose word is shown: the rule's own unless the user wants another."""
    if len(known.sentences) == 1:
        return known.sentences[0]
    sheet.draw()
    place = st.segmented_control(
        say("disagreements.marked_by"),
        range(len(known.sentences)),
        format_func=lambda index: texts.others(known.sentences[index].signature),
        default=0,
        required=True,
        key=f"{key}-marked-by",
    )
    return known.sentences[place or 0]


def _piece(piece: Piece) -> str:
    """A part of the answer as HTML: escaped, in its own direction, with its note where it is marked, or its passage."""
    text = escape(texts.others(piece.text))
    if piece.mark is not None:
        support = piece.mark.verdict.support.value
        return (
            f"<mark class='{support}'><bdi>{text}</bdi></mark><small class='d-note'>{escape(_note(piece.mark))}</small>"
        )
    if piece.passage is not None:
        words = escape(say("disagreements.rests_on", rank=piece.passage))
        return f"<bdi>{text}</bdi><sup title='{words}'>{piece.passage}</sup>"
    return f"<bdi>{text}</bdi>"


def _note(mark: SentenceMark) -> str:
    """The sign, the number and the word of a mark."""
    support = mark.verdict.support
    return f"{SIGNS[support]} {mark.number} {say(f'disagreements.support_{support.value}')}"


def _say(marked_answer: MarkedAnswer, sentences: Sentences, sheet: Sheet, key: str) -> None:
    """How many sentences are marked, who says so, and what each mark rests on."""
    judge = texts.others(sentences.signature)
    claims = marked_answer.claims
    supported = max(0, claims - len(marked_answer.marks))
    sheet.note(say("disagreements.marks", judge=judge, supported=supported, claims=claims))
    if not sentences.is_rule:
        sheet.note(say("disagreements.marked_by_other"))
    notes = [_line(mark, is_lost=mark in marked_answer.lost) for mark in marked_answer.marks[:MOST_MARKS]]
    if notes:
        sheet.draw()
        with st.expander(say("disagreements.why_marked"), key=f"{key}-why-marked", on_change="rerun") as why:
            if why.open:
                st.text("\n\n".join(notes))


def _line(mark: SentenceMark, *, is_lost: bool) -> str:
    """What one mark rests on: the nearest words in the passages, and the judge's hints; a lost sentence is quoted."""
    verdict = mark.verdict
    near = (
        say("disagreements.nearest", rank=verdict.passage, quote=verdict.quote)
        if verdict.passage is not None and verdict.quote
        else say("disagreements.no_nearest")
    )
    lost = [say("disagreements.lost", sentence=verdict.sentence)] if is_lost else []
    return texts.others(" · ".join([_note(mark), *lost, near, *verdict.notes]))
