"""Say which of several rules, measured on the same labels, agrees best with annotators.

A rule counts as better only where the interval of its difference in kappa to the rule in force is above 0 even when it is
widened for the number of rules that were tried (Bonferroni): with many rules, the best of them looks good by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from proxy.evaluation.rule_comparison import RuleDifference


class Choice(StrEnum):
    """The decision on the rule in force among the others."""

    KEEP = "keep"
    CHANGE = "change"
    OPEN = "open"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True, slots=True)
class Rival:
    """Another rule, and its kappa minus that of the rule in force."""

    expression: str
    kappa: RuleDifference


@dataclass(frozen=True, kw_only=True, slots=True)
class BestRule:
    """The status, and the rule to prefer where there is one.

    `nearest` is the rival that the status rests on: the best of those that are better, else the one with the highest kappa;
    `tried` counts the rivals that could be measured.
    """

    status: Choice
    tried: int = 0
    expression: str | None = None
    nearest: Rival | None = None


def best_rule(in_force: str, rivals: Sequence[Rival]) -> BestRule:
    """Compare the rule in force with its rivals."""
    known = [rival for rival in rivals if rival.kappa.estimate.estimate is not None]
    if not known:
        return BestRule(status=Choice.UNKNOWN)
    nearest = max(known, key=_kappa)
    better = [rival for rival in known if rival.kappa.of_all and rival.kappa.of_all.low > 0]
    if better:
        best = max(better, key=_kappa)
        return BestRule(status=Choice.CHANGE, tried=len(known), expression=best.expression, nearest=best)
    if all(rival.kappa.of_all and rival.kappa.of_all.high < 0 for rival in known):
        return BestRule(status=Choice.KEEP, tried=len(known), expression=in_force, nearest=nearest)
    return BestRule(status=Choice.OPEN, tried=len(known), nearest=nearest)


def _kappa(rival: Rival) -> float:
    return rival.kappa.estimate.estimate or 0.0
