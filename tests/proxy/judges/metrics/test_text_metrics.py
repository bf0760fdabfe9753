"""Metrics of an answer's text: SQuAD's, rouge-score's and sacreBLEU's own values, four languages, alternatives, hostile texts."""

from __future__ import annotations

import random
import re
import string
from collections import Counter

import pytest

from proxy.judges.metrics.catalogue import judge_named, metrics
from proxy.judges.metrics.text.entity_f1 import entities, set_f1
from proxy.judges.metrics.text_overlap import TextMetric
from proxy.records import FailureKind, Item, JudgeFailure, Score

TEXT = [metric.name for metric in metrics() if isinstance(metric, TextMetric)]
WORDS = [
    "the",
    "a",
    "an",
    "Tower",
    "tower",
    "tall,",
    "metres",
    "330",
    "330.",
    "3.5",
    "it's",
    "state-of-the-art",
    "(is)",
    "is!",
    "on_top",
    "1,000",
    "x",
]


def outcome(judge: str, answer: str, reference: str | None) -> Score | JudgeFailure:
    found = judge_named(judge)
    assert found is not None
    return found.judge(Item(id="i", question="q", answer=answer, reference=reference))


def value(judge: str, answer: str, reference: str) -> float:
    result = outcome(judge, answer, reference)
    assert isinstance(result, Score), result
    return result.value


def why(judge: str, answer: str, reference: str | None) -> str:
    result = outcome(judge, answer, reference)
    assert isinstance(result, JudgeFailure)
    assert result.kind is FailureKind.NOT_APPLICABLE
    return result.reason


