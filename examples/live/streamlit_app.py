"""A Streamlit app with thumbs below each answer: `streamlit run streamlit_app.py`."""

from __future__ import annotations

import streamlit as st
from opentelemetry.sdk.trace import TracerProvider
from thumbs import send_feedback
from tracing import provider

KIND = "openinference.span.kind"
PASSAGE = "Ward 3 moved to the second floor in 2019."


@st.cache_resource
def traced() -> TracerProvider:
    """Return the provider, once for all sessions."""
    return provider("streamlit-app")


def answer(question: str) -> tuple[str, str]:
    """Return the answer, and the id under which it will be known: that of its trace."""
    tracer = traced().get_tracer("app")
    with tracer.start_as_current_span("answer") as span:
        with tracer.start_as_current_span("search") as search:
            search.set_attributes({KIND: "RETRIEVER", "retrieval.documents.0.document.content": PASSAGE})
        text = f"As far as we know: {PASSAGE}"
        span.set_attributes({KIND: "CHAIN", "input.value": question, "output.value": text})
        return text, f"{span.get_span_context().trace_id:032x}"


def voted(item_id: str) -> None:
    """Send the vote as it stands now; a second one replaces the first, and None takes it back."""
    send_feedback(item_id, st.session_state[item_id])


question = st.chat_input("Ask something")
if question:
    st.session_state["last"] = (question, *answer(question))
if "last" in st.session_state:
    asked, text, item_id = st.session_state["last"]
    st.chat_message("user").write(asked)
    st.chat_message("assistant").write(text)
    st.feedback("thumbs", key=item_id, on_change=voted, args=(item_id,))
