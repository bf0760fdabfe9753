"""RGB's scores of systems whose abilities are known, as its code gives them and with its faults fixed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest

from proxy.questions.marking import Marking, fixed_marks, rgb_labels, rgb_marks
from proxy.questions.records import Ability, Expected, Passage, QuestionItem, QuestionKind
from proxy.questions.scoring import (
    AbilityQuantity,
    AbilityScore,
    GivenAnswer,
    ability_scores,
    clustered_share,
)
from proxy.stats.intervals import wilson

YEAR: Expected = (("1889", "eighteen eighty-nine"),)
REFUSAL = "I can not answer the question because of the insufficient information in documents."


def item(number: int, ability: Ability, rate: float = 0.0, expected: Expected = YEAR, source: str = "") -> QuestionItem:
    return QuestionItem(
        id=f"{ability}-{rate}-{number}",
        question_id=f"q{number}",
        kind=QuestionKind.MULTI if ability is Ability.INTEGRATION else QuestionKind.SINGLE,
        ability=ability,
        noise_rate=rate,
        question="In which year did it open?",
        expected=expected,
        sources=(source or f"d{number}",),
        contexts=(Passage(id=f"d{number}", text="It opened in 1889."),),
    )


def answered(items: Sequence[QuestionItem], system: Callable[[int, QuestionItem], str]) -> tuple[AbilityScore, ...]:
    return ability_scores([GivenAnswer(given, system(place, given)) for place, given in enumerate(items)])


def value(
    scores: Sequence[AbilityScore], quantity: AbilityQuantity, marking: Marking, rate: float | None = None
) -> float | None:
    (score,) = [each for each in scores if each.quantity is quantity and each.noise_rate == rate]
    return (score.rgb if marking is Marking.RGB else score.fixed).estimate


@pytest.mark.parametrize(
    ("expected", "answer", "labels"),
    [
        ((("January 2 2022", "Jan 2, 2022"),), "It was Jan 2, 2022.", (1,)),  # any alias of a group
        ((("Paris",), ("1889",)), "PARIS, in 1889.", (1, 1)),  # every group, in any case
        ((("Paris",), ("1889",)), "Paris, in 1900.", (1, 0)),
        ((("18",),), "It opened in 1889.", (1,)),  # a substring, which is a fault
        (YEAR, f"{REFUSAL} But it opened in 1889.", (-1,)),
        ((("1889年",),), "在 1889 年 完工。", (1,)),
    ],
)
def test_labels_are_those_of_rgb(expected: Expected, answer: str, labels: tuple[int, ...]) -> None:
    assert rgb_marks(answer, expected).labels == labels


@pytest.mark.parametrize(
    ("expected", "answer", "labels"),
    [
        ((("18",),), "It opened in 1889.", (0,)),
        ((("no",),), "Not before noon.", (0,)),
        ((("No",),), "no!", (1,)),
        ((("1,889",),), "It cost 1889 euros.", (1,)),
        ((("3",),), "It is 3.5 m long.", (0,)),
        ((("3",),), "There are 3.", (1,)),
        ((("1889年",),), "於 1889 年完工。", (1,)),
        ((("889年",),), "於1889年完工。", (0,)),
        ((("서울",),), "수도는 서울입니다.", (1,)),
        (YEAR, f"{REFUSAL} But it opened in 1889.", (1,)),
        ((("",),), "anything", (0,)),
    ],
)
def test_labels_are_of_whole_words_when_fixed(expected: Expected, answer: str, labels: tuple[int, ...]) -> None:
    assert fixed_marks(answer, expected).labels == labels


@pytest.mark.parametrize(
    ("answer", "by_rgb", "fixed"),
    [
        ("There are factual errors in the provided documents.", True, True),
        ("Factual errors: it says 1900.", False, True),  # RGB looks for small letters
        ("There are no factual errors in the documents.", True, False),
        ("文档中存在事实性错误。", True, True),
        ("文件有事實性錯誤，應為1889年。", False, True),
        ("文档中没有事实性错误。", True, False),
        ("문서에 사실 오류가 있습니다.", False, True),
        ("문서에 사실 오류가 없습니다.", False, False),
        ("It opened in 1900.", False, False),
        ("I could not find any factual errors.", True, False),
        ("I cannot find factual errors, and was unable to find a factual error before.", True, False),
        ("我找不到事实性错误。", True, False),
        ("문서에서 사실 오류를 찾을 수 없습니다.", False, False),
        ("사실 오류를 발견하지 못했습니다.", False, False),
    ],
)
def test_a_detected_error_is_named_and_not_denied(answer: str, by_rgb: bool, fixed: bool) -> None:
    assert (rgb_marks(answer, YEAR).is_detection, fixed_marks(answer, YEAR).is_detection) == (by_rgb, fixed)


@pytest.mark.parametrize(
    ("answer", "by_rgb", "fixed"),
    [
        (REFUSAL, True, True),
        ("Insufficient information.", False, True),
        ("I don't know.", False, True),
        ("資料不足，無法回答。", False, True),
        ("문서에서 답을 찾을 수 없습니다.", False, True),
        ("It opened in 1889.", False, False),
        (f"{REFUSAL} But it opened in 1889.", True, False),  # an answer all the same
        ("", False, False),
        # What is stated beyond the question and the passages is an answer, and a wrong one.
        ("There is insufficient information in the documents, but from what I know it was built in 1666.", True, False),
        ("There is insufficient information. I believe it was built by Wren.", True, False),
        ("資料不足，但應該是1666年。", False, False),
        ("문서에서 답을 찾을 수 없습니다. 1666년으로 알고 있습니다.", False, False),
        # What the question and the passages say may be named, and passages be counted.
        ("The documents do not say when the Long Bridge opened; they only name the year 1931.", False, True),
        ("None of the 2 documents answers this: insufficient information.", True, True),
        ("Answer: Insufficient Information", False, True),
        ("I’m sorry, but I’m an AI and I don’t know.", False, True),
        # That no error is there is no refusal, also beside one.
        ("I could not find any factual errors.", False, False),
        ("I could not find any factual errors. I don't know the answer.", False, True),
        ("문서에서 사실 오류를 찾을 수 없습니다.", False, False),
    ],
)
def test_a_rejection_refuses_and_answers_nothing(answer: str, by_rgb: bool, fixed: bool) -> None:
    known = ("In which year did the Long Bridge open?", "The Long Bridge is green. A fair was held in 1931.")

    marks = fixed_marks(answer, YEAR, known)

    assert (rgb_marks(answer, YEAR).is_rejection, marks.is_rejection) == (by_rgb, fixed)


def test_the_example_of_the_reference_page() -> None:
    """Ten counterfactual items, of which four are detected, three of them with the right answer: 0.4 and 0.75."""
    found = "There are factual errors in the provided documents. The answer is"
    answers = [f"{found} 1889.", f"{found} 1889.", f"{found} 1889.", f"{found} 1900.", *["It opened in 1900."] * 6]
    items = [item(number, Ability.COUNTERFACTUAL) for number in range(10)]

    scores = answered(items, lambda place, _: answers[place])

    for marking in Marking:
        assert value(scores, AbilityQuantity.ERROR_DETECTION, marking) == 0.4
        assert value(scores, AbilityQuantity.ERROR_CORRECTION, marking) == 0.75


def test_a_refusal_is_no_correction_when_fixed() -> None:
    """Two are detected; one is refused, and RGB counts it as corrected."""
    found = "There are factual errors in the provided documents."
    answers = [f"{found} It opened in 1889.", f"{found} {REFUSAL}", "It opened in 1900."]
    items = [item(number, Ability.COUNTERFACTUAL) for number in range(3)]

    scores = answered(items, lambda place, _: answers[place])

    assert value(scores, AbilityQuantity.ERROR_CORRECTION, Marking.RGB) == 1.0
    assert value(scores, AbilityQuantity.ERROR_CORRECTION, Marking.FIXED) == 0.5


def test_without_a_detected_error_no_correction_rate_is_defined() -> None:
    """RGB's code gives 0."""
    (*_, correction) = answered([item(1, Ability.COUNTERFACTUAL)], lambda *_: "It opened in 1900.")

    assert (correction.rgb.estimate, correction.fixed.estimate) == (None, None)
    assert correction.rgb.reason == "undefined: no error was detected"


