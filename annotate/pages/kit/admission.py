"""What somebody sees who may not see the app: who they are, what is missing, and what to do. The store is not read for it."""

from __future__ import annotations

import streamlit as st

from annotate.domain.sign_in.signed_in import Refusal, SignedIn
from annotate.pages.kit import frame, sign_in
from annotate.pages.kit.messages import choose, say

FAILED = "signin"  # in the address that a sign-in which came to nothing leads to


def admits() -> bool:
    """Whether this page may go on; else it has said why not."""
    settings, standing = sign_in.in_force(), sign_in.standing()
    if settings is None or (isinstance(standing, SignedIn) and standing.role is not None):
        return True
    frame.name_language()
    st.title("Assay", anchor=False)
    if isinstance(standing, SignedIn):
        st.warning(say("signin.no_role"))
        st.text(_no_role(standing, settings.contact))  # as markdown it would be masked, and the store asked how
        st.button(say("signin.out"), key="sign-out", on_click=st.logout)
    else:
        _explain(standing)
        st.button(say("signin.in"), key="sign-in", type="primary", on_click=st.login)
    choose()
    return False


def _no_role(person: SignedIn, contact: str | None) -> str:
    ask = say("signin.ask", contact=contact) if contact else say("signin.ask_anyone")
    return f"{say('signin.you', name=person.name)} {ask}"


def _explain(refusal: Refusal | None) -> None:
    """Why there is nothing to see yet."""
    if refusal is not None:
        st.warning(say(f"signin.{refusal.value}"))
    elif st.query_params.get(FAILED):
        st.error(say("signin.failed"))
    else:
        st.markdown(say("signin.needed"))
