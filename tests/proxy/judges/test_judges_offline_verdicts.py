"""What the offline judges say of each sentence of an answer and of each passage."""

from __future__ import annotations

import time

import pytest

from proxy.judges import OfflineContextRelevance, OfflineFaithfulness, OfflineRefusal
from proxy.judges.offline.support import QUOTE_LIMIT
from proxy.records import Context, FailureKind, Item, JudgeFailure, Score, SentenceVerdict, Support

TOWER = (
    "The Eiffel Tower in Paris was completed in 1889 by Gustave Eiffel. It is 330 metres tall and repainted at times.",
    "Visitors climb 674 steps to the second floor. The tower is not open during storms.",
)
QUESTION = "How tall is the Eiffel Tower?"


def _item(answer: str, contexts: tuple[str, ...] = TOWER, question: str = QUESTION) -> Item:
    return Item(id="i", question=question, answer=answer, contexts=tuple(Context(text=text) for text in contexts))


def _judged(answer: str, contexts: tuple[str, ...] = TOWER) -> Score:
    result = OfflineFaithfulness().judge(_item(answer, contexts))
    assert isinstance(result, Score), result
    return result


def _verdicts(answer: str, contexts: tuple[str, ...] = TOWER) -> tuple[SentenceVerdict, ...]:
    return _judged(answer, contexts).sentences


def _relevance(contexts: tuple[str, ...], question: str = QUESTION) -> Score | JudgeFailure:
    return OfflineContextRelevance().judge(_item("x", contexts, question))


def test_each_sentence_has_its_verdict_passage_and_quote() -> None:
    """A supported sentence points to the passage and the words that bear it, a foreign one is not found."""
    climb, foreign = _verdicts("Visitors climb 674 steps. Penguins breed on ice during the polar winter.")

    assert climb == SentenceVerdict(
        sentence="Visitors climb 674 steps.",
        support=Support.SUPPORTED,
        value=pytest.approx(1.0),
        passage=2,
        quote="Visitors climb 674 steps to the second floor.",
    )
    assert foreign.support is Support.NOT_FOUND
    assert foreign.value is not None
    assert foreign.value < 0.2


def test_a_sentence_without_a_shared_word_has_no_passage() -> None:
    """Nothing bears it, so nothing is quoted."""
    (verdict,) = _verdicts("Penguins hatch.")

    assert verdict == SentenceVerdict(sentence="Penguins hatch.", support=Support.NOT_FOUND, value=0.0)


def test_the_score_is_made_of_the_sentences() -> None:
    """One sentence's value is the score, and a line without words claims nothing and changes nothing."""
    alone, with_dots = (
        _judged("The Eiffel Tower is 330 yards tall."),
        _judged("The Eiffel Tower is 330 yards tall.\n..."),
    )

    assert alone.sentences[0].value == pytest.approx(alone.value)
    assert with_dots.value == alone.value
    assert with_dots.sentences[1] == SentenceVerdict(sentence="...", support=Support.NO_CLAIM, value=None)


def test_a_number_that_no_passage_holds_is_noted() -> None:
    """The note names it, on its sentence alone."""
    right, wrong = _verdicts("It is 330 metres tall. It is 350 metres tall.")

    assert right.notes == ()
    assert wrong.notes == ("not in the passages: 350",)


@pytest.mark.parametrize(
    ("answer", "notes"),
    [
        ("The tower was not completed in 1889.", ("only one side denies",)),
        ("The tower wasn't completed in 1889.", ("only one side denies",)),
        ("The tower is open during storms.", ("only one side denies",)),
        ("The tower is not open during storms.", ()),
        ("The tower isn't open during storms.", ()),
        ("The tower was completed in 1889.", ()),
    ],
)
def test_a_denial_on_one_side_is_noted(answer: str, notes: tuple[str, ...]) -> None:
    """What is denied counts, not whether the word "not" stands anywhere in the passage."""
    assert notes == _verdicts(answer)[0].notes


