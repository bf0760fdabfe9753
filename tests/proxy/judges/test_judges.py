"""The offline judges: what raises a score, what lowers it, when they abstain, and what they say."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from proxy.judges import (
    OfflineAnswerRelevance,
    OfflineContextRelevance,
    OfflineFaithfulness,
    offline,
    reference_based,
)
from proxy.records import Context, FailureKind, Item, JudgeFailure, Score

TOWER = (
    "The Eiffel Tower in Paris was completed in 1889 by Gustave Eiffel. It is 330 metres tall and repainted at times.",
    "Visitors climb 674 steps to the second floor. The tower is not open during storms.",
)
FOREIGN = "Penguins breed on antarctic ice during the dark winter."
HOSTILE = [
    "\ud800",
    "\0",
    "😀🎉",
    "\u202eabc\u2066",
    "",
    "   \n",
    "<p>x</p><script>1</script>",
    "[1]",
    "؟ عاصمة",
    "a<b<c>d>",
]


def _item(answer: str, contexts: tuple[str, ...] = TOWER, question: str = "How tall is the Eiffel Tower?") -> Item:
    return Item(id="i", question=question, answer=answer, contexts=tuple(Context(text=text) for text in contexts))


def _score(result: Score | JudgeFailure) -> Score:
    assert isinstance(result, Score), result
    return result


def _faithfulness(answer: str, contexts: tuple[str, ...] = TOWER) -> Score:
    return _score(OfflineFaithfulness().judge(_item(answer, contexts)))


def _abstained(result: Score | JudgeFailure) -> str:
    assert isinstance(result, JudgeFailure), result
    assert result.kind == FailureKind.NOT_APPLICABLE
    return result.reason


def test_a_copied_answer_is_faithful_and_a_foreign_one_is_not() -> None:
    """Verbatim text scores 1, text about something else less than 0.2."""
    assert pytest.approx(1.0) == _faithfulness(TOWER[0]).value
    assert _faithfulness(FOREIGN).value < 0.2


def test_a_foreign_sentence_lowers_faithfulness_and_is_quoted() -> None:
    """The reason names the sentence without support, and only that one."""
    result = _faithfulness(f"The Eiffel Tower is 330 metres tall. {FOREIGN}")

    assert result.value < _faithfulness("The Eiffel Tower is 330 metres tall.").value
    assert f"1 of 2 sentences of the answer without support in the passages: “{FOREIGN}”" == result.reason


def test_a_changed_number_lowers_faithfulness_and_is_named() -> None:
    """A number has no synonym: absent from the passages, it costs more than a word and is listed."""
    word, false = _faithfulness("The tower is 330 yards tall."), _faithfulness("The tower is 350 metres tall.")

    assert false.value < word.value < _faithfulness("The tower is 330 metres tall.").value
    assert "numbers not in the passages: 350" in false.reason


def test_a_swapped_name_and_a_denial_lower_faithfulness() -> None:
    """A name that is elsewhere in the passages, and a "not" that is not there, both cost something."""
    told = _faithfulness("The Eiffel Tower in Paris was completed in 1889.").value

    assert _faithfulness("The Eiffel Tower in Storms was completed in 1889.").value < told
    denied = _faithfulness("The Eiffel Tower in Paris was not completed in 1889.").value
    assert denied < _faithfulness("The Eiffel Tower in Paris was so completed in 1889.").value < told


def test_citation_marks_do_not_change_faithfulness() -> None:
    """[7] is no number that the passages should hold."""
    plain, cited = _faithfulness("It is 330 metres tall."), _faithfulness("It is 330 metres tall [7]【3†a】.")

    assert pytest.approx(plain.value) == cited.value


def test_a_reason_never_says_more_than_the_scores_beside_it() -> None:
    """A sentence that overlaps by 0.6 is not called supported: the reason names the lowest score of all sentences."""
    score = _faithfulness("The tower in Paris is 330 metres tall, so say the owners. Visitors climb 674 steps there.")

    lowest = min(sentence.value for sentence in score.sentences if sentence.value is not None)
    assert 0.5 < lowest < 1
    assert f"(lowest {lowest:.3g})" in score.reason


@pytest.mark.parametrize(
    ("question", "passage", "reason"),
    [
        (
            "降圧薬はいつ飲むべきですか",
            "降圧剤を飲むべき時間は朝です。",
            "parts of the question not in the passages: “圧薬” in “降圧薬”",
        ),
        (
            "혈압약을 언제 먹어야 하나요",
            "혈압은 아침에 잰다.",
            "words of the question not in the passages: 먹어야; parts",
        ),
    ],
)
def test_pairs_of_characters_are_not_named_as_words(question: str, passage: str, reason: str) -> None:
    """What is compared in scripts without spaces is a pair of characters: shown inside what was written, never alone."""
    score = _score(OfflineContextRelevance().judge(_item("-", (passage,), question)))

    assert score.reason.startswith(reason)


def test_a_supported_answer_says_so() -> None:
    """The reason of a good score counts the sentences."""
    answer = "The Eiffel Tower is 330 metres tall. It is repainted at times."

    assert _faithfulness(answer).reason.startswith("all 2 sentences of the answer have a word overlap above 0.5")


def test_reasons_stay_short() -> None:
    """At most three sentences are quoted, each cut."""
    long = " ".join(f"Nothing about zebra{n} {'quagga ' * 60}here." for n in range(5))
    reason = _faithfulness(long).reason

    assert reason.startswith("5 of 5 sentences")
    assert reason.endswith("and 2 more")
    assert len(reason) < 500


def test_other_scripts_are_not_judged() -> None:
    """Words across scripts cannot match: an abstention with its reason, never a low score."""
    korean, english = "파리는 프랑스의 수도이다.", ("Paris is the capital of France.",)

    assert _abstained(OfflineFaithfulness().judge(_item(korean, english))).startswith(
        "the answer is Korean, the passages are in Latin script"
    )
    assert _abstained(OfflineContextRelevance().judge(_item("x", english, question="法国的首都是哪里？"))).startswith(
        "the question is Chinese, the passages are in Latin script"
    )


def test_a_latin_name_in_korean_passages_is_judged() -> None:
    """What matters is whether the words can match, not the script of a short answer."""
    story = "이 이론은 시간과 공간을 새롭게 설명한 현대 물리학의 기초이며 중력을 기하학으로 다룬다. " * 3

    assert _faithfulness("Albert Einstein", (f"상대성 이론은 Albert Einstein 이 발표했다. {story}",)).value > 0.5


def test_nothing_to_judge_is_no_score() -> None:
    """No passages, no answer, no content in the question: each abstains and says why."""
    faithfulness, context, answer = OfflineFaithfulness(), OfflineContextRelevance(), OfflineAnswerRelevance()

    assert _abstained(faithfulness.judge(_item("x", ()))) == "no passages were retrieved"
    assert _abstained(context.judge(_item("x", (" ",)))) == "no passages were retrieved"
    assert _abstained(faithfulness.judge(_item(" \n"))) == "the answer is empty"
    assert _abstained(answer.judge(_item(""))) == "the answer is empty"
    assert _abstained(faithfulness.judge(_item("..."))) == "the answer has no words"
    assert _abstained(context.judge(_item("x", question="Who is it?"))) == "the question holds nothing to look up"
    assert _abstained(answer.judge(_item("x", question=""))) == "the question has no content words"


def test_context_relevance_follows_the_question() -> None:
    """Passages on the question's words score above 0.5, others below, and the missing words are named."""
    judge = OfflineContextRelevance()
    near = _score(judge.judge(_item("x")))
    far = _score(judge.judge(_item("x", (FOREIGN,))))

    assert near.value > 0.5 > far.value
    assert far.reason == "words of the question not in the passages: tall, Eiffel, Tower"


