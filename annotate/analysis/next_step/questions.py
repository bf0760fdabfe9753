"""Say what to do next with test questions."""

from __future__ import annotations

import shlex

from annotate.domain.message import Step, message
from annotate.domain.questions import QuestionsBuilt

BUILD, LIST = "assay questions build", "assay questions list"
EXPORT, SCORE = "assay questions export items.jsonl", "assay questions score answers.jsonl"


def after_questions_build(result: QuestionsBuilt, file: str | None) -> tuple[Step, ...]:
    """Have the questions read, then ask the app; where patterns gave none, let a model ask about the passages of the file."""
    if not (result.added or result.unchanged):
        command = BUILD if file is None else f"{BUILD} {shlex.quote(file)}"
        by_patterns = result.without_fact is not None
        return (Step(message("steps.questions_model"), (f"{command} --model MODEL",)),) if by_patterns else ()
    return (Step(message("steps.questions_read"), (LIST,)), Step(message("steps.questions_ask"), (EXPORT,)))


def after_questions_list(waiting: int, total: int) -> tuple[Step, ...]:
    """Accept or retire what waits; build some where there are none."""
    if not total:
        return (Step(message("steps.questions_build"), (BUILD,)),)
    if not waiting:
        return ()
    return (Step(message("steps.gold_decide"), ("assay gold accept GOLD_ID", "assay gold retire GOLD_ID")),)


def after_questions_export() -> tuple[Step, ...]:
    """Ask the app, and score what it says."""
    return (Step(message("steps.questions_score"), (SCORE,)),)
