"""Metrics of a ranking by known ids: ranx's and scikit-learn's values, duplicates, grades, and when they are undefined."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, ndcg_score

from proxy.judges.metrics.catalogue import judge_named, metrics
from proxy.judges.metrics.ranking import RankingMetric
from proxy.records import Context, FailureKind, Item, JudgeFailure, Score

# Written by tests/samples/ranx_values.py.
RANX = json.loads((Path(__file__).parents[3] / "samples" / "ranx.json").read_text(encoding="utf-8"))
NAMES = {"reciprocal_rank": "mrr"}
RETRIEVAL = [metric.name for metric in metrics() if isinstance(metric, RankingMetric)]


def item(given: Sequence[str], relevant: object, **metadata: object) -> Item:
    contexts = tuple(Context(text="", id=name) for name in given)
    return Item(id="i", question="q", answer="a", contexts=contexts, metadata={"relevant_ids": relevant, **metadata})


def outcome(judge: str, asked: Item) -> Score | JudgeFailure:
    found = judge_named(judge)
    assert found is not None
    return found.judge(asked)


def value(judge: str, given: Sequence[str], relevant: object, **metadata: object) -> float:
    result = outcome(judge, item(given, relevant, **metadata))
    assert isinstance(result, Score), result
    return result.value


def why(judge: str, asked: Item) -> str:
    result = outcome(judge, asked)
    assert isinstance(result, JudgeFailure)
    assert result.kind is FailureKind.NOT_APPLICABLE
    return result.reason


@pytest.mark.parametrize("metric", sorted(RANX["values"]))
def test_a_ranking_scores_as_ranx_scores_it(metric: str) -> None:
    """Two hundred random rankings with grades of 0 to 3, some shorter than k, some without a relevant passage."""
    name, at, k = metric.partition("@")
    judge = f"{NAMES.get(name, name)}{at}{k}"
    own = [value(judge, case["retrieved"], case["relevant"]) for case in RANX["cases"]]

    assert own == pytest.approx(RANX["values"][metric])


def random_ranking(rng: random.Random) -> tuple[list[str], dict[str, int]]:
    names = [f"d{number}" for number in range(rng.randint(2, 12))]
    rng.shuffle(names)
    grades: dict[str, int] = {}
    while not any(grades.values()) or all(grades.values()):
        grades = {name: rng.choice((0, 0, 1, 2, 3)) for name in names}
    return names, grades


@pytest.mark.parametrize("seed", range(40))
def test_a_whole_ranking_scores_as_scikit_learn_scores_it(seed: int) -> None:
    """Where every relevant passage is retrieved; its scores are the ranks from the end."""
    names, grades = random_ranking(random.Random(seed))
    truth = np.array([grades[name] for name in names])
    scores = np.arange(len(names), 0, -1)

    assert value("ndcg", names, grades) == pytest.approx(ndcg_score([truth], [scores]))
    assert value("ndcg@3", names, grades) == pytest.approx(ndcg_score([truth], [scores], k=3))
    assert value("average_precision", names, grades) == pytest.approx(average_precision_score(truth > 0, scores))


def test_average_precision_is_none_of_the_means_that_guides_print() -> None:
    """Verdicts 1, 0, 1, 0, 1. AP takes P@k of the relevant ranks: (1 + 2/3 + 3/5) / 3 = .7556.

    One guide averages P@k of every rank: .6533 (printed as .654). Another divides that sum by the relevant ones: 1.0889 > 1.
    """
    ranking, relevant = ["a", "x", "b", "y", "c"], ["a", "b", "c"]
    at = [value(f"precision@{k}", ranking, relevant) for k in range(1, 6)]

    assert sum(at) / 5 == pytest.approx(0.6533, abs=1e-4)
    assert sum(at) / 3 == pytest.approx(1.0889, abs=1e-4)
    assert value("id_context_precision_ap", ranking, relevant) == pytest.approx(0.7556, abs=1e-4)
    assert value("average_precision", ranking, relevant) == pytest.approx(sum(at[::2]) / 3)


def test_a_repeated_passage_is_credited_once() -> None:
    """A stands at ranks 1 and 2, b at 3: of the first three ranks two are hits, and the ideal ranking has two."""
    ranking, relevant = ["a", "a", "b"], ["a", "b"]

    assert value("precision@3", ranking, relevant) == pytest.approx(2 / 3)
    assert value("recall@2", ranking, relevant) == pytest.approx(1 / 2)
    assert value("average_precision", ranking, relevant) == pytest.approx((1 + 2 / 3) / 2)
    assert value("ndcg", ranking, relevant) == pytest.approx((1 + 1 / 2) / (1 + 1 / np.log2(3)))
    assert value("id_context_precision", ranking, relevant) == 1.0  # of sets, as Ragas has it


def test_grades_weigh_and_a_grade_of_0_is_not_relevant() -> None:
    """The passage of grade 3 at rank 2, that of grade 1 at rank 1."""
    relevant = {"a": 1, "b": 3, "c": 0}
    linear = (1 + 3 / np.log2(3)) / (3 + 1 / np.log2(3))
    exponential = (1 + 7 / np.log2(3)) / (7 + 1 / np.log2(3))

    assert value("ndcg", ["a", "b", "c"], relevant) == pytest.approx(linear)
    assert value("ndcg_burges", ["a", "b", "c"], relevant) == pytest.approx(exponential)
    assert value("recall", ["c"], relevant) == 0.0


def test_before_and_after_reranking_are_two_judges() -> None:
    """The list before reranking comes in `retrieved`, as objects or as ids."""
    asked = item(["a", "x"], ["a", "b"], retrieved=[{"id": "x"}, {"id": "b"}, {"id": "a", "text": "t"}])

    assert value("recall", ["a", "x"], ["a", "b"], retrieved=["x", "b", "a"]) == 0.5
    before = outcome("recall_before_reranking@3", asked)
    assert isinstance(before, Score)
    assert (before.value, before.judge) == (1.0, "recall_before_reranking@3")
    assert before.signature == "recall_before_reranking@3|offline|v1"
    assert why("mrr_before_reranking", item(["a"], ["a"])) == "the item has no list before reranking (`retrieved`)"
    assert value("hit_rate_before_reranking", [], ["a"], retrieved=[]) == 0.0


def test_a_passage_without_an_id_is_known_by_its_text() -> None:
    """By the same text in the other list, or where relevant passages are named by their texts; else nothing is known of it."""
    rerank_lost_ids = Item(
        id="i",
        question="q",
        answer="a",
        contexts=(Context(text="The tower is tall."),),
        metadata={"relevant_ids": ["d1"], "retrieved": [{"id": "d1", "text": "The tower is tall."}]},
    )
    by_text = Item(
        id="i",
        question="q",
        answer="a",
        contexts=(Context(text="The tower is tall."),),
        metadata={"relevant_ids": ["The tower is tall."]},
    )
    unknown = Item(
        id="i",
        question="q",
        answer="a",
        contexts=(Context(text="", id="d1"), Context(text="The tower is tall.")),
        metadata={"relevant_ids": ["d1"]},
    )

    for asked in (rerank_lost_ids, by_text):
        result = outcome("recall", asked)
        assert isinstance(result, Score)
        assert result.value == 1.0
    assert why("ndcg@2", unknown) == "passage 2 of 2 has no id, so nothing tells whether it is relevant"
    assert isinstance(outcome("hit_rate@1", unknown), Score)  # the second rank is not read


def test_ids_without_texts_are_a_ranking() -> None:
    """Ragas and tracers log ids alone; Ragas has names of its own for the relevant ones."""
    asked = Item(
        id="i", question="q", answer="a", metadata={"passage_ids": ["a", "b"], "reference_context_ids": ["b", "c"]}
    )

    assert isinstance(result := outcome("id_context_recall", asked), Score)
    assert result.value == 0.5
    assert isinstance(result := outcome("mrr", asked), Score)
    assert result.value == 0.5


@pytest.mark.parametrize("judge", RETRIEVAL)
@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({}, "the item has no relevant_ids"),
        ({"relevant_ids": []}, "no passage is known to be relevant"),
        ({"relevant_ids": {"a": 0}}, "no passage is known to be relevant"),
        ({"relevant_ids": [["a"]]}, "relevant_ids: an id is text or a whole number of at most 1000 characters"),
        ({"relevant_ids": {"a": "much"}}, "relevant_ids: a grade is a number"),
        ({"relevant_ids": ["a"], "retrieved": [7]}, "retrieved[0]: expected text, or an object with text or id"),
    ],
)
def test_undefined_is_no_score_and_has_its_reason(judge: str, metadata: Mapping[str, object], reason: str) -> None:
    """Nothing known to be relevant is not a miss, and what cannot be read is not empty."""
    asked = Item(id="i", question="q", answer="a", contexts=(Context(text="", id="a"),), metadata=metadata)

    assert why(judge, asked) == reason


@pytest.mark.parametrize("judge", RETRIEVAL)
def test_a_search_that_found_nothing_is_told_from_one_that_was_not_recorded(judge: str) -> None:
    """A miss is 0, but for a share of nothing; without any trace of a search nothing is known."""
    unrecorded = item([], ["a"])
    found_nothing = item([], ["a"], retrieved=[])

    assert "nothing tells whether the search found nothing" in why(judge, unrecorded)
    if judge in ("precision", "id_context_precision"):
        assert why(judge, found_nothing) == "nothing was retrieved, so there is no share of it"
    else:
        assert isinstance(result := outcome(judge, found_nothing), Score)
        assert result.value == 0.0


def test_ids_are_compared_as_text() -> None:
    """A number in one file and its digits in another name the same passage; half a number names none."""
    assert value("recall", ["7", "8"], [7, 8.0]) == 1.0
    assert value("recall", ["7"], '["7", "9"]') == 0.5
    assert "an id is text or a whole number" in why("recall", item(["1"], [1.5]))
    assert "an id is text or a whole number" in why("recall", item(["1"], [True]))


@pytest.mark.parametrize(
    "name",
    [
        "ndcg@0",
        "ndcg@-1",
        "ndcg@1.5",
        "ndcg@",
        "ndcg@k",
        "token_f1@3",
        "id_context_recall@3",
        "token_f1_before_reranking",
    ],
)
def test_a_name_that_means_no_metric_is_none(name: str) -> None:
    """K is a whole number from 1, and only rankings have ranks."""
    assert judge_named(name) is None


def test_a_huge_gain_is_undefined_and_never_an_error() -> None:
    """2 to the power of such a grade is no number, or no gain at all."""
    assert why("ndcg_burges", item(["a"], {"a": 1e6})) == "a grade is too large for an exponential gain"
    assert why("ndcg_burges", item(["a"], {"a": 1e-30})) == "the grades are too small for an exponential gain"
