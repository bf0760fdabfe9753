"""The next wave: how many labels a wanted width asks for, what a wave would draw, and the drawing of exactly that.

The rule: what is drawn is what was shown. The dry run's token goes with the button, so a store that changed since is refused, and
the same click twice draws one wave.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.analysis.labelling.status import HumanSide
from annotate.domain.message import message
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.outcomes import Proposed
from annotate.domain.sign_in.roles import Act
from annotate.pages.kit import actor, cache, draw, layout, reruns, texts
from annotate.pages.kit.messages import render, say
from annotate.pages.kit.privacy import escaped
from annotate.pages.labelling import planning
from annotate.pages.labelling.parts import open_part
from annotate.present import waves as present_waves
from annotate.store import Store
from annotate.workflow.sampling import waves
from annotate.workflow.sampling.waves import WaveRequest
from proxy.errors import AssayError, UsageError

PREVIEW, REFUSED = "next-wave", "next-wave-refused"
KIND, NUMBER, RATE = "wave-kind", "number", "rate"
MOST_LABELS = 100_000
USUAL_RATE = 5.0
KEPT: Mapping[str, Any] = {"persist_state": "page"}  # what was typed outlives a look at another part


def show(store: Store, human_side: HumanSide, who: str) -> None:
    """What waits first, then the plan, the form, and what it would draw."""
    if human_side.progress.open:
        st.warning(say("labelling.draw_waits", count=human_side.progress.open), icon=":material/hourglass_top:")
    if not cache.kept(store, "has undrawn", store.sampling.waves.has_undrawn):
        st.info(say("labelling.all_drawn"))
        planning.show(store)
        return
    planning.show(store)
    asked = form()
    if refused := reruns.pending_message(REFUSED):
        st.error(escaped(refused), title=say("labelling.nothing_drawn"))
    if asked is not None:
        _look(store, asked)
    preview: Proposed | None = st.session_state.get(PREVIEW)
    if preview is not None:
        _preview(store, preview, who)


def _look(store: Store, asked: WaveRequest) -> None:
    """Keep what would be drawn, or say why nothing can be."""
    try:
        with st.spinner(say("labelling.looking")):
            request = waves.request_of(store, asked)
            st.session_state[PREVIEW] = waves.propose(store, request, now=actor.now())
    except AssayError as error:
        st.session_state.pop(PREVIEW, None)
        st.error(escaped(str(error)), title=say("labelling.nothing_drawn"))


def _preview(store: Store, preview: Proposed, who: str) -> None:
    """What would be drawn of each stratum, what it leaves unknown, the button, and then the widths to expect."""
    drawn = preview.drawn
    layout.heading("labelling.would_draw", number=drawn.number)
    st.markdown(escaped(render(present_waves.answer(preview))))
    draw.table(present_waves.strata(drawn.strata), message("labelling.would_draw_alt"))
    for note in preview.notes:
        st.warning(escaped(f"{draw.capital(render(note))}."))
    if not who:
        st.caption(say("labelling.name_to_draw"))
    st.button(
        say("labelling.draw_now", number=drawn.number, count=drawn.draws),
        type="primary",
        **actor.lock(Act.DRAW, disabled=not who or not drawn.draws),
        on_click=_draw,
        args=(store, preview),
        key=f"draw-{drawn.token}",
    )
    if preview.request.design is WaveDesign.STRATIFIED and preview.request.part is None:
        planning.show_widths(store, preview)
    else:
        st.caption(say("labelling.widths_unknown"))


@actor.writes(Act.DRAW)
def _draw(store: Store, preview: Proposed) -> None:
    """Draw exactly what was shown; a second click finds it drawn and does nothing."""
    who, shown = actor.who(), st.session_state.get(PREVIEW)
    if not who or shown is None or shown.drawn.token != preview.drawn.token:
        return
    del st.session_state[PREVIEW]
    try:
        done = waves.draw(store, preview.request, who=who, now=actor.now(), token=preview.drawn.token)
    except AssayError as error:
        reruns.tell(REFUSED, str(error))
        return
    actor.tell(texts.others(render(present_waves.answer(done))), instead_of=REFUSED)
    open_part("send")


def form() -> WaveRequest | None:
    """What is asked for once the form is sent; at first what assay.toml says."""
    try:
        usual = waves.defaults()
    except UsageError as error:
        st.warning(escaped(str(error)))
        usual = WaveRequest(labels=waves.USUAL_LABELS)
    kind = st.segmented_control(
        say("labelling.kind"),
        (NUMBER, RATE),
        default=NUMBER,
        required=True,
        format_func=lambda kind: say(f"labelling.kind_{kind}"),
        key=KIND,
        help=say("labelling.kind_help"),
        **KEPT,
    )
    with st.form("next-wave-form"):
        first, second = st.columns(2, gap="large")
        asked = _by_rate(first, second) if kind == RATE else _by_number(usual, first, second)
        seed = second.number_input(
            say("labelling.seed"),
            min_value=0,
            value=usual.seed,
            step=1,
            key="wave-seed",
            **KEPT,
            help=say("labelling.seed_help"),
        )
        is_sent = st.form_submit_button(say("labelling.dry_run"), key="wave-look")
    return WaveRequest(**asked, seed=None if seed is None else int(seed)) if is_sent else None


def _by_number(usual: WaveRequest, first: DeltaGenerator, second: DeltaGenerator) -> dict[str, Any]:
    """A wave of so many answers, from which strata, and of which slice."""
    labels = first.number_input(
        say("labelling.how_many"),
        min_value=1,
        max_value=MOST_LABELS,
        value=usual.labels or waves.USUAL_LABELS,
        step=10,
        key="wave-labels",
        **KEPT,
        help=say("labelling.how_many_help"),
    )
    audit = second.number_input(
        say("labelling.audit"),
        min_value=0,
        max_value=100,
        value=None if usual.audit is None else round(100 * usual.audit),
        step=5,
        key="wave-audit",
        **KEPT,
        help=say("labelling.audit_help"),
    )
    passed = first.checkbox(
        say("labelling.all_passed"),
        usual.all_passed,
        key="wave-all-passed",
        **KEPT,
        help=say("labelling.all_passed_help"),
    )
    active = second.checkbox(
        say("labelling.active"), usual.active, key="wave-active", **KEPT, help=say("labelling.active_help")
    )
    part = first.text_input(
        say("labelling.slice"), usual.part or "", key="wave-slice", **KEPT, help=say("labelling.slice_help")
    )
    return {
        "labels": int(labels),
        "audit": None if audit is None else audit / 100,
        "all_passed": passed,
        "active": active,
        "part": (part or "").strip() or None,
    }


def _by_rate(first: DeltaGenerator, second: DeltaGenerator) -> dict[str, Any]:
    """A stream: the chance of each answer that no wave has had before it, and that of those more likely to be wrong."""
    rate, failed = (
        column.number_input(
            say(f"labelling.{name}"),
            min_value=0.1,
            max_value=100.0,
            value=USUAL_RATE,
            step=1.0,
            key=f"wave-{name}",
            **KEPT,
            help=say(f"labelling.{name}_help"),
        )
        for column, name in ((first, "rate"), (second, "rate_failed"))
    )
    return {"rate": rate / 100, "rate_failed": failed / 100}
