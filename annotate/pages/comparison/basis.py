"""What the difference rests on: labels and pairs, the method, the rule, and what to know before relying on it."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.comparison.compare import ComparedSystems
from annotate.pages.kit import draw, following, layout
from annotate.pages.kit.messages import marked
from annotate.present.document import Document


def show(result: ComparedSystems, document: Document) -> None:
    """The part."""
    left, right = st.columns(2, gap="large")
    with left:
        draw.section(document.basis)
        draw.section(document.section("systems.how"), headed=False)
        rule = result.rule
        st.caption(marked("systems.rule", rule=f"`{rule.expression}`", name=rule.name, version=rule.version))
    with right:
        draw.section(document.section("systems.pairs"), headed=False)
    draw.section(document.section("systems.rates"), headed=False)
    if document.notes:
        layout.heading("systems.notes")
        draw.notes(document)
    following.show(document.next)
