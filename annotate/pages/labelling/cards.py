"""The numbers behind the answer as cards, each with what it rests on."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.analysis.labelling.status import HumanSide
from annotate.pages.kit import quantities, texts
from annotate.pages.kit.messages import say
from proxy.evaluation.trust import percent

UNKNOWN = "—"


def show(found: HumanSide) -> None:
    """The cards."""
    with st.grid(4):
        _labelled(found)
        _open(found)
        _waiting(found)
        _agreement(found)


def card(name: str, value: str, lines: Sequence[str]) -> None:
    """One number, what it means, and what it rests on."""
    with st.container(border=True, height="stretch", gap="xsmall"):
        st.metric(say(f"labelling.{name}"), value, help=say(f"labelling.{name}_help"))
        texts.small(lines)


def _labelled(found: HumanSide) -> None:
    """Drawn answers with a label, and what the labels say."""
    progress = found.progress
    lines = [say("labelling.of_drawn", count=progress.drawn)]
    lines.append(say("labelling.said", right=progress.right, wrong=progress.wrong, unsure=progress.unsure))
    if found.hand_picked:
        lines.append(say("labelling.hand_picked", count=found.hand_picked))
    card("labelled", f"{progress.labelled:,}", lines)


def _open(found: HumanSide) -> None:
    """Drawn answers without a label."""
    card("open", f"{found.progress.open:,}", [say("labelling.skipped_some", count=found.skipped)])


def _waiting(found: HumanSide) -> None:
    """What a person must settle."""
    lines = [say("labelling.serious", count=found.serious), say("labelling.settled_count", count=found.settled)]
    card("waiting", f"{found.waiting:,}", lines)


def _agreement(found: HumanSide) -> None:
    """How far readers agree."""
    share = found.people.agreement
    if share.estimate is None or share.low is None or share.high is None:
        card("agreement", UNKNOWN, [quantities.sentence(share.reason or UNKNOWN)])
        return
    span = say("labelling.interval", span=quantities.span((share.low, share.high), percent))
    card("agreement", percent(share.estimate), [span, say("labelling.read_by_two", count=share.n)])
