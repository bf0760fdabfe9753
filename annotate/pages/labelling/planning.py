"""How many labels a wanted width asks for: the answer of `assay plan`, on demand."""

from __future__ import annotations

import streamlit as st

from annotate import planning, planning_text, wave_text
from annotate.expectation import QUANTITIES
from annotate.pages import figures, frame
from annotate.pages.escaping import escaped
from annotate.pages.say import say
from annotate.planning import Plan
from annotate.store import Store
from proxy.errors import AssayError, UsageError

ASKED = "plan-asked"


def show(store: Store) -> None:
    """The question, and its answer once it is asked."""
    try:
        usual = planning.defaults()
    except UsageError as error:
        st.warning(escaped(str(error)))
        usual = planning.Asked()
    with st.form("plan-form"):
        quantity, width, ask = st.columns([3, 2, 2], vertical_alignment="bottom")
        chosen = quantity.selectbox(
            say("labelling.plan_what"),
            QUANTITIES,
            index=QUANTITIES.index(usual.quantity),
            format_func=lambda one: say(f"labelling.quantity_{one}"),
            key="plan-quantity",
        )
        points = width.number_input(
            *(say("labelling.plan_width"), 1, 100, max(1, round(100 * usual.wanted)), 1),
            key="plan-points",
            help=say("labelling.plan_help"),
        )
        if ask.form_submit_button(say("labelling.plan"), key="plan-ask"):
            st.session_state[ASKED] = planning.Asked(str(chosen), int(points) / 100, usual.audit)
    asked: planning.Asked | None = st.session_state.get(ASKED)
    if asked is None:
        return
    try:
        with st.spinner(say("labelling.looking")):
            found = figures.kept(store, "plan", lambda: _build(store, asked), asked)
    except AssayError as error:
        st.error(escaped(str(error)))
        return
    lines = planning_text.plan(found, [wave_text.stratum_line(part) for part in found.strata])
    st.code("\n".join(lines[:-1]), language=None, wrap_lines=True)  # the last line names the commands
    frame.commands(store, planning_text.commands(found))


def _build(store: Store, asked: planning.Asked) -> Plan:
    """The plan as the command makes it."""
    return planning.build(store, quantity=asked.quantity, wanted=asked.wanted, audit=asked.audit)
