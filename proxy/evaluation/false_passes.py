"""Estimate the share of all judged answers that are wrong and pass all the same.

P(pass and wrong) = P(pass) (1 - P(right | pass)). It needs labels among the passed alone: what fails is only counted. For this
window P(pass) is a count and nothing but P(right | pass) is uncertain; in the long run both are.
"""

from __future__ import annotations

import math

import numpy as np

from proxy.evaluation.confusion_rates import (
    DRAWS,
    NOTHING_SCORED,
    draw_long_run,
    even_draws,
    jeffreys,
    middle,
    without_long_run,
)
from proxy.evaluation.domains import Evidence, Part, Unknown, of_verdict
from proxy.evaluation.estimate import STRATIFIED, Estimate
from proxy.records import Verdict
from proxy.stats.sampling.survey import Proportion


def false_passes(evidence: Evidence, draws: int = DRAWS) -> Estimate:
    """Estimate the share of the scored items in the frame that pass and are wrong.

    The intervals of the long run come from `draws` Beta draws.
    """
    sizes = {verdict: _size(evidence, verdict) for verdict in (Verdict.PASS, Verdict.FAIL)}
    if not sum(sizes.values()):
        return Estimate(estimate=None, reason=NOTHING_SCORED)
    if not sizes[Verdict.PASS]:
        return Estimate(estimate=0.0, low=0.0, high=0.0, method="counted: the proxy passes no item that could be drawn")
    estimate = _estimate(
        of_verdict(evidence, Verdict.PASS), of_verdict(evidence, Verdict.FAIL), sizes, evidence.grouping, draws
    )
    return estimate.leaning_on(evidence.predictor)


def _estimate(passed: Part, failed: Part, sizes: dict[Verdict, int], grouping: float, draws: int) -> Estimate:
    if not isinstance(passed, Proportion):
        unknown = passed if isinstance(passed, Unknown) else Unknown(NOTHING_SCORED, 0, 0)
        return Estimate(estimate=None, n=unknown.n, reason=unknown.reason)
    # What annotators could not judge is in neither, as in the 2x2 table.
    rest = failed.size if isinstance(failed, Proportion) else float(sizes[Verdict.FAIL])
    scored = passed.size + rest
    share, window = passed.size / scored, passed.window()
    rows = even_draws(2, draws)
    shares = jeffreys(share, scored / grouping, math.inf, rows[0])
    wrong = 1 - draw_long_run(passed, rows[1])
    value = share * (1 - passed.p)
    known = Estimate(
        estimate=value,
        low=share * (1 - window.high),
        high=share * (1 - window.low),
        n=passed.n,
        method=STRATIFIED,
        long_run=middle(np.asarray(shares * wrong), value),
    )
    return without_long_run(known, passed.whole.no_long_run) if passed.whole.no_long_run else known


def _size(evidence: Evidence, verdict: Verdict) -> int:
    return sum(total.size for total in evidence.totals if total.verdict is verdict)
