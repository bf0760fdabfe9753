"""What does a score of 0.7 mean, and which threshold to take? What a value says, then any threshold, then other rules."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.calibration import reliability as calibration_reliability
from annotate.pages.calibration import curves, guarantee, looking, reliability, scatter, threshold
from annotate.pages.kit import actor, cache, layout
from annotate.pages.kit.messages import say
from annotate.present import report as present_report
from annotate.store import Store


def show(store: Store) -> None:
    """The page; what takes long stands below what does not."""
    layout.title("calibration")
    who = actor.name_given()
    report = cache.report(store)
    if not report.judged:
        layout.nothing(store, say("calibration.no_values"))
        return
    explained = cache.kept(store, "explain", lambda: calibration_reliability.explain(store))
    first = st.container()
    layout.rule_in_force(store)
    value, mapped = reliability.ask(store, explained.curve)
    with first:
        looking.answer(explained.curve, value, looking.in_force(store), present_report.status(report))
    reliability.show(store, explained, value, mapped)
    view = looking.at(store, threshold.choose(looking.whole(store)))
    threshold.show(store, view)
    guarantee.show_keeping(store, view, who)
    last = st.container()
    curves.show(store, view)
    curves.show_rules(report)
    scatter.show(store, view)
    with last:
        guarantee.show(store, view, who)
