"""Draws without a right or wrong: the share that was called either, and how far the others could move the result."""

from __future__ import annotations

import pytest

from fixtures_agreement import FAIL, PASS, RIGHT, UNSURE, WRONG, wave
from proxy.cells import Drawing, SampledItem, Total
from proxy.domains import Evidence
from proxy.records import Judgement
from proxy.response import response_of


def test_before_a_label_has_come_back_nothing_is_said() -> None:
    """No draw at all, and draws that are all open."""
    assert response_of(Evidence(totals=[], sample=[], drawings=[])) is None
    assert response_of(wave(("passed", PASS, 100, 0, 0, 0, 10))) is None


def active(words: list[Judgement | None], chances: list[float]) -> Evidence:
    """One wave in which each item had a chance of its own, its response included."""
    asked, returned = len(words), sum(word is not None for word in words)
    share = returned / asked
    sample = [
        SampledItem("passed", PASS, word, str(k), 0, (chance * share,))
        for k, (word, chance) in enumerate(zip(words, chances, strict=True))
    ]
    drawing = Drawing(1, "passed", 20, asked, asked, returned, is_fixed=False)
    return Evidence(totals=[Total("passed", PASS, 20)], sample=sample, drawings=[drawing])


def test_full_response_leaves_no_range_whatever_the_weights() -> None:
    """Chances .2, .5, .25 and .1 weigh 5, 2, 4 and 10; all but the second are right: 19 / 21, low and high alike."""
    found = response_of(active([RIGHT, WRONG, RIGHT, RIGHT], [0.2, 0.5, 0.25, 0.1]))

    assert found == pytest.approx((1, 19 / 21, 19 / 21), abs=1e-12)
    assert found is not None
    assert found.rate <= 1


def test_an_unsure_label_could_be_either() -> None:
    """The same weights with the last, 10 of 21, unsure: 11 / 21 were called, and 9 to 19 of 21 could be right."""
    found = response_of(active([RIGHT, WRONG, RIGHT, UNSURE], [0.2, 0.5, 0.25, 0.1]))

    assert found == pytest.approx((11 / 21, 9 / 21, 19 / 21), abs=1e-12)


def test_open_draws_of_an_active_wave_weigh_as_those_that_came_back() -> None:
    """Two of four came back, weights 5 and 2 before the response of one half: half of 7 is called, 5 of it right."""
    found = response_of(active([RIGHT, WRONG, None, None], [0.2, 0.5, 0.25, 0.1]))

    assert found == pytest.approx((0.5, 0.5 * 5 / 7, 1 - 0.5 * 2 / 7), abs=1e-12)


def test_open_and_unsure_draws_by_hand() -> None:
    """Each of 15 draws stands for 10 of 150 items: 8 right, 4 wrong, 1 unsure, 2 open, so .8 with .533 to .733."""
    found = response_of(wave(("a", PASS, 100, 6, 1, 1, 2), ("b", FAIL, 50, 2, 3)))

    assert found == pytest.approx((12 / 15, 8 / 15, 11 / 15), abs=1e-12)


def test_each_stratum_counts_by_its_size() -> None:
    """10 of 1,000 passed with 4 open, 10 of 100 failed all called: items stand for 100 and for 10."""
    found = response_of(wave(("a", PASS, 1_000, 5, 1, 0, 4), ("b", FAIL, 100, 2, 8)))

    assert found == pytest.approx((700 / 1_100, 520 / 1_100, 1 - 180 / 1_100), abs=1e-12)


def test_all_unsure_says_that_nothing_is_known() -> None:
    """Nobody was called right or wrong: anything from 0 to 1."""
    assert response_of(wave(("a", PASS, 100, 0, 0, 10))) == (0, 0, 1)
