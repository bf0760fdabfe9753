"""Slices that are found in questions: their kind, and topics by their words, in made-up and in real questions."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path

import numpy as np
import pytest

from annotate.domain.slicing.question_types import question_kind
from annotate.domain.slicing.topics import LEVELS, NONE, free, topics_of

WORDS = {
    "medicines": "dose doses tablet tablets ibuprofen antibiotic antibiotics prescription refill capsule pills",
    "bills": "bill bills invoice invoices payment payments refund refunds copay receipt deductible",
    "skin": "rash rashes eczema mole moles ointment sunburn acne dermatitis blister blisters",
    "travel": "travel passport flight flights malaria airport visa luggage quarantine countries abroad",
}
FORMS = (
    "What is the {} for {}?",
    "How long should I wait before {} or {}?",
    "My doctor said that {} helps with {}, is it safe?",
    "I am worried about {} and {}, what can I do?",
    "Please explain {} to my mother, and also {}",
    "Who can help me with {} after {}?",
)


def asked(rng: np.random.Generator, count: int) -> tuple[list[str], list[str]]:
    """Questions of four topics in six forms that all topics share, with the topic of each."""
    names = rng.choice(list(WORDS), count, p=(0.4, 0.3, 0.2, 0.1)).tolist()
    return [str(rng.choice(FORMS)).format(*rng.choice(WORDS[name].split(), 2)) for name in names], names


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who wrote it?", "who"),
        ("when did the war end", "when"),
        ("Where is the clinic?", "where"),
        ("Why is it closed?", "why"),
        ("How do I book?", "how"),
        ("How many tablets a day?", "how many"),
        ("Can I drink wine with it?", "yes-no"),
        ("If I have a fever, should I stay at home?", "yes-no"),
        ("Name the capital of France.", "other"),
        ("誰可以幫我?", "who"),
        ("什么时候开门？", "when"),
        ("為什麼會發燒?", "why"),
        ("一天吃几次药？", "how many"),
        ("可以喝酒吗", "yes-no"),
        ("怎么退款", "how"),
        ("약은 언제 먹나요?", "when"),
        ("비용이 얼마인가요?", "how many"),
        ("술을 마셔도 되나요?", "yes-no"),
        ("Où est la gare?", "other"),
        ("", "other"),
        ("\ud800\0", "other"),
    ],
)
def test_kind_of_a_question(question: str, kind: str) -> None:
    """English, Chinese in both scripts and Korean by their question words; anything else is other."""
    assert question_kind(question) == kind


@pytest.mark.slow
def test_topics_are_found_beneath_shared_forms() -> None:
    """Each topic correlates with a found one by .6 at some level, though all ask in the same six forms."""
    questions, truth = asked(np.random.default_rng(1), 2_000)
    topics = topics_of(questions)
    places, about = topics.place(questions), np.array(truth)
    for name in WORDS:
        alike = [
            np.corrcoef(about == name, level == number)[0, 1] for level in places for number in range(level.max() + 1)
        ]
        assert max(alike) >= 0.6, name
    names = [name for level in topics.names for name in level]
    assert [len(level) for level in topics.names] == list(LEVELS)
    assert len(set(names)) == len(names)


def test_words_of_a_set_phrase_stand_less_freely() -> None:
    """`worried` always has the same neighbours, the name of a medicine has many."""
    questions, _ = asked(np.random.default_rng(2), 2_000)
    worried, tablet = free(["worri", "table"], questions)
    assert worried < 0.3 * tablet


@pytest.mark.slow
def test_the_same_questions_give_the_same_topics() -> None:
    """Nothing of it is left to chance."""
    questions, _ = asked(np.random.default_rng(3), 400)
    first, second = topics_of(questions), topics_of(questions)
    assert first.names == second.names
    assert (first.place(questions) == second.place(questions)).all()


@pytest.mark.parametrize(
    "questions",
    [[], ["Where?"], [""] * 100, ["the of and"] * 3, [f"{k}" for k in range(500)], ["what is it"] * 500],
)
def test_without_words_there_is_no_topic(questions: list[str]) -> None:
    """No questions, empty ones, stop words, numbers, and one question five hundred times."""
    topics = topics_of(questions)
    assert topics.names == ()
    assert topics.place(questions).shape == (0, len(questions))


@pytest.mark.slow
def test_chinese_and_korean_topics_are_named_by_their_words() -> None:
    """Character pairs are joined to what the questions say, and a question without a known word has no topic."""
    drugs, bills = ("阿莫西林", "布洛芬", "二甲雙胍", "撲熱息痛", "華法林"), ("檢查", "手術", "住院", "掛號", "門診")
    forms = (
        ("{}藥片一天吃幾顆?", "忘記吃{}藥片怎麼辦?", "小孩可以吃{}藥片嗎?"),
        ("{}帳單怎麼付?", "{}帳單可以退款嗎?", "什麼時候付{}帳單?"),
    )
    questions = [
        form.format(topic) + end
        for things, asks in zip((drugs, bills), forms, strict=True)
        for topic, form, end in itertools.product(things, asks, ("", "謝謝", "請問", "急"))
    ]
    topics = topics_of(questions)
    assert topics.names
    assert all(
        any(name.split(", ")[0] in question for question in questions) for level in topics.names for name in level
    )
    assert set(topics.place(["", "zzz"]).ravel().tolist()) == {NONE}


@pytest.mark.slow
def test_real_questions_on_one_subject_fall_together() -> None:
    """Among questions of an encyclopaedia a found topic correlates with those on a virus by more than .6."""
    folder = Path(os.environ.get("ASSAY_DATA", "/nowhere"))
    if not (folder / "feedback_cdc.jsonl").exists():
        pytest.skip("set ASSAY_DATA to a folder with feedback_cdc.jsonl and qafeedback.jsonl")
    rows = [
        (json.loads(line)["question"], name)
        for name in ("feedback_cdc", "qafeedback")
        for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    questions, virus = [question for question, _ in rows], np.array([name == "feedback_cdc" for _, name in rows])
    places = topics_of(questions).place(questions)
    alike = [np.corrcoef(virus, level == number)[0, 1] for level in places for number in range(level.max() + 1)]
    assert max(alike) > 0.6
