"""A FastAPI app that answers and takes thumbs: `uvicorn fastapi_app:app`.

POST /ask, then POST /thumb with the id that came back.
"""

from __future__ import annotations

from fastapi import FastAPI
from pydantic import BaseModel
from thumbs import send_feedback
from tracing import provider

KIND = "openinference.span.kind"
PASSAGE = "Ward 3 moved to the second floor in 2019."
TRACER = provider("fastapi-app").get_tracer("app")
app = FastAPI()


class Question(BaseModel):
    """What a user asks."""

    text: str


class Thumb(BaseModel):
    """What a user thinks of an answer."""

    item_id: str
    is_up: bool
    comment: str = ""


@app.post("/ask")
def ask(question: Question) -> dict[str, str]:
    """Answer, in a trace whose id is the answer's."""
    with TRACER.start_as_current_span("answer") as span:
        with TRACER.start_as_current_span("search") as search:
            search.set_attributes({KIND: "RETRIEVER", "retrieval.documents.0.document.content": PASSAGE})
        text = f"As far as we know: {PASSAGE}"
        span.set_attributes({KIND: "CHAIN", "input.value": question.text, "output.value": text})
        return {"answer": text, "item_id": f"{span.get_span_context().trace_id:032x}"}


@app.post("/thumb")
def thumb(given: Thumb) -> None:
    """Pass the thumb on; `def` without `async` runs in a thread, so nobody waits for it but this user."""
    send_feedback(given.item_id, given.is_up, comment=given.comment)
