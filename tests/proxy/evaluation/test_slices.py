"""Slices where the proxy errs: the test of one, the adjustment over all, and what is found where something was planted."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import fisher_exact, hypergeom
from statsmodels.stats.multitest import multipletests

from proxy.evaluation.slices import (
    DecidedLabels,
    Examined,
    Mistake,
    Slice,
    SliceFinding,
    SliceLabels,
    Untested,
    against,
    examine,
    is_truth,
)
from proxy.stats.intervals import wilson
from proxy.stats.sampling.clusters import Ways
from proxy.stats.testing.multiplicity import mid_p_tables
from proxy.stats.testing.permutation import (
    SHUFFLES,
    LabelledErrors,
    adjusted_for_search,
    alike,
    compared,
    excess,
    smallest_by_chance,
)
from support.simulation import at_least, at_most, repeated

Mask = NDArray[np.bool_]


def named(value: str, *, is_subject: bool = True) -> Slice:
    return Slice(field="language", value=value, is_searched=True, is_subject=is_subject)


def labels(
    error: object, weight: object = None, cluster: object = None, mistake: Mistake = Mistake.WRONG_PASS
) -> DecidedLabels:
    errors = np.asarray(error, dtype=np.bool_)
    n = len(errors)
    return DecidedLabels(
        mistake=mistake,
        is_error=errors,
        weight=np.ones(n) if weight is None else np.asarray(weight, dtype=np.float64),
        cluster=np.arange(n) if cluster is None else np.asarray(cluster, dtype=np.intp),
    )


def table(a: int, n: int, c: int, m: int) -> tuple[Mask, Mask]:
    """The errors and the group: a of n in it, c of m elsewhere."""
    rows = np.arange(n + m)
    return (rows < a) | ((rows >= n) & (rows < n + c)), rows < n


def test_equal_weights_give_fishers_mid_p() -> None:
    """With one weight and no clusters the p-value is scipy's exact one minus half the chance of the table itself."""
    error, mask = table(14, 40, 13, 145)
    result = compared(LabelledErrors(error.astype(float), np.full(185, 7.0), Ways.of(np.arange(185))), mask)
    exact = fisher_exact([[14, 26], [13, 132]], alternative="greater").pvalue
    assert result.p == pytest.approx(exact - hypergeom.pmf(14, 185, 27, 40) / 2, rel=1e-9)
    assert (result.here.n, result.here.errors, result.elsewhere.errors) == (40, 14, 13)
    assert result.here.interval() == pytest.approx(wilson(0.35, 40))


def test_tables_of_effective_sizes_lie_between_those_of_whole_ones() -> None:
    """P falls as errors rise, is symmetric where both margins are alike, and is one half where there is no error."""
    tables = mid_p_tables(20.5, 61.2, 9.3)
    assert (np.diff(tables.p) < 0).all()
    assert mid_p_tables(30, 30, 10).at(5) == pytest.approx(0.5)
    assert mid_p_tables(30, 30, 0).at(0) == 0.5
    low, middle, high = (float(mid_p_tables(n, 61, 9).at(5)) for n in (20, 20.5, 21))
    assert low < middle < high


def test_unequal_weights_are_worth_fewer_labels() -> None:
    """Kish: labels of weight 1 and 9 in equal number are worth (sum w)^2 / sum w^2 = 100 / 164 of their number."""
    error, mask = table(10, 40, 10, 100)
    weight = np.where(np.arange(140) % 2 == 0, 1.0, 9.0)
    result = compared(LabelledErrors(error.astype(float), weight, Ways.of(np.arange(140))), mask)
    assert result.here.effective_n == pytest.approx(40 * 100 / 164)
    assert result.here.share == pytest.approx(0.25)


