"""Rows of other evaluation and labelling tools, and the column names that data sets of questions and answers share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from annotate.traffic.content import answered, loaded
from annotate.traffic.named import NamedFields
from annotate.traffic.passages import BESIDE, passages
from annotate.traffic.prompt_templates import take_apart
from annotate.traffic.rows import item_from_row
from annotate.traffic.source_format import Evaluation, Paths, Reading, Row, TrafficRow
from proxy.errors import InputError

ASKED = ("question", "query", "query_str", "prompt", "user_query", "user_question")
GIVEN = ("response", "completion", "model_answer", "generated_answer", "model_response")
REFERENCES = ("reference", "ground_truth", "expected_output", "expected_answer", "gold_answer", "reference_answer")
METRICS_DATA = ("metricsData", "metrics_data")
CONTEXTS = ("contexts", "retrieved_contexts", "retrieved_documents", "documents", "passages", "source_nodes", "context")


def _is_deepeval(row: Row) -> bool:
    return "input" in row and ("actual_output" in row or "actualOutput" in row)


def _split_contexts(values: dict[str, tuple[object, str]], row: Row) -> None:
    """Split the passages that `EvaluationDataset.save_as` joins in CSV and JSON Lines, as its own loader does."""
    given, path = values.get("contexts", (None, ""))
    if isinstance(given, str) and "source_file" in row and "|" in given:
        values["contexts"] = given.split("|"), f"{path}, split at |"


def _is_label_studio(row: Row) -> bool:
    """Return whether a row is a task: Label Studio names what is labelled `data`, and has its work beside it."""
    return isinstance(row.get("data"), Mapping) and ("annotations" in row or "predictions" in row)


def _is_question_and_response(row: Row) -> bool:
    """Return whether exactly one column asks and one answers, neither of them under our names."""
    asks = [name for name in ASKED if name in row]
    answers = [name for name in GIVEN if name in row]
    return len(asks) == 1 and len(answers) == 1 and "answer" not in row and isinstance(row[asks[0]], str)


@dataclass(frozen=True, kw_only=True, slots=True)
class DeepEval:
    """DeepEval's data sets and test runs; a test run has what its metrics gave beside each answer."""

    name: str = "deepeval"
    title: str = "DeepEval"
    has_spans: bool = False

    def recognises(self, row: Row) -> bool:
        """Return whether the row is a test case."""
        return CASES.recognises(row)

    def read(self, row: Row, paths: Paths) -> Iterable[Reading]:
        """Read the answer, and the scores of the metrics that ran on it."""
        for reading in CASES.read(row, paths):
            yield reading
            if isinstance(reading, TrafficRow):
                yield from map(Evaluation, _metrics(row, reading))


def metrics_of(row: Row) -> list[Row] | None:
    """Return the scores that a test case of DeepEval holds; None for any other row, and for one without metrics."""
    if not _is_deepeval(row) or not isinstance(_metrics_data(row), list):
        return None
    readings = CASES.read(row, {})
    return [metric for reading in readings if isinstance(reading, TrafficRow) for metric in _metrics(row, reading)]


def _metrics_data(row: Row) -> object:
    return next((loaded(row[name]) for name in METRICS_DATA if row.get(name)), None)


def _metrics(row: Row, answer: TrafficRow) -> Iterator[Row]:
    """Yield what each metric gave, with the id that the answer has."""
    metrics = _metrics_data(row)
    if not isinstance(metrics, list) or not metrics:
        return
    try:
        item_id = item_from_row(answer.fields, {}).id
    except InputError:
        return
    for metric in metrics:
        if isinstance(metric, Mapping) and metric.get("name"):
            yield {"item_id": item_id, "by": "metric", "metricsData": metric}


DEEPEVAL = DeepEval()
CASES = NamedFields(
    name="deepeval",
    title="DeepEval",
    recognise=_is_deepeval,
    names={
        "question": ("input",),
        "answer": ("actual_output", "actualOutput"),
        "contexts": ("retrieval_context", "retrievalContext"),
        "reference": ("expected_output", "expectedOutput"),
    },
    change=_split_contexts,
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


def _take_response_apart(values: dict[str, tuple[object, str]], _: Row) -> None:
    """Take the text and its sources from a response that is an object with both; any other object is the answer as it came."""
    take_apart(values)
    response, path = values.get("answer", (None, ""))
    inner = loaded(response)
    if not isinstance(inner, Mapping):
        return
    key = next((name for name in BESIDE if isinstance(inner.get(name), list)), None)
    reply = answered(inner)
    if key is None or reply is None:
        return
    values["answer"] = reply.text, f"{path}.{reply.path}"
    values.setdefault("contexts", (list(passages(inner[key])), f"{path}.{key}"))


QUESTION_AND_RESPONSE = NamedFields(
    name="qa",
    title="question and response columns",
    recognise=_is_question_and_response,
    names={"question": ASKED, "answer": GIVEN, "contexts": CONTEXTS, "reference": REFERENCES},
    change=_take_response_apart,
)
