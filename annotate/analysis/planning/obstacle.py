"""Explain why no number of labels gives a wanted width, and name the command that changes it."""

from __future__ import annotations

from typing import NamedTuple

from proxy.evaluation.estimate import Estimate
from proxy.planning.expected_width import Outlook
from proxy.reason import Reason
from proxy.records import Verdict

NO_VERDICT = "no answer has the verdict {verdict}: move the threshold with `assay rule set EXPRESSION`"


class PlanObstacle(NamedTuple):
    """A reason why no number of labels will do, and the command that comes first."""

    reason: str
    command: str


def obstacle(outlook: Outlook, present: Estimate, audit: float | None) -> PlanObstacle:
    """Explain why no number of labels will do, and name the command that changes it."""
    if not outlook.frame.is_eligible.any():
        return PlanObstacle(
            "every answer has been drawn: bring in the labels that are open, or new traffic", "assay push"
        )
    there = outlook.verdicts.count()
    if list(there) == [Verdict.UNSCORED]:
        return PlanObstacle("no answer has a verdict", "assay judge")
    if audit == 0:
        return PlanObstacle("with --audit 0 no failed answer is labelled: give a larger audit", "assay plan")
    for verdict in (Verdict.PASS, Verdict.FAIL):
        if verdict not in there:
            return PlanObstacle(Reason(NO_VERDICT, verdict=verdict.value), "assay rule list")
    return PlanObstacle(present.reason or "too few answers", "assay report")
