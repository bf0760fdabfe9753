"""Three rows of work: what to label, what to decide, what to draw; the first that there is stands out."""

from __future__ import annotations

from html import escape
from typing import Literal

import streamlit as st

from annotate.analysis.labelling.status import HumanSide
from annotate.analysis.report.head import ReportHead
from annotate.label_studio import address
from annotate.pages.kit import cache
from annotate.pages.kit.messages import render, say
from annotate.pages.labelling.parts import open_part
from annotate.present import labelling_status
from annotate.present.labelling_status import WorkRow
from annotate.store import Store
from annotate.workflow.labelling import sync
from proxy.errors import AssayError

OPENS = ("send", "adjudicate", "draw")


def show(store: Store, state: HumanSide, report: ReportHead, *, can_draw: bool, own: int) -> None:
    """The rows; `own` of the answers to decide were labelled by the user."""
    tally = cache.kept(store, "thumbs", store.traffic.complaints.tally)
    tasks = (
        labelling_status.to_label(state),
        labelling_status.to_decide(state, own),
        labelling_status.to_draw(tally.waiting, report.uncovered, can_draw=can_draw),
    )
    first = next((place for place, task in enumerate(tasks) if task.waiting), None)
    server = _ready_at(store) if state.progress.open else None
    for place, (task, part) in enumerate(zip(tasks, OPENS, strict=True)):
        with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"card-work-{part}"):
            _words(task)
            if task.waiting:
                _button(task, part, server, stands_out=place == first)


def _words(task: WorkRow) -> None:
    about = f"<p>{escape(render(task.about))}</p>" if task.about else ""
    st.html(f"<div class='a-work'><h2>{escape(render(task.title))}</h2>{about}</div>", width="stretch")


def _button(task: WorkRow, part: str, server: str | None, *, stands_out: bool) -> None:
    kind: Literal["primary", "secondary"] = "primary" if stands_out else "secondary"
    if part == "send" and server:
        st.link_button(say("labelling.go_server"), server, type=kind)
        return
    words = {"send": "labelling.go_send", "adjudicate": "labelling.go_decide", "draw": "labelling.go_plan"}[part]
    st.button(say(words, count=task.waiting), key=f"go-{part}", type=kind, on_click=open_part, args=(part,))


def _ready_at(store: Store) -> str | None:
    """Where the open draws can be labelled: the address of the server, once all of them are there."""
    try:
        server = address.server(store.path)
        outgoing = sync.outgoing(store, server)
    except AssayError:
        return None
    return None if outgoing.to_send else server.url
