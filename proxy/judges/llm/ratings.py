"""Ask a model for ratings: one judge, or two that are worded differently, each in a call of its own."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence

from proxy.judges.llm.asking import Ask, Reply
from proxy.judges.llm.form import Question
from proxy.judges.llm.reading import QuestionAnswer
from proxy.judges.llm.shown_item import ShownItem

RATING = "rating"
Asked = tuple[str, Mapping[str, object]]


def ratings(
    shown: ShownItem, asked: Sequence[Asked], choices: tuple[str, ...]
) -> Generator[Ask, Reply, tuple[QuestionAnswer, ...]]:
    """Ask the model for a rating by each prompt in turn, and return the ratings in that order."""
    given = list[QuestionAnswer]()
    for prompt, texts in asked:
        readings = yield from shown.asked(prompt, (Question(key=RATING, choices=choices),), texts)
        given.append(readings[RATING])
    return tuple(given)
