"""Read a reference from rows of data sets of LangSmith, Phoenix, Langfuse, Ragas, DeepEval, OpenAI's evals and promptfoo.

What we exported in a tool's form says beside the tool's own fields what these cannot hold (`assay`: question, history and
contexts by themselves), so that it comes back as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

Row: TypeAlias = Mapping[str, object]
# Under this name, in a row or in its metadata, stands what the tool's own fields cannot hold.
BESIDE = "assay"
QUESTIONS = ("question", "query", "input", "prompt", "user_input", "text")
REFERENCES = ("reference", "answer", "output", "expected", "expected_output", "expectedOutput", "response", "text")
CONTEXTS = ("contexts", "context", "retrieved_contexts", "reference_contexts", "documents", "passages")
HISTORIES = ("history", "chat_history", "messages")


class _Tool(NamedTuple):
    """A tool: the keys that mark its rows, and how they are read."""

    recognises: Callable[[Row], bool]
    read: Callable[[Row], Row]


def in_our_names(row: Row) -> Row:
    """Return a row of another tool in our names; any other row as it is."""
    tool = next((tool for tool in TOOLS if tool.recognises(row)), None)
    if tool is None:
        return row
    fields = {name: value for name, value in tool.read(row).items() if value is not None}
    return {**fields, **_beside(row)}


def _beside(row: Row) -> Row:
    """Return what an export of ours put beside the tool's fields."""
    places = (row, row.get("metadata"), row.get("additional_metadata"), row.get("additionalMetadata"))
    for place in places:
        if isinstance(place, Mapping) and isinstance(beside := place.get(BESIDE), Mapping):
            return beside
    return {}


def _langsmith(row: Row) -> Row:
    inputs, outputs = _object(row["inputs"]), _object(row["outputs"])
    messages = inputs.get("messages")
    question, history = _first(inputs, QUESTIONS), _first(inputs, HISTORIES[:2])
    if question is None and isinstance(messages, list) and messages:
        question, history = _content(messages[-1]), messages[:-1]
    if question is None and len(inputs) == 1:
        question = next(iter(inputs.values()))
    reference = _first(outputs, REFERENCES)
    if reference is None and len(outputs) == 1:
        reference = next(iter(outputs.values()))
    contexts = _first(inputs, CONTEXTS)
    return {"question": question, "history": history, "reference": reference, "contexts": contexts}


def _phoenix(row: Row) -> Row:
    return _langsmith({"inputs": row["input"], "outputs": row["output"]})


def _langfuse(row: Row) -> Row:
    expected = _first(row, ("expectedOutput", "expected_output"))
    inputs = _object(row["input"]) or {"question": row["input"]}
    return {
        "question": _first(inputs, QUESTIONS),
        "history": _first(inputs, HISTORIES[:2]),
        "reference": _first(expected, REFERENCES) if isinstance(expected, Mapping) else expected,
        "contexts": _first(inputs, CONTEXTS),
    }


def _deepeval(row: Row) -> Row:
    reference = _first(row, ("expected_output", "expectedOutput"))
    contexts = _first(row, ("context", "retrieval_context", "retrievalContext"))
    return {"question": row["input"], "reference": reference, "contexts": contexts}


def _ragas(row: Row) -> Row:
    asked = row["user_input"]
    question, history = asked, None
    if isinstance(asked, list) and asked:  # a conversation, of which the last message asks
        question, history = _content(asked[-1]), asked[:-1]
    contexts = _first(row, ("reference_contexts", "retrieved_contexts"))
    return {"question": question, "history": history, "reference": row.get("reference"), "contexts": contexts}


def _openai(row: Row) -> Row:
    item = _object(row["item"])
    names = {"question": QUESTIONS, "reference": REFERENCES, "contexts": CONTEXTS, "history": HISTORIES[:2]}
    return {name: _first(item, keys) for name, keys in names.items()}


def _promptfoo(row: Row) -> Row:
    variables = _object(row["vars"])
    contexts = _first(variables, CONTEXTS)
    return {
        "question": _first(variables, QUESTIONS),
        "reference": _first(variables, REFERENCES),
        "contexts": [contexts] if isinstance(contexts, str) and contexts else contexts or None,
    }


def _has(*names: str, objects: Iterable[str] = ()) -> Callable[[Row], bool]:
    return lambda row: (
        all(name in row for name in names) and all(isinstance(row.get(name), Mapping) for name in objects)
    )


TOOLS = (
    _Tool(_has("inputs", "outputs", objects=("inputs", "outputs")), _langsmith),
    _Tool(_has("input", "output", objects=("input", "output")), _phoenix),
    _Tool(_has("input", "expectedOutput", "datasetName"), _langfuse),
    _Tool(_has("input", "expectedOutput", "datasetId"), _langfuse),
    _Tool(_has("input", "expected_output", "dataset_id"), _langfuse),
    _Tool(_has("input", "expected_output"), _deepeval),
    _Tool(_has("input", "expectedOutput"), _deepeval),
    _Tool(_has("user_input"), _ragas),
    _Tool(_has(objects=("item",)), _openai),
    _Tool(_has(objects=("vars",)), _promptfoo),
)


def _object(value: object) -> Row:
    return value if isinstance(value, Mapping) else {}


def _first(row: Row, names: Iterable[str]) -> object:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _content(message: object) -> object:
    return _first(message, ("content", "text")) if isinstance(message, Mapping) else message
