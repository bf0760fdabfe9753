"""Compute the smallest difference that a sample of a given size can show.

A difference is found where its test rejects; `power` is how often that happens where the difference is there. Normal
approximations for planning: Fleiss, Levin and Paik (2003), Statistical Methods for Rates and Proportions, ch. 4.
"""

from __future__ import annotations

import math

from proxy.stats.intervals import CONFIDENCE

POWER = 0.8


def detectable_share(base: float, here: float, elsewhere: float, level: float, power: float = POWER) -> float | None:
    """Return the smallest share of a part that a one-sided test against the rest finds with this power.

    Parameters
    ----------
    base : float
        The share in the rest, in [0, 1].
    here, elsewhere : float
        Effective numbers of labels in the part and in the rest, above 0.
    level : float
        The level of the test, already divided by the number of tests where there are several.
    power : float
        How often the test is to reject.

    Returns
    -------
    float or None
        The least p with p - base = z_level sqrt(q (1 - q) (1 / n + 1 / m)) + z_power sqrt(p (1 - p) / n + base (1 - base) / m)
        + (1 / n + 1 / m) / 2, q the mean share of both; the last term is the correction for continuity, because exact tests of
        few errors reject late. None where not even 1 would be found.
    """
    from scipy.special import ndtri

    _check(base, level, power)
    if not here > 0 or not elsewhere > 0:
        raise ValueError(f"{here} and {elsewhere} labels: give numbers above 0")
    rejects, reaches = float(ndtri(1 - level)), float(ndtri(power))

    def is_found(share: float) -> bool:
        mean = (here * share + elsewhere * base) / (here + elsewhere)
        null = math.sqrt(mean * (1 - mean) * (1 / here + 1 / elsewhere))
        real = math.sqrt(share * (1 - share) / here + base * (1 - base) / elsewhere)
        return share - base >= rejects * null + reaches * real + (1 / here + 1 / elsewhere) / 2

    if not is_found(1.0):
        return None
    low, high = base, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if is_found(middle) else (middle, high)
    return high


def detectable_mean(variance: float, n: float, confidence: float = CONFIDENCE, power: float = POWER) -> float:
    """Return the smallest mean that is outside a two-sided interval around 0 with this power.

    (z_{1 - a / 2} + z_power) sqrt(variance / n), `variance` that of one unit and `n` the effective number of units.
    """
    from scipy.special import ndtri

    _check(confidence, power)
    if variance < 0 or not n > 0:
        raise ValueError(f"variance {variance}, n {n}: give a variance of at least 0 and a number above 0")
    return float(ndtri((1 + confidence) / 2) + ndtri(power)) * math.sqrt(variance / n)


def power_of_mean(mean: float, variance: float, n: float, confidence: float = CONFIDENCE) -> float:
    """Return how often a mean is outside a two-sided interval around 0, on its own side.

    Phi(|mean| / sqrt(variance / n) - z_{1 - a / 2}): the inverse of `detectable_mean`.
    """
    from scipy.special import ndtr, ndtri

    _check(confidence)
    if variance < 0 or not n > 0:
        raise ValueError(f"variance {variance}, n {n}: give a variance of at least 0 and a number above 0")
    if not variance:
        return float(mean != 0)
    return float(ndtr(abs(mean) / math.sqrt(variance / n) - ndtri((1 + confidence) / 2)))


def power_of_pairs(difference: float, variance: float, n: float, confidence: float = CONFIDENCE) -> float:
    """Return how often the interval of a mean difference of pairs is above 0, or below, where the difference is there.

    As in Bonett and Price (2012) two pairs more, one of each kind, pull the centre to n / (n + 2) of the difference and widen the
    half width to z sqrt(n variance + 2) / (n + 2): Phi of their difference over the centre's error, sqrt(n variance) / (n + 2).
    """
    from scipy.special import ndtr, ndtri

    _check(confidence)
    if variance < 0 or not n > 0:
        raise ValueError(f"variance {variance}, n {n}: give a variance of at least 0 and a number above 0")
    beyond = n * abs(difference) - float(ndtri((1 + confidence) / 2)) * math.sqrt(n * variance + 2)
    return float(ndtr(beyond / math.sqrt(n * variance))) if variance else float(beyond > 0)


def detectable_difference(variance: float, n: float, confidence: float = CONFIDENCE, power: float = POWER) -> float:
    """Return the smallest difference that `power_of_pairs` finds with this power; it may be above 1."""
    from scipy.special import ndtri

    _check(confidence, power)
    rejects, reaches = float(ndtri((1 + confidence) / 2)), float(ndtri(power))
    return (rejects * math.sqrt(n * variance + 2) + reaches * math.sqrt(n * variance)) / n


def _check(*shares: float) -> None:
    if not all(0 <= share <= 1 for share in shares):
        raise ValueError(f"{shares}: give shares in [0, 1]")
