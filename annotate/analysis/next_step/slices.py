"""Say what to do next with the slices of the traffic."""

from __future__ import annotations

import shlex

from annotate.analysis.next_step.commands import DIAGNOSE, JUDGE, SAMPLE, SLICES, Way
from annotate.analysis.next_step.labelling import adjudicate_or_label, label_more
from annotate.analysis.slices.find import Slices
from annotate.domain.message import Step, message

# Of 300 labels a slice of `slices.PART`, a fifth, has 60: where a fifth is wrong elsewhere, 16 points more are shown with a
# power of .8, before the adjustment. Chosen: three waves at a time.
FOR_SLICES, OF_A_SLICE, MOST_SLICES = 300, 60, 3


def after_slices(result: Slices, way: Way) -> tuple[Step, ...]:
    """Say how to confirm what was found by search; without a finding, bring the labels that could show one."""
    tested, worse = result.examined.tested, result.examined.worse
    if not sum(result.labels.values()):
        return (label_more(result.left, FOR_SLICES, SAMPLE, way),)
    if result.is_unjudged:
        return () if result.failed else (Step(message("steps.judge"), (JUDGE,)),)
    if result.objections:
        return (adjudicate_or_label(result.objections[0].doubt, result.left.waiting, way),)
    if count := sum(confirmation.open for confirmation in result.confirmations):
        return (Step(message("steps.label_on", count=count), (*way.commands, SLICES)),)
    if not tested and not result.examined.untested:
        return ()
    searched = [finding.slice.name for finding in worse if finding.slice.is_searched]
    if worse and not searched:
        return (Step(message("steps.still_wrong"), (DIAGNOSE,)),)
    if not tested or not result.left.undrawn:
        return (label_more(result.left, FOR_SLICES, SAMPLE, way),)
    names = searched[:MOST_SLICES] or [tested[0].slice.name]
    waves = [f"{SAMPLE} {OF_A_SLICE} --slice {shlex.quote(name)}" for name in dict.fromkeys(names)]
    return (Step(message("steps.confirm_slice" if searched else "steps.nearest_slice"), (*waves, way.send, SLICES)),)
