"""Pairs for training: each says what its kind promises, none crosses from one part to the other, and a seed gives the same ones."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from proxy.judges.trained.changed_answers import changed
from proxy.judges.trained.pairs import PairKind, TrainingPair, pairs_of
from proxy.judges.trained.supported_answers import SupportedAnswer, parted, units_of
from proxy.records import Context
from support.supported_answers import about, towers


def texts(pairs: tuple[TrainingPair, ...]) -> set[str]:
    """All questions, answers and passages of these pairs."""
    return {text for pair in pairs for text in (pair.item.question, *(context.text for context in pair.item.contexts))}


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_no_question_and_no_passage_is_in_both_parts(seed: int) -> None:
    """The pairs made of either part, negatives included, share no question and no passage with those of the other."""
    teaching, held_out = parted(towers(40), seed)

    assert teaching
    assert held_out
    assert len(teaching) + len(held_out) == 80
    assert texts(pairs_of(teaching, seed)).isdisjoint(texts(pairs_of(held_out, seed)))


def test_answers_that_share_anything_go_together() -> None:
    """Joined by a passage, by a question in another spelling, or by a third answer: one unit; else units of their own."""
    (first, second), (other, _) = about(0), about(1)
    again = replace(other, question=first.question.upper())
    assert units_of([first, second]) == [0, 0]
    assert units_of([first, other]) == [0, 1]
    assert units_of([first, other, again]) == [0, 0, 0]


def test_the_part_of_an_answer_depends_on_no_other_answer() -> None:
    """What is held out of 40 towers is held out of the first 20 of them, too, in whatever order they come."""
    whole, part = parted(towers(40), 0), parted(towers(20)[::-1], 0)
    assert set(part.held_out) == set(whole.held_out) & set(towers(20))


def test_the_same_answers_give_the_same_pairs_and_another_seed_others() -> None:
    """Pairs are a function of answers and seed."""
    answers = parted(towers(20), 0).teaching
    assert pairs_of(answers, 5) == pairs_of(answers, 5)
    assert pairs_of(answers, 5) != pairs_of(answers, 6)


@pytest.mark.slow
def test_each_kind_is_what_it_says() -> None:
    """Other passages lack the tower's name, a changed answer lacks its number or name, a sibling's answer is about the same passage."""
    answers = towers(20)
    by_question = {answer.question: answer for answer in answers}
    pairs = pairs_of(answers, 0)
    assert {pair.kind for pair in pairs} == set(PairKind)
    for pair in pairs:
        own = by_question[pair.item.question]
        of_others = [answer for answer in answers if answer.passages != own.passages]
        match pair.kind:
            case PairKind.OWN:
                assert (pair.item.answer, pair.item.contexts) == (own.answer, own.contexts)
            case PairKind.OTHER_PASSAGES | PairKind.NEAR_PASSAGES:
                assert pair.item.contexts in [answer.contexts for answer in of_others]
                assert pair.item.answer == own.answer
            case PairKind.OTHER_ANSWER | PairKind.NEAR_ANSWER:
                assert pair.item.answer in [answer.answer for answer in of_others]
                assert pair.item.contexts == own.contexts
            case PairKind.SAME_PASSAGES_ANSWER:
                [sibling] = [answer for answer in answers if answer.contexts == own.contexts and answer is not own]
                assert pair.item.answer == sibling.answer
            case PairKind.CHANGED_ANSWER:
                assert pair.item.answer != own.answer
                assert pair.item.contexts == own.contexts


def test_near_passages_are_the_likest_that_are_not_the_same_text() -> None:
    """Of a passage in other words, a new edition of the own one, and one about nothing alike, the first; of the same document, that."""
    own = SupportedAnswer(
        question="When are dogs vaccinated?",
        contexts=(Context(text="Dogs get their first vaccine against rabies at twelve weeks."),),
        answer="At twelve weeks.",
    )
    edition = "Dogs get the first vaccine, against rabies, at twelve weeks."
    others = [
        SupportedAnswer(question=text[:12], contexts=(Context(text=text),), answer=f"Answer {place}.")
        for place, text in enumerate(
            (edition, "Cats get a vaccine against rabies each spring.", "Trains to Bern leave from platform four.")
        )
    ]

    def near(*answers: SupportedAnswer) -> str:
        pairs = pairs_of([own, *answers], 0)
        [pair] = [pair for pair in pairs if pair.kind is PairKind.NEAR_PASSAGES and pair.item.question == own.question]
        return pair.item.contexts[0].text

    assert near(*others).startswith("Cats")
    beside = replace(others[2], document="handbook")
    assert near(*others[:2], beside).startswith("Cats")
    own = replace(own, document="handbook")
    assert near(*others[:2], replace(beside, contexts=(Context(text="Trains take dogs for free."),))).startswith(
        "Trains"
    )


@pytest.mark.parametrize(
    ("answer", "passages", "possible"),
    [
        ("It is 5 m tall.", "It is 5 m tall, not 6.", {f"It is {n} m tall." for n in (1, 2, 3, 4, 7, 8, 9)}),
        ("It was found by Anna Berg.", "Then Anna Berg met Otto Lind there.", {"It was found by Otto Lind."}),
        ("It is 7 m tall.", "Nobody knows.", {None}),
        ("It was found early.", "Then Anna Berg met Otto Lind.", {None}),
        (
            "這座塔高 30 公尺。",
            "這座塔高 30 公尺。",
            {f"這座塔高 {n} 公尺。" for n in [*range(31, 40), 10, 20, *range(40, 100, 10)]},
        ),
    ],
)
def test_a_changed_answer_says_what_the_passages_do_not(answer: str, passages: str, possible: set[str | None]) -> None:
    """Another number that the passages do not hold, else another name of the passages, else nothing."""
    seen = {changed(answer, passages, random.Random(seed)) for seed in range(40)}
    assert seen <= possible
    assert len(seen) > 1 or len(possible) == 1
