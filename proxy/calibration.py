"""Where to cut a rule's value: labels with their weights and all traffic in, a threshold with a guarantee or none out.

The rule: the grid comes from all traffic, never from the labels, and what no label can speak for counts as wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proxy.stats.threshold import Certificate, Need, Split, Tested, certify, cut_below, grid, needs, walk
from proxy.verdict import Rule

Numbers = NDArray[np.float64]
Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]
CLASSES = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Choosers:
    """The labels that choose, as arrays of one length: value, right (1 or 0), weight, lot, and `chances` as in `Scored`."""

    values: Numbers
    right: Numbers
    weights: Numbers
    lots: Numbers
    chances: Numbers


@dataclass(frozen=True, kw_only=True, slots=True)
class Scored:
    """Every item that the rule gave a value, as arrays of one length.

    `chances` is the sum of the item's inclusion probabilities over all waves; `is_framed` is False for what no wave could draw
    as it is newer, `is_reachable` for what no drawing with labels could have drawn.
    """

    values: Numbers
    chances: Numbers
    is_framed: Mask
    is_reachable: Mask


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """The certificate, each test on the way, and where none was found the threshold that is nearest to one.

    `coverage` is the share of the scored items that would pass, `best` the test with the fewest errors among those with labels.
    """

    certificate: Certificate
    steps: Sequence[Tested]
    coverage: float | None
    need: Need | None
    best: Tested | None


def choose(labels: Choosers, traffic: Scored, *, precision: float, confidence: float) -> Choice:
    """The lowest threshold with P(right | value >= threshold) >= precision at this confidence, by Learn-then-Test.

    ValueError where no item has a value.
    """
    thresholds, delta = grid(traffic.values), 1 - confidence
    steps = walk(
        labels.values,
        labels.right,
        thresholds,
        1 - precision,
        delta,
        weights=labels.weights,
        lots=labels.lots,
        splits=[_split(labels, traffic, float(one)) for one in thresholds],
    )
    found = certify(steps, delta)
    cut = found.threshold
    return Choice(
        certificate=found,
        steps=steps,
        coverage=None if cut is None else float((traffic.values >= cut).mean()),
        need=needs(steps, delta) if cut is None else None,
        best=min((one for one in steps if one.n), key=lambda one: (one.errors / one.n, -one.n), default=None),
    )


def _split(labels: Choosers, traffic: Scored, threshold: float) -> Split:
    """The classes of the items at or above a threshold: labelled up to twice, up to four times, or more often than the rarest."""
    above = traffic.is_framed & (traffic.values >= threshold)
    spoken = above & traffic.is_reachable & (traffic.chances > 0)
    if not spoken.any() or not len(labels.values):
        return Split(np.zeros(len(labels.values), dtype=np.intp), np.ones(1), 1.0)
    rarest = float(traffic.chances[spoken].min())
    sizes = np.bincount(_class(traffic.chances[spoken], rarest), minlength=CLASSES).astype(np.float64)
    return Split(
        classes=_class(labels.chances, rarest),
        shares=sizes / sizes.sum(),
        unseen=1 - float(spoken.sum()) / float(above.sum()),
    )


def _class(chances: Numbers, rarest: float) -> Indices:
    """0 for chances up to twice the rarest, and so on; -1 for what is rarer and so lies below the threshold."""
    steps = np.floor(np.log2(np.maximum(chances, 1e-300) / rarest) + 1e-9)
    return np.asarray(np.clip(steps, -1, CLASSES - 1), dtype=np.intp)


def value_of(rule: Rule) -> str:
    """The rule's expression without the cut."""
    return rule.expression.rpartition(">")[0].strip()


def calibrated(rule: Rule, threshold: float) -> str:
    """The rule's expression with the cut that passes exactly the values at or above the threshold."""
    return f"{value_of(rule)} > {cut_below(threshold)!r}"
