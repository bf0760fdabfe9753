"""Estimate the share right of each system: expected by its values, corrected by its own labels, with a shared variance.

Only a system's own labels correct it, so that a judge which favours a system is exposed; how far labels stray from what
the values predict is pooled, because a few labels each cannot tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from proxy.comparison.expected import Answers, Expected, Indices, Numbers, expected
from proxy.stats.calibration import logistic
from proxy.stats.intervals import CONFIDENCE, Interval, wilson
from proxy.stats.sampling.clusters import Effective, effective, shared
from proxy.stats.sampling.survey import Draws, Mask

# A variance needs two.
FEWEST = 2
PRIOR_LABELS = 10  # so many labels of its own count as much as all systems together
DIGITS = 9
# The coefficients of `expected.GUESS`, which take as many degrees of freedom.
PARAMETERS = 4


class SampledAnswers(NamedTuple):
    """The draws of these answers that came back, with the row of each among the answers."""

    row: Indices
    draws: Draws


@dataclass(frozen=True, kw_only=True, slots=True)
class CorrectedRate:
    """A system's rate p, and its variance as a multiple of p (1 - p).

    The multiple is 1 / n of the simple random sample that tells as much.

    `rows` are its answers, `share` their P(right) moved to a mean of p; `terms` is what each draw adds to the error, 0 for those
    of other systems, and `influence` the same of a sample of all such answers. `together` is the variance that labels of one
    group or question add in the long run, and `left` what these leave of the labels.
    """

    rate: float
    relative: float
    rows: Indices
    share: Numbers
    labels: int
    terms: Numbers
    influence: Numbers
    together: float
    left: Effective

    @property
    def shown(self) -> float:
        """The rate, limited to [0, 1], which a correction may leave, without the digits that sums of floats leave."""
        return min(1.0, max(0.0, round(self.rate, DIGITS)))

    @property
    def inside(self) -> float:
        """The rate, kept half a label away from 0 and 1."""
        edge = 0.5 / (self.labels + 1)
        return min(1 - edge, max(edge, self.rate))

    @property
    def spread(self) -> float:
        """The spread p (1 - p) of the rate inside."""
        return self.inside * (1 - self.inside)

    def interval(self, df: float, beyond: float = 0.0, confidence: float = CONFIDENCE) -> Interval:
        """Compute Wilson's interval at the effective n; no width once every answer is labelled.

        `beyond` is what the long run adds to the variance.
        """
        if self.relative + beyond <= 0:
            return Interval(self.shown, self.shown)
        low, high = wilson(self.inside, 1 / (self.relative + beyond), df=df, confidence=confidence)
        return Interval(min(low, self.shown), max(high, self.shown))


class CorrectedRates(NamedTuple):
    """The rates, by number, of the systems with enough labels, and the degrees of freedom of their variances."""

    rates: Mapping[int, CorrectedRate]
    df: float


class _Residuals(NamedTuple):
    """The variance of a rate by the residuals, and as P(right) alone predicts it."""

    seen: float
    modelled: float


def corrected_rates(answers: Answers, sampled: SampledAnswers, systems: int) -> CorrectedRates:
    """Estimate the rate of each system with at least FEWEST labels.

    p = sum w y / sum w + mean of m - sum w m / sum w with m = P(right) by the values: the difference estimator of Särndal,
    Swensson and Wretman (1992), 6.3. V = f sum a^2 m' (1 - m'): a the part of the weights that chance decided, m' = m moved to a
    mean of p, and f how much more the residuals spread, by all systems together and by its own labels as far as these are many.
    """
    draws = sampled.draws
    decided = draws.judged > 0
    modelled = expected(answers, sampled.row[decided], draws.right[decided])
    of_draw = answers.system[sampled.row]
    raw: dict[int, tuple[CorrectedRate, _Residuals]] = {}
    for number in range(systems):
        is_own = of_draw == number
        if int(draws.judged[is_own].sum()) >= FEWEST:
            raw[number] = _uncertain(np.flatnonzero(answers.system == number), sampled, is_own, modelled)
    if not raw:
        return CorrectedRates({}, 1.0)
    # Labels that nearly all agree tell little of a spread: each system's count by 4 p (1 - p) of them, and one label says 1.
    telling = np.array([4 * rate.labels * rate.spread for rate, _ in raw.values()])
    ratio = np.array(
        [residuals.seen / residuals.modelled if residuals.modelled > 0 else 1.0 for _, residuals in raw.values()]
    )
    together = float((1 + np.sum(telling * ratio)) / (1 + telling.sum()))
    factor = (PRIOR_LABELS * together + telling * ratio) / (PRIOR_LABELS + telling)
    rates = {
        number: replace(rate, relative=float(f) * residuals.modelled / rate.spread)
        for (number, (rate, residuals)), f in zip(raw.items(), factor, strict=True)
    }
    labels = sum(rate.labels for rate in rates.values())
    return CorrectedRates(rates, max(1.0, float(labels - len(rates) - PARAMETERS + 1)))


def _uncertain(
    rows: Indices, sampled: SampledAnswers, is_own: Mask, modelled: Expected
) -> tuple[CorrectedRate, _Residuals]:
    """Estimate a system's rate without its variance, and the residuals that the variance is made from."""
    draws, at = sampled.draws, sampled.row
    weight, judged = draws.weight * is_own, draws.judged * is_own
    total, counted = float(weight.sum()), float((weight * judged).sum())
    plain = float((weight * judged * draws.right).sum()) / counted
    mean = float((weight * modelled.share[at]).sum()) / total
    labels = int(judged.sum())
    decided = judged > 0
    influence = weight * judged * (draws.right - plain) / counted
    ways = draws.only(decided).ways
    rate = CorrectedRate(
        rate=plain + float(modelled.share[rows].mean()) - mean,
        relative=0.0,
        rows=rows,
        share=np.zeros(0),
        labels=labels,
        terms=np.zeros(0),
        influence=influence,
        together=shared(influence[decided], ways),
        left=effective(ways, weight[decided]),
    )
    rate = replace(rate, share=moved_to(modelled.share[rows], rate.inside))
    moved = np.zeros(len(modelled.share))
    moved[rows] = rate.share
    # A label pulls its own expectation towards it: e^2 / (1 - h) is what the square would be without (HC2).
    residual = judged * (draws.right - plain) / counted - is_own * (modelled.share[at] - mean) / total
    chance = draws.step * np.sqrt(draws.missed)
    terms = chance * residual / np.sqrt(1 - np.minimum(modelled.leverage[at], 0.5))
    variance = judged * (chance / counted) ** 2 * moved[at] * (1 - moved[at])
    seen = float(np.sum(terms**2)) * labels / (labels - 1)
    return replace(rate, terms=terms), _Residuals(seen, float(variance.sum()))


def moved_to(share: Numbers, mean: float) -> Numbers:
    """Shift the log odds of all shares by one number so that their mean is the one given."""
    from scipy.special import expit, logit

    odds = logit(np.clip(share, 1e-4, 1 - 1e-4))
    return np.asarray(expit(odds + logistic.shift_to_mean(odds, mean)), dtype=np.float64)
