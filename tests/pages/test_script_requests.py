"""What we reach for in Streamlit's runs of a script; if this fails after an upgrade, mend annotate/pages/kit/script_requests.py."""

from __future__ import annotations

from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests
from streamlit.testing.v1 import AppTest

from annotate.pages.kit import script_requests

SCRIPT = """
import streamlit as st
from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx
from annotate.pages.kit.script_requests import is_going_back, is_of_fragment, unanswered

st.session_state["runs"] = st.session_state.get("runs", 0) + 1
if st.session_state["runs"] == 1:
    with unanswered() as is_outermost:
        get_script_run_ctx().script_requests.request_rerun(RerunData())
        with unanswered() as is_outermost_within:
            st.session_state["within"] = [is_outermost, is_outermost_within]
        st.session_state["kinds"] = [is_of_fragment(), is_going_back()]
    st.session_state["after"] = True
"""


def test_a_request_waits_until_the_context_ends_and_is_answered_then() -> None:
    """All that is done within it is done; the first use of `st` after it is where the run is broken off for the next."""
    app = AppTest.from_string(SCRIPT, default_timeout=60).run()

    assert not app.exception
    assert app.session_state["within"] == [True, False]
    assert app.session_state["kinds"] == [False, False]
    assert "after" not in app.session_state
    assert app.session_state["runs"] == 2


def test_the_method_that_is_covered_is_one_of_the_class() -> None:
    """Or covering it would change nothing."""
    assert callable(getattr(ScriptRequests, script_requests.LOOKS_FOR_REQUESTS))


def test_outside_of_any_page_nothing_is_covered() -> None:
    """A callback that is tested alone is run as it is."""
    with script_requests.unanswered() as is_outermost:
        assert is_outermost
    assert script_requests.is_of_fragment()
    assert not script_requests.is_going_back()
