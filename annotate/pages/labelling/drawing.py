"""The next wave: how many labels a wanted width asks for, what a wave would draw, and the drawing of exactly that.

The rule: what is drawn is what was shown. The dry run's token goes with the button, so a store that changed since is refused, and
the same click twice draws one wave.
"""

from __future__ import annotations

import streamlit as st

from annotate.analysis.labelling.status import HumanSide
from annotate.domain.message import message
from annotate.domain.sampling.designs import Design
from annotate.domain.sampling.outcomes import Proposed
from annotate.pages.kit import actor, draw, layout, reruns, texts, url_state
from annotate.pages.kit.escaping import escaped
from annotate.pages.kit.messages import say, told
from annotate.pages.labelling import asking, planning, widths
from annotate.present import waves as present_waves
from annotate.store import Store
from annotate.workflow.sampling import waves
from annotate.workflow.sampling.waves import Asked
from proxy.errors import AssayError

PREVIEW, REFUSED = "next-wave", "next-wave-refused"


def show(store: Store, found: HumanSide, who: str) -> None:
    """What waits first, then the plan, the form, and what it would draw."""
    layout.heading("labelling.draw")
    if found.progress.open:
        st.warning(say("labelling.draw_waits", count=found.progress.open), icon=":material/hourglass_top:")
    planning.show(store)
    asked = asking.form()
    if refused := reruns.told(REFUSED):
        st.error(escaped(refused), title=say("labelling.nothing_drawn"))
    if asked is not None:
        _look(store, asked)
    preview: Proposed | None = st.session_state.get(PREVIEW)
    if preview is not None:
        _preview(store, preview, who)


def _look(store: Store, asked: Asked) -> None:
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
    st.markdown(escaped(told(present_waves.answer(preview))))
    draw.table(present_waves.strata(drawn.strata), message("labelling.would_draw_alt"))
    for note in preview.notes:
        st.warning(escaped(f"{draw.capital(told(note))}."))
    if not who:
        st.caption(say("labelling.name_to_draw"))
    st.button(
        say("labelling.draw_now", number=drawn.number, count=drawn.draws),
        type="primary",
        disabled=not who or not drawn.draws,
        on_click=_draw,
        args=(store, preview),
        key=f"draw-{drawn.token}",
    )
    if preview.request.design is Design.STRATIFIED and preview.request.part is None:
        widths.show(store, preview)
    else:
        st.caption(say("labelling.widths_unknown"))


@actor.writes
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
    actor.tell(texts.others(told(present_waves.answer(done))), instead_of=REFUSED)
    url_state.choose("lab", "send", "waves")
