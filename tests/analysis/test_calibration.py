"""Choosing a threshold from labels, who chooses, and the rule that passes exactly what was certified."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from proxy.evaluation.choosers import NumberedDraw, choosing
from proxy.evaluation.threshold import Choosers, ScoredTraffic, calibrated, choose, value_of
from proxy.rule import Rule, percentile_knots
from proxy.stats.calibration.threshold import binomial_p_values, fixed_sequence
from proxy.stats.calibration.threshold_tests import Claim

# T12: labels and errors at or above six thresholds, at a risk of .1.
N, ERRORS = (40, 60, 80, 100, 130, 160), (0, 2, 3, 5, 9, 16)
THRESHOLDS = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4)


def rule(expression: str, **more: object) -> Rule:
    return replace(Rule(name="r", version=1, expression=expression, signatures={"a": "s"}), **more)  # type: ignore[arg-type]


def labels_with(errors: tuple[int, ...], n: tuple[int, ...], thresholds: tuple[float, ...]) -> Choosers:
    """Labels of equal weight with these running counts."""
    values, right = list[float](), list[int]()
    for k, (wrong, size) in enumerate(zip(np.diff([0, *errors]), np.diff([0, *n]), strict=True)):
        values += [thresholds[k]] * int(size)
        right += [0] * int(wrong) + [1] * int(size - wrong)
    count = len(values)
    return Choosers(
        values=np.array(values),
        right=np.array(right, dtype=np.float64),
        weights=np.full(count, 5.0),
        lots=np.zeros(count),
        chances=np.full(count, 0.2),
    )


def traffic(values: np.ndarray) -> ScoredTraffic:
    """Scored items, framed, in reach and of one chance."""
    count = len(values)
    return ScoredTraffic(
        values=values,
        chances=np.full(count, 0.2),
        is_framed=np.ones(count, dtype=np.bool_),
        is_reachable=np.ones(count, dtype=np.bool_),
    )


EVEN = traffic(np.repeat(THRESHOLDS, 100))


def test_the_vector_through_the_choice_itself() -> None:
    """T12: 40 labels are fewer than 2 x 22, so the walk starts at 60; at 90 % it ends at 100 labels with 5 wrong.

    The p-values and the bound .9092 are those of the reference; at 95 % the first to be tested (p = .053, of 60 labels) fails.
    """
    labels = labels_with(ERRORS, N, THRESHOLDS)
    drawn_from = traffic(np.repeat(THRESHOLDS, 5 * np.diff([0, *N])))  # one in five was drawn, at every value
    choice = choose(labels, drawn_from, precision=0.9, confidence=0.9)
    certified = choice.certified
    p_values = [step.long_run for step in choice.steps]

    assert (certified.threshold, certified.n, certified.errors, certified.thinned) == (0.6, 100, 5, 0)
    assert certified.p_value == pytest.approx(0.0575768865, abs=1e-9)
    assert certified.precision_low == pytest.approx(0.9092285304, abs=1e-9)
    assert p_values[1:] == pytest.approx([0.0530450818, 0.0353062585, 0.0575768865, 0.1520680321, 0.5660542275])
    assert p_values[0] is None
    assert choice.coverage == pytest.approx(100 / 160)
    assert choice.claims == (Claim.WINDOW, Claim.LONG_RUN)
    assert all((step.window or 0) < (step.long_run or 1) for step in choice.steps[1:])
    long_run = choose(labels, drawn_from, precision=0.9, confidence=0.95, asked=Claim.LONG_RUN)
    assert long_run.certified.threshold is None
    every = binomial_p_values(ERRORS, N, 0.1)
    assert (fixed_sequence(every, 0.1), fixed_sequence(every, 0.05)) == (4, 1)


def test_the_grid_knows_no_label() -> None:
    """At most twenty values of the traffic, the same whatever the labels say."""
    values = np.random.default_rng(1).random(5000)
    first = labels_with(ERRORS, N, THRESHOLDS)
    second = replace(first, right=1 - first.right)
    grids = [
        [s.threshold for s in choose(choosers, traffic(values), precision=0.9, confidence=0.9).steps]
        for choosers in (first, second)
    ]

    assert grids[0] == grids[1]
    assert len(grids[0]) == 20
    assert set(grids[0]) <= set(values)


def test_what_no_label_speaks_for_counts_as_wrong() -> None:
    """Below .6 half of the items cannot be reached, have no chance, or are of a class without a label: no threshold there.

    All labels are right, so without that the threshold would be the lowest. Items that came after the last wave are nobody's share.
    """
    labels = labels_with((0,) * 6, N, THRESHOLDS)
    some = (EVEN.values < 0.6) & (np.arange(600) % 2 == 0)
    out = choose(labels, replace(EVEN, is_reachable=~some), precision=0.9, confidence=0.9)
    never = choose(labels, replace(EVEN, chances=np.where(some, 0.0, 0.2)), precision=0.9, confidence=0.9)
    rare = choose(labels, replace(EVEN, chances=np.where(some, 0.01, 0.2)), precision=0.9, confidence=0.9)
    new = choose(labels, replace(EVEN, is_framed=~some), precision=0.9, confidence=0.9)
    unseen = {step.threshold: step.unseen for step in out.steps}

    assert unseen[0.6] == 0
    assert unseen[0.5] == pytest.approx(50 / 500)
    assert [choice.certified.threshold for choice in (out, never, rare)] == [0.6] * 3
    assert [step.unseen for step in rare.steps] == pytest.approx([step.unseen for step in out.steps])
    assert new.certified.threshold == 0.4


def test_classes_are_of_about_one_chance_and_thinned_within() -> None:
    """Chances .1 and .15 are one class, thinned to the rarer; .4 is another and counts whole, with its share of the items."""
    labels = labels_with((0,) * 6, N, THRESHOLDS)
    chances = np.array([0.4, 0.1, 0.15])[np.arange(160) % 3]
    mixed = replace(labels, chances=chances, weights=1 / chances, lots=np.full(160, 0.7))
    items = replace(EVEN, chances=np.array([0.4, 0.1, 0.15])[np.arange(600) % 3])
    last = choose(mixed, items, precision=0.9, confidence=0.9).steps[-1]

    assert last.labels == 160
    assert last.n == (chances == 0.4).sum() + (chances == 0.1).sum()
    assert last.effective == pytest.approx(1 / ((1 / 3) ** 2 / 54 + (2 / 3) ** 2 / 53))
    assert choose(replace(mixed, lots=np.zeros(160)), items, precision=0.9, confidence=0.9).steps[-1].n == 160


def test_the_best_part_has_labels_enough_to_show_anything() -> None:
    """One label at the top that is right is no part to be named: it takes the 22 that could show 90 %."""
    labels = labels_with((0, 12, 22), (1, 40, 80), (0.9, 0.8, 0.7))
    choice = choose(labels, traffic(np.repeat((0.9, 0.8, 0.7), (5, 200, 200))), precision=0.9, confidence=0.9)

    assert choice.certified.threshold is None
    assert (choice.best.n, choice.best.errors) == (80, 22)
    assert choice.undecided_test is None
    unsure = replace(labels, undecided=(labels.right == 0) & (labels.values == 0.8))
    settle = choose(
        unsure, traffic(np.repeat((0.9, 0.8, 0.7), (5, 200, 200))), precision=0.9, confidence=0.9
    ).undecided_test
    assert settle.undecided_labels == 12


@pytest.mark.parametrize("share", [0.3, 0.5, 0.8])
def test_about_the_share_of_each_stratum_chooses_and_some_always_score(share: float) -> None:
    """Strata of 1, 2, 5 and 60 questions, 500 seeds: the mean is the share, no stratum is left without one that scores."""
    sizes = {"a": 1, "b": 2, "c": 5, "d": 60}
    drawn = [
        NumberedDraw(f"{name}{k}", place, name) for place, (name, size) in enumerate(sizes.items()) for k in range(size)
    ]
    counts = dict.fromkeys(sizes, 0)
    for seed in range(500):
        chosen = choosing(drawn, share, seed)
        for name, size in sizes.items():
            mine = sum(item.startswith(name) for item in chosen)
            assert mine < size
            assert abs(mine - share * size) < 2
            counts[name] += mine

    assert counts["d"] / 500 / 60 == pytest.approx(share, abs=0.01)
    assert counts["a"] == 0


def test_roles_stay_when_new_waves_come() -> None:
    """A later wave, and the order of the draws, change no role; a share of 1 is all."""
    first = [NumberedDraw(f"q{k}", k % 2, f"s{k % 2}") for k in range(40)]
    second = [NumberedDraw(f"q{k}", 2 + k % 2, f"s{k % 2}") for k in range(40, 70)]
    before, after = choosing(first, 0.5, 3), choosing([*second, *first], 0.5, 3)

    assert {item for item in after if int(item[1:]) < 40} == before
    assert choosing(first, 0.5, 3) == before != choosing(first, 0.5, 4)
    assert choosing(first, 1.0, 3) == {draw.item for draw in first}
    assert choosing([], 0.5, 0) == frozenset()


@pytest.mark.parametrize(
    "expression", ["a > 0.5", "min(a, a)>-1", "mean(a, a * 0.1 + 0.1) > 1e-05", "a - 0.7 > 0", "pct(a) > 0.3"]
)
def test_the_new_cut_passes_exactly_the_certified_values(expression: str) -> None:
    """Heavy ties, sums that do not end in binary, values below zero, percentiles: at every value that occurs as the threshold."""
    scores = np.array([0.0, 0.1, 0.1, 0.2, 0.1 + 0.2, 0.3, 0.5, 0.5, 0.5, 0.7, 1.0, 1.0])
    old = rule(expression, percentiles={"a": percentile_knots(scores)} if "pct" in expression else {})
    values = old.values({"a": scores})
    for t in values:
        new = replace(old, expression=calibrated(old, float(t)))
        assert value_of(new) == value_of(old)
        assert (new.passes(new.values({"a": scores})) == (values >= t)).all(), t
        assert new.threshold == math.nextafter(t, -math.inf)


def test_all_ties_are_one_threshold() -> None:
    """Every item has the value .5: pass all, or none."""
    labels = Choosers(
        values=np.full(60, 0.5),
        right=np.ones(60),
        weights=np.ones(60),
        lots=np.zeros(60),
        chances=np.full(60, 0.2),
    )
    choice = choose(labels, traffic(np.full(500, 0.5)), precision=0.9, confidence=0.9)
    bad = choose(replace(labels, right=np.zeros(60)), traffic(np.full(500, 0.5)), precision=0.9, confidence=0.9)

    assert (choice.certified.threshold, choice.coverage) == (0.5, 1.0)
    assert (bad.certified.threshold, bad.need) == (None, None)
    assert bad.best.errors == 60
