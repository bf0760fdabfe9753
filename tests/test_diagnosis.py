"""Quadrants: retrieval first, synthesis only where the passages were relevant, and the proxy's own misses."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from proxy.diagnosis import LabelledScores, quadrants, where_to_look
from proxy.records import Judgement

RIGHT, WRONG, UNSURE = Judgement


def wrong(relevant: float, faithful: float, count: int = 1) -> list[LabelledScores]:
    return [LabelledScores(WRONG, relevant, faithful)] * count


@pytest.mark.parametrize(
    ("relevant", "faithful", "words"),
    [
        (1.0, 1.0, "the proxy's own misses"),
        (1.0, 0.0, "synthesis"),
        (0.0, 1.0, "retrieval"),
        (0.0, 0.0, "retrieval first"),
        (0.5, 0.51, "retrieval"),  # exactly 0.5 is "on topic but cannot answer": not relevant
        (0.51, 0.5, "synthesis"),
    ],
)
def test_an_item_falls_into_one_quadrant(relevant: float, faithful: float, words: str) -> None:
    """The cut is strict, as it is for the rule."""
    found = quadrants(wrong(relevant, faithful))

    assert [one.meaning.split(":")[0] for one in found if one.wrong] == [words]
    assert sum(one.wrong for one in found) == 1


def test_the_four_quadrants_are_always_there() -> None:
    """Each once, also when nothing is labelled."""
    found = quadrants([])

    assert {(one.is_relevant, one.is_faithful) for one in found} == {
        (a, b) for a in (True, False) for b in (True, False)
    }
    assert len({one.meaning for one in found}) == 4
    assert sum(one.right + one.wrong for one in found) == 0


def test_right_and_wrong_are_counted_and_unsure_is_not() -> None:
    """An unsure label blames no stage; neither does an item that a judge did not score."""
    labelled = [
        LabelledScores(RIGHT, 0.9, 0.9),
        LabelledScores(RIGHT, 0.9, 0.9),
        LabelledScores(WRONG, 0.9, 0.9),
        LabelledScores(UNSURE, 0.9, 0.9),
        LabelledScores(WRONG, None, 0.9),
        LabelledScores(WRONG, 0.9, None),
    ]
    found = {(one.is_relevant, one.is_faithful): (one.right, one.wrong) for one in quadrants(labelled)}

    assert found == {(True, True): (2, 1), (True, False): (0, 0), (False, True): (0, 0), (False, False): (0, 0)}


@pytest.mark.parametrize(
    ("labelled", "start", "share"),
    [
        (wrong(0, 1, 3) + wrong(0, 0, 2) + wrong(1, 0, 4), "Look at retrieval first", "5 of 9"),
        (wrong(0, 1) + wrong(1, 0, 4) + wrong(1, 1, 3), "Look at synthesis", "4 of 8"),
        (wrong(0, 1) + wrong(1, 0) + wrong(1, 1, 3), "Read the proxy's own misses", "3 of 5"),
        (wrong(0, 1, 2) + wrong(1, 0, 2) + wrong(1, 1, 2), "Look at retrieval first", "2 of 6"),
        (wrong(1, 0, 2) + wrong(1, 1, 2), "Look at synthesis", "2 of 4"),
    ],
)
def test_where_to_look_names_the_stage_of_most_wrong_answers(
    labelled: Sequence[LabelledScores], start: str, share: str
) -> None:
    """A tie goes to the earlier stage: mending retrieval may mend what comes after it."""
    sentence = where_to_look(quadrants(labelled))

    assert sentence.startswith(start)
    assert share in sentence
    assert "run end to end again" in sentence


def test_without_a_wrong_label_there_is_nothing_to_blame() -> None:
    """And the sentence says what to do."""
    sentence = where_to_look(quadrants([LabelledScores(RIGHT, 0.2, 0.2)]))

    assert sentence.startswith("No labelled wrong answer")
    assert "label more" in sentence
