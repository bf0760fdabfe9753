"""Tell that the rule in force is worse than one of its own judges."""

from __future__ import annotations

import shlex

from annotate.analysis.report.better_judge import BetterJudge
from annotate.domain.message import Code, Command, EvidenceText, Kind, Message, Value, message
from proxy.evaluation.rule_contrast import MOST_DRAWS


def sentence(better: BetterJudge) -> Message:
    """Say that the rule in force is worse than one of its own judges, and how to confirm or end it."""
    difference = EvidenceText(better.kappa.estimate, Kind.COEFFICIENT, is_signed=True)
    values: dict[str, Value] = {"judge": Code(better.rule.expression), "evidence": difference}
    if better.wave is not None:
        command = Command(
            f"assay rule set {shlex.quote(better.rule.expression)} --name {shlex.quote(better.rule.name)}"
        )
        return message("better_judge.confirmed", **values, wave=better.wave, command=command)
    if better.draws is None:
        return message("better_judge.shown_many", **values, most=MOST_DRAWS)
    return message("better_judge.shown", **values, command=Command(f"assay sample --labels {better.draws}"))
