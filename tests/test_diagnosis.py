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
    """An unsure label blames no stage; what a judge did not score is in a row of its own."""
    labelled = [
        LabelledScores(RIGHT, 0.9, 0.9),
        LabelledScores(RIGHT, 0.9, 0.9),
        LabelledScores(WRONG, 0.9, 0.9),
        LabelledScores(UNSURE, 0.9, 0.9),
        LabelledScores(WRONG, None, 0.9),
        LabelledScores(WRONG, 0.9, None),
    ]
    found = {(one.is_relevant, one.is_faithful): (one.right, one.wrong) for one in quadrants(labelled)}

    four = {(True, True): (2, 1), (True, False): (0, 0), (False, True): (0, 0), (False, False): (0, 0)}
    assert found == {**four, (True, None): (0, 1), (None, None): (0, 1)}


def test_rows_and_sentence_count_the_same_answers() -> None:
    """Every wrong answer is in one row; what lacks a score has its own, and points to the stage that the sentence counts."""
    empty = [LabelledScores(WRONG, None, 0.9, has_passages=False)] * 2
    labelled = [*wrong(0, 1, 4), *empty, *[LabelledScores(WRONG, 0.1, None)] * 3, LabelledScores(WRONG, 0.9, None)]
    found = quadrants([*labelled, LabelledScores(WRONG, None, 0.1)])
    rows = {one.meaning: one.wrong for one in found if one.wrong}

    assert where_to_look([*labelled, LabelledScores(WRONG, None, 0.1)]).startswith("Look at retrieval first: 9 of 11")
    assert sum(rows.values()) == 11
    assert sum(count for meaning, count in rows.items() if meaning.startswith("retrieval")) == 9
    assert sum(count for meaning, count in rows.items() if meaning.startswith("cannot be told")) == 2


@pytest.mark.parametrize(
    ("labelled", "start", "share"),
    [
        (wrong(0, 1, 3) + wrong(0, 0, 2) + wrong(1, 0, 1), "Look at retrieval first", "5 of 6"),
        (wrong(0, 1) + wrong(1, 0, 6) + wrong(1, 1, 2), "Look at synthesis", "6 of 9"),
        (wrong(0, 1) + wrong(1, 1, 5), "Read the proxy's own misses", "5 of 6"),
    ],
)
def test_where_to_look_names_the_stage_of_most_wrong_answers(
    labelled: Sequence[LabelledScores], start: str, share: str
) -> None:
    """The next stage is further behind than sqrt(a + b): 5 - 1 > sqrt(6), 6 - 2 > sqrt(8)."""
    sentence = where_to_look(labelled)

    assert sentence.startswith(start)
    assert share in sentence
    assert "run end to end again" in sentence


@pytest.mark.parametrize(
    ("labelled", "words"),
    [
        (wrong(0, 1, 5) + wrong(1, 0, 4), "retrieval or synthesis is the bottleneck: 5 and 4 of 9 wrong answers"),
        (
            wrong(1, 0, 3) + wrong(1, 1, 3),
            "synthesis or the proxy itself is the bottleneck: 3 and 3 of 6 wrong answers",
        ),
    ],
)
def test_stages_that_are_close_are_open(labelled: Sequence[LabelledScores], words: str) -> None:
    """5 - 4 < sqrt(9): the next labels may turn it."""
    assert where_to_look(labelled).startswith(f"It is open whether {words}")


def test_fewer_than_five_wrong_labels_name_no_stage() -> None:
    """Four at one place, then five; what no score tells does not count."""
    untold = LabelledScores(WRONG, None, None)

    assert where_to_look([*wrong(0, 1, 4), untold]).startswith("Too few to name a stage: 4 wrong answers; label more")
    assert where_to_look(wrong(1, 0)).startswith("Too few to name a stage: 1 wrong answer;")
    assert where_to_look(wrong(0, 1, 5)).startswith("Look at retrieval first: 5 of 5")


def test_without_any_passage_retrieval_is_not_blamed() -> None:
    """An app that does not search, or whose passages were not brought; one right answer with some makes it a search."""
    empty = [LabelledScores(WRONG, None, None, has_passages=False)] * 6

    assert "no labelled answer has a passage" in where_to_look(empty)
    assert where_to_look([*empty, LabelledScores(RIGHT, 0.9, 0.9)]).startswith("Look at retrieval first")


def test_without_a_wrong_label_there_is_nothing_to_blame() -> None:
    """And the sentence says what to do."""
    sentence = where_to_look([LabelledScores(RIGHT, 0.2, 0.2)])

    assert sentence.startswith("No labelled wrong answer")
    assert "label more" in sentence
