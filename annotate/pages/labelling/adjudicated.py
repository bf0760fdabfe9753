"""What people settled, newest first, each with its reason; any of it may be taken back."""

from __future__ import annotations

import streamlit as st

from annotate.domain.adjudication import AdjudicationCase
from annotate.pages.kit import actor, reruns, texts, times
from annotate.pages.kit.escaping import escaped
from annotate.pages.kit.messages import say
from annotate.pages.labelling import decision
from annotate.store import Store
from annotate.workflow.labelling import adjudicate
from proxy.errors import AssayError

NEWEST = 10
REFUSED = "take-back-refused-"


def show(store: Store, count: int) -> None:
    """The newest, on demand."""
    if not count or not st.toggle(say("labelling.show_settled", count=count), key="settled-shown"):
        return
    found = store.labels.adjudication.settled()[:NEWEST]
    if count > NEWEST:
        st.caption(say("labelling.newest", count=NEWEST))
    items = store.traffic.items.read([one.item for one in found])
    for one in found:
        if one.settled is None:
            continue
        with st.container(border=True, gap="xsmall"):
            texts.show_conversation(items[one.item].history, f"settled-{one.item}")
            texts.show(items[one.item].question, f"settled-{one.item}-question")
            said = decision.judgement_words(one.settled.judgement)
            st.markdown(f"**{escaped(said)}**")
            texts.show(one.settled.rationale or "", f"settled-{one.item}-why", "rationale")
            about = (one.settled.annotator, times.moment(one.settled.at), say("labelling.item", item=one.item_id))
            texts.show(" · ".join(about), f"settled-{one.item}-who")
            with st.popover(say("labelling.take_back"), help=say("labelling.take_back_help")):
                why = f"take-back-why-{one.item}"
                st.text_input(say("labelling.take_back_why"), key=why)
                st.button(
                    say("labelling.take_back"),
                    key=f"take-back-{one.item}",
                    on_click=_take_back,
                    args=(store, one, why),
                )
                if refused := reruns.told(f"{REFUSED}{one.item}"):
                    st.error(escaped(refused), title=say("labelling.not_taken_back"))


@actor.writes
def _take_back(store: Store, one: AdjudicationCase, why_key: str) -> None:
    """Let the readings decide again, or say why not; a second click finds that they do."""
    found = store.labels.adjudication.of_item(one.item)
    if found is None or found.settled is None:
        return
    why = str(st.session_state.get(why_key) or "")
    try:
        adjudicate.take_back(store, one.item, why, who=actor.who(), now=actor.now())
    except AssayError as error:
        reruns.tell(f"{REFUSED}{one.item}", str(error))
        return
    actor.tell(say("labelling.taken_back", item=one.item_id), instead_of=f"{REFUSED}{one.item}")
