"""What the tests of the LLM judges share: setups, items, valid replies, and a judge led by hand without any network."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from typing import NamedTuple

from proxy.judges.llm.asking import Ask, Reply
from proxy.judges.llm.base import LlmJudge, Outcome, Setup
from proxy.judges.llm.embedding import FLOAT32, EmbeddingModel, EmbeddingSettings, TextsToEmbed, Vector
from proxy.judges.llm.form import ENTRIES, LISTED, NONE, Mode
from proxy.judges.llm.prompts import standard
from proxy.judges.menu import JUDGES, MenuChoice, build
from proxy.records import Context, Item, JudgeFailure, Score

TOWER = (
    "The Eiffel Tower is 330 metres tall. It was completed in 1889 and stands in Paris.",
    "Visitors climb 674 steps to the second floor.",
)
QUESTION = "How tall is the Eiffel Tower?"
ANSWER = "The tower is 330 metres tall. It was completed in 1889."
JSON_MODES = (Mode.JSON_SCHEMA, Mode.JSON_OBJECT)
Said = str | Reply
Entries = Mapping[str, tuple[str, str]]


def brief(value: object) -> str:
    """A parameter in a test's name: some are of two million characters."""
    name = ascii(value)
    return name if len(name) < 60 else f"{name[:30]} {sha256(name.encode()).hexdigest()[:6]}"


class Driven(NamedTuple):
    """What a judge asked for, and what it made of the replies."""

    asks: tuple[Ask, ...]
    outcomes: tuple[Outcome, ...]


def setup(mode: Mode = Mode.JSON_SCHEMA, **changes: object) -> Setup:
    return Setup(**{"url": "http://localhost/v1", "model": "m", "mode": mode, "prompts": standard(), **changes})  # type: ignore[arg-type]


def comparing(**changes: object) -> Setup:
    """A setup with an embedding model."""
    usual = EmbeddingSettings(model=EmbeddingModel(url="http://localhost/v1", model="e"))
    return setup(embeddings=replace(usual, **changes))  # type: ignore[arg-type]


def item(answer: str = ANSWER, contexts: Iterable[str] = TOWER, question: str = QUESTION, **changes: object) -> Item:
    """An item on the Eiffel Tower."""
    passages = tuple(Context(text=text) for text in contexts)
    return Item(id="i", question=question, answer=answer, contexts=passages, **changes)  # type: ignore[arg-type]


def built(name: str = "faithfulness", mode: Mode = Mode.JSON_SCHEMA, **choice: object) -> LlmJudge:
    names = ("context_relevance", "faithfulness") if choice.get("one_call") else (name,)
    (judge,) = build(setup(mode), MenuChoice(names=names, **choice))  # type: ignore[arg-type]
    return judge


def every_judge(mode: Mode = Mode.JSON_SCHEMA) -> tuple[LlmJudge, ...]:
    """Each judge there is, in each way of asking."""
    aspects = {"polite": "The answer is polite."}
    return (
        *build(setup(mode), MenuChoice(names=JUDGES, aspects=aspects)),
        built(mode=mode, one_call=True),
        built("context_relevance", mode, per_passage=True),
    )


def drive(
    judge: LlmJudge,
    judged_item: Item,
    replies: Iterable[Said] | Callable[[Ask], Said] = (),
    vectors: Iterable[Sequence[float]] = (),
) -> Driven:
    """Lead the judge through the item: each ask gets the next reply, or the one that a model makes of it; each text a vector."""
    steps, left = judge.steps(judged_item), None if callable(replies) else iter(replies)
    asks: list[Ask] = []
    reply: Reply | tuple[Vector, ...] | None = None
    numbers = iter(vectors)
    while True:
        try:
            ask = next(steps) if reply is None else steps.send(reply)
        except StopIteration as end:
            assert left is None or next(left, None) is None, "the judge wants fewer replies"
            assert next(numbers, None) is None, "the judge wants fewer vectors"
            return Driven(tuple(asks), end.value)
        if isinstance(ask, TextsToEmbed):
            reply = tuple(Vector(FLOAT32, row) for row in islice(numbers, len(ask.texts)))
            assert len(reply) == len(ask.texts), f"the judge wants vectors of {ask.texts}"
            continue
        asks.append(ask)
        said = next(left, None) if left is not None else replies(ask)  # type: ignore[operator]
        assert said is not None, f"the judge asks once more: {ask.turns}"
        reply = said if isinstance(said, Reply) else Reply(text=said)


def worded(values: Sequence[str], ask: Ask) -> str:
    """A valid reply to an ask in JSON: the texts of a list, or a verdict on each question in order."""
    first, *_ = ask.form.questions
    if first.note == ENTRIES:
        return json.dumps({first.key: {ENTRIES: list(values), "verdict": LISTED if values else NONE}})
    keys = [question.key for question in ask.form.questions]
    return filled({key: ("r", verdict) for key, verdict in zip(keys, values, strict=True)}, ask)


def script(replies: Sequence[Sequence[str]]) -> Callable[[Ask], str]:
    """A model that says these values, one tuple an ask; IndexError where it is asked for more."""
    left = list(replies)

    def reply(ask: Ask) -> str:
        return worded(left.pop(0), ask)

    return reply


def only(driven: Driven) -> Outcome:
    (outcome,) = driven.outcomes
    return outcome


def score(driven: Driven) -> Score:
    outcome = only(driven)
    assert isinstance(outcome, Score), outcome
    return outcome


def failure(driven: Driven) -> JudgeFailure:
    outcome = only(driven)
    assert isinstance(outcome, JudgeFailure), outcome
    return outcome


def filled(entries: Entries, ask: Ask | None = None) -> str:
    """A valid reply with these (note, verdict) by key; in the ask's mode and under its notes where one is given."""
    if ask is not None and ask.mode is Mode.LAST_LINE:
        return "So.\nVERDICTS: " + "; ".join(f"{key}={verdict}" for key, (_, verdict) in entries.items())
    notes = {} if ask is None else {question.key: question.note for question in ask.form.questions}
    held = {
        key: _entry(notes.get(key, "quote" if key[1:].isdigit() else "reason"), note, verdict)
        for key, (note, verdict) in entries.items()
    }
    return json.dumps(held)


def _entry(name: str, note: str, verdict: str) -> dict[str, object]:
    return {name: [note or "It is so."] if name == ENTRIES else note, "verdict": verdict}


def sentences(*verdicts: tuple[str, str]) -> str:
    return filled({f"s{number}": verdict for number, verdict in enumerate(verdicts, start=1)})


def relevance(subject: str, answerable: str, reason: str = "r") -> str:
    return filled({"subject": (reason, subject), "answerable": (reason, answerable)})


def grade(verdict: str) -> str:
    return filled({"grade": ("r", verdict)})


def obedient(quote: str | None = None) -> Callable[[Ask], str]:
    """A model that gives the best verdict on everything; with the first 8 words of the first passage as a quote, or the one given."""

    def reply(ask: Ask) -> str:
        request = json.loads(ask.user)
        given = request.get("passages") or [""]
        first, *_ = given.values() if isinstance(given, dict) else given
        words = " ".join(first.split()[:8]) if quote is None else quote
        good = ("supported", LISTED)
        best = {
            question.key: next((choice for choice in good if choice in question.choices), question.choices[-1])
            for question in ask.form.questions
        }
        return filled({key: (words, verdict) for key, verdict in best.items()}, ask)

    return reply
