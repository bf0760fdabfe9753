"""Judges that are given guidelines and examples: what the model is shown, which examples are chosen, and whose signature it is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.judges.llm.base import Setup
from proxy.judges.llm.form import Mode
from proxy.judges.llm.guidance import ExampleLibrary, Guidance, GuidedJudge, LabelledExample, is_aligned
from proxy.judges.llm.guideline_writer import MOST_GUIDELINES, cleaned
from proxy.judges.llm.prompts import standard
from proxy.judges.llm.reading import Reply
from proxy.judges.menu import MenuChoice, build
from proxy.judges.taught import is_taught
from proxy.records import Context, Item, Judgement, Score

SETUP = Setup(url="http://127.0.0.1:9/v1", model="m", mode=Mode.JSON_SCHEMA, prompts=standard())
REPLY = Reply(text='{"right": {"reason": "r", "verdict": "yes"}}')


def item(name: str, question: str, answer: str, group: str = "") -> Item:
    return Item(id=name, question=question, answer=answer, contexts=(Context(text="A passage."),), group=group or name)


def example(name: str, question: str, answer: str, judgement: Judgement = Judgement.WRONG) -> LabelledExample:
    return LabelledExample(item=item(name, question, answer), question=question, group=name, judgement=judgement)


def library(*examples: LabelledExample) -> ExampleLibrary:
    return ExampleLibrary(examples, lambda judged: judged.question)


def judge(guidance: Guidance, name: str = "overall") -> GuidedJudge:
    (plain,) = build(SETUP, MenuChoice(names=(name,)))
    return GuidedJudge(judge=plain, setup=SETUP, guidance=guidance)


def asked(guided: GuidedJudge, judged: Item) -> tuple[str, dict[str, Any]]:
    """The system message, and the data."""
    ask = next(guided.steps(judged))
    return ask.system, json.loads(ask.user)


def test_the_examples_are_the_most_alike_as_many_right_as_wrong() -> None:
    """Of three wrong answers about ibuprofen two are shown, of one right answer that one; the most alike stands last."""
    examples = library(
        example("a", "May I take ibuprofen?", "Ibuprofen is fine with food."),
        example("b", "What about ibuprofen and wine?", "Ibuprofen and wine are fine."),
        example("c", "Where do I park?", "Behind the clinic."),
        example("d", "How much ibuprofen a day?", "As much ibuprofen as you like.", Judgement.RIGHT),
        example("e", "Where is the lift?", "On the left.", Judgement.WRONG),
    )
    chosen = examples.chosen(item("x", "Is wine allowed with ibuprofen?", "Ibuprofen and wine are fine together."))

    assert [example.judgement for example in chosen].count(Judgement.WRONG) == 2
    assert {example.group for example in chosen} == {"a", "b", "d"}
    assert chosen[-1].group == "b"


@pytest.mark.parametrize("shared", ["question", "group"])
def test_no_example_asks_the_question_or_is_of_the_group_that_is_judged(shared: str) -> None:
    """The same question, from whatever group, and another question of the same conversation are both left out."""
    examples = library(example("a", "How much a day?", "Two tablets."), example("b", "Where do I park?", "Behind."))
    question, group = ("How much a day?", "z") if shared == "question" else ("And at night?", "a")

    assert [example.group for example in examples.chosen(item("x", question, "Two tablets.", group))] == ["b"]


def test_guidelines_stand_in_the_task_and_examples_in_the_data() -> None:
    """The judge's own task and data are as before; an example is never in the system message."""
    guidance = Guidance(
        guidelines=("Check the dose.", "Be lenient on style."),
        library=library(example("a", "Q?", "The secret answer.")),
    )
    judged = item("x", "How much a day?", "Two tablets.")
    system, data = asked(judge(guidance), judged)
    plain_ask = next(judge(guidance).judge.steps(judged))

    assert system.startswith(plain_ask.system)
    assert "1. Check the dose.\n2. Be lenient on style." in system
    assert "secret" not in system
    assert data.pop("examples") == [
        {"question": "Q?", "passages": ["A passage."], "answer": "The secret answer.", "verdict": "wrong"}
    ]
    assert data == json.loads(plain_ask.user)


def test_a_repair_is_guided_too() -> None:
    """What is asked again after a reply that cannot be read has the guidelines as well."""
    steps = judge(Guidance(guidelines=("Check the dose.",))).steps(item("x", "How much?", "Two."))
    next(steps)
    again = steps.send(Reply(text="nonsense"))

    assert again.is_repair
    assert "Check the dose." in again.system


def test_another_guideline_is_another_signature_and_scores_bear_it() -> None:
    """Bare, with one guideline, with another, with an example: four signatures; the score has that of the version."""
    versions = [
        judge(Guidance(guidelines=("A.",))),
        judge(Guidance(guidelines=("B.",))),
        judge(Guidance(library=library(example("a", "Q?", "A.")))),
    ]
    signatures = [version.judges[0][1] for version in versions]
    bare = versions[0].judge.judges[0][1]

    assert len({bare, *signatures}) == 4
    assert [is_aligned(signature) and is_taught(signature) for signature in signatures] == [True] * 3
    assert not is_taught(bare)
    steps = versions[0].steps(item("x", "How much?", "Two."))
    next(steps)
    with pytest.raises(StopIteration) as end:
        steps.send(REPLY)
    (score,) = end.value.value
    assert isinstance(score, Score)
    assert (score.judge, score.signature, score.value) == ("overall", signatures[0], 1.0)


def test_long_examples_are_cut_and_long_lists_of_guidelines_too() -> None:
    """An example is recognised by its first 1,500 characters; guidelines are lines without numbers, each once."""
    long = example("a", "Q?", "word " * 2_000)

    assert len(str(long.shown()["answer"])) == 1_500
    assert cleaned(["1. Check the dose.", "- Check the dose.", "  ", "2) Be\nbrief."]) == (
        "Check the dose.",
        "Be brief.",
    )
    assert len(cleaned([f"Line {n}" for n in range(20)])) == MOST_GUIDELINES
