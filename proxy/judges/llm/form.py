"""Define the form that a model fills in: questions with closed choices, as a JSON schema or as a last line of text.

The schema is for endpoints that enforce one, the last line for those that only write text. Every key is answered
exactly once with one of its choices; the schema uses nothing that servers differ in.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

LAST_LINE = "VERDICTS:"
QUOTE = "quote"
# The note that is a list of texts; the verdict says whether there are any.
ENTRIES = "entries"
LISTED, NONE = "listed", "none"
TEXT = {"type": "string"}


class Mode(StrEnum):
    """The ways in which an endpoint can be held to a form, best first."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT_SCHEMA = "json_object_schema"  # as llama-cpp-python's server has it: the schema beside the type
    JSON_OBJECT = "json_object"
    LAST_LINE = "last_line"


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """One decision. `note` is written before the verdict: a short reason, a quote from the passages, or a list of texts."""

    key: str
    choices: tuple[str, ...]
    note: str = "reason"


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """The questions of one call, in the order in which they are answered."""

    questions: tuple[Question, ...]


def list_form(key: str) -> QuestionForm:
    """Make the form of one list of texts."""
    return QuestionForm((Question(key=key, choices=(LISTED, NONE), note=ENTRIES),))


@lru_cache(maxsize=512)  # the forms of a judge differ by the number of sentences only
def schema(form: QuestionForm) -> dict[str, Any]:
    """Build the form's JSON schema: an object with one entry per question, so that none can be left out or doubled."""
    entries = {
        question.key: {
            "type": "object",
            "properties": {
                question.note: {"type": "array", "items": TEXT} if question.note == ENTRIES else TEXT,
                "verdict": {"type": "string", "enum": list(question.choices)},
            },
            "required": [question.note, "verdict"],
            "additionalProperties": False,
        }
        for question in form.questions
    }
    return {"type": "object", "properties": entries, "required": list(entries), "additionalProperties": False}


@lru_cache(maxsize=512)
def schema_text(form: QuestionForm) -> str:
    """Return the schema on one line, for prompts."""
    return json.dumps(schema(form), separators=(",", ":"))


@lru_cache(maxsize=512)
def last_line(form: QuestionForm) -> str:
    """Return the form as one line, like `VERDICTS: s1=<supported|not_found>; s2=<supported|not_found>`."""
    return f"{LAST_LINE} " + "; ".join(f"{question.key}=<{'|'.join(question.choices)}>" for question in form.questions)
