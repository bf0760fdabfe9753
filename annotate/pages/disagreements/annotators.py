"""What people say of the item: the label, its note, causes, harm and reference, and every reading that it rests on."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.disagreements import Detail
from annotate.domain.annotation import ADJUDICATION, Annotation
from annotate.pages.disagreements import filters
from annotate.pages.kit import layout, texts, times
from annotate.pages.kit.messages import say
from proxy.records import Label


def show(known: Detail) -> None:
    """The label, then the readings."""
    layout.heading("disagreements.people")
    if known.label is None:
        st.caption(say("disagreements.no_label"))
        return
    _label(known.label, known.row)
    if len(known.readings) > 1 or known.named:
        with st.expander(say("disagreements.readings", count=len(known.readings)), key="disagreements-readings"):
            for place, one in enumerate(known.readings):
                _reading(one, f"disagreement-{known.row}-reading-{place}")
            _named(known)


def _label(label: Label, row: int) -> None:
    key = f"disagreement-{row}-label"
    basis = "—" if label.basis is None else say(f"disagreements.basis_{label.basis.name.lower()}")
    with st.container(border=True, gap="xsmall"):
        st.markdown(f"**{say(f'disagreements.said_{label.judgement.value}')}**")
        texts.show(" · ".join([label.annotator or "—", times.moment(label.at), basis]), f"{key}-who")
        _marks(label.causes, label.harm)
        _words(label, key)
        if label.wave is None:
            st.caption(say("disagreements.hand_picked"))


def _reading(one: Annotation, key: str) -> None:
    """What one person said, and who settled."""
    with st.container(border=True, gap="xsmall"):
        word = "deleted" if one.deleted else one.judgement.value if one.judgement else "skipped"
        settled = f" ({say('disagreements.settled')})" if one.source == ADJUDICATION else ""
        st.markdown(f"**{say(f'disagreements.said_{word}')}**{settled}")
        texts.show(f"{one.annotator} · {times.moment(one.at)}", f"{key}-who")
        _marks(one.causes, one.harm)
        _words(one, key)


def _words(one: Label | Annotation, key: str) -> None:
    """The note, and what the answer should have been."""
    for name, field, text in (("note", "rationale", one.rationale), ("reference", "reference", one.reference)):
        if text:
            texts.heading(say(f"disagreements.{name}"))
            texts.show(text, f"{key}-{name}", field)


def _marks(causes: tuple[str, ...], harm: str | None) -> None:
    """Causes and harm in a line."""
    parts = [filters.cause_words(one) for one in causes]
    if harm:
        parts.append(say("disagreements.harm_is", harm=filters.harm_words(harm)))
    if parts:
        texts.small([" · ".join(parts)])


def _named(known: Detail) -> None:
    """The causes that were named after the readings, newest last."""
    for place, one in enumerate(known.named):
        causes = ", ".join(map(filters.cause_words, one.causes)) or say("disagreements.not_given")
        line = say("disagreements.named", who=one.who, at=times.moment(one.at), causes=causes)
        texts.show(line, f"disagreement-{known.row}-named-{place}")
