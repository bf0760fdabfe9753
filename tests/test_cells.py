"""Cells: labels stand for the items of their own stratum and verdict, and too few of them are never passed over."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from proxy.cells import Cell, SampledItem, Total, cells_of, correctness_strata, side_strata, without_thin_paths
from proxy.records import Judgement, Verdict
from proxy.stats.survey import StratumSample, stratified

RIGHT, WRONG, UNSURE = Judgement
PASS, FAIL, UNSCORED = Verdict


def cell(
    size: int, right: int = 0, wrong: int = 0, unsure: int = 0, *, stratum: str = "a", verdict: Verdict = PASS
) -> Cell:
    return Cell(stratum=stratum, verdict=verdict, size=size, right=right, wrong=wrong, unsure=unsure)


def shape(strata: Sequence[StratumSample]) -> list[tuple[float, int, int]]:
    return sorted((one.size, one.n, one.x) for one in strata)


def test_labels_are_counted_in_the_cell_of_their_stratum_and_verdict() -> None:
    """A draw without a label counts nowhere, an empty total makes no cell."""
    totals = [Total("a", PASS, 10), Total("a", FAIL, 5), Total("b", PASS, 3), Total("c", PASS, 0)]
    sample = [
        *(SampledItem("a", PASS, one, "g") for one in (RIGHT, RIGHT, WRONG, UNSURE, None)),
        SampledItem("a", FAIL, WRONG, "g"),
        SampledItem("b", PASS, None, "g"),
    ]

    assert cells_of(totals, sample) == [
        cell(10, 2, 1, 1),
        cell(5, 0, 1, verdict=FAIL),
        cell(3, stratum="b"),
    ]


def test_unsure_labels_shrink_the_cell_to_what_people_can_judge() -> None:
    """100 items, 8 of 10 labels decided: 80 judgeable, n = 8, and a tenth of the cell was seen."""
    one = cell(100, 6, 2, 2)

    assert (one.n, one.judgeable, one.sample.f) == (8, 80, 0.1)
    assert (one.sample.size, one.sample.n, one.sample.x) == (80, 8, 6)


def test_before_any_label_the_whole_cell_is_open() -> None:
    """Nothing is known of what people can judge."""
    assert cell(100).judgeable == 100
    assert not cell(100).sample.is_estimable


def test_unsure_labels_alone_do_not_make_a_cell_vanish() -> None:
    """One `unsure` among 5,000 items says nothing of the other 4,999: the cell stays and cannot be estimated."""
    one = cell(5_000, unsure=1)
    strata, unknown = correctness_strata([one, cell(100, 15, 5, stratum="b")])

    assert one.judgeable == 5_000
    assert shape(strata) == [(100, 20, 15)]
    assert [found.stratum for found in unknown] == ["a"]
    assert side_strata([one], PASS) == ([], 4_999)


def test_a_cell_seen_whole_that_nobody_can_judge_is_left_out() -> None:
    """All three items are unsure: estimates speak of the items that people can judge."""
    strata, unknown = correctness_strata([cell(3, unsure=3), cell(100, 15, 5, stratum="b")])

    assert shape(strata) == [(100, 20, 15)]
    assert not unknown


def test_verdicts_of_a_stratum_stay_apart_where_both_have_labels() -> None:
    """Post-stratification by verdict: two strata of known size from one draw."""
    strata, unknown = correctness_strata([cell(60, 10, 2), cell(40, 2, 6, verdict=FAIL)])

    assert shape(strata) == [(40, 8, 2), (60, 12, 10)]
    assert not unknown


def test_a_cell_with_one_label_is_taken_together_with_its_stratum() -> None:
    """The stratum was drawn as one, so its labels speak for all its items: 13 labels for 100."""
    strata, unknown = correctness_strata([cell(60, 10, 2), cell(40, 1, 0, verdict=FAIL)])

    assert shape(strata) == [(100, 13, 11)]
    assert not unknown


def test_a_stratum_with_one_label_of_many_is_refused_and_named() -> None:
    """Its variance is unknown, whatever the others know."""
    strata, unknown = correctness_strata([cell(60, 10, 2), cell(500, 1, 0, stratum="b", verdict=FAIL)])

    assert shape(strata) == [(60, 12, 10)]
    assert [(one.stratum, one.n, one.size) for one in unknown] == [("b", 1, 500)]


def test_a_stratum_of_one_item_is_known_from_one_label() -> None:
    """A census of one."""
    strata, unknown = correctness_strata([cell(1, 1)])

    assert shape(strata) == [(1, 1, 1)]
    assert not unknown


def test_a_side_borrows_for_a_poor_cell_from_its_own_verdict_only() -> None:
    """3 thumbed-down passes without a label join the largest passed cell; the failed ones are not asked."""
    cells = [
        cell(900, 40, 10, stratum="passed"),
        cell(20, 5, 5, stratum="unscored"),
        cell(3, stratum="down"),
        cell(30, 2, 10, stratum="down", verdict=FAIL),
    ]
    strata, missing = side_strata(cells, PASS)

    assert missing == 0
    assert shape(strata) == [(20, 10, 5), (903, 50, 40)]


def test_a_side_does_not_borrow_for_a_stratum_that_nobody_labelled() -> None:
    """A rule change moved 300 items of an unlabelled stratum to this side: they are missing, not assumed alike."""
    cells = [cell(900, 40, 10, stratum="passed"), cell(300, stratum="failed"), cell(50, stratum="failed", verdict=FAIL)]

    assert side_strata(cells, PASS)[1] == 300
    assert side_strata(cells, FAIL) == ([], 50)


def test_a_side_with_no_cell_at_all_is_empty() -> None:
    """No item of this verdict: nothing to estimate, nothing missing."""
    assert side_strata([cell(10, 2, 2)], FAIL) == ([], 0)


@pytest.mark.parametrize("labels", [(12, 8), (20, 0), (0, 20)])
def test_splitting_a_stratum_by_chance_keeps_the_estimate_in_range(labels: tuple[int, int]) -> None:
    """Post-stratified by any verdict, the estimate lies between the shares of the two cells."""
    right, wrong = labels
    cells = [cell(300, right, wrong), cell(100, 3, 9, verdict=FAIL)]
    strata, _ = correctness_strata(cells)

    assert stratified(strata).p == pytest.approx(0.75 * right / 20 + 0.25 * 3 / 12)


def test_only_what_chance_left_thin_joins_the_largest_like_it() -> None:
    """No draw from a sampled path is chance; no draw by design, or no answer to draws, is not, and stays unknown."""
    totals = [
        Total("1 failed, 2 failed", FAIL, 500),
        Total("1 passed, 2 passed", PASS, 900),
        Total("1 passed, 2 failed", FAIL, 20),
        Total("1 unscored, 2 unscored", UNSCORED, 40),
        Total("2 thumbs_down", FAIL, 30),
    ]
    sample = [
        *[SampledItem("1 failed, 2 failed", FAIL, RIGHT, "g")] * 9,
        *[SampledItem("1 passed, 2 passed", PASS, RIGHT, "g")] * 9,
        *[SampledItem("2 thumbs_down", FAIL, None, "g")] * 5,
    ]

    merged, moved = without_thin_paths(totals, sample, {"1 passed, 2 failed", "2 thumbs_down", "1 failed, 2 failed"})

    assert {(t.stratum, t.verdict): t.size for t in merged} == {
        ("1 failed, 2 failed", FAIL): 520,
        ("1 passed, 2 passed", PASS): 900,
        ("1 unscored, 2 unscored", UNSCORED): 40,
        ("2 thumbs_down", FAIL): 30,
    }
    assert moved == sample
    assert sum(t.size for t in merged) == sum(t.size for t in totals)
    assert without_thin_paths(totals, [], {"1 passed, 2 failed"})[0] == totals
