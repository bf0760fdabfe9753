"""Draws whose annotators are asked about passages, in a Label Studio in memory, and what comes back of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from annotate.store import Store
from annotate.store.sampling.waves import OpenDraw
from support.app import drawn
from support.studio import Studio, pulled, pushed, verdict

Answers = Sequence[dict[str, Any]]


def choice(control: str, value: str) -> dict[str, Any]:
    """A part of a result as the server holds a choice."""
    return {"from_name": control, "to_name": "answer", "type": "choices", "value": {"choices": [value]}}


def relevance(*relevant: bool) -> list[dict[str, Any]]:
    """The relevance of each passage, as the form stores it."""
    return [choice(f"relevant_{rank}", "relevant" if yes else "not_relevant") for rank, yes in enumerate(relevant)]


def answered(
    store: Store, word: Callable[[OpenDraw], str], answer: Callable[[OpenDraw], Answers], share: float
) -> None:
    """Push the open draws with the question, give each a verdict and, where it is asked, these answers; pull."""
    studio = Studio()
    draws = store.sampling.waves.open_draws()
    pushed(store, studio, asks_passages=True, share=share)
    for draw in draws:
        task = studio.task_of(draw.task_key)
        more = answer(draw) if studio.tasks[task]["data"]["asked"] else ()
        studio.annotate(task, word(draw), result=[*verdict(word(draw)), *more])
    pulled(store, studio)


def asked(store: Store) -> list[OpenDraw]:
    """The draws that chance asked."""
    questions = store.sampling.passage_questions.all()
    keys = {draw for draw, question in questions.items() if question.is_asked}
    return [draw for draw in store.sampling.waves.all_draws() if draw.key in keys]


def demo_asked(store: Store) -> None:
    """The demo's draws, all asked: the first passage of every answer is relevant and the others are not; nothing is missing."""
    drawn(store)
    count = {
        draw.item: len(item.contexts)
        for draw in store.sampling.waves.all_draws()
        for item in [store.traffic.items.get(draw.item)]
    }

    def answer(draw: OpenDraw) -> Answers:
        return [*relevance(*(rank == 0 for rank in range(count[draw.item]))), choice("sufficient", "sufficient")]

    answered(store, lambda draw: "right" if draw.key % 2 else "wrong", answer, 1.0)
