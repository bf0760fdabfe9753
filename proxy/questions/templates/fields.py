"""Lines like `Opening hours: 9 to 17` under a heading, in English, Chinese and Korean."""

from __future__ import annotations

import re
from collections.abc import Iterator

from proxy.questions.templates.facts import Fact, spellings
from proxy.questions.templates.korean import with_topic
from proxy.text.language import is_traditional, language

_HEADING = re.compile(r"#{1,4}\s+(?P<title>[^#:：|<>\[\]{}]{2,60}?)\s*#*$")
_FIELD = re.compile(
    r"(?:[-*]\s+)?(?:\*\*)?(?P<label>[^\W\d_][^:：|*<>\[\]{}.,;，。]{1,30}?)(?:\*\*)?\s*[:：]\s*(?:\*\*)?\s*(?P<value>[^|*<>\[\]{}\n]{1,40}?)[.。]?$"
)
_DIGIT = re.compile(r"\d")
_ADDRESS = re.compile(r"//|@|\\")


def facts(passage: str) -> Iterator[Fact]:
    """Yield the fields with a number in them, under the heading that they stand below."""
    title: str | None = None
    for line in map(str.strip, passage.splitlines()):
        if heading := _HEADING.fullmatch(line):
            title = heading["title"]
        elif title and (field := _FIELD.fullmatch(line)):
            value = field["value"].strip()
            if _DIGIT.search(value) and not _ADDRESS.search(value):
                yield Fact(_question(title, field["label"].strip()), spellings(value), "field")


def _question(title: str, label: str) -> str:
    written = language(f"{title} {label}")
    if written == "zh":
        return f"{title}的{label}是{'什麼' if is_traditional(title + label) else '什么'}？"
    if written == "ko":
        return f"{title}의 {with_topic(label)} 무엇인가요?"
    return f"What is given as “{label}” for {title}?"