def test_labels_of_one_question_count_once_where_they_agree() -> None:
    """Four labels of each question that always agree are worth one; where they are unlike, nearly all count."""
    questions = np.repeat(np.arange(50), 4)
    alike_ones = np.repeat(np.arange(50) % 5 == 0, 4)
    mask = questions < 25
    agreed = compared(LabelledErrors(alike_ones.astype(float), np.ones(200), Ways.of(questions)), mask)
    assert agreed.here.effective_n == pytest.approx(25)
    rng = np.random.default_rng(1)
    mixed = compared(LabelledErrors((rng.random(200) < 0.3).astype(float), np.ones(200), Ways.of(questions)), mask)
    assert 60 < mixed.here.effective_n <= 100


def test_without_pairs_nothing_is_said_of_likeness() -> None:
    """Labels that all stand alone, and labels without an error, leave the most cautious value."""
    assert alike(np.array([0.0, 1.0]), np.arange(2)) == 1.0
    assert alike(np.zeros(4), np.array([0, 0, 1, 1])) == 1.0


def test_the_smallest_p_is_adjusted_by_shuffles() -> None:
    """Of four shuffles whose smallest p are .01, .02, .3 and .5, two are no larger than .02: (1 + 2) / (1 + 4)."""
    shuffled = np.array([[0.01, 0.9, 0.3, 0.8], [0.6, 0.02, 0.7, 0.5]])
    assert smallest_by_chance(np.array([0.02, 0.005, 0.9]), shuffled).tolist() == pytest.approx([0.6, 0.2, 1.0])


def test_shuffles_know_how_slices_overlap() -> None:
    """Beside one worse slice nine that are nearly one another count as hardly more than one, not as nine."""
    error, mask = table(16, 50, 18, 150)
    half = np.arange(200) % 2 == 0
    masks = [mask, *(np.where(np.arange(200) == n, ~half, half) for n in range(9))]
    parts = [SliceLabels(slice=named(str(n)), members=(members,)) for n, members in enumerate(masks)]
    examined = examine([labels(error)], parts, np.random.default_rng(3))
    best = examined.tested[0]
    assert best.slice.value == "0"
    assert best.p_value < best.adjusted_p < 0.5 * 10 * best.p_value


def test_the_choice_between_two_adjustments_is_paid_for() -> None:
    """Benjamini-Hochberg gives .04 and .9, which is the less; the least of both is so small in two shuffles of four: .02 and .04.

    The four: .02 (of .01 and .6), .04 (of .02 and .9), .6 (of .3 and .7), .8 (of .5 and .8). So (1 + 2) / (1 + 4) is the least.
    """
    shuffled = np.array([[0.01, 0.9, 0.3, 0.8], [0.6, 0.02, 0.7, 0.5]])
    assert adjusted_for_search(np.array([0.02, 0.9]), shuffled).tolist() == pytest.approx([0.6, 0.9])


def test_adjusted_p_is_near_benjamini_hochberg_where_slices_are_independent() -> None:
    """With slices of one importance each adjusted p is at most a tenth above statsmodels' for the same p-values."""
    rng = np.random.default_rng(4)
    error = rng.random(300) < 0.2
    parts = [SliceLabels(slice=named(str(n)), members=(rng.random(300) < 0.3,)) for n in range(8)]
    examined = examine([labels(error)], parts, rng)
    expected = multipletests([finding.p_value for finding in examined.tested], method="fdr_bh")[1]
    assert all(finding.adjusted_p <= 1.1 * q for finding, q in zip(examined.tested, expected, strict=True))
    assert [finding.adjusted_p for finding in examined.tested] == sorted(
        finding.adjusted_p for finding in examined.tested
    )


def test_equal_sets_of_labels_are_tested_once() -> None:
    """Two slices with the same labels are one test, named by the first with the other beside it."""
    error, mask = table(10, 40, 10, 100)
    parts = [SliceLabels(slice=named(word), members=(mask,)) for word in ("ko", "week 3")]
    examined = examine([labels(error)], parts, np.random.default_rng(0))
    assert len(examined.tested) == 1
    assert [part.value for part in (examined.tested[0].slice, *examined.tested[0].twins)] == ["ko", "week 3"]


