"""What to do next with two systems: the command that labels or draws what tells most, tried first without drawing anything."""

from __future__ import annotations

import shlex

import streamlit as st

from annotate.analysis.comparison.compare import ComparedSystems
from annotate.pages.kit import actor, draw, layout
from annotate.pages.kit.messages import say
from annotate.pages.kit.steps import for_store
from annotate.present import pairs_drawn
from annotate.present.document import Document
from annotate.store import Store
from annotate.workflow.sampling import paired_waves
from proxy.comparison.comparison import NEEDED
from proxy.errors import AssayError

SEED = 1
MOST = 10_000


def show(store: Store, result: ComparedSystems, document: Document) -> None:
    """The notes, the next step with its commands, and the dry run of a draw."""
    if document.notes:
        layout.heading("systems.notes")
        draw.notes(document)
    layout.heading("systems.next")
    with st.container(border=True):
        draw.steps(store, document.next)
        if sum(result.left) and result.shared.questions:
            _draw(store, (result.sides[0].name, result.sides[1].name))


@st.fragment
def _draw(store: Store, names: tuple[str, str]) -> None:
    """What a draw of so many labels would bring; nothing is written."""
    with st.form("systems-draw", border=False):
        left, right = st.columns([1, 3], vertical_alignment="bottom")
        labels = left.number_input(
            say("systems.draw_labels"),
            min_value=1,
            max_value=MOST,
            value=NEEDED,
            key="systems-draw-labels",
            help=say("systems.draw_labels_help"),
        )
        asked = right.form_submit_button(say("systems.draw_try"), key="systems-draw-try")
    if not asked:
        return
    try:
        drawn = paired_waves.draw(store, names, int(labels), seed=SEED, now=actor.now(), who="", dry_run=True)
    except AssayError as error:
        layout.answer(layout.Tone.UNKNOWN, str(error))
        return
    draw.messages([pairs_drawn.answer(drawn), *pairs_drawn.lines(drawn)])
    st.caption(say("systems.draw_run"))
    both = " ".join(shlex.quote(name) for name in names)
    st.code(for_store(f"assay compare {both} --draw {int(labels)} --seed {SEED}", store.path), language=None)