def test_context_relevance_prefers_words_that_stand_together() -> None:
    """The same words scattered over passages say less than in one place."""
    together = ("The tall Eiffel tower.", "Cats sleep.", "Dogs bark.")
    scattered = ("The tall man.", "Eiffel sleeps.", "A tower stands.")
    judge = OfflineContextRelevance()

    assert _score(judge.judge(_item("x", scattered))).value < _score(judge.judge(_item("x", together))).value


def test_a_window_is_three_sentences() -> None:
    """Within one passage too, the question's words must stand near each other."""
    filler = "Nothing of any interest to anybody is said in this long line. "
    near = f"There is a tall one in this long line. The Eiffel one is in this long line. A tower is in it. {filler * 4}"
    far = f"There is a tall one in this long line. {filler * 4}The Eiffel one is in this long line. A tower is in it."
    judge = OfflineContextRelevance()

    assert _score(judge.judge(_item("x", (far,)))).value < _score(judge.judge(_item("x", (near,)))).value


def test_answer_relevance_is_the_share_of_the_question_taken_up() -> None:
    """Two of the three content words tall, Eiffel, Tower give 2/3."""
    result = _score(OfflineAnswerRelevance().judge(_item("The Eiffel Tower is in Paris.")))

    assert pytest.approx(2 / 3) == result.value
    assert result.reason == "words of the question not in the answer: tall"


