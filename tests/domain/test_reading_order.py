"""The order in which draws are read: what stands together, what is spread, and that chance alone decides both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from scipy import stats

from annotate.domain.assignment import DrawPlace, assigned
from annotate.domain.reading_order import SPREAD, ReadingPlace, ToPlace, reading_order


def draws(questions: int, answers: int = 3, salt: str = "salt", *, is_pair: bool = False) -> list[ToPlace]:
    """Answers of so many systems to each question, numbered through; system n of question q is draw 100 q + n."""
    return [
        ToPlace(100 * question + n, 1, f"q{question}", f"key {question} {n}", salt, is_pair)
        for question in range(questions)
        for n in range(answers)
    ]


def questions_of(placed: Sequence[ReadingPlace]) -> list[int]:
    return [place.draw // 100 for place in placed]


def test_answers_to_a_question_stand_together_and_a_tenth_is_spread() -> None:
    """Each question outside of the tenth is one run of tasks; the spread ones are as many as chance explains, and lie apart."""
    placed = reading_order(draws(400))
    spread = {place.draw // 100 for place in placed if place.is_spread}
    runs = Counter(
        question
        for before, question in zip([-1, *questions_of(placed)], questions_of(placed), strict=False)
        if before != question
    )

    assert [place.position for place in placed] == list(range(1, 1201))
    assert all(runs[question] == 1 for question in range(400) if question not in spread)
    assert stats.binomtest(len(spread), 400, SPREAD).pvalue > 0.001
    assert sum(runs[question] for question in spread) > 2.9 * len(spread)
    by_block = Counter(place.block for place in placed)
    assert set(by_block.values()) == {3}
    first = {place.draw // 100: place.draw for place in reversed(placed)}
    assert all(place.block == first[place.draw // 100] for place in placed)


def test_the_same_draws_come_in_the_same_order_whatever_the_order_they_are_given_in() -> None:
    """It hangs on the salt and on nothing else."""
    there = draws(50)

    assert reading_order(there) == reading_order(reversed(there))
    assert questions_of(reading_order(there)) != questions_of(reading_order(draws(50, salt="other")))


def test_systems_and_questions_are_shuffled() -> None:
    """Each of three systems is first in a third of the blocks, and a question's place does not tell its number."""
    placed = reading_order(draws(600))
    firsts = Counter(place.draw % 100 for place in placed if place.block == place.draw)

    assert stats.chisquare(list(firsts.values())).pvalue > 0.001
    blocks = [place.draw // 100 for place in placed if place.block == place.draw]
    assert stats.spearmanr(range(len(blocks)), blocks).pvalue > 0.001


def test_pairs_that_compare_systems_always_stand_together() -> None:
    """No lot decides on them, so they are no evidence on neighbours either."""
    placed = reading_order(draws(300, answers=2, is_pair=True))

    assert {place.is_spread for place in placed} == {None}
    assert all(a.block == b.block for a, b in zip(placed[::2], placed[1::2], strict=True))


def test_what_is_sent_later_comes_after() -> None:
    """New positions follow the last that is taken, and a single answer is no block to spread."""
    placed = reading_order(draws(200, answers=1), after=70)

    assert [place.position for place in placed] == list(range(71, 271))
    assert {place.is_spread for place in placed} == {None}


def test_the_overlap_lies_all_over_the_order() -> None:
    """Of 600 draws the first fifth by key goes to two annotators; in the order of reading it is spread as chance has it."""
    there = [ToPlace(n, 1, f"q{n}", f"{n:04}", "salt", is_pair=False) for n in range(600)]
    twice = {
        draw
        for draw, names in assigned(
            [DrawPlace(n, n, 600, f"q{n}") for n in range(600)], {}, ("ann", "ben"), 0.2
        ).items()
        if len(names) == 2
    }
    positions = {place.draw: place.position for place in reading_order(there)}

    assert twice == set(range(120))
    assert stats.kstest([positions[draw] / 601 for draw in twice], "uniform").pvalue > 0.001


@pytest.mark.parametrize("waves", [(1, 2), (2, 1)])
def test_a_question_of_two_waves_hangs_on_the_first_of_them(waves: tuple[int, int]) -> None:
    """Whichever draw is given first."""
    both = [ToPlace(wave, wave, "q", f"key {wave}", f"salt {wave}", is_pair=False) for wave in waves]

    assert reading_order(both) == reading_order(both[::-1])
