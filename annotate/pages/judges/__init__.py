"""Which judge can be believed, and has it drifted? Each judge against people first, what takes longest last."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.judges import pairs, repeat_noise, table
from annotate.pages.judges import alone, beside, drift, quadrants, repeats, score_agreement, sentence, work
from annotate.pages.kit import cache, layout
from annotate.pages.kit.messages import say
from annotate.store import Store


def show(store: Store) -> None:
    """The page."""
    layout.title("judges")
    report = cache.report(store)
    if not report.judges:
        layout.nothing(store, say("judges.none"))
        return
    found = cache.kept(store, "judges", lambda: table.build(store, report))
    answer = st.empty()
    sentence.show(answer, found, None)
    layout.rule_in_force(store)
    alone.show(found)
    work.show(found.rows)
    between = cache.kept(store, "judge pairs", lambda: pairs.build(store, found.rows))
    beside.show_versions(found.rows, between)
    beside.show_pairs(between)
    repeats.show(store, cache.kept(store, "judge noise", lambda: repeat_noise.build(store, found.rows)))
    quadrants.show(store, report.rule)
    last = st.container()
    score_agreement.show(store)
    with last:
        drifted = drift.show(store)
    sentence.show(answer, found, drifted)
