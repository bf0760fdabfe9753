"""What people settled, newest first, each with its reason; any of it may be taken back."""

from __future__ import annotations

import streamlit as st

from annotate import settling
from annotate.adjudication import Case
from annotate.pages import acting, texts, times
from annotate.pages.escaping import escaped
from annotate.pages.labelling import decision
from annotate.pages.say import say
from annotate.store import Store
from proxy.errors import AssayError

NEWEST = 10


def show(store: Store, who: str, count: int) -> None:
    """The newest, on demand."""
    if not count or not st.toggle(say("labelling.show_settled", count=count), key="settled-shown"):
        return
    found = store.cases.settled()[:NEWEST]
    if count > NEWEST:
        st.caption(say("labelling.newest", count=NEWEST))
    items = store.items.read([one.item for one in found])
    for one in found:
        if one.settled is None:
            continue
        with st.container(border=True, gap="xsmall"):
            texts.show(items[one.item].question, f"settled-{one.item}-question")
            said = decision.judgement_words(one.settled.judgement)
            st.markdown(f"**{escaped(said)}**")
            texts.show(one.settled.rationale or "", f"settled-{one.item}-why", "rationale")
            about = (one.settled.annotator, times.moment(one.settled.at), say("labelling.item", item=one.item_id))
            texts.show(" · ".join(about), f"settled-{one.item}-who")
            with st.popover(say("labelling.take_back"), help=say("labelling.take_back_help")):
                why = st.text_input(say("labelling.take_back_why"), key=f"take-back-why-{one.item}")
                if st.button(say("labelling.take_back"), key=f"take-back-{one.item}"):
                    _take_back(store, one, why or "", who)


def _take_back(store: Store, one: Case, why: str, who: str) -> None:
    """Let the readings decide again, or say why not."""
    try:
        settling.take_back(store, one.item, why, who=who, now=acting.now())
    except AssayError as error:
        st.error(escaped(str(error)), title=say("labelling.not_taken_back"))
        return
    acting.tell(say("labelling.taken_back", item=one.item_id))
    st.rerun()
