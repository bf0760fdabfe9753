"""Say what to do next: the only place that does.

Open draws come before new ones, and nothing is asked for that is not there.
"""

from annotate.analysis.next_step.calibration import after_calibration, after_reliability
from annotate.analysis.next_step.commands import EXPORT, FILES, IMPORT, LABEL_STUDIO, PULL, PUSH, Way
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
from annotate.analysis.next_step.judging import after_judging, after_rule
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
    "after_rule",
    "after_simulation",
    "after_slices",
    "after_wave",
    "label_more",
    "next_step",
]
