"""Compute the shares of traffic that the list stands for, with their intervals, from its counts and the report's agreement.

A share is the report's own, never the list's count over something.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from annotate.store.labels.disagreements import DisagreementKind
from proxy.evaluation.agreement import AgreementReport
from proxy.evaluation.estimate import Estimate

NOISE = 12  # digits: what lies behind them is no share, and would round 6.25 % now up, now down


@dataclass(frozen=True, kw_only=True, slots=True)
class WeighedDisagreements:
    """The shares of traffic that the misses and false fails in the list stand for.

    `differ` is the share of scored traffic on which the proxy and people differ, `misses` and `false_fails` its two parts
    where they are known. `silent` of those in the list stand for nothing: hand-picked, of a wave that does not count yet, or
    used to choose the threshold.
    """

    differ: Estimate
    misses: float | None
    false_fails: float | None
    wrong_among_passed: Estimate
    right_among_failed: Estimate
    labels: int
    silent: int


def weigh(counts: Mapping[DisagreementKind, int], agreement: AgreementReport) -> WeighedDisagreements:
    """Return the shares: 1 - accuracy differs; misses are P(pass and wrong), false fails P(fail and right)."""
    cells, shares = agreement.counts, agreement.shares
    return WeighedDisagreements(
        differ=agreement.accuracy.complement(),
        misses=None if shares is None else round(float(shares.wrong_pass), NOISE),
        false_fails=None if shares is None else round(float(shares.right_fail), NOISE),
        wrong_among_passed=agreement.pass_precision.complement(),
        right_among_failed=agreement.npv.complement(),
        labels=cells.right_pass + cells.wrong_pass + cells.right_fail + cells.wrong_fail,
        silent=max(0, sum(counts.values()) - cells.wrong_pass - cells.right_fail),
    )
