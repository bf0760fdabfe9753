"""What a sample can show, told beforehand: against simulated tests and hand-worked numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from proxy.evaluation.slices import DecidedLabels, Mistake, Slice, SliceLabels, examine
from proxy.stats.testing import permutation
from proxy.stats.testing.detectable import (
    detectable_difference,
    detectable_mean,
    detectable_share,
    power_of_mean,
    power_of_pairs,
)
from proxy.stats.testing.paired import Pairs, bonett_price

REGION = Slice(field="region", value="north", is_searched=False, is_subject=True)


def test_the_formula_of_a_share_by_hand() -> None:
    """At the share that is returned both sides of the equation agree: z_.95 = 1.644854, z_.8 = .841621."""
    share = detectable_share(0.1, 50, 200, 0.05)
    assert share is not None
    mean = (50 * share + 200 * 0.1) / 250
    null = math.sqrt(mean * (1 - mean) * (1 / 50 + 1 / 200))
    real = math.sqrt(share * (1 - share) / 50 + 0.09 / 200)

    assert share - 0.1 == pytest.approx(1.644854 * null + 0.841621 * real + 0.0125, abs=1e-5)


def test_too_few_labels_find_nothing() -> None:
    """Two labels against ten find no share at a strict level; None is no number."""
    assert detectable_share(0.5, 2, 10, 0.001) is None


def test_the_formula_of_a_mean_by_hand() -> None:
    """(1.959964 + .841621) sqrt(.25 / 100)."""
    assert detectable_mean(0.25, 100) == pytest.approx(2.801585 * 0.05, abs=1e-6)


@pytest.mark.parametrize("bad", [(-0.1, 5, 5, 0.05), (0.1, 0, 5, 0.05), (0.1, 5, 5, 2)])
def test_what_is_no_share_or_no_label_is_refused(bad: tuple[float, ...]) -> None:
    """An error, not a number."""
    with pytest.raises(ValueError, match="give"):
        detectable_share(*bad)


@pytest.mark.slow
def test_a_slice_at_the_share_that_was_told_is_found_in_about_8_of_10_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    """400 runs of the search itself over 4 fields; the power is told from base rate and sizes before a slice is looked at.

    With 250 shuffles instead of 2,000 a chance of .05 is known to .014, which moves the power by less than a run tells.
    """
    monkeypatch.setattr(permutation, "SHUFFLES", 250)
    rng, n, base, fields = np.random.default_rng(5), 400, 0.1, 4
    hits, shares = 0, []
    for _ in range(400):
        member = np.array([rng.permutation(np.arange(n) < n // 5) for _ in range(fields)])
        share = detectable_share(base, n / 5, n * 4 / 5, 0.05 / fields)
        assert share is not None
        error = rng.random(n) < np.where(member[0], share, base)
        parts = [
            SliceLabels(slice=Slice(field=f"f{k}", value="v", is_searched=False, is_subject=True), members=(member[k],))
            for k in range(fields)
        ]
        labels = DecidedLabels(mistake=Mistake.WRONG_PASS, is_error=error, weight=np.ones(n), cluster=np.arange(n))
        examined = examine([labels], parts, rng)
        hits += any(finding.slice.field == "f0" for finding in examined.worse)
        shares.append(examined.power[0].share)
    assert 0.76 <= hits / 400 <= 0.93, "two standard errors below 8 of 10 at the least; the search may find more"
    assert np.mean([rate for rate in shares if rate is not None]) == pytest.approx(share, abs=0.06)


@pytest.mark.slow
def test_pairs_show_the_difference_that_was_told_in_about_8_of_10_cases() -> None:
    """2,000 runs of 120 pairs that differ in 30 of 100 questions, with the mean difference that was told."""
    rng, n = np.random.default_rng(6), 120
    told = detectable_mean(0.3, n)
    gained, lost = (0.3 + told) / 2, (0.3 - told) / 2
    shown = 0
    for _ in range(2_000):
        draw = rng.random(n)
        b, c = int((draw < gained).sum()), int(((draw >= gained) & (draw < gained + lost)).sum())
        shown += bonett_price(Pairs(n - b - c, c, b, 0)).low > 0
    assert shown / 2_000 == pytest.approx(0.8, abs=0.05)


def test_the_power_for_a_mean_is_the_detectable_mean_turned_round() -> None:
    """.8 at the detectable mean; half as far: Phi(2.801585 / 2 - 1.959964) = Phi(-.559172) = .288022."""
    mean = detectable_mean(0.3, 120)

    assert power_of_mean(mean, 0.3, 120) == pytest.approx(0.8)
    assert power_of_mean(-mean / 2, 0.3, 120) == pytest.approx(0.288022, abs=1e-5)
    assert power_of_mean(0.1, 0.0, 9) == 1.0


def test_the_power_for_pairs_by_hand_and_turned_round() -> None:
    """V = .2, n = 40, 5 points: (2 - 1.959964 sqrt(10)) / sqrt(8) = -1.484193, Phi .068879; .8 at the detectable difference."""
    assert power_of_pairs(0.05, 0.2, 40) == pytest.approx(0.068879, abs=1e-5)
    assert power_of_pairs(-0.05, 0.2, 40) == power_of_pairs(0.05, 0.2, 40)
    assert power_of_pairs(detectable_difference(0.2, 40), 0.2, 40) == pytest.approx(0.8)
    assert power_of_pairs(0.01, 0.0, 40) == 0.0


@pytest.mark.slow
def test_the_power_for_pairs_is_how_often_the_interval_shows_the_difference() -> None:
    """4,000 runs each of 40 and 200 pairs that differ in 20 of 100 questions, by 5 points."""
    rng = np.random.default_rng(8)
    for n in (40, 200):
        counts = rng.multinomial(n, (0.125, 0.075, 0.8), 4_000)
        shown = np.mean([bonett_price(Pairs(int(same), int(c), int(b), 0)).low > 0 for b, c, same in counts])

        assert power_of_pairs(0.05, 0.2 - 0.05**2, n) == pytest.approx(shown, abs=0.03)
