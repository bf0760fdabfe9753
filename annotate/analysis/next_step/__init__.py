"""Say what to do next: the only place that does.

Open draws come before new ones, and nothing is asked for that is not there.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from annotate.analysis.next_step.calibration import after_calibration, after_reliability
    from annotate.analysis.next_step.commands import EXPORT, FILES, IMPORT, LABEL_STUDIO, PULL, PUSH, Way, way_of
    from annotate.analysis.next_step.comparison import after_comparison, after_one_system, after_ranking
    from annotate.analysis.next_step.diagnosis import after_diagnosis
    from annotate.analysis.next_step.drift import after_drift
    from annotate.analysis.next_step.gold import (
        TO_REVIEW,
        after_gold_accept,
        after_gold_add,
        after_gold_check,
        after_gold_export,
        after_gold_release,
        after_gold_review,
    )
    from annotate.analysis.next_step.judging import after_judging
    from annotate.analysis.next_step.labelling import (
        BRING_BACK,
        adjudicate_one,
        after_labels,
        after_pull,
        after_wave,
        label_more,
    )
    from annotate.analysis.next_step.learned_rule import after_learning
    from annotate.analysis.next_step.loop import StepState, next_step
    from annotate.analysis.next_step.planning import after_plan, after_simulation
    from annotate.analysis.next_step.slices import after_slices

__all__ = [
    "BRING_BACK",
    "EXPORT",
    "FILES",
    "IMPORT",
    "LABEL_STUDIO",
    "PULL",
    "PUSH",
    "TO_REVIEW",
    "StepState",
    "Way",
    "adjudicate_one",
    "after_calibration",
    "after_comparison",
    "after_diagnosis",
    "after_drift",
    "after_gold_accept",
    "after_gold_add",
    "after_gold_check",
    "after_gold_export",
    "after_gold_release",
    "after_gold_review",
    "after_judging",
    "after_labels",
    "after_learning",
    "after_one_system",
    "after_plan",
    "after_pull",
    "after_ranking",
    "after_reliability",
    "after_simulation",
    "after_slices",
    "after_wave",
    "label_more",
    "next_step",
    "way_of",
]
HOMES = {
    "BRING_BACK": "labelling",
    "EXPORT": "commands",
    "FILES": "commands",
    "IMPORT": "commands",
    "LABEL_STUDIO": "commands",
    "PULL": "commands",
    "PUSH": "commands",
    "TO_REVIEW": "gold",
    "StepState": "loop",
    "Way": "commands",
    "adjudicate_one": "labelling",
    "after_calibration": "calibration",
    "after_comparison": "comparison",
    "after_diagnosis": "diagnosis",
    "after_drift": "drift",
    "after_gold_accept": "gold",
    "after_gold_add": "gold",
    "after_gold_check": "gold",
    "after_gold_export": "gold",
    "after_gold_release": "gold",
    "after_gold_review": "gold",
    "after_judging": "judging",
    "after_labels": "labelling",
    "after_learning": "learned_rule",
    "after_one_system": "comparison",
    "after_plan": "planning",
    "after_pull": "labelling",
    "after_ranking": "comparison",
    "after_reliability": "calibration",
    "after_simulation": "planning",
    "after_slices": "slices",
    "after_wave": "labelling",
    "label_more": "labelling",
    "next_step": "loop",
    "way_of": "commands",
}


def __getattr__(name: str) -> object:
    """Load a name on use: the step after one command needs no other's analysis."""
    if name in HOMES:
        return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
