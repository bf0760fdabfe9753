"""Rows of other evaluation and labelling tools, and the column names that data sets of questions and answers share."""

from __future__ import annotations

from collections.abc import Mapping

from annotate.traffic.named import NamedFields
from annotate.traffic.prompt_templates import take_apart
from annotate.traffic.source_format import Row

ASKED = ("question", "query", "query_str", "prompt", "user_query", "user_question")
GIVEN = ("response", "completion", "model_answer", "generated_answer", "model_response")
REFERENCES = ("reference", "ground_truth", "expected_output", "expected_answer", "gold_answer", "reference_answer")
CONTEXTS = ("contexts", "retrieved_contexts", "retrieved_documents", "documents", "passages", "source_nodes", "context")


def _is_deepeval(row: Row) -> bool:
    return "input" in row and ("actual_output" in row or "actualOutput" in row)


def _is_label_studio(row: Row) -> bool:
    """Return whether a row is a task: Label Studio names what is labelled `data`, and has its work beside it."""
    return isinstance(row.get("data"), Mapping) and ("annotations" in row or "predictions" in row)


def _is_question_and_response(row: Row) -> bool:
    """Return whether exactly one column asks and one answers, neither of them under our names."""
    asks = [name for name in ASKED if name in row]
    answers = [name for name in GIVEN if name in row]
    return len(asks) == 1 and len(answers) == 1 and "answer" not in row and isinstance(row[asks[0]], str)


DEEPEVAL = NamedFields(
    name="deepeval",
    title="DeepEval",
    recognise=_is_deepeval,
    names={
        "question": ("input",),
        "answer": ("actual_output", "actualOutput"),
        "contexts": ("retrieval_context", "retrievalContext"),
        "reference": ("expected_output", "expectedOutput"),
    },
)
LABEL_STUDIO = NamedFields(
    name="label_studio",
    title="Label Studio",
    recognise=_is_label_studio,
    within="data",
    names={
        "question": tuple(f"data.{name}" for name in (*ASKED, "input", "user_input")),
        "answer": tuple(f"data.{name}" for name in ("answer", *GIVEN, "output")),
        "contexts": tuple(f"data.{name}" for name in CONTEXTS),
        "reference": tuple(f"data.{name}" for name in REFERENCES),
        "history": ("data.history", "data.chat_history"),
        "id": ("data.item_id", "data.id", "id"),
    },
)
QUESTION_AND_RESPONSE = NamedFields(
    name="qa",
    title="question and response columns",
    recognise=_is_question_and_response,
    names={"question": ASKED, "answer": GIVEN, "contexts": CONTEXTS, "reference": REFERENCES},
    change=lambda values, _: take_apart(values),
)
