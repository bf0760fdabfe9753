"""Normalise the roles of a conversation's turns: one word per role, whatever the source called it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from proxy.records import Turn

USER, ASSISTANT, SYSTEM, TOOL = "user", "assistant", "system", "tool"
NAMES = {
    **dict.fromkeys(("user", "human", "customer", "client", "patient", "enduser", "visitor", "question"), USER),
    **dict.fromkeys(("assistant", "ai", "bot", "chatbot", "gpt", "model", "llm", "agent", "api", "answer"), ASSISTANT),
    **dict.fromkeys(("system", "developer", "instructions"), SYSTEM),
    **dict.fromkeys(("tool", "function", "toolresult", "observation", "ipython"), TOOL),
}
NOISE = re.compile(r"[\W_]+|message(chunk)?$")


def role(name: str) -> str:
    """Return user, assistant, system or tool; a name that is none of them stays as it is."""
    return known_role(name) or name


def known_role(name: str) -> str | None:
    """Return user, assistant, system or tool; None for a name that is none of them."""
    return NAMES.get(name) or NAMES.get(NOISE.sub("", name.lower()))


def with_roles(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the turns with their roles by one word each.

    Turns without any role are pairs of user and assistant where their number is even: the question that the item answers
    comes after them. An odd number may be the user's questions alone, and stays without roles.
    """
    if not turns:
        return ()
    if len(turns) % 2 == 0 and not any(turn.role for turn in turns):
        return tuple(replace(turn, role=(USER, ASSISTANT)[place % 2]) for place, turn in enumerate(turns))
    return tuple(replace(turn, role=role(turn.role)) for turn in turns)
