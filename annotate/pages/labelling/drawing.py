"""The next wave: how many labels a wanted width asks for, what a wave would draw, and the drawing of exactly that.

The rule: what is drawn is what was shown. The dry run's token goes with the button, so a store that changed since is refused, and
the same click twice draws one wave.
"""

from __future__ import annotations

import streamlit as st

from annotate import next_wave, wave_text
from annotate.human_side import HumanSide
from annotate.next_wave import Asked, Proposed
from annotate.pages import acting, address, frame, runs, texts
from annotate.pages.escaping import escaped
from annotate.pages.labelling import asking, planning, widths
from annotate.pages.labelling.waves import chance
from annotate.pages.say import say
from annotate.pages.strata import stratum_words
from annotate.sampling import Design
from annotate.store import Store
from proxy.errors import AssayError

PREVIEW, REFUSED = "next-wave", "next-wave-refused"
COLUMNS = ("stratum", "size", "would_draw", "chance")


def show(store: Store, found: HumanSide, who: str) -> None:
    """What waits first, then the plan, the form, and what it would draw."""
    frame.heading("labelling.draw")
    if found.progress.open:
        st.warning(say("labelling.draw_waits", count=found.progress.open), icon=":material/hourglass_top:")
    planning.show(store)
    asked = asking.form()
    if refused := runs.told(REFUSED):
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
            request = next_wave.request_of(store, asked)
            st.session_state[PREVIEW] = next_wave.propose(store, request, now=acting.now())
    except AssayError as error:
        st.session_state.pop(PREVIEW, None)
        st.error(escaped(str(error)), title=say("labelling.nothing_drawn"))


def _preview(store: Store, preview: Proposed, who: str) -> None:
    """What would be drawn of each stratum, what it leaves unknown, the button, and then the widths to expect."""
    drawn = preview.drawn
    frame.heading("labelling.would_draw", number=drawn.number)
    st.code(wave_text.summary(preview, dry_run=True), language=None, wrap_lines=True)
    frame.table(
        [
            (
                *(stratum_words(part.stratum), part.size, part.drawn),
                chance(part.inclusion_probability if part.is_fixed else None),
            )
            for part in drawn.strata
        ],
        [say(f"labelling.column_{name}") for name in COLUMNS],
        alt=say("labelling.would_draw_alt"),
    )
    for note in preview.notes:
        st.warning(escaped(f"{note[:1].upper()}{note[1:]}."))
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


@acting.writes
def _draw(store: Store, preview: Proposed) -> None:
    """Draw exactly what was shown; a second click finds it drawn and does nothing."""
    who, shown = acting.who(), st.session_state.get(PREVIEW)
    if not who or shown is None or shown.drawn.token != preview.drawn.token:
        return
    del st.session_state[PREVIEW]
    try:
        done = next_wave.draw(store, preview.request, who=who, now=acting.now(), token=preview.drawn.token)
    except AssayError as error:
        runs.tell(REFUSED, str(error))
        return
    acting.tell(texts.others(f"{wave_text.summary(done, dry_run=False)}."), instead_of=REFUSED)
    address.choose("lab", "send", "waves")
