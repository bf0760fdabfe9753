"""Tell that the rule in force is worse than one of its own judges."""

from __future__ import annotations

import shlex

from annotate.analysis.report.better_judge import BetterJudge
from annotate.domain.message import Code, Command, EvidenceText, Kind, Message, Value, message


def sentence(better: BetterJudge) -> Message:
    """Say that the rule in force is worse than one of its own judges, and the command that confirms or ends it."""
    difference = EvidenceText(better.kappa.estimate, Kind.COEFFICIENT, is_signed=True)
    values: dict[str, Value] = {"judge": Code(better.rule.expression), "evidence": difference}
    if better.wave is not None:
        command = Command(
            f"assay rule set {shlex.quote(better.rule.expression)} --name {shlex.quote(better.rule.name)}"
        )
        return message("better_judge.confirmed", **values, wave=better.wave, command=command)
    return message("better_judge.shown", **values, command=Command(f"assay sample --labels {better.draws or 200}"))