def test_missing_chinese_words_are_readable() -> None:
    """Missing pairs are shown joined to the run that a reader knows."""
    item = _item("x", ("企鹅住在南极。",), question="气候变化的主要原因是什么？")

    assert "气候变化, 主要原因" in _score(OfflineContextRelevance().judge(item)).reason


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_gives_a_score_or_a_reason(text: str) -> None:
    """Whatever stands in any field: a value in [0, 1] or an abstention, with a reason that can be encoded."""
    base = _item(TOWER[0])
    for item in (
        replace(base, question=text),
        replace(base, answer=text),
        replace(base, contexts=(Context(text=text),)),
        replace(base, reference=text),
        replace(base, reference=f"Eiffel {text}|{text}"),
        replace(base, question=f"Eiffel {text}", answer=f"Eiffel {text}", contexts=(Context(text=f"Eiffel {text}"),)),
    ):
        for judge in (*offline(), *reference_based()):
            result = judge.judge(item)
            result.reason.encode()
            repr(result).encode()

            assert result.reason
            assert not set("\0\u202e\u2066") & set(result.reason)


@pytest.mark.parametrize(
    ("answer", "contexts", "note"),
    [
        ("It is 330 metres tall.", (TOWER[0] * 10_000,), "first 200,000 characters of the passages"),
        ("It is 330 metres tall.", TOWER[:1] * 10_000, "first 200,000 characters of the passages"),
        ("It is 330 metres tall " * 5_000_000, TOWER, "first 20,000 characters of the answer"),
        ("It is tall. " * 1000, TOWER, "first 200 sentences of the answer"),
    ],
)
def test_any_size_takes_bounded_time_and_says_what_was_read(answer: str, contexts: tuple[str, ...], note: str) -> None:
    """1 MB of passages, 10,000 passages and 100 MB of answer are judged on a declared part."""
    item = _item(answer, contexts)
    start = time.process_time()
    result = _score(OfflineFaithfulness().judge(item))

    assert time.process_time() - start < 5
    assert f"judged on the {note}" in result.reason


def test_judges_have_distinct_names_and_signatures() -> None:
    """The default rule finds its two judges first, and no two judges share a signature."""
    judges = (*offline(), *reference_based())

    assert [judge.name for judge in offline()] == ["context_relevance", "faithfulness", "answer_relevance", "refusal"]
    assert [judge.name for judge in reference_based()] == ["correctness_vs_reference"]
    assert len({judge.signature for judge in judges}) == len(judges) == 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "system_left_out", "floor"),
    [("clapnq_rag.jsonl", "human_reference", 0.90), ("qafeedback.jsonl", None, 0.80)],
)
def test_faithfulness_orders_real_answers_as_people_do(file: str, system_left_out: str | None, floor: float) -> None:
    """AUROC against annotators: measured .937 (300 model answers) and .853 (498); floors near the lower 95 % bounds."""
    folder = os.environ.get("ASSAY_DATA")
    if not folder:
        pytest.skip("set ASSAY_DATA to the folder with clapnq_rag.jsonl and qafeedback.jsonl")
    metrics = pytest.importorskip("sklearn.metrics")
    rows = [json.loads(line) for line in (Path(folder) / file).read_text(encoding="utf-8").splitlines()]
    labels, values = [], []
    for row in rows:
        contexts = tuple(row["contexts"])
        result = OfflineFaithfulness().judge(_item(row["answer"], contexts, row["question"]))
        if row["system"] != system_left_out and isinstance(result, Score):
            labels.append(row["human_faithful"])
            values.append(result.value)

    assert len(values) >= 298
    assert metrics.roc_auc_score(labels, values) > floor