def test_few_labels_are_listed_with_what_is_missing() -> None:
    """Nine labels lack one; a slice with all but four of the labels lacks six elsewhere."""
    error = np.zeros(60, dtype=np.bool_)
    parts = [
        SliceLabels(slice=named("few"), members=(np.arange(60) < 9,)),
        SliceLabels(slice=named("all"), members=(np.arange(60) < 56,)),
    ]
    examined = examine([labels(error)], parts, np.random.default_rng(0))
    assert not examined.tested
    assert [(untested.n, untested.missing, untested.missing_elsewhere) for untested in examined.untested] == [
        (9, 1, 0),
        (56, 0, 6),
    ]


@pytest.mark.parametrize("error", [np.zeros(100, dtype=bool), np.ones(100, dtype=bool)])
def test_one_class_reports_nothing(error: Mask) -> None:
    """Where all labels are right, or all wrong, no slice is worse than the rest."""
    parts = [SliceLabels(slice=named("half"), members=(np.arange(100) < 50,))]
    examined = examine([labels(error)], parts, np.random.default_rng(0))
    assert not examined.worse
    assert examined.tested[0].p_value == pytest.approx(0.5)


def test_no_labels_are_no_tests() -> None:
    """Without labels every slice lacks all ten, here and elsewhere."""
    examined = examine(
        [labels([])], [SliceLabels(slice=named("ko"), members=(np.zeros(0, dtype=bool),))], np.random.default_rng(0)
    )
    assert not examined.tested
    assert (examined.untested[0].missing, examined.untested[0].missing_elsewhere) == (10, 10)
    assert isinstance(against(labels([]), np.zeros(0, dtype=np.bool_), named("ko")), Untested)


def traffic(rng: np.random.Generator, n: int) -> dict[str, Mask]:
    """Languages of 15 to 40 %, topics of 10 to 30 %, thirds of three lengths, contexts and kinds, all independent."""
    masks: dict[str, Mask] = {}
    for field, shares in (
        ("language", np.r_[rng.uniform(0.15, 0.4, int(rng.integers(1, 3)))]),
        ("topic", rng.uniform(0.1, 0.3, int(rng.integers(3, 9)))),
        ("kind", np.array([0.35, 0.2, 0.15, 0.1, 0.1])),
    ):
        whole = np.r_[shares, max(0.0, 1 - shares.sum())] if field != "topic" else shares
        value = rng.choice(len(whole), n, p=whole / whole.sum())
        masks |= {f"{field} {number}": value == number for number in range(len(whole))}
    for field in ("question", "answer", "passages", "contexts"):
        place = rng.random(n)
        masks |= {f"{field} short": place < 1 / 3, f"{field} long": place > 2 / 3}
    return masks


def run(rng: np.random.Generator, planted: str | None, *, weighted: bool = False) -> tuple[Examined, str | None]:
    """225 passed labels with 10 % wrong, 35 % in the planted slice, and 75 failed ones with 40 % right."""
    passed = np.arange(300) < 225
    members = traffic(rng, 300)
    names = [name for name in members if planted and name.startswith(planted)]
    name = names[int(rng.integers(len(names)))] if names else None
    share = np.where(passed, 0.1, 0.4) + (np.where(passed & members[name], 0.25, 0.0) if name else 0.0)
    error = rng.random(300) < share
    weight = rng.choice([0.5, 1.0, 2.0], 300) if weighted else np.ones(300)
    sides = [
        labels(error[rows], weight[rows], mistake=mistake)
        for mistake, rows in ((Mistake.WRONG_PASS, passed), (Mistake.RIGHT_FAIL, ~passed))
    ]
    parts = [
        SliceLabels(
            slice=named(name, is_subject=name.startswith(("language", "topic"))), members=(mask[passed], mask[~passed])
        )
        for name, mask in members.items()
    ]
    return examine(sides, parts, rng), name


