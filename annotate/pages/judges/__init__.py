"""Which judge can be believed, and has it drifted? Each judge against people first, what takes longest last."""

from __future__ import annotations

import streamlit as st

from annotate.judges import noise, pairs, table
from annotate.pages import figures, frame
from annotate.pages.judges import alone, beside, corners, drift, repeats, sentence, side_by_side, work
from annotate.pages.say import say
from annotate.store import Store


def show(store: Store) -> None:
    """The page."""
    frame.title("judges")
    report = figures.report(store)
    if not report.judges:
        frame.nothing(store, say("judges.none"))
        return
    found = figures.kept(store, "judges", lambda: table.build(store, report))
    answer = st.empty()
    sentence.show(answer, found, None)
    frame.rule_in_force(store)
    alone.show(found)
    work.show(found.rows)
    between = figures.kept(store, "judge pairs", lambda: pairs.build(store, found.rows))
    beside.show_versions(found.rows, between)
    beside.show_pairs(between)
    repeats.show(store, figures.kept(store, "judge noise", lambda: noise.build(store, found.rows)))
    corners.show(store, report.rule)
    last = st.container()
    side_by_side.show(store)
    with last:
        drifted = drift.show(store)
    sentence.show(answer, found, drifted)