def test_a_system_of_known_abilities_is_scored_as_what_it_is() -> None:
    """Right at every noise rate but the highest, where every second answer is wrong; three of four rejected; half integrated."""

    def system(place: int, given: QuestionItem) -> str:
        if given.ability is Ability.NOISE:
            return "In 1900." if given.noise_rate == 0.8 and place % 2 else "In 1889."
        if given.ability is Ability.REJECTION:
            return "In 1900." if place % 4 == 0 else REFUSAL
        return "Paris, 1889." if place % 2 else "Paris."

    items = [
        *(item(number, Ability.NOISE, rate) for rate in (0.0, 0.5, 0.8) for number in range(20)),
        *(item(number, Ability.REJECTION, 1.0) for number in range(20)),
        *(item(number, Ability.INTEGRATION, 0.0, (("Paris",), ("1889",))) for number in range(20)),
    ]

    scores = answered(items, system)

    for marking in Marking:
        noise = [value(scores, AbilityQuantity.NOISE_ROBUSTNESS, marking, rate) for rate in (0.0, 0.5, 0.8)]
        assert noise == [1.0, 1.0, 0.5]
        assert value(scores, AbilityQuantity.NEGATIVE_REJECTION, marking) == 0.75
        assert value(scores, AbilityQuantity.INFORMATION_INTEGRATION, marking) == 0.5
        assert value(scores, AbilityQuantity.ERROR_DETECTION, marking) is None
    assert [score.rgb.n for score in scores] == [20, 20, 20, 20, 20, 0, 0]
    assert [score.passages for score in scores] == [20, 20, 20, 20, 20, 0, 0]


