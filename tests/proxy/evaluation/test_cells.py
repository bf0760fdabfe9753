"""Cells: post-strata of known size, thin ones taken together in an order that nobody chose, never at the price of a weight."""

from __future__ import annotations

import numpy as np
import pytest

from proxy.evaluation.ledger import PlacedDraws, SampledItem, Total, cells_of
from proxy.evaluation.levels import levels_of
from proxy.records import Verdict
from proxy.stats.sampling.survey import PostStrata
from support.agreement import FAIL, PASS, RIGHT, UNSCORED, WRONG, labelled

Row = tuple[str, Verdict, int, int]


def cells(*rows: Row) -> PostStrata:
    """The cells of (stratum, verdict, size, labels) rows."""
    totals = [Total(stratum, verdict, size) for stratum, verdict, size, _ in rows]
    return cells_of(totals, PlacedDraws.of(draw for row in rows for draw in labelled(row[0], row[1], row[3], 0)))


def shape(post_strata: PostStrata) -> list[tuple[float, int]]:
    """(size, labels) of each cell, smallest first."""
    counts = np.bincount(post_strata.of_draw, minlength=len(post_strata.size))
    return sorted((float(size), int(n)) for size, n in zip(post_strata.size, counts, strict=True))


def test_cells_are_strata_split_by_verdict() -> None:
    """Both verdicts of one stratum stand apart where both have labels: their sizes are known."""
    post_strata = cells(("a", PASS, 60, 12), ("a", FAIL, 40, 8), ("b", PASS, 30, 5))

    assert shape(post_strata) == [(30, 5), (40, 8), (60, 12)]


def test_the_levels_of_a_cell_are_added_up() -> None:
    """10 items of a low and 30 of a high level are one cell of 40 items with the mean of what the levels stand for."""
    low, high = (int(level) for level in levels_of(np.array([0.2, 0.8])))
    totals = [Total("a", PASS, 10, level=low), Total("a", PASS, 30, level=high)]
    post_strata = cells_of(totals, PlacedDraws.of(labelled("a", PASS, 6, 0)))

    assert shape(post_strata) == [(40, 6)]
    assert float(post_strata.score[0]) == pytest.approx((10 * 0.2 + 30 * 0.8) / 40, abs=0.02)


def test_neighbours_of_one_verdict_are_taken_together_until_they_have_five_labels() -> None:
    """In the order of their names: 2 + 4 make enough; the 3 that are left over join the last."""
    post_strata = cells(("passed_1", PASS, 100, 2), ("passed_2", PASS, 200, 4), ("passed_3", PASS, 300, 3))

    assert shape(post_strata) == [(600, 9)]
    apart = cells(("passed_1", PASS, 100, 2), ("passed_2", PASS, 200, 4), ("passed_3", PASS, 300, 5))
    assert shape(apart) == [(300, 5), (300, 6)]


def test_a_verdict_with_few_labels_stands_alone_while_it_has_two() -> None:
    """Not enough for five, but never put together with what the proxy says the opposite of."""
    post_strata = cells(("a", FAIL, 50, 2), ("b", PASS, 500, 40))

    assert shape(post_strata) == [(50, 2), (500, 40)]


@pytest.mark.parametrize("labels", [0, 1])
def test_a_verdict_with_less_than_two_labels_joins_its_neighbour(labels: int) -> None:
    """Chance left it nearly empty; its items still count."""
    post_strata = cells(("a", FAIL, 50, labels), ("b", PASS, 500, 40), ("c", UNSCORED, 70, 9))

    assert shape(post_strata) == [(70, 9), (550, 40 + labels)]


def test_the_last_verdict_joins_the_one_before() -> None:
    """There is none after it."""
    assert shape(cells(("b", PASS, 500, 40), ("c", UNSCORED, 70, 1))) == [(570, 41)]


def test_what_was_seen_whole_stands_alone() -> None:
    """Three items, all labelled: known exactly, so no neighbour may blur them."""
    post_strata = cells(("a", FAIL, 3, 3), ("b", FAIL, 90, 4), ("c", FAIL, 80, 4), ("d", PASS, 1, 1))

    assert shape(post_strata) == [(1, 1), (3, 3), (170, 8)]


def test_every_item_lies_in_its_cell() -> None:
    """`of_draw` follows the items, whatever their order; the sizes add up to all items."""
    totals = [Total("a", PASS, 60), Total("a", FAIL, 40), Total("b", FAIL, 10)]
    items = [
        *labelled("a", FAIL, 6, 0),
        *labelled("a", PASS, 7, 0),
        SampledItem("b", FAIL, WRONG, "g"),
        SampledItem("a", PASS, RIGHT, "h"),
    ]
    post_strata = cells_of(totals, PlacedDraws.of(items))
    size = post_strata.size[post_strata.of_draw]

    assert list(size) == [50.0] * 6 + [60.0] * 7 + [50.0, 60.0]
    assert post_strata.size.sum() == 110


def test_taking_together_keeps_every_item_and_every_label() -> None:
    """Random tables: sizes and labels add up, no cell of the rest has fewer than two labels unless it is alone."""
    rng = np.random.default_rng(9)
    for _ in range(200):
        rows: list[Row] = []
        for stratum in "abcd":
            for verdict in Verdict:
                size = int(rng.integers(0, 40))
                if size:
                    rows.append((stratum, verdict, size, int(rng.integers(0, min(size, 8) + 1))))
        if not rows:
            continue
        shapes = shape(cells(*rows))
        open_cells = [shape for shape in shapes if shape[1] < shape[0]]

        assert sum(size for size, _ in shapes) == sum(row[2] for row in rows)
        assert sum(n for _, n in shapes) == sum(row[3] for row in rows)
        assert all(n >= 2 for _, n in open_cells) or len(open_cells) == 1, rows
