"""What to do next, as links to the pages that do it; a command stands only where no page does what it does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import streamlit as st

from annotate.domain.message import Step
from annotate.pages.kit import draw, layout
from annotate.pages.kit.messages import say


class PagePart(NamedTuple):
    """A page, the parameter that names its parts, the part, and the string that calls it."""

    page: str
    parameter: str
    part: str
    words: str


SENDING = PagePart("labelling", "lab", "send", "labelling.part_send")
DOES = {
    "assay labels disagreements": PagePart("labelling", "lab", "adjudicate", "labelling.part_adjudicate"),
    "assay sample": PagePart("labelling", "lab", "draw", "labelling.part_draw"),
    "assay draws export": SENDING,
    "assay labels import": SENDING,
    "assay push": SENDING,
    "assay pull": SENDING,
    "assay calibrate": PagePart("calibration", "tab", "guarantee", "calibration.tab_guarantee"),
    "assay diagnose": PagePart("judges", "judges", "quadrants", "judges.part_quadrants"),
    "assay drift": PagePart("judges", "judges", "drift", "judges.part_drift"),
    "assay slices": PagePart("systems", "systems", "slices", "systems.tab_slices"),
    "assay compare": PagePart("systems", "systems", "basis", "systems.tab_basis"),
    "assay report": PagePart("overview", "", "", ""),
}


def show(steps: Sequence[Step]) -> None:
    """Say each step, with a link to every page that does a part of it."""
    for step in steps:
        draw.paragraph(step.message)
        layout.commands([command for command in step.commands if _done_by(command) is None])
        with st.container(horizontal=True, gap="small"):
            for place in _places(step.commands):
                _link(place)


def show_one(step: Step) -> None:
    """Say the one step of a page in a line, with the first page that does it as the link that stands out."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="next-step"):
        draw.paragraph(step.message)
        for place in _places(step.commands)[:1]:
            with st.container(key="primary", width="content"):
                _link(place)
    layout.commands([command for command in step.commands if _done_by(command) is None])


def _link(place: PagePart) -> None:
    words = say(f"nav.{place.page}")
    if place.part:
        words = f"{words} · {say(place.words)}"
    layout.link(place.page, words, **({place.parameter: place.part} if place.part else {}))


def _places(commands: Iterable[str]) -> list[PagePart]:
    """Each page once, in the order of the commands."""
    return list(dict.fromkeys(place for place in map(_done_by, commands) if place))


def _done_by(command: str) -> PagePart | None:
    """Return the part of a page that does what the command does."""
    return next((place for beginning, place in DOES.items() if f"{command} ".startswith(f"{beginning} ")), None)
