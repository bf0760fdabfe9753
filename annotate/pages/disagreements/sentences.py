"""The answer with the sentences marked that a judge finds no support for: by underline, sign and word beside the colour.

The rule: what reaches the browser is built here from escaped text; nothing that others wrote is read as HTML or markdown.
"""

from __future__ import annotations

from html import escape

import streamlit as st

from annotate.analysis.disagreements import ItemDetail, Sentences
from annotate.domain.sentence_marks import MarkedAnswer, Piece, SentenceMark, marked
from annotate.pages.kit import texts
from annotate.pages.kit.messages import say
from proxy.records import Support

LONGEST = 20_000
MOST_MARKS = 100
SIGNS = {Support.NOT_FOUND: "✗", Support.CONTRADICTED: "⚠", Support.UNSURE: "?"}
BOX = "white-space:pre-wrap;overflow-wrap:anywhere;max-height:600px;overflow:auto;line-height:1.7"
LINE = (
    "text-decoration:underline;text-decoration-style:{style};text-decoration-color:#D55E00;text-underline-offset:0.2em;"
    "background:rgba(213,94,0,0.13)"
)
STYLES = {Support.NOT_FOUND: "wavy", Support.CONTRADICTED: "double", Support.UNSURE: "dotted"}
NOTE = (
    "font-size:0.8em;font-weight:600;border:1px solid #D55E00;border-radius:0.4em;padding:0 0.35em;margin:0 0.3em;"
    "white-space:nowrap"
)


def show(known: ItemDetail, key: str) -> None:
    """The answer, marked by the judge that the user chooses; as it is where no judge has judged its sentences."""
    if known.is_forgotten or not known.sentences:
        texts.show(known.item.answer, f"{key}-answer")
        if not known.is_forgotten:
            st.caption(say("disagreements.no_sentences"))
        return
    chosen = _chosen(known, key)
    marked_answer = marked(known.item.answer[:LONGEST], chosen.verdicts)
    st.html(f'<div dir="auto" style="{BOX}">{"".join(map(_piece, marked_answer.pieces))}</div>')
    if len(known.item.answer) > LONGEST:
        st.caption(say("disagreements.cut", count=LONGEST))
    _say(marked_answer, chosen)


def _chosen(known: ItemDetail, key: str) -> Sentences:
    """The judge whose word is shown: the rule's own unless the user wants another."""
    if len(known.sentences) == 1:
        return known.sentences[0]
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
    """A part of the answer as HTML: escaped, in its own direction, with its note where it is marked."""
    text = escape(texts.others(piece.text))
    if piece.mark is None:
        return f"<bdi>{text}</bdi>"
    support = piece.mark.verdict.support
    line = LINE.format(style=STYLES[support])
    return f'<bdi style="{line}">{text}</bdi><span style="{NOTE}">{escape(_note(piece.mark))}</span>'


def _note(mark: SentenceMark) -> str:
    """The sign, the number and the word of a mark."""
    support = mark.verdict.support
    return f"{SIGNS[support]} {mark.number} {say(f'disagreements.support_{support.value}')}"


def _say(marked_answer: MarkedAnswer, sentences: Sentences) -> None:
    """How many sentences are marked, who says so, and what each mark rests on."""
    judge = texts.others(sentences.signature)
    st.text(say("disagreements.marks", judge=judge, marks=len(marked_answer.marks), claims=marked_answer.claims))
    if not sentences.is_rule:
        st.caption(say("disagreements.marked_by_other"))
    notes = [_line(mark, is_lost=mark in marked_answer.lost) for mark in marked_answer.marks[:MOST_MARKS]]
    if notes:
        with st.expander(say("disagreements.why_marked"), key="disagreements-why-marked"):
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
