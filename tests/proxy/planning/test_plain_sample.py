"""What a plain random sample needs: exact sums over what its labels may turn out to be."""

from __future__ import annotations

import numpy as np
import pytest

from proxy.planning.plain_sample import Belief, plain_labels, reached, widths
from proxy.stats.sampling.survey import Draws, PostStrata, proportion

EXACT = np.inf


@pytest.mark.parametrize(("size", "low", "high"), [(300, 0.726902, 0.857372), (20_000, 0.709710, 0.867452)])
def test_the_width_by_hand(size: int, low: float, high: float) -> None:
    """80 of 100 right: Wilson at n / deff with t_99, deff = (1 - f) 100 / 99 pulled to (1 - f) (1 + f) by 20 errors."""
    assert widths(100, size)[80] == pytest.approx(high - low, abs=2e-6)


@pytest.mark.parametrize(("n", "size"), [(20, 60), (60, 300), (60, 20_000)])
def test_it_is_the_width_of_the_estimator_itself(n: int, size: int) -> None:
    """The plain form of `survey.proportion`: one stratum, equal chances, nothing predicted."""
    for x in range(0, n + 1, 5):
        right, alike = (np.arange(n) < x).astype(float), np.ones(n)
        draws = Draws(
            right=right,
            judged=alike,
            weight=alike * size / n,
            step=alike * size / n,
            missed=alike * (1 - n / size),
            drawing=np.zeros(n, dtype=np.intp),
            returned=alike * n,
            is_fixed=alike > 0,
            cluster=np.arange(n),
            score=np.zeros(n),
        )
        cells = PostStrata(size=np.array([float(size)]), score=np.zeros(1), of_draw=np.zeros(n, dtype=np.intp))
        low, high = proportion(draws, cells).window()
        kept = min(high, 1.0) - max(low, 0.0)

        # Where nearly all agree the estimator widens its degrees of freedom, never its form.
        assert widths(n, size)[x] == pytest.approx(kept, rel=0.02), x


@pytest.mark.parametrize(
    ("belief", "half", "four_fifths", "nearly_all"),
    [
        (Belief(0.8, EXACT), 245, 263, 279),
        (Belief(0.9, EXACT), 142, 167, 187),
        (Belief(0.95, EXACT), 84, 106, 128),
        (Belief(33 / 42, 42), 253, 300, 335),
    ],
)
def test_the_labels_for_an_assurance_by_exact_sums(
    belief: Belief, half: int, four_fifths: int, nearly_all: int
) -> None:
    """20,000 items, 10 points: by a program of its own; Beta(33, 9) is what 32 right of 40 labels leave."""
    sizes = [plain_labels(20_000, 0.1, assurance, belief) for assurance in (0.5, 0.8, 0.95)]

    assert sizes == [half, four_fifths, nearly_all]


def test_one_label_less_does_not_do_and_more_do() -> None:
    """At a known .8: .786285 with 262 labels, .819217 with 263, and no less than .8 with the three after."""
    belief = Belief(0.8, EXACT)

    assert reached(262, 20_000, 0.1, belief) == pytest.approx(0.786285, abs=1e-6)
    assert reached(263, 20_000, 0.1, belief) == pytest.approx(0.819217, abs=1e-6)
    assert min(reached(n, 20_000, 0.1, belief) for n in (264, 265, 266)) >= 0.8


def test_chances_add_up_and_shares_give_back_their_beta() -> None:
    """Beta-binomial and binomial sum to 1; the moments of Beta(33, 9) give 33 and 9 again."""
    drawn = np.random.default_rng(1).beta(33, 9, 400_000)
    belief = Belief.of(drawn)

    assert Belief(0.3, 7.0).chances(50).sum() == pytest.approx(1)
    assert Belief(0.3, EXACT).chances(50).sum() == pytest.approx(1)
    assert (belief.mean * belief.weight, (1 - belief.mean) * belief.weight) == pytest.approx((33, 9), rel=0.02)
    assert Belief.of(np.full(9, 0.5)) == (0.5, EXACT)


def test_what_only_a_census_gives_takes_all() -> None:
    """A tenth of a point of 50 items: all of them, and no width is left."""
    assert plain_labels(50, 0.001, 0.8, Belief(0.7, 50)) == 50
    assert (widths(50, 50) == 0).all()