def test_items_of_one_source_count_once() -> None:
    """Forty answers on ten passages, all of a passage alike, tell what ten tell.

    V = C / (C - 1) sum (4 * 0.5 / 40)^2 = 10/9 * 10 * 0.0025 = 0.02778, so n / deff = 0.25 / V = 9, with t of 9. Forty on forty
    passages have V = 40/39 * 40 * (0.5 / 40)^2, so n / deff = 39, with z.
    """
    right = [place % 2 == 0 for place in range(10) for _ in range(4)]
    groups = [f"d{place}" for place in range(10) for _ in range(4)]

    together = clustered_share(right, groups, "none")
    alone = clustered_share(right, [str(place) for place in range(40)], "none")

    assert (together.low, together.high) == pytest.approx(tuple(wilson(0.5, 9, df=9)))
    assert (alone.low, alone.high) == pytest.approx(tuple(wilson(0.5, 39)))


def test_one_passage_gives_no_interval() -> None:
    estimate = clustered_share([True, False], ["d", "d"], "none")

    assert (estimate.estimate, estimate.low, estimate.high, estimate.n) == (0.5, None, None, 2)
    assert "share source passages" in str(estimate.reason)


def reference_code(prediction: str, ground_truth: Sequence[str | Sequence[str]]) -> list[int]:
    """What `checkanswer` of RGB does, written down anew: a list within the list holds aliases, a text by itself is required."""
    small = prediction.lower()
    return [
        int(part.lower() in small) if isinstance(part, str) else int(any(alias.lower() in small for alias in part))
        for part in ground_truth
    ]


def test_labels_agree_with_the_reference_code_on_any_text() -> None:
    """Two thousand answers made of pieces of expected texts, in any case and order."""
    rng = random.Random(7)
    pieces = ["Paris", "PARIS", "1889", "18890", "no", "not", "in", "Jan 2, 2022", "January 2 2022", "é", "ß", " ", "."]
    for _ in range(2_000):
        groups = [tuple(rng.choices(pieces[:9], k=rng.randint(1, 3))) for _ in range(rng.randint(1, 3))]
        truth: list[str | Sequence[str]] = [group[0] if len(group) == 1 else list(group) for group in groups]
        answer = rng.choice(["", " "]).join(rng.choices(pieces, k=rng.randint(0, 6)))
        assert list(rgb_labels(answer, tuple(groups))) == reference_code(answer, truth)
