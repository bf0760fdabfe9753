"""Say what to do next with a learned rule."""

from __future__ import annotations

from collections.abc import Sequence

from annotate.analysis.learned_rule import LearnedRule
from annotate.analysis.next_step.commands import DISAGREEMENTS, LEARN, SAMPLE, Way
from annotate.domain.message import EvidenceText, Kind, Step, message


def offered(result: LearnedRule) -> tuple[Step, ...]:
    """Offer the rule that is shown better than the one in force."""
    if not result.is_better or result.contrast is None:
        return ()
    difference = EvidenceText(result.contrast.estimate, Kind.COEFFICIENT, is_signed=True)
    return (Step(message("steps.learn_rule", evidence=difference), (LEARN,)),)


def after_learning(result: LearnedRule, way: Way, usual: Sequence[Step]) -> tuple[Step, ...]:
    """Confirm what is in force on fresh labels, put in force what is better; else what is next anyway."""
    if result.objection:
        return (Step(message("steps.decide"), (DISAGREEMENTS,)),)
    if result.is_saved and result.contrast is not None and result.contrast.draws:
        count = result.contrast.draws
        return (Step(message("steps.confirm_rule", count=count), (f"{SAMPLE} {count}", way.send)),)
    if result.is_better:
        return (Step(message("steps.put_learned"), (LEARN,)),)
    return tuple(usual)
