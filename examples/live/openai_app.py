"""A RAG app on OpenAI's client, traced by OpenInference: `python openai_app.py QUESTION …` answers each question.

OPENAI_BASE_URL, OPENAI_API_KEY and MODEL name the model. The instrumentor traces the calls to it; the question, the passages and
the answer are set on spans of the app's own, because only the app knows where it looked.
"""

from __future__ import annotations

import os
import sys

from openai import OpenAI
from openinference.instrumentation.openai import OpenAIInstrumentor
from tracing import provider

PASSAGES = {
    "ward": "Ward 3 moved to the second floor in 2019.",
    "parking": "Visitors park in garage B, which is open day and night.",
}
KIND = "openinference.span.kind"
PROVIDER = provider("openai-app")
OpenAIInstrumentor().instrument(tracer_provider=PROVIDER)
TRACER = PROVIDER.get_tracer("app")


def search(question: str) -> list[str]:
    """Return the passages whose key the question names."""
    with TRACER.start_as_current_span("search") as span:
        texts = [text for key, text in PASSAGES.items() if key in question.lower()]
        span.set_attributes({KIND: "RETRIEVER", "input.value": question})
        for number, text in enumerate(texts):
            span.set_attribute(f"retrieval.documents.{number}.document.content", text)
        return texts


def answer(client: OpenAI, question: str) -> tuple[str, str]:
    """Return the answer, and the id under which it will be known: that of its trace."""
    with TRACER.start_as_current_span("answer") as span:
        span.set_attributes({KIND: "CHAIN", "input.value": question})
        messages = [
            {"role": "system", "content": "Answer from:\n" + "\n".join(search(question))},
            {"role": "user", "content": question},
        ]
        reply = client.chat.completions.create(model=os.environ.get("MODEL", "gpt-5-mini"), messages=messages)
        text = reply.choices[0].message.content or ""
        span.set_attribute("output.value", text)
        return text, f"{span.get_span_context().trace_id:032x}"


def main() -> None:
    """Answer the questions of the command line."""
    with OpenAI() as client:
        for question in sys.argv[1:]:
            text, item_id = answer(client, question)
            print(item_id, " ".join(text.split()))
    PROVIDER.shutdown()


if __name__ == "__main__":
    main()
