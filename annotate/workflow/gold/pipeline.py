"""Ask a pipeline the questions of the gold set."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from annotate.domain.gold.matching import AskedKey, GoldQuestion
from annotate.domain.turns import as_rows
from annotate.progress import ProgressCounter
from proxy.errors import UsageError

# The question and the turns before it; the answer.
Pipeline = Callable[[str, list[dict[str, str]]], str]


def ask(pipeline: Pipeline, entries: Sequence[GoldQuestion]) -> dict[AskedKey, str]:
    """Ask each question once, and return the answers by question; what the pipeline raises names the entry."""
    questions = {entry.key: entry for entry in entries}
    answers: dict[AskedKey, str] = {}
    with ProgressCounter("asking", len(questions)) as progress:
        for key, entry in questions.items():
            answers[key] = _answer(pipeline, entry)
            progress.advance(1)
    return answers


def _answer(pipeline: Pipeline, entry: GoldQuestion) -> str:
    try:
        answer: object = pipeline(entry.question, as_rows(entry.history))
    except Exception as error:
        error.add_note(f"the pipeline was asked the question of gold entry {entry.gold_id}")
        raise
    if not isinstance(answer, str):
        raise UsageError(f"a pipeline returns its answer as text, not {type(answer).__name__}")
    return answer
