"""Likely and possible causes: what is at hand speaks for a cause, chance and right answers speak against it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from proxy.diagnosis import Cause, Clue, Sight, Stage, causes_of, disagreements

PLAIN = Clue(contexts=3, contexts_chars=1500, question_words=6, relevance=0.4, passages=(0.4, 0.3, 0.3), margin=0.3)


def sight(wrong: list[Clue], right: list[Clue] | None = None) -> Sight:
    return Sight(wrong, wrong, right or [], 0.5)


def cause(stage: Stage, name: str, given: Sight) -> Cause:
    """The cause, or one without evidence where it is left out."""
    return next(
        (candidate for candidate in causes_of(stage, given) if candidate.name == name), Cause(name, "", None, False)
    )


@pytest.mark.parametrize("stage", [Stage.RETRIEVAL, Stage.RERANK, Stage.SYNTHESIS])
def test_without_evidence_every_cause_is_possible_and_has_a_remedy(stage: Stage) -> None:
    """Plain answers: nothing is likely, everything is still named with what to do."""
    causes = causes_of(stage, sight([PLAIN]))

    assert len(causes) >= 3
    assert not any(candidate.is_likely for candidate in causes)
    assert all(candidate.remedy for candidate in causes)


@pytest.mark.parametrize(
    ("stage", "name", "clue"),
    [
        (Stage.RETRIEVAL, "knowledge gap", {"lacks_knowledge": True}),
        (Stage.RETRIEVAL, "k too small", {"elsewhere": (8,)}),
        (Stage.RETRIEVAL, "embedder", {"elsewhere": (3,)}),
        (Stage.RETRIEVAL, "embedder", {"ids_found": False}),
        (Stage.RETRIEVAL, "the judge of context relevance", {"ids_kept": True}),
        (Stage.RERANK, "the reranker itself", {"first_relevant": 3}),
        (Stage.RERANK, "it keeps too few", {"first_relevant": 4}),
        (Stage.SYNTHESIS, "it misreads the passages", {"contradicted": 1}),
        (Stage.SYNTHESIS, "it adds what the passages do not say", {"named": frozenset({"unfaithful"})}),
    ],
)
def test_a_fact_about_the_answers_makes_a_cause_likely(stage: Stage, name: str, clue: dict[str, object]) -> None:
    """One of two has it: likely, with its count, and before the causes that nothing speaks for."""
    given = sight([replace(PLAIN, **clue), PLAIN])  # type: ignore[arg-type]
    candidate = cause(stage, name, given)

    assert candidate.is_likely
    assert candidate.evidence
    assert causes_of(stage, given)[0].is_likely


@pytest.mark.parametrize(
    ("stage", "name", "clue"),
    [
        (Stage.RETRIEVAL, "k too small", {"contexts": 2, "contexts_chars": 1000}),
        (Stage.RETRIEVAL, "chunking", {"contexts_chars": 30_000}),
        (Stage.RETRIEVAL, "chunking", {"contexts_chars": 90}),
        (Stage.RETRIEVAL, "knowledge gap", {"passages": (0.1, 0.2)}),
        (Stage.RETRIEVAL, "unclear query", {"question_words": 1}),
        (Stage.RETRIEVAL, "unclear query", {"has_history": True}),
        (Stage.SYNTHESIS, "it adds what the passages do not say", {"not_found": 2}),
        (Stage.SYNTHESIS, "it refuses though the passages fit", {"refuses": True}),
        (Stage.SYNTHESIS, "too much to read", {"contexts_chars": 40_000}),
        (Stage.SYNTHESIS, "noise among the passages", {"passages": (0.9, 0.1, 0.1)}),
    ],
)
def test_what_right_answers_may_have_too_must_differ_from_them(
    stage: Stage, name: str, clue: dict[str, object]
) -> None:
    """Ten wrong with it and twelve right without: likely. All with it: it explains nothing."""
    plain = replace(PLAIN, passages=(0.9, 0.8, 0.7))
    marked = replace(plain, **clue)  # type: ignore[arg-type]

    assert cause(stage, name, sight([marked] * 10, [plain] * 12)).is_likely
    assert cause(stage, name, sight([marked] * 10, [marked] * 12)).evidence is None
    assert not cause(stage, name, sight([marked])).is_likely


@pytest.mark.parametrize(
    ("name", "clue"),
    [
        ("it refuses though the passages fit", {"refuses": True}),
        ("it adds what the passages do not say", {"not_found": 2}),
    ],
)
def test_what_right_answers_show_more_often_is_no_cause(name: str, clue: dict[str, object]) -> None:
    """11 of 81 wrong and 18 of 80 right answers: left out. 18 of 80 wrong ones: possible, with both counts."""
    marked = replace(PLAIN, **clue)  # type: ignore[arg-type]
    fewer, more = [marked] * 11 + [PLAIN] * 70, [marked] * 18 + [PLAIN] * 62

    assert name not in {candidate.name for candidate in causes_of(Stage.SYNTHESIS, sight(fewer, more))}
    assert "18 of 80; right answers: 11 of 81" in (cause(Stage.SYNTHESIS, name, sight(more, fewer)).evidence or "")


def test_another_system_that_finds_passages_speaks_against_a_gap() -> None:
    """What another system found is in the knowledge base."""
    candidate = cause(Stage.RETRIEVAL, "knowledge gap", sight([replace(PLAIN, elsewhere=(8,), passages=(0.0,))] * 9))

    assert not candidate.is_likely
    assert "no gap" in (candidate.evidence or "")


def test_relevance_that_does_not_tell_wrong_from_right_doubts_its_judge() -> None:
    """Half of the right and half of the wrong answers below the threshold: the passages explain nothing.

    By hand, AUROC .5 +- 1.96 / 2 sqrt(.25 / wrong + .25 / right): to .58 of 60 and 90 answers, to .64 of 20 and 30, which might
    as well differ by 28 points.
    """
    low, high = PLAIN, replace(PLAIN, relevance=0.9)
    alike = Sight([low] * 30, [low] * 30 + [high] * 30, [low] * 45 + [high] * 45, 0.5)
    few = Sight([low] * 10, [low] * 10 + [high] * 10, [low] * 15 + [high] * 15, 0.5)
    apart = Sight([low] * 30, [low] * 30 + [high] * 30, [low] * 6 + [high] * 84, 0.5)

    assert cause(Stage.RETRIEVAL, "the judge of context relevance", alike).is_likely
    assert not cause(Stage.RETRIEVAL, "the judge of context relevance", few).is_likely
    assert not cause(Stage.RETRIEVAL, "the judge of context relevance", apart).is_likely


def test_its_judge_is_not_doubted_where_it_found_fault_with_hardly_any() -> None:
    """The one answer without passages has no score at all, and 2 of 64 right answers below the threshold show nothing."""
    empty, low, high = replace(PLAIN, relevance=None, passages=()), PLAIN, replace(PLAIN, relevance=0.9)
    right = [low] * 2 + [high] * 62

    assert not cause(
        Stage.RETRIEVAL, "the judge of context relevance", Sight([empty], [high] * 85, right, 0.5)
    ).is_likely
    assert not cause(
        Stage.RETRIEVAL, "the judge of context relevance", Sight([low], [low] + [high] * 85, right, 0.5)
    ).is_likely


@pytest.mark.slow
def test_chance_alone_makes_few_causes_likely() -> None:
    """Wrong and right answers alike in all: each cause that compares is likely in at most about 5 % of 200 seeds."""
    hits = dict.fromkeys(("k too small", "unclear query", "too much to read"), 0)
    stages = (Stage.RETRIEVAL, Stage.RETRIEVAL, Stage.SYNTHESIS)
    for seed in range(200):
        rng = np.random.default_rng(seed)
        clues = [
            Clue(
                contexts=int(rng.integers(2, 9)),
                contexts_chars=int(rng.integers(2000, 6000)),
                question_words=int(rng.integers(1, 9)),
                margin=float(rng.random() / 2),
            )
            for _ in range(70)
        ]
        given = sight(clues[:20], clues[20:])
        for (name, count), stage in zip(hits.items(), stages, strict=True):
            hits[name] = count + cause(stage, name, given).is_likely

    # 5 % and three standard errors; "unclear query" compares twice.
    assert max(hits.values()) <= 200 * (0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)), hits


@pytest.mark.parametrize(
    ("stage", "named", "words"),
    [
        (Stage.SYNTHESIS, {"retrieval_missed"}, "raise --relevance-threshold"),
        (Stage.PROXY, {"retrieval_missed"}, "raise --relevance-threshold"),
        (Stage.PROXY, {"unfaithful"}, "--faithfulness-threshold"),
        (
            Stage.RETRIEVAL,
            {"unfaithful"},
            "do not blame retrieval for wrong answers whose passages the judge finds off the question (1;",
        ),
        (Stage.RERANK, {"misread_question"}, "Misread the question 1"),
    ],
)
def test_people_and_the_scores_disagree_in_words(stage: Stage, named: set[str], words: str) -> None:
    """One sentence, and none where they agree or nobody named a cause."""
    assert [words in disagreement for disagreement in disagreements([(stage, frozenset(named))])] == [True]


@pytest.mark.parametrize(
    ("stage", "named"),
    [
        (Stage.RETRIEVAL, {"retrieval_missed", "unfaithful"}),
        (Stage.RERANK, {"retrieval_missed"}),
        (Stage.SYNTHESIS, {"unfaithful"}),
        (Stage.PROXY, {"misread_question"}),
        (Stage.RETRIEVAL, set()),
        (Stage.UNTOLD, {"retrieval_missed"}),
    ],
)
def test_people_who_say_the_same_do_not_disagree(stage: Stage, named: set[str]) -> None:
    """Several causes on one answer contradict nothing while one of them fits."""
    assert disagreements([(stage, frozenset(named))]) == ()
