"""Quadrants: counts of labels by what the judges say; they name no stage."""

from __future__ import annotations

import pytest

from proxy.diagnosis import LabelledScores, quadrants
from proxy.records import Judgement

RIGHT, WRONG, UNSURE = Judgement


def wrong(relevant: float, faithful: float, count: int = 1) -> list[LabelledScores]:
    return [LabelledScores(WRONG, relevant, faithful)] * count


@pytest.mark.parametrize(
    ("relevant", "faithful", "words"),
    [
        (1.0, 1.0, "passages scored high, answer faithful to them"),
        (1.0, 0.0, "passages scored high, answer not faithful to them"),
        (0.0, 1.0, "passages scored low, answer faithful to them"),
        (0.0, 0.0, "passages scored low, answer not faithful to them"),
        (0.5, 0.51, "passages scored low, answer faithful to them"),  # exactly 0.5 is "on topic but cannot answer"
        (0.51, 0.5, "passages scored high, answer not faithful to them"),
    ],
)
def test_an_item_falls_into_one_quadrant(relevant: float, faithful: float, words: str) -> None:
    """The threshold is strict, as it is for the rule."""
    rows = quadrants(wrong(relevant, faithful))

    assert [row.description for row in rows if row.wrong] == [words]
    assert sum(row.wrong for row in rows) == 1


def test_the_four_quadrants_are_always_there() -> None:
    """Each once, also when nothing is labelled."""
    rows = quadrants([])

    assert {(row.is_relevant, row.is_faithful) for row in rows} == {
        (a, b) for a in (True, False) for b in (True, False)
    }
    assert len({row.description for row in rows}) == 4
    assert sum(row.right + row.wrong for row in rows) == 0


def test_right_and_wrong_are_counted_and_unsure_is_not() -> None:
    """An unsure label blames no stage; what a judge did not score is in a row of its own."""
    labelled = [
        LabelledScores(RIGHT, 0.9, 0.9),
        LabelledScores(RIGHT, 0.9, 0.9),
        LabelledScores(WRONG, 0.9, 0.9),
        LabelledScores(UNSURE, 0.9, 0.9),
        LabelledScores(WRONG, None, 0.9),
        LabelledScores(WRONG, 0.9, None),
    ]
    counts = {
        (quadrant.is_relevant, quadrant.is_faithful): (quadrant.right, quadrant.wrong)
        for quadrant in quadrants(labelled)
    }

    four = {(True, True): (2, 1), (True, False): (0, 0), (False, True): (0, 0), (False, False): (0, 0)}
    assert counts == {**four, (True, None): (0, 1), (None, None): (0, 1)}


def test_every_labelled_answer_is_in_one_row() -> None:
    """What lacks passages or a score has rows of its own; without passages no score puts retrieval in question."""
    empty = [LabelledScores(WRONG, 0.0, 0.9, has_passages=False)] * 2
    labelled = [*wrong(0, 1, 4), *empty, *[LabelledScores(WRONG, 0.1, None)] * 3, LabelledScores(WRONG, 0.9, None)]
    listed = quadrants([*labelled, LabelledScores(WRONG, None, 0.1)])
    rows = {row.description: row.wrong for row in listed if row.wrong}

    assert sum(rows.values()) == 11
    assert rows["no passages logged"] == 2
    assert sum(count for description, count in rows.items() if description.startswith("passages scored low")) == 7
