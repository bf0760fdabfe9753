"""Is one rule better than another? Evidence on the pairs of verdicts in, differences with intervals out.

Both rules are measured on the same labels: items fall into four groups by the two verdicts, both 2x2 tables are sums over
the groups, and one draw of the groups' shares of right answers moves both tables. So the interval is that of the
difference, not of two separate estimates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from proxy.derived import DERIVED, draw_window, even_draws, jeffreys, middle
from proxy.domains import Evidence, Part, Unknown, part, unreachable
from proxy.estimate import Estimate
from proxy.records import Verdict
from proxy.stats import confusion
from proxy.stats.intervals import CONFIDENCE, Interval
from proxy.stats.survey import Proportion

SCORED = (Verdict.PASS, Verdict.FAIL)
PAIRS = tuple((one, other) for one in SCORED for other in SCORED)
Pair = tuple[Estimate, Estimate]
METHOD = "one sample for both rules, Beta draws"


@dataclass(frozen=True, kw_only=True, slots=True)
class Groups:
    """The items by (verdict of the rule, verdict of the other), each group as evidence of its own."""

    evidence: Mapping[tuple[Verdict, Verdict], Evidence]

    @property
    def n(self) -> int:
        """Labels that came back."""
        return sum(len(one.returned) for one in self.evidence.values())


class Difference(NamedTuple):
    """A difference with its 95 % interval, and the interval that holds for all compared rules at once (Bonferroni)."""

    estimate: Estimate
    of_all: Interval | None = None


def differences(groups: Groups, estimates: Mapping[str, Pair], compared: int = 1) -> dict[str, Difference]:
    """Each quantity of the rule minus that of the other; `compared` rules are compared.

    `estimates` are the quantity under the rule and under the other, each on all items that it scores; the groups' draws give
    the interval around their difference.
    """
    silent = any(unreachable(one, SCORED) for one in groups.evidence.values())
    if silent or not groups.n:
        reason = "not measurable: one of the rules was not audited; label items that it fails"
        return {name: Difference(Estimate(estimate=None, n=groups.n, reason=reason)) for name in estimates}
    parts = {pair: _part(groups.evidence[pair]) for pair in PAIRS}
    sizes = {pair: _judgeable(parts[pair], groups.evidence[pair]) for pair in PAIRS}
    drawn = {pair: _drawn(parts[pair], row) for pair, row in zip(PAIRS, even_draws(len(PAIRS)), strict=True)}
    return {name: _difference(name, pair, drawn, sizes, (groups.n, compared)) for name, pair in estimates.items()}


def _part(evidence: Evidence) -> Part:
    return part(evidence, SCORED)


def _judgeable(one: Part, evidence: Evidence) -> float:
    return one.size if isinstance(one, Proportion) else float(sum(total.size for total in evidence.totals))


def _drawn(one: Part, row: confusion.Numbers) -> confusion.Numbers:
    """Draws of the share right; from the whole range where too few labels fell on the group to tell."""
    return jeffreys(0.5, 0.0, math.inf, row) if isinstance(one, Unknown) else draw_window(one, row)


def _difference(
    name: str,
    estimates: Pair,
    drawn: Mapping[tuple[Verdict, Verdict], confusion.Numbers],
    sizes: Mapping[tuple[Verdict, Verdict], float],
    counts: tuple[int, int],
) -> Difference:
    n, compared = counts
    ours, theirs = estimates
    if ours.estimate is None or theirs.estimate is None:
        return Difference(Estimate(estimate=None, n=n, reason=ours.reason or theirs.reason))
    function, value = DERIVED[name], ours.estimate - theirs.estimate
    values = function(_table(drawn, sizes, 0)) - function(_table(drawn, sizes, 1))
    low, high = middle(values, value)
    estimate = Estimate(estimate=value, low=low, high=high, n=n, method=METHOD)
    return Difference(estimate, middle(values, value, 1 - (1 - CONFIDENCE) / compared))


def _table(
    shares: Mapping[tuple[Verdict, Verdict], confusion.Numbers],
    sizes: Mapping[tuple[Verdict, Verdict], float],
    which: int,
) -> confusion.Cells:
    """The 2x2 table of one of the two rules: its cells are sums over the groups."""
    total = sum(sizes.values()) or 1.0

    def cell(verdict: Verdict, *, right: bool) -> confusion.Numbers:
        groups = [pair for pair in PAIRS if pair[which] is verdict]
        return np.asarray(sum(sizes[pair] / total * (shares[pair] if right else 1 - shares[pair]) for pair in groups))

    return confusion.Cells(
        right_pass=cell(Verdict.PASS, right=True),
        wrong_pass=cell(Verdict.PASS, right=False),
        right_fail=cell(Verdict.FAIL, right=True),
        wrong_fail=cell(Verdict.FAIL, right=False),
    )
