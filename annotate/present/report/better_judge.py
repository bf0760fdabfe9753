"""Say that a judge of the rule in force alone is better, and whether a fresh wave confirms it."""

from __future__ import annotations

import shlex

from annotate.analysis.report.better_judge import BetterJudge, BetterJudgeClaim
from annotate.domain.message import Code, Command, EvidenceText, Kind, Message, Value, message
from proxy.evaluation.rule_contrast import MOST_DRAWS


def better_judge(better: BetterJudge) -> Message:
    """Say that the rule in force is worse than one of its own judges, with what confirms it or says that it is not so."""
    difference = EvidenceText(better.kappa.estimate, Kind.COEFFICIENT, is_signed=True)
    values: dict[str, Value] = {"judge": Code(better.rule.expression), "evidence": difference}
    match better.claim:
        case BetterJudgeClaim.OUT:
            return message("better_judge.out", **values, wave=better.wave, count=better.open)
        case BetterJudgeClaim.UNCONFIRMED if better.fresh:
            values["evidence"] = EvidenceText(better.fresh.estimate, Kind.COEFFICIENT, is_signed=True)
            return message("better_judge.unconfirmed", **values, wave=better.wave)
        case BetterJudgeClaim.CONFIRMED:
            expression, name = shlex.quote(better.rule.expression), shlex.quote(better.rule.name)
            command = Command(f"assay rule set {expression} --name {name}")
            return message("better_judge.confirmed", **values, wave=better.wave, command=command)
        case BetterJudgeClaim.SHOWN if better.open:
            return message("better_judge.open", **values, count=better.open)
        case BetterJudgeClaim.SHOWN if better.draws == 0:
            return message("better_judge.no_traffic", **values)
        case BetterJudgeClaim.SHOWN if better.draws is None:
            return message("better_judge.shown_many", **values, most=MOST_DRAWS)
    return message("better_judge.shown", **values, command=Command(f"assay sample --labels {better.draws}"))
