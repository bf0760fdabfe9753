"""Say what to do next with the threshold of the rule and what its value means."""

from __future__ import annotations

from annotate.analysis.calibration.certify import Calibrated
from annotate.analysis.calibration.reliability import RuleReliability
from annotate.analysis.next_step.commands import CALIBRATE, DISAGREEMENTS, REPORT, SAMPLE, Way
from annotate.analysis.next_step.judging import give_verdicts
from annotate.analysis.next_step.labelling import USUAL, label_more
from annotate.domain.message import Step, message
from annotate.domain.sampling.outcomes import ToLabel
from proxy.evaluation.reliability_curve import FEWEST

WIDE = 0.8  # the share of the labels to choose, where no more can be labelled


def after_calibration(result: Calibrated, way: Way) -> tuple[Step, ...]:
    """Say what a calibration asks for: a decision, labels, or a look at the report."""
    choice, left = result.choice, ToLabel(undrawn=result.left, waiting=result.open)
    usual = (label_more(left, USUAL, SAMPLE, way),)
    if result.objection:
        return (Step(message("steps.decide"), (DISAGREEMENTS,)),)
    if choice is None:
        return (give_verdicts(result.unscored),)
    if result.all_pass or (result.guarantee and result.scoring):
        return (Step(message("steps.see_report"), (REPORT,)),)
    if result.guarantee or result.waits:
        return usual
    if choice.undecided_test:
        return (Step(message("steps.decide"), (DISAGREEMENTS,)),)
    if result.draws_needed is not None:
        more = label_more(left, result.draws_needed, SAMPLE, way)
        return (more,) if left.waiting or left.undrawn else (*_wider(result), more)
    return usual if result.has_few else (Step(message("steps.see_report"), (REPORT,)),)


def _wider(result: Calibrated) -> tuple[Step, ...]:
    """The same with more of the labels choosing, where that is possible."""
    request = result.request
    if request.share >= WIDE:
        return ()
    asked = f"{CALIBRATE} --precision {request.precision:g} --confidence {request.confidence:g} --share {WIDE:g}"
    return (Step(message("steps.more_choose"), (asked,)),)


def after_reliability(explained: RuleReliability, way: Way) -> tuple[Step, ...]:
    """Say what helps once it is known, or not, what a value says of P(right)."""
    if explained.unscored:
        return (give_verdicts(explained.unscored),)
    if explained.curve.reason:
        left = ToLabel(undrawn=explained.left, waiting=explained.open)
        lacking = FEWEST - explained.curve.n
        return (label_more(left, USUAL, SAMPLE, way, needed=lacking if lacking > 0 else None),)
    if explained.curve.tells and explained.objection is None:
        return (Step(message("steps.calibrate"), (f"{CALIBRATE} --precision 0.9",)),)
    return (Step(message("steps.see_report"), (REPORT,)),)
