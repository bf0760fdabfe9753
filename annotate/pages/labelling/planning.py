"""How many labels a wanted width asks for: the answer of `assay plan`, on demand."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.next_step.planning import after_plan
from annotate.analysis.planning import plan
from annotate.domain.sampling.outcomes import Proposed
from annotate.pages.kit import cache, draw, layout
from annotate.pages.kit.messages import render, say
from annotate.pages.kit.privacy import escaped
from annotate.present import planning as present_planning
from annotate.project.store_access import way_of
from annotate.store import Store
from proxy.errors import AssayError, UsageError
from proxy.evaluation.effective_labels import width_of
from proxy.planning.expected_width import QUANTITIES

ASKED = "plan-asked"
COLUMNS = ("quantity", "width_now", "width_then")


def show(store: Store) -> None:
    """The question, and its answer once it is asked."""
    try:
        usual = plan.defaults()
    except UsageError as error:
        st.warning(escaped(str(error)))
        usual = plan.PlanRequest()
    with st.form("plan-form"):
        quantity, width, ask = st.columns([3, 2, 2], vertical_alignment="bottom")
        chosen = quantity.selectbox(
            say("labelling.plan_what"),
            QUANTITIES,
            index=QUANTITIES.index(usual.quantity),
            format_func=lambda quantity: say(f"labelling.quantity_{quantity}"),
            key="plan-quantity",
        )
        points = width.number_input(
            say("labelling.plan_width"),
            min_value=1,
            max_value=100,
            value=max(1, round(100 * usual.wanted)),
            step=1,
            key="plan-points",
            help=say("labelling.plan_help"),
        )
        if ask.form_submit_button(say("labelling.plan"), key="plan-ask"):
            st.session_state[ASKED] = plan.PlanRequest(str(chosen), int(points) / 100, usual.audit, usual.assurance)
    asked: plan.PlanRequest | None = st.session_state.get(ASKED)
    if asked is None:
        return
    try:
        with st.spinner(say("labelling.looking")):
            label_plan = cache.kept(store, "plan", lambda: plan.build(store, asked), asked)
    except AssayError as error:
        st.error(escaped(str(error)))
        return
    document = present_planning.document(label_plan, after_plan(label_plan, way_of(store.path), cache.report(store)))
    st.markdown(escaped(render(document.answer)))
    for section in document.sections:
        draw.section(section)
    draw.messages(document.notes)
    draw.steps(document.next)


def show_widths(store: Store, preview: Proposed) -> None:
    """A row for each quantity."""
    with st.spinner(say("labelling.widths_coming")):
        designs = cache.kept(
            store,
            "foreseen",
            lambda: plan.foresee(store, preview.drawn.strata, preview.request.labels),
            preview.drawn.token,
            preview.request.labels,
        )
        report = cache.head(store)
    rows = [
        (
            say(f"labelling.quantity_{design.quantity}"),
            _width(design.quantity, None if report.uncovered else width_of(getattr(report.agreement, design.quantity))),
            _width(design.quantity, design.width),
        )
        for design in designs
    ]
    layout.table(rows, [say(f"labelling.column_{name}") for name in COLUMNS], alt=say("labelling.widths_alt"))
    st.caption(say("labelling.widths_basis"))


def _width(quantity: str, width: float | None) -> str:
    return render(present_planning.width_words(quantity, width))
