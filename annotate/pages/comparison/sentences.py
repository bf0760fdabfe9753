"""The answer in one sentence with what it rests on, and the names of both as headings show them."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.comparison.compare import ComparedSystems
from annotate.pages.kit import draw
from annotate.pages.kit.messages import marked, say
from annotate.pages.kit.texts import others
from annotate.present.document import Document

LONGEST = 60


def show(result: ComparedSystems, document: Document) -> None:
    """The sentence with its word and colour, what it rests on, and the rule that the proxy follows."""
    word = say(f"systems.word_{result.comparison.standing.name.lower()}")
    draw.answer(document, word)
    draw.section(document.sections[0])
    rule = result.rule
    st.caption(marked("systems.rule", rule=f"`{rule.expression}`", name=rule.name, version=rule.version))


def name(text: str) -> str:
    """The name of a system, short enough for a heading."""
    shown = others(text)
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"


def names(result: ComparedSystems) -> tuple[str, str]:
    """Both names, each with its letter where they are the same as far as they are shown."""
    first, second = (name(side.name) for side in result.sides)
    return (first, second) if first != second else (f"A: {first}", f"B: {second}")
