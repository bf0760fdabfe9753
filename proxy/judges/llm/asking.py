"""Define what a judge asks of a model, without any network: a generator yields an Ask and is sent a Reply.

The rule: a reply that cannot be read is asked for once more with the fault named; a second one becomes a failure that keeps
the raw reply, never a number.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace

from proxy.judges.llm.form import ENTRIES, Mode, QuestionForm
from proxy.judges.llm.reading import ModelRefused, QuestionAnswer, Reply, Unreadable, read
from proxy.text.controls import displayable

_SAID_BEFORE = 4_000
# More than any sensible list, and no more than most endpoints allow a reply.
_LONGEST_LIST = 8_192


@dataclass(frozen=True, kw_only=True, slots=True)
class Ask:
    """One call: the task, the item's texts as JSON data, the form and its mode. `turns` precede a repair."""

    system: str
    user: str
    form: QuestionForm
    mode: Mode
    turns: tuple[tuple[str, str], ...] = ()

    @property
    def is_repair(self) -> bool:
        """Whether this asks again for what could not be read."""
        return bool(self.turns)


def room(ask: Ask) -> int:
    """Return the most tokens the reply may take: a note and a verdict per question, and room for thinking in plain text.

    A list may restate all that was sent.
    """
    questions = ask.form.questions
    longest = (1_024 if ask.mode is Mode.LAST_LINE else 256) + 160 * len(questions)
    if any(question.note == ENTRIES for question in questions):
        longest += min(_LONGEST_LIST, len(ask.user))
    return 2 * longest if ask.is_repair else longest


def answered(ask: Ask, repair: str) -> Generator[Ask, Reply, Mapping[str, QuestionAnswer]]:
    """Read the reply, after at most one repair; Unreadable when that fails too, ModelRefused at once.

    `repair` is what is said to a model whose reply could not be read, with {fault} in it.
    """
    reply = yield ask
    try:
        return read(reply, ask.form, ask.mode)
    except ModelRefused:
        raise
    except Unreadable as fault:
        again = repair.replace("{fault}", str(fault))
        before = (("assistant", reply.text.strip()[:_SAID_BEFORE] or "(empty)"), ("user", again))
    reply = yield replace(ask, turns=tuple((role, displayable(text)) for role, text in before))
    return read(reply, ask.form, ask.mode)


__all__ = ["Ask", "ModelRefused", "QuestionAnswer", "Reply", "Unreadable", "answered", "room"]
