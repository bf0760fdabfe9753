"""Agreement between annotators: against published examples, other implementations, the definitions, and at the edges."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats import inter_rater

from proxy.stats.agreement.kappa import (
    CohenKappa,
    ac1,
    cohen_kappa,
    observed_agreement,
    prevalence,
    ratings_matrix,
    tally,
)
from proxy.stats.intervals import Interval
from support.raters import Numbers, read


def expanded(table: Iterable[Iterable[int]]) -> Numbers:
    """The ratings behind a table of counts."""
    return np.array([[i, j] for i, row in enumerate(table) for j, n in enumerate(row) for _ in range(n)], dtype=float)


# ratings; AC1 and observed agreement by irrCAC 0.4.4 with its categories named, to ten digits
IRRCAC = [
    ("242/34_/3_2/243/4_2/_33/1_1/1_4/22_/312", 0.1161306163, 0.3333333333),
    ("334/322/424/221/444/_44/_31/2_2/441/_13/___/__3/22_", 0.358812616, 0.5151515152),
    ("1121/2_22/2_2_/1111/_222/22_2/2111/2222/1211/12_2/22_2/_222/2_2_", 0.7225338624, 0.8333333333),
    ("_2/_3/22/22/_3/12/11/22/21", 0.5263157895, 0.6666666667),
    ("_2/33/11/3_/13/11/__/21/_2/31/_1/_1/_3", 0.2671755725, 0.5),
    ("_213/114_/2322/3_11/3_4_/233_/2222/_1_2/4434/3331/1111/_242/1__1", 0.2712392265, 0.4487179487),
    ("111_/22__/2112/1_11/222_/2222/__11/1__1/2222/2122/1_22", 0.6685688199, 0.8333333333),
    ("22_/322/121/_1_/11_/111/111/222/321/2_2/223/22_", 0.6187113857, 0.7272727273),
]


def test_two_raters_give_the_vector() -> None:
    """[[20, 5], [10, 15]]: 35/50 agree, chance .5, so kappa .4; q = 55/100, so AC1 = (.7 - .495) / .505."""
    kappa = cohen_kappa([[20, 5], [10, 15]])

    assert kappa.estimate == pytest.approx(0.4, abs=1e-12)
    assert kappa.se == pytest.approx(0.1269960629, abs=1e-9)
    assert kappa.interval == pytest.approx(Interval(0.1510922905, 0.6489077095), abs=1e-9)
    assert ac1(tally(expanded([[20, 5], [10, 15]]))).estimate == pytest.approx((0.7 - 0.495) / 0.505, abs=1e-12)


@pytest.mark.parametrize(("text", "gwet", "observed"), IRRCAC)
def test_missing_ratings_are_treated_as_irrcac_does(text: str, gwet: float, observed: float) -> None:
    """Frozen values: an item with one rating counts for the prevalence, not for the agreement; one without for nothing."""
    estimates = [coefficient(tally(read(text))).estimate for coefficient in (ac1, observed_agreement)]

    assert estimates == pytest.approx([gwet, observed], abs=1e-8)


@pytest.mark.slow
def test_cohen_agrees_with_statsmodels_and_scikit_learn() -> None:
    """Sixty random tables of two to five values: estimate, standard error, interval."""
    rng = np.random.default_rng(1)
    for _ in range(60):
        q = int(rng.integers(2, 6))
        table = rng.integers(0, 12, (q, q)) + 8 * np.eye(q, dtype=int)
        ratings, kappa, theirs = expanded(table), cohen_kappa(table), inter_rater.cohens_kappa(table)
        assert kappa.estimate == pytest.approx(theirs.kappa, abs=1e-12)
        assert kappa.se == pytest.approx(theirs.std_kappa, abs=1e-10)
        assert kappa.interval == pytest.approx((max(-1, theirs.kappa_low), min(1, theirs.kappa_upp)), abs=1e-9)
        assert kappa.estimate == pytest.approx(cohen_kappa_score(ratings[:, 0], ratings[:, 1]), abs=1e-12)


def test_prevalence_counts_an_item_once() -> None:
    """Items 1 1 1, 0 and 1 0: (1 + 0 + 1/2) / 3 for the value 1, and they add up to 1."""
    shares = prevalence(tally(read("111/0__/_10"))).shares

    assert shares.tolist() == pytest.approx([0.5, 0.5])


def test_one_value_leaves_kappa_undefined_and_says_so() -> None:
    """All right: agreement and AC1 are 1, kappas None with a reason, also where the table has room for more values."""
    matrix = np.ones((9, 3))
    undefined = [cohen_kappa([[9]]), cohen_kappa([[0, 0], [0, 9]])]

    assert [kappa.estimate for kappa in undefined] == [None] * 2
    assert all("one value" in str(kappa.reason) for kappa in undefined)
    assert (observed_agreement(tally(matrix)).estimate, ac1(tally(matrix)).estimate) == (1.0, 1.0)


@pytest.mark.parametrize("matrix", [read("1_/_0"), read("__/__"), np.zeros((0, 2)), np.ones((4, 1))])
def test_without_a_pair_everything_is_undefined(matrix: Numbers) -> None:
    """Nobody labelled the same item twice, or nobody labelled at all."""
    estimates = [coefficient(tally(matrix)) for coefficient in (ac1, observed_agreement)]

    assert all(
        estimate.estimate is None and "two ratings" in str(estimate.reason) and estimate.n == 0
        for estimate in estimates
    )


def test_perfect_agreement_has_no_standard_error_and_no_interval() -> None:
    """Kappa is 1, but a spread of 0 from ten items is no proof: no zero-width interval is shown."""
    kappa = cohen_kappa([[6, 0], [0, 4]])

    assert kappa[:4] == CohenKappa(1.0, None, None, 10)[:4]
    assert "no standard error" in str(kappa.reason)


def test_a_rater_without_ratings_changes_nothing() -> None:
    """An empty column is nobody."""
    matrix = read("11/10/00/01/11")
    wider = np.hstack([matrix, np.full((5, 1), np.nan)])

    assert ac1(tally(wider)) == ac1(tally(matrix))


def test_known_values_that_nobody_chose_count_for_the_chance_of_ac1() -> None:
    """With three possible values chance agreement is sum p (1 - p) / 2: half of that with two."""
    matrix = read("11/10/00/01/11")

    assert ac1(tally(matrix)).estimate == pytest.approx((0.6 - 0.48) / 0.52)
    assert ac1(tally(matrix, [0, 1, 2])).estimate == pytest.approx((0.6 - 0.24) / 0.76)


@pytest.mark.parametrize("wrong", [[1.0, 0.0], [[np.inf, 1.0]]])
def test_what_is_no_matrix_of_ratings_is_refused(wrong: list[object]) -> None:
    """With a message that names the shape to give."""
    with pytest.raises(ValueError, match="items x raters"):
        ratings_matrix(wrong)


@pytest.mark.parametrize("wrong", [[[1, 2]], [[1, -1], [0, 1]], [[np.nan, 1], [1, 1]]])
def test_what_is_no_table_is_refused(wrong: list[list[float]]) -> None:
    """Square, no negative count, no nan."""
    with pytest.raises(ValueError, match="square table"):
        cohen_kappa(wrong)
    with pytest.raises(ValueError, match="not among the values"):
        tally([[1, 2]], values=[0, 1])
