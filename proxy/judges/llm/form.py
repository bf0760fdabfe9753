"""What a model is asked to fill in: questions with closed choices, and the shapes in which an endpoint can be held to them.

In come questions, out come a JSON schema for endpoints that enforce one and a last line for those that only write text. The
rule: every key is answered exactly once with one of its choices; the schema uses nothing that servers differ in.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

LAST_LINE = "VERDICTS:"
QUOTE = "quote"


class Mode(StrEnum):
    """How an endpoint can be held to a form, best first."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT_SCHEMA = "json_object_schema"  # as llama-cpp-python's server has it: the schema beside the type
    JSON_OBJECT = "json_object"
    LAST_LINE = "last_line"


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """One thing to decide. `note` is what is written before the verdict: a short reason, or a quote from the passages."""

    key: str
    choices: tuple[str, ...]
    note: str = "reason"


@dataclass(frozen=True, slots=True)
class Form:
    """The questions of one call, in the order in which they are answered."""

    questions: tuple[Question, ...]


@lru_cache(maxsize=512)  # the forms of a judge differ by the number of sentences only
def schema(form: Form) -> dict[str, Any]:
    """The form as a JSON schema: an object with one entry a question, so that none can be left out or doubled."""
    entries = {
        one.key: {
            "type": "object",
            "properties": {one.note: {"type": "string"}, "verdict": {"type": "string", "enum": list(one.choices)}},
            "required": [one.note, "verdict"],
            "additionalProperties": False,
        }
        for one in form.questions
    }
    return {"type": "object", "properties": entries, "required": list(entries), "additionalProperties": False}


@lru_cache(maxsize=512)
def schema_text(form: Form) -> str:
    """The schema on one line, for prompts."""
    return json.dumps(schema(form), separators=(",", ":"))


@lru_cache(maxsize=512)
def last_line(form: Form) -> str:
    """The form as one line, like `VERDICTS: s1=<supported|not_found>; s2=<supported|not_found>`."""
    return f"{LAST_LINE} " + "; ".join(f"{one.key}=<{'|'.join(one.choices)}>" for one in form.questions)
