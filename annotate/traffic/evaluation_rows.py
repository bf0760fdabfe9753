"""Rows of other evaluation and labelling tools, and the column names that data sets of questions and answers share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from annotate.traffic.content import loaded
from annotate.traffic.named import NamedFields
from annotate.traffic.rows import item_from_row
from annotate.traffic.source_format import Evaluation, Paths, Reading, Row, TrafficRow
from proxy.errors import InputError

ASKED = ("question", "query", "query_str", "prompt", "user_query", "user_question")
GIVEN = ("response", "completion", "model_answer", "generated_answer", "model_response")
REFERENCES = ("reference", "ground_truth", "expected_output", "expected_answer", "gold_answer", "reference_answer")
# Columns that DeepEval's data sets have together only where they were saved as a table.
SAVED = ("actual_output", "expected_output", "context", "retrieval_context", "source_file")
METRICS_DATA = ("metricsData", "metrics_data")
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


def _split(values: dict[str, tuple[object, str]], row: Row) -> None:
    """Part the passages in the table that DeepEval's data sets are saved as, which puts `|` between them."""
    contexts, path = values.get("contexts", (None, ""))
    is_saved = all(name in row for name in SAVED)
    if is_saved and isinstance(contexts, str) and "|" in contexts and not contexts.lstrip().startswith("["):
        values["contexts"] = [passage for passage in contexts.split("|") if passage.strip()], path


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
    change=_split,
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
)