def test_a_second_denial_costs_too() -> None:
    """A sentence that rightly denies one thing is still charged for wrongly denying another."""
    passage = ("The jury must agree on a guilty or not guilty verdict, and the court appoints twelve jurors for it.",)
    true = _judged("The jury must agree on a guilty or not guilty verdict.", passage)

    assert _judged("The jury must not agree on a guilty or not guilty verdict.", passage).value < true.value


@pytest.mark.parametrize("swapped", ["Casey Jones", "the Union Army", "Cairo"])
def test_a_name_from_elsewhere_in_the_passage_costs_something(swapped: str) -> None:
    """The same words in another place, rarer or more of them, do not make up for the right name."""
    passage = (
        "Billy Flynn took over the role of Chad in Cairo. Some years before, Casey Jones had left for the Union Army. "
        "Billy Flynn was praised, and the role of Chad became the one that Billy Flynn is known for."
    )

    assert (
        _judged(f"Chad was played by {swapped}.", (passage,)).value
        < _judged("Chad was played by Billy Flynn.", (passage,)).value
    )


def test_quotes_are_words_of_the_passage_and_short() -> None:
    """A quotation stands in its passage, spaces aside, and is cut at a space where there is one."""
    long = "The reactor " + "of the old northern plant " * 40 + "was closed."
    (spaced,) = _verdicts("The reactor of the northern plant was closed.", ("Something else is said here.", long))
    (unspaced,) = _verdicts("反应堆已经关闭", ("反应堆" + "在北方的老工厂里" * 60 + "已经关闭",))

    assert spaced.passage == 2
    assert " ".join(long.split()).startswith(spaced.quote)
    assert QUOTE_LIMIT - 20 < len(spaced.quote) <= QUOTE_LIMIT
    assert long[len(spaced.quote)] == " "
    assert len(unspaced.quote) == QUOTE_LIMIT


def test_a_verdict_can_always_be_shown() -> None:
    """Lone surrogates, NUL and direction controls reach neither the sentence nor the quotation."""
    (verdict,) = _verdicts(
        "The tower\0 is \u202e330 metres \ud800tall.", ("The tower\0 is \u202e330 metres \ud800tall.",)
    )

    assert not set("\0\u202e\ud800") & set(verdict.sentence + verdict.quote)


@pytest.mark.parametrize(
    ("question", "context", "true", "false", "number", "refusal"),
    [
        (
            "东京塔建成于什么时候？",
            "东京塔位于东京港区，高333米，建成于1958年。",
            "东京塔高333米。",
            "柏林墙已经倒塌。",
            "东京塔高444米。",
            "很抱歉，我无法回答这个问题。",
        ),
        (
            "東京鐵塔建成於什麼時候？",
            "東京鐵塔位於東京港區，高333公尺，建成於1958年。",
            "東京鐵塔高333公尺。",
            "柏林圍牆已經倒塌。",
            "東京鐵塔高444公尺。",
            "很抱歉，我無法回答這個問題。",
        ),
        (
            "도쿄 타워의 높이는 얼마인가요?",
            "도쿄 타워는 도쿄 미나토구에 있으며 높이는 333미터이고 1958년에 완공되었다.",
            "도쿄 타워의 높이는 333미터이다.",
            "베를린 장벽은 무너졌다.",
            "도쿄 타워의 높이는 444미터이다.",
            "죄송하지만 그 질문에는 답변드릴 수 없습니다.",
        ),
        (
            "東京タワーが完成したのはいつですか？",
            "東京タワーは東京都港区にあり、高さは333メートルで、1958年に完成した。",
            "東京タワーの高さは333メートルです。",
            "ベルリンの壁は崩壊しました。",
            "東京タワーの高さは444メートルです。",
            "申し訳ありませんが、お答えできません。",
        ),
    ],
)
def test_one_item_in_four_languages(
    question: str, context: str, true: str, false: str, number: str, refusal: str
) -> None:
    """Simplified and Traditional Chinese, Korean and Japanese get the same verdicts on the same content."""
    right, wrong = _verdicts(f"{true}{false}" if "。" in true else f"{true} {false}", (context,))
    relevance = _relevance((context, false), question)
    refused = OfflineRefusal().judge(_item(refusal, (context,), question))

    assert [right.support, wrong.support] == [Support.SUPPORTED, Support.NOT_FOUND]
    assert (right.passage, right.notes) == (1, ())
    assert right.quote in context
    assert _judged(number, (context,)).value < _judged(true, (context,)).value
    assert _verdicts(number, (context,))[0].notes == ("not in the passages: 444",)
    assert isinstance(relevance, Score)
    near, far = relevance.passages
    assert near is not None
    assert far is not None
    assert near > 0.5 > far
    assert isinstance(refused, Score)
    assert refused.value == 1.0


