"""How wide the intervals should be once a wave is labelled, beside how wide they are now: worked out after the rest."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.planning import plan
from annotate.domain.sampling.outcomes import Proposed
from annotate.pages.kit import cache, layout
from annotate.pages.kit.messages import say, told
from annotate.present import planning as present_planning
from annotate.store import Store
from proxy.evaluation.effective_labels import width_of

COLUMNS = ("quantity", "width_now", "width_then")


def show(store: Store, preview: Proposed) -> None:
    """A row for each quantity."""
    with st.spinner(say("labelling.widths_coming")):
        found = cache.kept(
            store,
            "foreseen",
            lambda: plan.foresee(store, preview.drawn.strata, preview.request.labels),
            preview.drawn.token,
            preview.request.labels,
        )
        report = cache.report(store)
    rows = [
        (
            say(f"labelling.quantity_{one.quantity}"),
            _width(one.quantity, None if report.uncovered else width_of(getattr(report.agreement, one.quantity))),
            _width(one.quantity, one.width),
        )
        for one in found
    ]
    layout.table(rows, [say(f"labelling.column_{name}") for name in COLUMNS], alt=say("labelling.widths_alt"))
    st.caption(say("labelling.widths_basis"))


def _width(quantity: str, width: float | None) -> str:
    return told(present_planning.width_words(quantity, width))
