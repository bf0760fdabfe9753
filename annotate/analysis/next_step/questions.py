"""Say what to do next with test questions."""

from __future__ import annotations

from annotate.domain.message import Step, message
from annotate.domain.questions import QuestionsBuilt

BUILD, LIST = "assay questions build", "assay questions list"
EXPORT, SCORE = "assay questions export items.jsonl", "assay questions score answers.jsonl"


def after_questions_build(result: QuestionsBuilt) -> tuple[Step, ...]:
    """Have the questions read, then ask the app."""
    if not (result.added or result.unchanged):
        return ()
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
