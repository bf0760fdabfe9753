"""The form that adjudicates an item, and the words for what annotators say; what was typed stays where it is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from annotate.domain.adjudication import AdjudicationCase, Decision
from annotate.domain.annotation import CAUSES, HARMS
from annotate.domain.sign_in.roles import Act
from annotate.pages.kit import actor, reruns
from annotate.pages.kit.messages import render, say
from annotate.pages.kit.privacy import escaped
from annotate.present import naming
from annotate.store import Store
from annotate.workflow.labelling import adjudicate
from proxy.errors import AssayError
from proxy.records import Judgement

FORM_HEIGHT = 120
NO_REFERENCE = -1
NOT_SAID = "not_said"
REFUSED = "refused-"
CHOICES = (Judgement.RIGHT, Judgement.WRONG, Judgement.UNSURE)
Saved = Callable[[int, Judgement], None]


def show(store: Store, case: AdjudicationCase, seen: int, saved: Saved) -> None:
    """The form; `seen` is the last entry of the log that the person saw, `saved` is called once the decision is kept."""
    key = f"adjudicate-form-{case.item}-{seen}"
    references = {place: reading.reference for place, reading in enumerate(case.readings) if reading.reference}
    with st.form(key):
        st.radio(
            say("labelling.what_is_it"),
            CHOICES,
            format_func=lambda judgement: say(f"labelling.choose_{judgement.value}"),
            index=None,
            horizontal=True,
            key=f"{key}-label",
        )
        st.text_area(say("labelling.why_kept"), key=f"{key}-why", height=FORM_HEIGHT)
        st.caption(say("labelling.if_wrong"))
        st.selectbox(
            say("labelling.reference"),
            [NO_REFERENCE, *references],
            index=1 if references else 0,
            format_func=_reference_words,
            key=f"{key}-reference",
        )
        st.text_area(say("labelling.should_have_said"), key=f"{key}-text", height=FORM_HEIGHT)
        st.multiselect(
            say("labelling.causes"),
            CAUSES,
            format_func=cause_words,
            key=f"{key}-causes",
            placeholder=say("labelling.choose_causes"),
            select_all=False,
        )
        harms = [NOT_SAID, *HARMS]
        st.radio(say("labelling.how_harmful"), harms, format_func=harm_words, horizontal=True, key=f"{key}-harm")
        st.form_submit_button(
            say("labelling.save"),
            type="primary",
            key=f"{key}-save",
            on_click=_save,
            args=(store, case, seen, key, references, saved),
            **actor.lock(Act.ADJUDICATE),
        )
    if refused := reruns.pending_message(f"{REFUSED}{key}"):
        st.error(escaped(refused), title=say("labelling.not_saved"))


@actor.writes(Act.ADJUDICATE)
def _save(
    store: Store, case: AdjudicationCase, seen: int, key: str, references: Mapping[int, str], saved: Saved
) -> None:
    """Adjudicate and go on, or say why not and keep what was typed."""
    label: Judgement | None = st.session_state.get(f"{key}-label")
    if label is None:
        reruns.tell(f"{REFUSED}{key}", say("labelling.choose_one"))
        return
    try:
        adjudicate.adjudicate(
            store, case.item, _decision(label, key, references), who=actor.who(), now=actor.now(), seen=seen
        )
    except AssayError as error:
        reruns.tell(f"{REFUSED}{key}", str(error))
        return
    saved(case.item, label)
    actor.tell(say(f"labelling.saved_{label.value}", item=case.item_id), instead_of=f"{REFUSED}{key}")


def _decision(label: Judgement, key: str, references: Mapping[int, str]) -> Decision:
    """What stands in the form; the reference that is typed goes before the one that is chosen."""
    typed = {name: st.session_state.get(f"{key}-{name}") for name in ("why", "reference", "text", "causes", "harm")}
    text, harm = str(typed["text"] or "").strip(), typed["harm"]
    chosen = NO_REFERENCE if typed["reference"] is None else int(typed["reference"])
    return Decision(
        judgement=label,
        why=str(typed["why"] or ""),
        reference=text or (references.get(chosen) if label is Judgement.WRONG else None),
        causes=tuple(typed["causes"] or ()),
        harm=None if harm in {None, NOT_SAID} else str(harm),
    )


def annotator(place: int) -> str:
    """What an annotator is called where names are hidden."""
    return say("labelling.annotator_letter", letter=chr(ord("A") + place) if place < 26 else str(place + 1))


def _reference_words(place: int) -> str:
    if place == NO_REFERENCE:
        return say("labelling.no_reference")
    return say("labelling.of_annotator", annotator=annotator(place))


def judgement_words(judgement: Judgement | None) -> str:
    """What somebody calls an answer."""
    return say(f"labelling.said_{judgement.value}") if judgement else "—"


def cause_words(cause: str) -> str:
    """A cause of a wrong answer."""
    return render(naming.cause(cause))


def harm_words(harm: str) -> str:
    """How harmful."""
    return say(f"labelling.harm_{harm}") if harm in (NOT_SAID, *HARMS) else harm
