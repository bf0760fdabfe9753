"""What does a score of 0.7 mean, where should the cut be? What a value says first, then any cut, then the other rules."""

from __future__ import annotations

import streamlit as st

from annotate import explaining
from annotate.pages import figures, frame, trusted
from annotate.pages.calibration import answering, curves, cut, keeping, looking, meaning, promise, rivals, scatter
from annotate.pages.say import say
from annotate.store import Store


def show(store: Store) -> None:
    """The page; what takes long stands below what does not."""
    who = frame.title("calibration", acts=True)
    report = figures.report(store)
    if not report.judged:
        frame.nothing(store, say("calibration.no_values"))
        return
    explained = figures.kept(store, "explain", lambda: explaining.explain(store))
    first = st.container()
    frame.rule_in_force(store)
    value, mapped = meaning.ask(store, explained.meaning)
    with first:
        answering.answer(explained.meaning, value, looking.in_force(store), trusted.status(report))
    meaning.show(store, explained, value, mapped)
    view = looking.at(store, cut.choose(looking.whole(store)))
    cut.show(store, view)
    keeping.show(store, view, who)
    last = st.container()
    curves.show(store, view)
    rivals.show(report)
    scatter.show(store, view)
    with last:
        promise.show(store, view, who)
