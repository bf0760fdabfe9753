"""Say that a judge of the rule in force alone is better, and how far a fresh wave is with saying so."""

from __future__ import annotations

from annotate.analysis.report.better_judge import BetterJudge, Claim
from annotate.domain.message import Code, EvidenceText, Kind, Message, Value, message
from annotate.present import learned_rule


def better_judge(better: BetterJudge) -> Message:
    """Say that the rule in force is worse than one of its own judges, with what confirms it or says that it is not so."""
    difference = EvidenceText(better.kappa.estimate, Kind.COEFFICIENT, is_signed=True)
    values: dict[str, Value] = {"judge": Code(better.rule.expression), "evidence": difference}
    match better.claim:
        case Claim.OUT:
            return message("report.judge_out", **values, wave=better.wave, count=better.open)
        case Claim.UNCONFIRMED if better.fresh:
            fresh = EvidenceText(better.fresh.estimate, Kind.COEFFICIENT, is_signed=True)
            return message("report.judge_unconfirmed", judge=values["judge"], wave=better.wave, evidence=fresh)
        case Claim.SHOWN if better.open:
            return message("report.judge_open", **values, count=better.open)
        case Claim.SHOWN if not better.draws:
            return message("report.judge_no_traffic", **values)
    return learned_rule.better_judge(better)
