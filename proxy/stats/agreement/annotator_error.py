"""Estimate how often an annotator errs, how well a proxy can then agree with annotators, and correct rates for it.

The data are pairs of independent readings of the same items, one pair an item, from which follows the error rate e of a
single annotator. The model is symmetric: an annotator misreads each item with probability e, right and wrong ones alike, and
two annotators err independently. Where annotators share their errors, e is larger than it seems: every bound here is then too
kind.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from proxy.stats.intervals import CONFIDENCE, Interval, wilson

MAX_ERROR = 0.45
UNRELIABLE = (
    "labels unreliable: two annotators agree hardly more often than coins; clear up the instructions, then label anew"
)
CONTRADICTION = (
    "the annotators cannot have erred that often on these labels: read some of them twice, not other or harder items"
)


class Noise(NamedTuple):
    """The error rate of one annotator with its interval; `agreement` is the share of the n pairs that agree, None for no pairs.

    `error` is at most 1/2. `variance` is the delta method's, None where it has no bound. `reason` says why the labels cannot be
    corrected: e >= .45, or no pairs.
    """

    error: float | None
    interval: Interval | None
    variance: float | None
    agreement: float | None
    n: float
    reason: str | None = None


class Denoised(NamedTuple):
    """The share that is right, corrected for annotator errors, in [0, 1]; None with the reason where that cannot be.

    It cannot where the annotators are too noisy, or the whole interval would lie beyond 0 or 1. `se` is the delta
    method's, that of the error rate included. `was_clipped` tells that the rate lay below e or above 1 - e.
    """

    estimate: float | None
    se: float | None
    interval: Interval | None
    was_clipped: bool = False
    reason: str | None = None


def error_from_agreement(agreement: float) -> float:
    """Solve (1 - e)^2 + e^2 = agreement for e <= 1/2: (1 - sqrt(2 a - 1)) / 2; 1/2 where two coins agree as often."""
    if not 0 <= agreement <= 1:
        raise ValueError(f"agreement {agreement}: give the share of pairs that agree, in [0, 1]")
    return (1 - math.sqrt(max(0.0, 2 * agreement - 1))) / 2


def annotator_noise(agreed: float, pairs: float, confidence: float = CONFIDENCE) -> Noise:
    """Estimate the error rate of one annotator from `agreed` of `pairs` items that two annotators labelled alike.

    The interval is Wilson's for the agreement, carried through the falling map; V = a (1 - a) / (4 n (1 - 2e)^2), with one
    pair of either kind added where all agree, so that no pair of annotators is ever proven perfect.
    """
    if not 0 <= agreed <= pairs:
        raise ValueError(f"{agreed} of {pairs} pairs agree: count a part and its whole")
    if not pairs:
        return Noise(None, None, None, None, 0, "no item has two readings: let two annotators label the same items")
    share = agreed / pairs
    error = error_from_agreement(share)
    low, high = wilson(share, pairs, confidence=confidence)
    interval = Interval(error_from_agreement(high), error_from_agreement(low))
    cautious = (agreed + 1) / (pairs + 2) if agreed == pairs else share
    steep = 4 * (1 - 2 * error) ** 2
    variance = cautious * (1 - cautious) / pairs / steep if steep else None
    return Noise(error, interval, variance, share, pairs, UNRELIABLE if error >= MAX_ERROR - 1e-12 else None)


def accuracy_ceiling(error: float) -> float:
    """Compute 1 - e: how often a proxy that is never wrong agrees with one annotator.

    No proxy that errs independently does better.
    """
    _check_error(error)
    return 1 - error


def kappa_ceiling(error: float, prevalence: float) -> float | None:
    """Compute Cohen's kappa of the truth with one annotator.

    The kappa is (1 - e - x) / (1 - x), x = p q + (1 - p)(1 - q), q = p (1 - e) + (1 - p) e.

    `prevalence` p is the true share right (`without_noise` gives it). 0 where all items are alike and annotators err; None where
    they do not err either.
    """
    _check_error(error)
    if not 0 <= prevalence <= 1:
        raise ValueError(f"prevalence {prevalence}: give the true share right, in [0, 1]")
    seen = prevalence * (1 - error) + (1 - prevalence) * error
    chance = prevalence * seen + (1 - prevalence) * (1 - seen)
    return (1 - error - chance) / (1 - chance) if chance < 1 else None


def without_noise(rate: float, variance: float, interval: Interval, noise: Noise) -> Denoised:
    """Correct a rate q that single annotators gave: theta = (q - e) / (1 - 2e), with its design variance and interval.

    Rogan and Gladen (1978) at sensitivity = specificity = 1 - e. V = V_q / (1 - 2e)^2 + (2q - 1)^2 V_e / (1 - 2e)^4. The interval
    is that of the ratio theta - 1/2 = (q - 1/2) / (1 - 2e) from the intervals of both (`ratio`), at their confidence: unlike
    theta +- z se it holds where q is near 0 or 1 and where all pairs agree. The pairs should not be what q came from.
    """
    if not 0 <= interval.low <= rate <= interval.high <= 1 or variance < 0:
        raise ValueError(f"rate {rate} in {tuple(interval)} with variance {variance}: give a share inside its interval")
    if noise.error is None or noise.interval is None or noise.variance is None or noise.reason is not None:
        return Denoised(None, None, None, reason=noise.reason)
    gain = 1 - 2 * noise.error
    raw = 0.5 + (rate - 0.5) / gain
    se = math.sqrt(variance / gain**2 + (2 * rate - 1) ** 2 * noise.variance / gain**4)
    centred = Interval(interval.low - 0.5, interval.high - 0.5)
    gains = Interval(1 - 2 * noise.interval.high, 1 - 2 * noise.interval.low)
    low, high = (0.5 + end for end in ratio(rate - 0.5, centred, gain, gains))
    if low >= 1 or high <= 0:
        return Denoised(None, None, None, was_clipped=True, reason=CONTRADICTION)
    return Denoised(_unit(raw), se, Interval(_unit(low), _unit(high)), was_clipped=not 0 <= raw <= 1)


def ratio(top: float, top_in: Interval, bottom: float, bottom_in: Interval) -> Interval:
    """Compute the interval of top / bottom, bottom > 0, from independent intervals of either: MOVER-R.

    Donner and Zou (2012), Statistical Methods in Medical Research 21:347. A bottom that may be 0 leaves an end open: infinite.
    """
    if not 0 <= bottom_in.low <= bottom <= bottom_in.high or not bottom:
        raise ValueError(f"bottom {bottom} in {tuple(bottom_in)}: give a positive number inside its interval")
    return Interval(
        -_upper(-top, -top_in.low, bottom, bottom_in),
        _upper(top, top_in.high, bottom, bottom_in),
    )


def _upper(top: float, top_high: float, bottom: float, bottom_in: Interval) -> float:
    """Compute (tb + sqrt((tb)^2 - u v (2t - u)(2b - v))) / (v (2b - v)).

    u is the top's upper end, v the end of the bottom that lifts it.
    """
    end = bottom_in.low if top_high >= 0 else bottom_in.high
    if end == 0:
        return math.inf
    scale = end * (2 * bottom - end)
    product = top * bottom
    root = math.sqrt(max(0.0, product**2 - top_high * (2 * top - top_high) * scale))
    return (product + root) / scale


def _unit(share: float) -> float:
    return min(1.0, max(0.0, share))


def _check_error(error: float) -> None:
    if not 0 <= error <= 0.5:
        raise ValueError(f"error rate {error}: give the chance that one annotator errs, between 0 and 1/2")
