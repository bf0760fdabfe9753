"""Prepare the data of the charts over all thresholds from a ladder: thresholds, histogram bins and labelled values.

The scale comes from all traffic and always contains the threshold in force.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from annotate.analysis.calibration.explore import AtThreshold, Ladder, at
from annotate.analysis.evidence import gather
from annotate.analysis.rule_in_force import rule_in_force
from annotate.store import Store
from proxy.evaluation.bands import Strip, Weighed, places, strip
from proxy.evaluation.discrimination import Valued, valued
from proxy.records import Judgement

# Chosen: the slider moves by a hundredth, the digits in which a threshold is written; thousandths would be more than a mouse
# hits.
STEPS = 100
# Chosen: as many bars as a screen has room for, each of a value's 0.025.
BINS = 40


class ThresholdScale(NamedTuple):
    """The range of possible thresholds and the step between them; `is_share` where every value lies in [0, 1]."""

    low: float
    high: float
    step: float
    is_share: bool


def scale_in_force(store: Store) -> ThresholdScale:
    """Return the scale of the rule in force, without a ladder; ValueError without values."""
    key, rule = rule_in_force(store)
    span = store.scores.totals.span(key)
    if span is None:
        raise ValueError("no item has a value")
    return _scale(*span, rule.threshold)


def scale_of(ladder: Ladder) -> ThresholdScale:
    """Return 0 to 1 in hundredths where that holds all values, else round numbers around them; ValueError without values."""
    return _scale(*ladder.span, ladder.rule.threshold)


def _scale(low: float, high: float, threshold: float) -> ThresholdScale:
    low, high = min(low, threshold), max(high, threshold)
    if low >= 0 and high <= 1:
        return ThresholdScale(0.0, 1.0, 1 / STEPS, is_share=True)
    step = 10.0 ** math.floor(math.log10((high - low) or 1.0)) / STEPS
    digits = max(0, -math.floor(math.log10(step)))
    return ThresholdScale(
        round(math.floor(low / step) * step, digits),
        round(math.ceil(high / step) * step, digits),
        round(step, digits),
        is_share=False,
    )


def thresholds_of(ladder: Ladder, most: int) -> list[float]:
    """Return so many thresholds over the scale, evenly spaced, and the rule's own; empty without values."""
    if not ladder.has_values:
        return []
    scale = scale_of(ladder)
    return sorted({*np.linspace(scale.low, scale.high, most).tolist(), ladder.rule.threshold})


def over_thresholds(ladder: Ladder, most: int, as_drawn: Ladder | None = None) -> list[tuple[float, AtThreshold]]:
    """Measure the rule at each of these thresholds by all labels; with `as_drawn` whatever the missing ones are."""
    return [(threshold, at(ladder, threshold, as_drawn=as_drawn)) for threshold in thresholds_of(ladder, most)]


def ranked(ladder: Ladder) -> Valued:
    """Return the labelled draws with their values and weights: what a curve over all thresholds is drawn from."""
    return valued(ladder.traffic.evidence(ladder.traffic.rules[0]), ladder.traffic.rules[0].values)[0]


def strip_of(ladder: Ladder, low: float, high: float, bins: int = BINS) -> list[Strip]:
    """Count the traffic in each bin of values, and the labels in it."""
    values = np.concatenate([np.zeros(0), *(part.values for part in ladder.parts)])
    counts = np.concatenate(
        [np.zeros(0), *(np.diff(part.up_to, prepend=0) for part in ladder.parts if len(part.values))]
    )
    labels = ranked(ladder)
    return strip(Weighed(values, counts), Weighed(labels.values, labels.right), low, high, bins)


def labelled_in_strip(store: Store, judgement: Judgement, number: int) -> list[int]:
    """Return the items of the labels of a kind that the strip over the scale counts in this bin, from 0."""
    key, rule = rule_in_force(store)
    with store.snapshot():
        traffic = gather(store, key, [rule])
    scale = scale_in_force(store)
    labels = [
        (draw.item, value)
        for draw, value in zip(traffic.drawn, traffic.rules[0].values, strict=True)
        if draw.judgement is judgement and value is not None
    ]
    bins = places(np.array([value for _, value in labels], dtype=np.float64), scale.low, scale.high, BINS)
    return [item for (item, _), place in zip(labels, bins, strict=True) if place == number]
