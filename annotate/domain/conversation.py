"""Conversation before a question: kept as JSON, and shortened to a line where a question is listed."""

from __future__ import annotations

import json
from collections.abc import Sequence

from proxy.records import Turn
from proxy.text.language import quoted
from proxy.text.turns import with_roles

SHOWN = 60


def in_one_line(question: str, history: Sequence[Turn]) -> str:
    """Return the question with the turns before it in brief; the last two say what a follow-up is about."""
    if not history:
        return question
    last_turns = " / ".join(quoted(turn.text, SHOWN) for turn in history[-2:])
    return f"{question} (after {last_turns})"


def as_rows(history: Sequence[Turn]) -> list[dict[str, str]]:
    """Return the turns as files hold them: objects with role and text."""
    return [{"role": turn.role, "text": turn.text} for turn in history]


def to_text(history: Sequence[Turn]) -> str:
    """Return the turns as a column holds them."""
    return json.dumps(as_rows(history))


def from_text(text: str | None) -> tuple[Turn, ...]:
    """Return the turns of a column."""
    return with_roles([Turn(role=turn["role"], text=turn["text"]) for turn in json.loads(text or "[]")])
