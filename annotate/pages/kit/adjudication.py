"""Which item is on screen to be adjudicated; any page may put one there."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from annotate.domain.adjudication import AdjudicationCase

ON_SCREEN = "adjudicate-on-screen"


class AdjudicationOnScreen(NamedTuple):
    """The item on screen and the last entry of its log that was seen."""

    item: int
    seen: int


def on_screen() -> AdjudicationOnScreen | None:
    """What is on screen; None where nothing is."""
    shown: AdjudicationOnScreen | None = st.session_state.get(ON_SCREEN)
    return shown


def put_on_screen(case: AdjudicationCase) -> AdjudicationOnScreen:
    """Let this item be the next one that the page shows, whether it waits or not."""
    shown = st.session_state[ON_SCREEN] = AdjudicationOnScreen(case.item, case.seen)
    return shown


def take_off_screen() -> None:
    """Let the queue decide what is shown next."""
    st.session_state.pop(ON_SCREEN, None)
