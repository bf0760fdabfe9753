"""Correctness against a reference by words: worked examples, alternatives, numbers, and when it abstains."""

from __future__ import annotations

import time

import pytest

from proxy.judges import OfflineCorrectnessVsReference
from proxy.records import FailureKind, Item, JudgeFailure, Score


def _result(answer: str, reference: str | None) -> Score | JudgeFailure:
    item = Item(id="i", question="q", answer=answer, reference=reference)
    return OfflineCorrectnessVsReference().judge(item)


def _score(answer: str, reference: str | None) -> Score:
    result = _result(answer, reference)
    assert isinstance(result, Score), result
    return result


def _reason(answer: str, reference: str | None) -> str:
    result = _result(answer, reference)
    assert isinstance(result, JudgeFailure), result
    assert result.kind is FailureKind.NOT_APPLICABLE
    return result.reason


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("The Eiffel Tower!", "eiffel tower"),
        ("330 metres", "330 metres"),
        ("No", "no."),
        ("巴黎", "巴黎。"),
        ("서울", "서울"),
        ("It was 1,000 annotators", "it was 1000 annotators"),
    ],
)
def test_an_exact_match_is_one(answer: str, reference: str) -> None:
    """After SQuAD's normalisation (case, punctuation, articles) equal texts score 1."""
    result = _score(answer, reference)

    assert result.value == pytest.approx(1.0)
    assert result.reason == "all words of the reference are found in the answer"


def test_recall_leads_and_precision_follows() -> None:
    """Reference: gustave eiffel. Answer: engineer gustave built it, 4 tokens, 1 common.

    Recall 1/2, precision 1/4: 1/2 x (1 + 1/4) / 2 = 5/16.
    """
    result = _score("The engineer Gustave built it", "Gustave Eiffel")

    assert result.value == pytest.approx(5 / 16)
    assert result.reason == "words of the reference not in the answer: Eiffel"


def test_a_repeated_word_is_common_only_as_often_as_on_both_sides() -> None:
    """Reference: very very old (3). Answer: very old (2). Common 2, recall 2/3, precision 1."""
    assert _score("very old", "very very old").value == pytest.approx(2 / 3)


def test_a_long_answer_with_all_of_a_short_reference_comes_before_a_short_one_with_half_of_it() -> None:
    """Recall 1 and precision 2/12 give 7/12; recall 1/2 and precision 1 give 1/2. Token F1 orders them the other way."""
    long = "The tower was designed and built by Gustave Eiffel and his engineers"

    assert _score(long, "Gustave Eiffel").value == pytest.approx((1 + 2 / 11) / 2)
    assert _score("Eiffel", "Gustave Eiffel").value == pytest.approx(1 / 2)


def test_numbers_that_are_missing_are_named() -> None:
    """Reference: in 1889, 330 metres, 4 tokens; three of them in common are 3/4 x (1 + 3/4) / 2 = 21/32."""
    half, none = (
        _score("in 1889, 300 metres", "in 1889, 330 metres"),
        _score("in 1888, 300 metres", "in 1889, 330 metres"),
    )

    assert half.value == pytest.approx(21 / 32)
    assert none.value == pytest.approx(3 / 8)
    assert half.reason == "numbers not in the answer: 330"
    assert none.reason == "numbers not in the answer: 1889, 330"


def test_the_best_alternative_counts() -> None:
    """References separated by a bar are alternatives; empty ones are none."""
    assert _score("Jan 2, 2022", "January 2 2022| |Jan 2, 2022|").value == pytest.approx(1.0)
    assert _score("London", "Paris|Rome").reason == "words of the best fitting of 2 references not in the answer: Paris"


def test_missing_words_are_named_briefly() -> None:
    """Five words and a count, words and numbers apart, Chinese pairs joined."""
    long = _score("x", "one two three four five six seven 8 9")

    assert long.reason == (
        "words of the reference not in the answer: one, two, three, four, five and 2 more; numbers not in the answer: 8, 9"
    )
    assert _score("企鹅", "气候变化").reason == "words of the reference not in the answer: 气候变化"


@pytest.mark.parametrize(
    ("reference", "right", "wrong"),
    [
        ("东京塔高333米。", "高333米，是东京塔。", "富士山高3776米。"),
        ("東京鐵塔高333公尺。", "高333公尺，是東京鐵塔。", "富士山高3776公尺。"),
        ("도쿄 타워의 높이는 333미터이다.", "333미터가 도쿄 타워의 높이이다.", "후지산의 높이는 3776미터이다."),
        ("東京タワーの高さは333メートルです。", "高さは333メートルで、東京タワーです。", "富士山は3776メートルです。"),
    ],
)
def test_scripts_without_spaces_are_compared_by_pairs(reference: str, right: str, wrong: str) -> None:
    """The same facts in another order score well above others, in each language."""
    assert _score(right, reference).value > 0.6
    assert _score(wrong, reference).value < 0.45


def test_nothing_to_compare_is_no_score() -> None:
    """No reference, no answer, no words: an abstention with its reason."""
    assert _reason("x", None) == "the item has no reference"
    assert _reason("x", "  ") == "the item has no reference"
    assert _reason("", "x") == "the answer is empty"
    assert _reason("x", "...|?") == "the reference has no words"


def test_other_scripts_are_not_compared() -> None:
    """A reference in another script abstains; beside one in the answer's script it is left out."""
    assert _reason("파리는 프랑스의 수도이다.", "Paris is the capital.") == (
        "the reference is in Latin script, the answer is Korean: their words cannot be compared"
    )
    assert _score("파리", "Paris|파리").value == pytest.approx(1.0)


@pytest.mark.slow
def test_a_huge_reference_is_read_in_part_and_says_so() -> None:
    """Sixteen times the reference takes no longer beyond the limit, and the reason names the limit."""
    assert _score("a word", "a word " * 10_000).reason.endswith(
        "(judged on the first 20,000 characters of the reference)"
    )

    def seconds(size: int) -> float:
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            _result("some words " * 100, "some|" * size)
            best = min(best, time.process_time() - start)
        return best

    assert seconds(160_000) < 3 * seconds(10_000)
