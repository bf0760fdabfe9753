"""A fact that a pattern finds in a sentence: the question that it answers, and the texts that count as the answer."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import NamedTuple

NUMBER = r"\d[\d,]*(?:\.\d+)?"
_FIRST = re.compile(r"\d+(?:,\d{3})*")
_YEARS = range(1000, 2200)
UNITS = (
    ("metres", "meters", "m"),
    ("kilometres", "kilometers", "km"),
    ("centimetres", "centimeters", "cm"),
    ("millimetres", "millimeters", "mm"),
    ("kilograms", "kg"),
    ("milligrams", "mg"),
    ("millilitres", "milliliters", "ml"),
    ("litres", "liters", "l"),
    ("feet", "ft"),
    ("tonnes", "tons", "t"),
    ("公尺", "米"),
    ("公里", "千米"),
    ("公分", "厘米", "釐米"),
    ("公斤", "千克"),
    ("噸", "吨"),
    ("미터", "m"),
    ("킬로미터", "km"),
    ("킬로그램", "kg"),
)


class Fact(NamedTuple):
    """A question with its answer; facts of one template answer the same kind of question."""

    question: str
    answers: tuple[str, ...]
    template: str


def spellings(answer: str) -> tuple[str, ...]:
    """Return the answer with the other spellings of its unit, and without commas in numbers."""
    number = re.match(NUMBER, answer)
    unit = answer[number.end() :].strip() if number else ""
    family = next((names for names in UNITS if unit and unit in names), (unit,))
    space = " " if number and answer[number.end() : number.end() + 1] == " " else ""
    texts = [answer, *(f"{number.group()}{space}{name}" for name in family if number and unit)]
    return tuple(dict.fromkeys([*texts, *(re.sub(r"(?<=\d),(?=\d{3})", "", text) for text in texts)]))


def other_number(answer: str, question: str) -> tuple[str, str] | None:
    """Return the first number of an answer and another one like it, the same each time; None for an answer without a number."""
    match = _FIRST.search(answer)
    if match is None:
        return None
    value, lot = (
        int(match.group().replace(",", "")),
        int(sha256(question.encode("utf-8", "replace")).hexdigest()[:8], 16),
    )
    if value in _YEARS and len(match.group()) == len("1889"):
        other = value - 3 - lot % 20
    elif re.match(r":\d\d|\s?[ap]\.?m\b", answer[match.end() :]):
        other = (value + lot % 5) % 12 + 1 if value != (value + lot % 5) % 12 + 1 else value % 12 + 1
    else:
        other = value + 1 + lot % max(3, value // 5)
    return match.group(), f"{other:,}" if "," in match.group() else str(other)
