"""Say which of several rules, measured on the same labels, agrees best with people.

A rule counts as better only where the interval of its difference in kappa to the rule in force lies above 0 even when it is
widened for the number of rules that were tried (Bonferroni): with many rules, the best of them looks good by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from proxy.evaluation.estimate import for_comparison
from proxy.evaluation.rule_comparison import Difference
from proxy.text.language import several, two_decimals


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
    kappa: Difference


@dataclass(frozen=True, kw_only=True, slots=True)
class BestRule:
    """The status, the sentence that says it, and the rule to prefer where there is one."""

    status: Choice
    sentence: str
    expression: str | None = None


def best_rule(in_force: str, rivals: Sequence[Rival]) -> BestRule:
    """Compare the rule in force with its rivals."""
    known = [rival for rival in rivals if rival.kappa.estimate.estimate is not None]
    if not known:
        return BestRule(status=Choice.UNKNOWN, sentence="Which rule agrees best with people cannot be said yet.")
    better = [rival for rival in known if rival.kappa.of_all and rival.kappa.of_all.low > 0]
    tried = f"{several(len(known), 'other rule')} {'was' if len(known) == 1 else 'were'} tried on the same labels"
    if better:
        best = max(better, key=lambda rival: rival.kappa.estimate.estimate or 0.0)
        return BestRule(
            status=Choice.CHANGE,
            sentence=f"`{best.expression}` agrees better with people than the rule in force: {_of_all(best)}; {tried}. "
            "Confirm it with labels of a fresh wave, because it was chosen by these.",
            expression=best.expression,
        )
    if all(rival.kappa.of_all and rival.kappa.of_all.high < 0 for rival in known):
        return BestRule(
            status=Choice.KEEP,
            sentence=f"Of the rules that could stand in for people, `{in_force}` agrees best with them; {tried}.",
            expression=in_force,
        )
    near = max(known, key=lambda rival: rival.kappa.estimate.estimate or 0.0)
    return BestRule(
        status=Choice.OPEN,
        sentence=f"No rule that could stand in for people is shown to agree better with them than the one in force; {tried}, "
        f"and the nearest is `{near.expression}`: {_of_all(near)}.",
    )


def _shown(rival: Rival) -> str:
    estimate = for_comparison(rival.kappa.estimate)
    value, low, high = (
        "—" if number is None else two_decimals(number, "+")
        for number in (estimate.estimate, estimate.low, estimate.high)
    )
    return f"kappa {value} ({low} to {high})"


def _of_all(rival: Rival) -> str:
    """Format kappa with the interval that decides: the one that holds for all rules at once."""
    difference = rival.kappa
    if difference.differ == 0:
        return f"the same verdict on all {difference.estimate.n:,} labels"
    if difference.of_all is None:
        return f"{_shown(rival)}, taken by itself"
    value, low, high = (
        two_decimals(number, "+") for number in (difference.estimate.estimate or 0.0, *difference.of_all)
    )
    return f"kappa {value} ({low} to {high} with all rules at once)"
