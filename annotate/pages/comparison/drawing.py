"""Labels that would tell two systems apart, or several: what a draw would bring, and the drawing of exactly that.

The rule: what is drawn is what was shown. The token of the dry run goes with the button, so a store that changed since is
refused, and the same click twice draws one wave.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.analysis.comparison.compare import ComparedSystems
from annotate.domain.sampling.outcomes import PairsDrawn, ToLabel
from annotate.domain.sign_in.roles import Act
from annotate.pages.kit import actor, draw, layout, reruns, sign_in
from annotate.pages.kit.messages import render, say
from annotate.pages.kit.privacy import escaped
from annotate.present import pairs_drawn
from annotate.store import Store
from annotate.workflow.sampling import paired_waves
from proxy.comparison.comparison import NEEDED, ComparisonStanding
from proxy.errors import AssayError

SEED = 1
MOST = 10_000
PREVIEW, REFUSED, DRAWN = "systems-preview", "systems-refused", "systems-drawn"
SHOWN = frozenset({ComparisonStanding.BETTER, ComparisonStanding.WORSE})


def offer(store: Store, result: ComparedSystems) -> None:
    """What would tell the two apart: the open draws first, else a draw; nothing stands out where it is told already."""
    left = ToLabel(*result.left)
    is_told = result.comparison.standing in SHOWN
    with st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="bottom", gap="small"):
        if left.waiting and not is_told:
            with st.container(key="primary", width="content"):
                layout.link("labelling", say("systems.label_open", count=left.waiting), lab="send")
        if left.undrawn and result.shared.questions:
            is_first = not (is_told or left.waiting)
            names = tuple(side.name for side in result.sides)
            show(store, names, "pairs", stands_out=is_first, usual=min(NEEDED, left.undrawn))


def show(store: Store, names: Sequence[str], key: str, *, stands_out: bool, usual: int) -> None:
    """The button that opens the form; `key` names it on the page."""
    words = say("systems.draw", count=usual)
    with st.popover(words, type="primary" if stands_out else "secondary", key=f"{key}-draw"):
        _ask(store, tuple(names), key, usual)


@sign_in.fragment
def _ask(store: Store, names: tuple[str, ...], key: str, usual: int) -> None:
    """How many, what that would bring, and the button that draws it; once that is done the whole page is another one."""
    if st.session_state.pop(DRAWN, False):
        st.rerun()
    with st.form(f"{key}-draw-form", border=False):
        labels = st.number_input(
            say("systems.draw_labels"),
            min_value=1,
            max_value=MOST,
            value=usual,
            key=f"{key}-draw-labels",
            help=say("systems.draw_labels_help"),
        )
        if st.form_submit_button(say("systems.draw_try"), key=f"{key}-draw-try"):
            _look(store, names, int(labels), key)
    if refused := reruns.pending_message(f"{REFUSED}-{key}"):
        st.error(escaped(refused), title=say("labelling.nothing_drawn"))
    preview: PairsDrawn | None = st.session_state.get(f"{PREVIEW}-{key}")
    if preview is None or preview.names != names:
        return
    draw.messages([pairs_drawn.answer(preview), *pairs_drawn.lines(preview)])
    who = actor.name_given()
    if not who:
        st.caption(say("labelling.name_to_draw"))
    st.button(
        say("systems.draw_now", count=preview.draws),
        type="primary",
        **actor.lock(Act.DRAW, disabled=not who or not preview.draws),
        on_click=_draw,
        args=(store, preview, key),
        key=f"{key}-draw-{preview.token}",
    )


def _look(store: Store, names: tuple[str, ...], labels: int, key: str) -> None:
    """Keep what would be drawn, or why nothing can be."""
    try:
        preview = paired_waves.draw(store, names, labels, seed=SEED, now=actor.now(), who="", dry_run=True)
    except AssayError as error:
        st.session_state.pop(f"{PREVIEW}-{key}", None)
        reruns.tell(f"{REFUSED}-{key}", str(error))
        return
    st.session_state[f"{PREVIEW}-{key}"] = preview


@actor.writes(Act.DRAW)
def _draw(store: Store, preview: PairsDrawn, key: str) -> None:
    """Draw exactly what was shown; a second click finds it drawn and does nothing."""
    who, shown = actor.who(), st.session_state.get(f"{PREVIEW}-{key}")
    if not who or shown is None or shown.token != preview.token:
        return
    del st.session_state[f"{PREVIEW}-{key}"]
    try:
        drawn = paired_waves.draw(
            store,
            preview.names,
            preview.asked,
            seed=preview.seed,
            now=actor.now(),
            who=who,
            token=preview.token,
        )
    except AssayError as error:
        reruns.tell(f"{REFUSED}-{key}", str(error))
        return
    st.session_state[DRAWN] = True
    actor.tell(render(pairs_drawn.answer(drawn)), instead_of=f"{REFUSED}-{key}")
