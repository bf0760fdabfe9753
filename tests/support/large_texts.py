"""The texts of the large made-up store: questions of 80 characters, answers of 600, passages of 500, in three languages.

They are put together from the example clinic's sentences; the same number gives the same text.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from proxy.records import Context

WORDS = tomllib.loads((Path(__file__).parents[2] / "examples" / "clinic.toml").read_text(encoding="utf-8"))
TOPICS = tuple(WORDS)
ANSWER, PASSAGE = 520, 420  # the last sentence goes beyond
ASKED = {
    "en": "I am on ward {n}. {question}",
    "zh-Hant": "我住{n}號病房,想請問:{question}",
    "ko": "{n}번 병동 환자입니다. {question}",
}
MARKS = {"en": " ", "ko": " ", "zh-Hant": ""}


def question(group: int, language: str) -> str:
    """What all systems were asked."""
    words = _words(group, language)
    asked = words["questions"][group % len(words["questions"])].format(thing=_thing(group, language))
    return ASKED[language].format(n=group, question=asked)


def correct(group: int, language: str) -> str:
    """The right answer in one sentence."""
    return _sentence("answer", group, language, _number(group))


def answer(group: int, language: str, *, is_right: bool) -> str:
    """A long answer, which begins with the right number or with another."""
    return MARKS[language].join(sentences(group, language, is_right=is_right))


def sentences(group: int, language: str, *, is_right: bool) -> list[str]:
    first = _sentence("answer", group, language, _number(group) if is_right else _number(group + 1))
    return [first, *_filled(group, language, ANSWER - len(first))]


def contexts(group: int, system: int, language: str, *, is_found: bool) -> tuple[Context, ...]:
    held = _sentence("passage", group, language, _number(group))
    texts = []
    for place in range(3):
        parts = [held] if is_found and place == system % 3 else []
        parts += _filled(group + 7 * place + system, language, PASSAGE - len(held) * len(parts))
        texts.append(MARKS[language].join(parts))
    return tuple(
        Context(text=text, id=f"leaflet-{(group * 3 + place) % 400}", score=round(0.9 - 0.1 * place, 2))
        for place, text in enumerate(texts)
    )


def reason(value: float) -> str:
    """Why a judge gives this."""
    return "Every sentence is borne out." if value > 0.5 else "A number differs from the one in the passage."


@cache
def _fillers(language: str) -> list[str]:
    """Sentences of every topic, passages as they stand in leaflets."""
    return [
        str(WORDS[topic][language]["passage"]).format(thing=topic_word, number=WORDS[topic]["numbers"][0])
        for thing_place in range(12)
        for topic in TOPICS
        for topic_word in [WORDS[topic][language]["things"][thing_place % len(WORDS[topic][language]["things"])]]
    ]


def _filled(start: int, language: str, length: int) -> list[str]:
    """Sentences until so many characters are full; half as many where a character says more."""
    every, sentences = _fillers(language), []
    left = length if language == "en" else length // 2
    while left > 0:
        sentences.append(every[start * 5 % len(every)])
        left -= len(sentences[-1])
        start += 1
    return sentences


def _sentence(kind: str, group: int, language: str, number: int) -> str:
    return str(_words(group, language)[kind]).format(thing=_thing(group, language), number=number)


def _words(group: int, language: str) -> dict[str, Any]:
    words: dict[str, Any] = WORDS[TOPICS[group % len(TOPICS)]][language]
    return words


def _thing(group: int, language: str) -> str:
    things = _words(group, language)["things"]
    return str(things[group // len(TOPICS) % len(things)])


def _number(group: int) -> int:
    numbers = WORDS[TOPICS[group % len(TOPICS)]]["numbers"]
    return int(numbers[group // 3 % len(numbers)])
