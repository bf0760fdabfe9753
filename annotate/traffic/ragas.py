"""Ragas: samples and score tables, with the names before and after 0.2, and multi-turn samples."""

from __future__ import annotations

from annotate.domain.turns import as_rows
from annotate.traffic.content import last_exchange, loaded
from annotate.traffic.metrics import RAGAS_METRICS
from annotate.traffic.named import NamedFields
from annotate.traffic.source_format import Row
from proxy.judges.retrieval_fields import PASSAGE_IDS
from proxy.text.alternatives import joined

NEW = ("response", "retrieved_contexts", "reference", "reference_contexts", "rubrics", "rubric")
NAMES = {
    "question": ("user_input", "question"),
    "answer": ("response", "answer"),
    "contexts": ("retrieved_contexts", "contexts"),
    "reference": ("reference", "ground_truth", "ground_truths"),
}


def is_ragas(row: Row) -> bool:
    """Return whether a row has Ragas' names, old or new, or its scores beside a question and an answer."""
    if "user_input" in row:
        return any(name in row for name in NEW)
    if "question" not in row or "answer" not in row:
        return False
    return "ground_truth" in row or "ground_truths" in row or ("contexts" in row and not RAGAS_METRICS.isdisjoint(row))


def _change(values: dict[str, tuple[object, str]], row: Row) -> None:
    """Split a conversation into its last question and answer, name the passages, and join several references."""
    messages = loaded(values["question"][0]) if "question" in values else None
    if isinstance(messages, list) and (exchange := last_exchange(messages)):
        path = values["question"][1]
        values["question"] = exchange.question, f"{path}, last of the user"
        values["history"] = as_rows(exchange.history), path
        values.setdefault("answer", (exchange.answer, f"{path}, last of the assistant"))
        if exchange.tools:
            values.setdefault("contexts", (list(exchange.tools), f"{path}, tools"))
    texts, ids = (loaded(row.get(name)) for name in ("retrieved_contexts", "retrieved_context_ids"))
    if isinstance(texts, list) and isinstance(ids, list) and len(texts) == len(ids):
        named = [{"text": text, "id": id_} for text, id_ in zip(texts, ids, strict=True)]
        values["contexts"] = named, "retrieved_contexts"
    elif isinstance(ids, list) and ids:
        values[PASSAGE_IDS] = ids, "retrieved_context_ids"
    if "reference" in values:
        reference, path = loaded(values["reference"][0]), values["reference"][1]
        if isinstance(reference, list):
            references = [text for text in reference if isinstance(text, str) and text.strip()]
            values["reference"] = (joined(references) or None), path


RAGAS = NamedFields(
    name="ragas",
    title="Ragas",
    names=NAMES,
    recognise=is_ragas,
    change=_change,
    beside=frozenset({"retrieved_context_ids"}),
)
