"""Near-duplicate questions in four languages, and that the quick way finds what the slow way finds."""

from __future__ import annotations

import random

import pytest

from annotate.domain.gold.similarity import EQUALS, SIMILAR, classes, is_near, near_pairs, normal, signature, similarity
from proxy.records import Turn

NASTY = "lone \ud800, NUL \0, é 駅 😀, \u202e bidi"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("How do I reset my password?", "how can I reset my  password"),
        (
            "What is the maximum daily dose of ibuprofen for adults?",
            "What's the maximum daily dose of ibuprofen in adults?",
        ),
        ("Dose for 5mg", "dose for 5 mg?"),
        ("Give 1,000 ml", "Give 1000 ml"),
        ("布洛芬的每日最大剂量是多少？", "布洛芬每日最大剂量是多少"),
        ("普拿疼一次可以吃几颗？", "普拿疼一次可以吃几颗"),
        ("이부프로펜의 하루 최대 용량은 얼마입니까?", "이부프로펜 하루 최대 용량은 얼마인가요?"),
        ("ＡＢＣ　１２３？", "abc 123"),
        ("?!", "?!"),
        (NASTY, NASTY + "?"),
    ],
)
def test_the_same_question_in_other_words(first: str, second: str) -> None:
    """Case, width, punctuation, filler words and endings do not make another question."""
    assert is_near(first, second)
    assert is_near(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("What is the dose for 5 mg tablets?", "What is the dose for 50 mg tablets?"),
        ("What is the dose for 1.5 mg tablets?", "What is the dose for 15 mg tablets?"),
        ("Give 5 mg of it to the child at night?", "Give 5 g of it to the child at night?"),
        ("Is it -5 degrees in the store room now?", "Is it 5 degrees in the store room now?"),
        ("How is hepatitis B treated?", "How is hepatitis C treated?"),
        ("What is type I diabetes in young annotators?", "What is type II diabetes in young annotators?"),
        ("Is it safe to take aspirin?", "Is it not safe to take aspirin?"),
        ("When did ward 3 move?", "Why did ward 3 move?"),
        ("布洛芬的每日最大剂量是多少？", "萘普生的每日最大剂量是多少？"),
        ("星期一几点开门？", "星期二几点开门？"),
        ("What is the dose of ibuprofen?", "What is the dose of ibuprofen in children?"),
        ("a", ""),
    ],
)
def test_another_question(first: str, second: str) -> None:
    """A number, a unit, a letter, a denial, when or why, another drug: each asks for something else."""
    assert not is_near(first, second)


def test_equality_keeps_the_signs_that_carry_meaning() -> None:
    """Decimals, minus signs and symbols stay; sentence marks go."""
    assert normal("Is 1.5 - 2 = -0.5?") != normal("Is 15 - 2 = -0.5?")
    assert normal("C++?") != normal("C?")
    assert normal("  “Why,  then…?” ") == normal("why then")
    assert normal("?") == "?"


@pytest.mark.slow
def test_the_quick_way_finds_what_the_slow_way_finds() -> None:
    """Random questions from few words, so that many are near: every pair compared by itself is the oracle."""
    rng = random.Random(5)
    words = ["".join(rng.choice("abcdefghij") for _ in range(rng.randint(3, 9))) for _ in range(8)]
    questions = [
        " ".join(rng.choice(words) for _ in range(rng.randint(3, 7))) + rng.choice(["", "", " 5 mg", " not"])
        for _ in range(250)
    ]
    slow = {
        (first, second)
        for first in range(len(questions))
        for second in range(first + 1, len(questions))
        if is_near(questions[first], questions[second])
    }
    quick = [tuple(pair) for pair in near_pairs(questions)]

    assert len(slow) > 40
    assert len(quick) == len(set(quick))
    assert set(quick) == slow


def test_a_question_is_what_was_said_before_it_too() -> None:
    """`And for children?` after another question asks for something else."""
    questions = ["And for children?", "and for children", "And for children?", "And for children?"]
    said = ["How much ibuprofen?", "how much  ibuprofen?", "How much aspirin?"]
    before = [*((Turn(role="user", text=text),) for text in said), ()]

    assert [tuple(pair) for pair in near_pairs(questions, before)] == [(0, 1)]


def test_similarity_is_the_share_of_grams_in_both() -> None:
    """`room` and `rooms` share ^ro roo oom of ^ro roo oom om$ and ^ro roo oom oms ms$: 3 of 6."""
    assert similarity(signature("room"), signature("rooms")) == pytest.approx(3 / 6)
    assert SIMILAR > 3 / 6


@pytest.mark.slow
def test_a_crowd_of_equal_questions_is_paired_with_its_first() -> None:
    """Ten thousand times the same question are one class, and not fifty million pairs."""
    crowd = ["Where is the ward?"] * 10_000

    assert len(list(near_pairs(crowd))) == 9_999
    assert len(list(near_pairs(crowd[:EQUALS]))) == EQUALS * (EQUALS - 1) // 2
    assert classes(crowd) == ((0,) * 10_000, ())
