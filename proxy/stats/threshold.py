"""Choosing a threshold that keeps its word: P(right | score >= t) >= 1 - risk, with confidence 1 - delta.

Labels in, thresholds that passed a test out. "None found" is an answer, and the usual one below two hundred labels. The grid
and its order (strictest first) must be fixed before any label is looked at, and the labels be those of nothing else.
Angelopoulos, Bates, Candes, Jordan and Lei (2021), Learn then Test, arXiv 2110.01052.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, betaincinv, kl_div

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]
MOST_THRESHOLDS = 20
DELTA = 0.1


class Certificate(NamedTuple):
    """The lowest threshold that was certified, for scores >= threshold; None with the reason where there is none.

    `n` labels and `errors` lie at or above it; `precision_low` is what they prove at the confidence 1 - delta, were it the only
    threshold; None where they are weighted.
    """

    threshold: float | None
    n: int
    errors: int
    p_value: float | None
    precision_low: float | None
    reason: str | None = None


def fewest_labels(risk: float, delta: float = DELTA) -> int:
    """N_min = ceil(log delta / log(1 - risk)): below it not even labels without an error prove that the risk is kept."""
    _check_levels(risk, delta)
    return math.ceil(math.log(delta) / math.log1p(-risk) - 1e-9)


def binomial_p_values(errors: ArrayLike, n: ArrayLike, risk: float) -> Numbers:
    """P(Bin(n, risk) <= errors): the p-value of "the error rate is at least `risk`", for labels of equal probability."""
    k, size = np.asarray(errors, dtype=np.float64), np.asarray(n, dtype=np.float64)
    if not ((k >= 0) & (k <= size)).all():
        raise ValueError("more errors than labels: count a part and its whole at each threshold")
    _check_levels(risk, DELTA)
    return np.asarray(bdtr(k, size.astype(np.int64), risk), dtype=np.float64)


def fixed_sequence(p_values: ArrayLike, delta: float = DELTA) -> int:
    """How many tests are certified, walking in the fixed order and stopping at the first p > delta, whatever comes after.

    The chance of any false one is at most delta. Maurer, Hothorn and Lehmacher (1995).
    """
    rejected = np.asarray(p_values, dtype=np.float64) <= delta
    return int(rejected.size if rejected.all() else np.argmin(rejected))


def bonferroni(p_values: ArrayLike, delta: float = DELTA) -> Mask:
    """Which tests are certified: p <= delta / their number. Needs no order, and pays for that."""
    p = np.asarray(p_values, dtype=np.float64)
    return np.asarray(p <= delta / max(1, p.size))


def precision_lower_bound(errors: float, n: float, delta: float = DELTA) -> float:
    """The one-sided Clopper-Pearson bound of (n - errors) / n: the delta quantile of Beta(n - errors, errors + 1)."""
    if not 0 <= errors <= n:
        raise ValueError(f"{errors} errors of {n}: count a part and its whole")
    return 0.0 if errors == n else float(betaincinv(n - errors, errors + 1, delta))


def grid(scores: ArrayLike, most: int = MOST_THRESHOLDS) -> Numbers:
    """At most `most` thresholds, strictest first: quantiles of the scores of all items, each a score that occurs."""
    s = np.asarray(scores, dtype=np.float64)
    if not s.size or np.isnan(s).any():
        raise ValueError("give at least one score, and none that is nan")
    return np.asarray(np.unique(np.quantile(s, np.arange(most) / most, method="higher"))[::-1])


def certify(
    scores: ArrayLike,
    right: ArrayLike,
    thresholds: ArrayLike,
    risk: float,
    delta: float = DELTA,
    *,
    weights: ArrayLike | None = None,
    weight_bound: float | None = None,
) -> Certificate:
    """Walk the thresholds, strictest first, and take the last that passed its test before one failed.

    Thresholds with fewer than 2 `fewest_labels` labels are skipped: they could hardly pass, and the first failure ends the walk.
    The test is the exact binomial one, for labels drawn with equal probability; with weights it is `hoeffding_bentkus` of the
    `weighted_losses` of what passes, for items drawn each by its own chance or in strata that no threshold cuts.
    """
    s, y, t = (np.asarray(part, dtype=np.float64) for part in (scores, right, thresholds))
    if s.ndim != 1 or s.shape != y.shape or not np.isin(y, (0, 1)).all() or np.isnan(s).any():
        raise ValueError(f"{s.shape} scores, {y.shape} labels: give one score and one label, 1 or 0, for each item")
    if t.ndim != 1 or not (np.diff(t) < 0).all():
        raise ValueError("thresholds must fall, strictest first, each once")
    passes = s[None, :] >= t[:, None]
    n, errors = passes.sum(axis=1), (passes * (1 - y)).sum(axis=1)
    enough = n >= 2 * fewest_labels(risk, delta)
    if not enough.any():
        most = f"{int(n.max(initial=0))} labels at the most"
        return _none(f"{most}, {2 * fewest_labels(risk, delta)} needed at a threshold: label more items of high score")
    t, n, errors = t[enough], n[enough], errors[enough]
    if weights is None:
        p_values = binomial_p_values(errors, n, risk)
    else:
        p_values = _weighted_p_values(y, weights, passes[enough], risk, weight_bound)
    accepted = fixed_sequence(p_values, delta)
    if not accepted:
        return _none(f"none found: already at {t[0]:g} {errors[0]:.0f} of {n[0]} labels are wrong", float(p_values[0]))
    last = accepted - 1
    low = None if weights is not None else precision_lower_bound(float(errors[last]), float(n[last]), delta)
    return Certificate(float(t[last]), int(n[last]), int(errors[last]), float(p_values[last]), low)


def _weighted_p_values(
    right: Numbers, weights: ArrayLike, passes: Mask, risk: float, weight_bound: float | None
) -> Numbers:
    if weight_bound is None:
        raise ValueError("weights need their bound: give the largest weight that the design allows")
    losses = weighted_losses(right, weights, np.ones_like(right), risk, weight_bound)
    return np.array([hoeffding_bentkus(losses[rows], risk) for rows in passes])


def _none(reason: str, p_value: float | None = None) -> Certificate:
    return Certificate(None, 0, 0, p_value, None, reason)


def cut_below(threshold: float) -> float:
    """The cut of the rule "score > cut" that passes exactly the scores >= threshold: the largest number below it."""
    return math.nextafter(threshold, -math.inf)


def weighted_losses(
    right: ArrayLike, weights: ArrayLike, passes: ArrayLike, risk: float, weight_bound: float
) -> Numbers:
    """G = risk + w 1{passes} (1 - y - risk) / weight_bound, in [0, 1]: mean(G) >= risk is "the risk is not kept".

    `weights` are 1 / inclusion probability and `weight_bound` the largest that the design allows, known before the draw, not the
    largest drawn. With all labels in, those below the threshold count as `risk`, and any independent draws will do. Losses of the
    rows that pass alone prove far more: where each item has its own chance, or the threshold cuts no stratum.
    """
    y, w, g = np.asarray(right, dtype=np.float64), np.asarray(weights, dtype=np.float64), np.asarray(passes, dtype=bool)
    _check_levels(risk, DELTA)
    if not y.shape == w.shape == g.shape or y.ndim != 1 or not np.isin(y, (0, 1)).all():
        raise ValueError(f"{y.shape} labels, {w.shape} weights, {g.shape} passes: give one of each, labels 1 or 0")
    if not ((w >= 0) & (w <= weight_bound)).all():
        raise ValueError(f"a weight is negative or above the bound {weight_bound}: take the bound from the design")
    return np.asarray(risk + w * g * (1 - y - risk) / weight_bound)


def hoeffding_bentkus(losses: ArrayLike, risk: float) -> float:
    """Min(exp(-n KL(min(m, risk) || risk)), e P(Bin(n, risk) <= ceil(n m))), m the mean loss: the p-value of "mean >= risk".

    For independent losses in [0, 1], alike or not, so for stratified and Poisson draws. Bates et al. (2021), J. ACM 68:43.
    """
    g = _losses(losses, risk)
    mean = min(float(g.mean()), risk)
    divergence = float(kl_div(mean, risk) + kl_div(1 - mean, 1 - risk))
    # a sum of rounding errors must not count as one more error
    tail = float(bdtr(math.ceil(g.size * float(g.mean()) - 1e-9), g.size, risk))
    return min(1.0, math.exp(-g.size * divergence), math.e * tail)


def betting(losses: ArrayLike, risk: float, delta: float = DELTA) -> float:
    """1 / the most that a gambler against "mean >= risk" ever owned, prod(1 + l_i (risk - G_i)): a p-value by Ville's inequality.

    Sharper than `hoeffding_bentkus` where losses vary little. The draws must be alike, in the order drawn (or any that does not
    look at them). l_i = min(sqrt(2 log(1 / delta) / (n v_{i-1})), 3/4 / (1 - risk)), v the variance so far. Waudby-Smith and
    Ramdas (2024), J. Royal Statistical Society B 86:1.
    """
    g = _losses(losses, risk)
    count = np.arange(1, g.size + 1)
    mean = (0.5 + np.cumsum(g)) / (count + 1)
    spread = (0.25 + np.cumsum((g - mean) ** 2)) / (count + 1)
    before = np.concatenate(([0.25], spread[:-1]))
    stakes = np.minimum(np.sqrt(2 * math.log(1 / delta) / (g.size * before)), 0.75 / (1 - risk))
    owned = np.cumsum(np.log1p(stakes * (risk - g)))
    return min(1.0, math.exp(-float(owned.max())))


def _losses(losses: ArrayLike, risk: float) -> Numbers:
    g = np.asarray(losses, dtype=np.float64)
    _check_levels(risk, DELTA)
    if g.ndim != 1 or not g.size or not ((g >= 0) & (g <= 1)).all():
        raise ValueError("losses must be numbers in [0, 1], at least one: see weighted_losses")
    return g


def _check_levels(risk: float, delta: float) -> None:
    if not 0 < risk < 1 or not 0 < delta < 1:
        raise ValueError(f"risk {risk}, delta {delta}: give shares between 0 and 1")
