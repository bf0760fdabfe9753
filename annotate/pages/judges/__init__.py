"""Which judge can be believed, and has it drifted? Each judge against annotators first, what takes longest last."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.judges import repeat_noise, table
from annotate.pages.judges import alone, drift, quadrants, score_agreement
from annotate.pages.kit import cache, draw, layout, texts
from annotate.pages.kit.messages import say
from annotate.present import judges
from annotate.store import Store


def show(store: Store) -> None:
    """The page; its answer is drawn at once without the drift, which takes longer, and again when that is known."""
    head = layout.title("judges")
    report = cache.report(store)
    if not report.judges:
        layout.nothing(store, say("judges.none"))
        return
    known = cache.kept(store, "judges", lambda: table.build(store, report))
    draw.answer(judges.document(known, None), head=head)
    layout.rule_in_force(store)
    alone.show(known)
    layout.heading("judges.work")
    draw.section(judges.work(known.rows), headed=False)
    between = cache.kept(store, "judge pairs", lambda: table.paired_judges(store, known.rows))
    layout.heading("judges.versions")
    draw.section(judges.versions(known.rows, between, texts.moment), headed=False)
    layout.heading("judges.pairs")
    draw.section(judges.between(between), headed=False)
    alone.show_repeats(store, cache.kept(store, "judge noise", lambda: repeat_noise.build(store, known.rows)))
    quadrants.show(store, report.rule)
    last = st.container()
    score_agreement.show(store)
    with last:
        drifted = drift.show(store)
    draw.answer(judges.document(known, drifted), head=head)