def random_texts(seed: int) -> tuple[str, str]:
    """Two texts that share words; the tower keeps either from normalising to nothing."""
    rng = random.Random(seed)
    first, other = (" ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 30))) for _ in range(2))
    return f"{first} tower", f"tower {other}"


# The functions of SQuAD's evaluate-v1.1.py, as published.


def normalize_answer(s: str) -> str:
    def white_space_fix(text: str) -> str:
        return " ".join(text.split())

    def remove_punc(text: str) -> str:
        return "".join(ch for ch in text if ch not in set(string.punctuation))

    return white_space_fix(re.sub(r"\b(a|an|the)\b", " ", remove_punc(s.lower())))


def squad_f1(prediction: str, ground_truth: str) -> float:
    prediction_tokens, ground_truth_tokens = (
        normalize_answer(prediction).split(),
        normalize_answer(ground_truth).split(),
    )
    num_same = sum((Counter(prediction_tokens) & Counter(ground_truth_tokens)).values())
    if num_same == 0:
        return 0
    precision, recall = num_same / len(prediction_tokens), num_same / len(ground_truth_tokens)
    return (2 * precision * recall) / (precision + recall)


@pytest.mark.parametrize("seed", range(50))
def test_f1_and_exact_match_are_those_of_squads_script(seed: int) -> None:
    """Random texts with articles, punctuation, numbers and repeated words."""
    answer, reference = random_texts(seed)

    assert value("token_f1", answer, reference) == pytest.approx(squad_f1(answer, reference))
    assert value("exact_match", answer, reference) == float(normalize_answer(answer) == normalize_answer(reference))
    assert value("exact_match", reference.upper() + "!", reference) == 1.0


@pytest.mark.parametrize("seed", range(50))
def test_rouge_is_that_of_rouge_score(seed: int) -> None:
    """The same three numbers without stemming."""
    rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer", reason="rouge-score is not installed")
    answer, reference = random_texts(seed)
    scores = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"]).score(reference, answer)

    for name, score in scores.items():
        assert value(name, answer, reference) == pytest.approx(score.fmeasure), name


@pytest.mark.parametrize("seed", range(20))
def test_bleu_and_chrf_are_those_of_sacrebleu(seed: int) -> None:
    """The sentence scores of the library, a hundredth of them."""
    sacrebleu = pytest.importorskip("sacrebleu", reason="sacrebleu is not installed: pip install 'assay[metrics]'")
    answer, reference = random_texts(seed)

    assert value("bleu", answer, reference) == pytest.approx(sacrebleu.sentence_bleu(answer, [reference]).score / 100)
    assert value("chrf", answer, reference) == pytest.approx(sacrebleu.sentence_chrf(answer, [reference]).score / 100)


@pytest.mark.parametrize(
    ("reference", "answer", "recall", "precision"),
    [
        ("東京鐵塔", "鐵塔在東京。", 1.0, 4 / 5),
        ("东京塔", "东京", 2 / 3, 1.0),
        ("도쿄 타워", "도쿄에 있다", 2 / 4, 2 / 5),
        ("東京タワー", "東京のタワー", 1.0, 5 / 6),
        ("The tower, Tokyo", "Tokyo", 1 / 2, 1.0),
    ],
)
def test_a_character_is_a_token_where_words_have_no_spaces(
    reference: str, answer: str, recall: float, precision: float
) -> None:
    """Chinese in both scripts, Korean and Japanese; full stops count nowhere."""
    assert value("token_recall", answer, reference) == pytest.approx(recall)
    assert value("token_precision", answer, reference) == pytest.approx(precision)
    assert value("token_f1", answer, reference) == pytest.approx(2 * recall * precision / (recall + precision))
    assert value("rouge1", reference, reference) == value("exact_match", f"{reference}。", reference) == 1.0


@pytest.mark.parametrize(
    ("text", "other"),
    [("東京鐵塔很高", "京都的寺廟"), ("도쿄 타워는 높다", "교토의 절"), ("東京の塔は高い", "京都の寺")],
)
def test_bleu_and_chrf_split_characters_too(text: str, other: str) -> None:
    """SacreBLEU's default would take a whole sentence for one word."""
    pytest.importorskip("sacrebleu", reason="sacrebleu is not installed: pip install 'assay[metrics]'")

    for name in ("bleu", "chrf"):
        assert value(name, text, text) == pytest.approx(1.0)
        assert value(name, text, other) < value(name, text[:-1], text) < 1.0


def test_the_longest_common_subsequence_of_long_texts() -> None:
    """By the plain table of all prefixes, on a hundred tokens each."""
    rng = random.Random(1)
    answer, reference = ([rng.choice("abcdefg") for _ in range(100)] for _ in range(2))
    table = [[0] * 101 for _ in range(101)]
    for i, first in enumerate(answer):
        for j, other in enumerate(reference):
            table[i + 1][j + 1] = table[i][j] + 1 if first == other else max(table[i][j + 1], table[i + 1][j])

    assert value("rougeL", " ".join(answer), " ".join(reference)) == pytest.approx(table[100][100] / 100)


def test_entities_are_names_and_numbers() -> None:
    """Runs of capitals without the word that opens a sentence, numbers, katakana; the sets of the literature give 2/3."""
    text = "In 1889 Gustave Eiffel opened it; the tower is 330.5 m high. 東京タワーは1958年."

    assert entities(text) == {"1889", "gustave eiffel", "3305", "タワー".replace("", " ").strip(), "1958"}
    assert set_f1(
        {"Einstein", "1879", "Ulm", "Bern"}, {"Albert", "Einstein", "1879", "Ulm", "Germany"}
    ) == pytest.approx(2 / 3)
    assert (
        why("entity_f1", "Paris", "it depends on the weather")
        == "the reference has no names or numbers that spelling alone tells"
    )
    assert value("entity_f1", "nothing of the kind", "In Paris, 1889") == 0.0


@pytest.mark.parametrize("judge", TEXT)
@pytest.mark.parametrize(
    "reference", ["January 2 2022 | Jan 2, 2022", '["January 2 2022", "Jan 2, 2022"]', "January 2\n2022 |\nJan 2, 2022"]
)
def test_the_best_alternative_counts(judge: str, reference: str) -> None:
    """Bars, a written list, and alternatives of several lines."""
    if judge in ("bleu", "chrf"):
        pytest.importorskip("sacrebleu", reason="sacrebleu is not installed: pip install 'assay[metrics]'")

    assert value(judge, "Jan 2, 2022", reference) == pytest.approx(1.0)


@pytest.mark.parametrize("judge", TEXT)
@pytest.mark.parametrize(
    ("answer", "reference", "reason"),
    [
        ("x", None, "the item has no reference"),
        ("x", " \n", "the item has no reference"),
        ("x", "|", "the reference has no words"),
        ("", "x", "the answer is empty"),
        (" \n", "x", "the answer is empty"),
    ],
)
def test_undefined_is_no_score_and_has_its_reason(judge: str, answer: str, reference: str | None, reason: str) -> None:
    """Never 0 where nothing can be compared."""
    assert why(judge, answer, reference) == reason


@pytest.mark.parametrize("judge", TEXT)
@pytest.mark.parametrize(
    "text", ["\ud800", "\0", "😀🎉", "\u202eabc", "؟ عاصمة", "...", "e\u0301" * 50, "<b>x</b>", "한" * 30_000]
)
def test_no_text_breaks_a_metric(judge: str, text: str) -> None:
    """A score or a reason, whatever an answer or a reference holds; a huge one is read in part."""
    if judge in ("bleu", "chrf"):
        pytest.importorskip("sacrebleu", reason="sacrebleu is not installed: pip install 'assay[metrics]'")

    for answer, reference in ((text, "Paris"), ("Paris", text), (text, text)):
        result = outcome(judge, answer, reference)
        assert isinstance(result, Score) or result.kind is FailureKind.NOT_APPLICABLE
        if isinstance(result, Score) and len(text) > 20_000:
            assert "judged on the first 20,000 characters" in result.reason