def test_each_passage_has_its_value() -> None:
    """The first passage is on the question, the second holds one of its words, the third none."""
    result = _relevance((*TOWER, "Penguins breed on ice."))
    assert isinstance(result, Score)
    tall, steps, penguins = result.passages

    assert tall is not None
    assert steps is not None
    assert tall > 0.5 > steps > 0
    assert penguins == 0.0


def test_one_passage_alone_has_the_value_of_all() -> None:
    """With a single passage, and with the same one twice, its value is the score."""
    single, twice = _relevance(TOWER[:1]), _relevance(TOWER[:1] * 2)
    assert isinstance(single, Score)
    assert isinstance(twice, Score)

    assert single.passages == (single.value,)
    assert twice.passages == (twice.value, twice.value)


def test_a_passage_that_cannot_be_compared_has_no_value() -> None:
    """Empty, in another script, or beyond what is read: None, never 0; a name in both scripts is still compared."""
    result = _relevance((TOWER[0], "  ", "企鹅住在南极，冬天很冷。", "", "x" * 200_000, TOWER[0]))
    named = _relevance((TOWER[0], "Eiffel Tower tall 是一座铁塔，位于巴黎的战神广场，于一八八九年建成。"))
    assert isinstance(result, Score)
    assert isinstance(named, Score)

    assert [value is None for value in result.passages] == [False, True, True, True, False, True]
    assert named.passages[1] is not None


def test_an_empty_answer_is_no_refusal() -> None:
    """Silence is not judged."""
    result = OfflineRefusal().judge(_item(" \n"))

    assert isinstance(result, JudgeFailure)
    assert result.kind is FailureKind.NOT_APPLICABLE


def test_a_refusal_is_quoted() -> None:
    """The reason shows the phrase, and an answer is none."""
    refused, answered = (OfflineRefusal().judge(_item(text)) for text in ("Sorry, I don't know.", TOWER[0]))

    assert isinstance(refused, Score)
    assert isinstance(answered, Score)
    assert (refused.value, refused.reason) == (1.0, "the answer refuses: “I don't know”")
    assert (answered.value, answered.reason) == (0.0, "the answer does not refuse")


@pytest.mark.slow
@pytest.mark.parametrize("unit", [TOWER[0] + " ", "塔高三百三十米。", "tower tall x " * 3])
def test_time_grows_in_proportion_to_the_passages(unit: str) -> None:
    """Eight times the passages take less than 24 times as long, with verdicts and values a passage."""

    def seconds(size: int) -> float:
        passages = tuple((unit * (size // len(unit)))[start : start + 500] for start in range(0, size, 500))
        best = float("inf")
        for turn in range(3):
            item = _item(unit * 20, (f"{turn} {size}", *passages), question=unit)
            start = time.process_time()
            OfflineFaithfulness().judge(item)
            OfflineContextRelevance().judge(item)
            best = min(best, time.process_time() - start)
        return best

    assert seconds(160_000) < 24 * seconds(20_000)