@pytest.mark.slow
@repeated(40, 100)
@pytest.mark.parametrize("weighted", [False, True])
def test_nothing_planted_is_reported_in_one_run_of_twenty_at_most(weighted: bool, repetitions: int) -> None:
    """Over some forty tests the share of runs that report any slice stays at the level."""
    rng = np.random.default_rng(11)
    any_found = sum(bool(run(rng, None, weighted=weighted)[0].worse) for _ in range(repetitions))
    assert any_found / repetitions <= at_most(0.05, repetitions)


@pytest.mark.slow
@repeated(20, 50)
@pytest.mark.parametrize(("planted", "least"), [("language", 0.8), ("topic", 0.7)])
def test_a_planted_slice_is_found(planted: str, least: float, repetitions: int) -> None:
    """A slice whose passed answers are wrong 25 points more often is reported in so many runs of 300 labels."""
    rng = np.random.default_rng(12)
    hits = 0
    for _ in range(repetitions):
        examined, name = run(rng, planted)
        hits += any(finding.slice.value == name and finding.mistake is Mistake.WRONG_PASS for finding in examined.worse)
    assert hits / repetitions >= at_least(least, repetitions)


@pytest.mark.slow
def test_intervals_of_shares_and_of_the_difference_hold_their_estimates() -> None:
    """Every interval holds its estimate, and the difference is that of the two shares."""
    examined, _ = run(np.random.default_rng(5), "topic", weighted=True)
    for finding in examined.tested:
        assert isinstance(finding, SliceFinding)
        assert finding.here.interval.low <= finding.here.estimate <= finding.here.interval.high
        assert finding.difference.low <= finding.difference.estimate <= finding.difference.high
        assert finding.difference.estimate == pytest.approx(finding.here.estimate - finding.elsewhere.estimate)


def test_the_interval_of_a_difference_is_wider_the_more_is_looked_at() -> None:
    """By itself it has 95 %; among ten slices of which none is worse, 99.5 %. The shares keep theirs."""
    rows = np.arange(200)
    parts = [SliceLabels(slice=named(str(place)), members=(rows % (place + 2) == 0,)) for place in range(10)]
    alone, among = (
        next(
            finding
            for finding in examine([labels(rows % 7 < 2)], chosen, np.random.default_rng(0)).tested
            if finding.slice.value == "0"
        )
        for chosen in (parts[:1], parts)
    )

    assert among.here == alone.here
    assert among.difference.low < alone.difference.low < alone.difference.high < among.difference.high


def test_shuffled_p_values_are_uniform_enough() -> None:
    """In shuffles each slice's p is at most .1 in about a tenth of them: the tables fit what the shuffles do."""
    rng = np.random.default_rng(6)
    error = (rng.random(300) < 0.3).astype(float)
    weight = rng.choice([1.0, 3.0], 300)
    masks = np.array([rng.random(300) < share for share in (0.2, 0.4)])
    slice_excess = excess(LabelledErrors(error, weight, Ways.of(np.arange(300))), masks, rng)
    share = (slice_excess.shuffled <= 0.1).mean(axis=1)
    assert slice_excess.shuffled.shape == (2, SHUFFLES)
    assert (abs(share - 0.1) < 0.03).all()


def test_the_truth_is_told_by_its_values() -> None:
    """19 of 20 right on each side is .95 and enough; one less is not; nor are 18 labels, one side, one class, or values seen once."""
    right = np.arange(80) % 2 == 0
    passes = np.arange(80) < 40
    values = np.where(right, "1", "0")
    one_off, two_off = values.copy(), values.copy()
    one_off[0], two_off[[0, 2]] = "0", "0"

    assert is_truth(right, passes, values.tolist())
    assert is_truth(right, passes, one_off.tolist())
    assert not is_truth(right, passes, two_off.tolist())
    assert not is_truth(right[31:49], passes[31:49], values[31:49].tolist())
    assert not is_truth(right, np.ones(80, dtype=np.bool_), values.tolist())
    assert not is_truth(np.ones(80, dtype=np.bool_), passes, values.tolist())
    assert not is_truth(right, passes, [str(k) for k in range(80)])
