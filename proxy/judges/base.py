"""Define a judge: something with a name and a signature that turns one item into a score or a recorded failure.

The rule: a judge never raises for what an item holds and never invents a number; what it cannot judge it says in words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Protocol

from proxy.errors import UsageError
from proxy.records import FailureKind, Item, JudgeFailure, Score, SentenceVerdict
from proxy.text.controls import displayable
from proxy.text.language import quoted
from proxy.text.tokens import Phrase

ANSWER_LIMIT = 20_000
QUESTION_LIMIT = 4_000
# In the signature of every judge that asks a model, after its name.
MODEL = "|llm|"
_POWER = 2 / 3
_ROUNDING = 1e-9
# How many words a reason names, and how much it shows of each.
_SHOWN, _LONGEST = 5, 40


class Judge(Protocol):
    """An automatic scorer of one criterion."""

    @property
    def name(self) -> str:
        """The criterion, as rules and reports call it."""
        ...

    @property
    def signature(self) -> str:
        """All that shapes a score: criterion, kind, version; another signature is another score."""
        ...

    def judge(self, item: Item) -> Score | JudgeFailure:
        """Score one item, or record why not."""
        ...


def checked(judges: Sequence[Judge]) -> tuple[Judge, ...]:
    """Return the judges that a caller passed.

    Raises
    ------
    UsageError
        For anything but a list of judges of different names; the message says what to pass.
    """
    name = judges.__name__ if isinstance(judges, type) else type(judges).__name__
    if isinstance(judges, type) or hasattr(judges, "judge"):
        raise UsageError(f"judges is a list: pass judges=[{name}()]")
    if isinstance(judges, str) or not isinstance(judges, Iterable):
        raise UsageError(f"judges is a list of judges, such as judges=[MyJudge()], not {judges!r:.60}")
    chosen = tuple(judges)
    if not chosen:
        raise UsageError("judges is empty: pass at least one judge, or leave judges out for the offline judges")
    for judge in chosen:
        _check(judge)
    names = [judge.name for judge in chosen]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"two judges have the name {twice[0]!r}: give each a name of its own, which is its column")
    return chosen


def _check(judge: object) -> None:
    """Raise UsageError for what is no judge."""
    if isinstance(judge, type):
        raise UsageError(f"{judge.__name__} is a class: pass the object, judges=[{judge.__name__}()]")
    if isinstance(judge, str):
        raise UsageError(f"{judge!r:.60} is text: pass the judge itself, such as judges=[MyJudge()]")
    texts = (getattr(judge, "name", None), getattr(judge, "signature", None))
    if not callable(getattr(judge, "judge", None)) or not all(isinstance(text, str) and text for text in texts):
        raise UsageError(f"{type(judge).__name__} is no judge: it needs name, signature and judge(item)")


def scored(
    judge: Judge,
    item: Item,
    value: float,
    reason: str,
    *,
    sentences: Sequence[SentenceVerdict] = (),
    passages: Sequence[float | None] = (),
) -> Score:
    """Make a score under the judge's name; rounding errors at the ends of [0, 1] are cut off, more is a ValueError."""
    if not -_ROUNDING <= value <= 1 + _ROUNDING:
        raise ValueError(f"a score lies in [0, 1], got {value!r}")
    return Score(
        item_id=item.id,
        judge=judge.name,
        signature=judge.signature,
        value=min(1.0, max(0.0, value)),
        reason=displayable(reason),
        sentences=tuple(sentences),
        passages=tuple(passages),
    )


def scaled(raw: float) -> float:
    """Compute raw ** (2/3), which keeps 0, 1 and the order, and puts 0.5 at a raw overlap of 0.354.

    Faithful answers in own words overlap by 0.55 (median), answers with another question's passages by under 0.10 (95 %).
    Over ClapNQ and QA-Feedback, weighted equally, balanced accuracy is highest at raw thresholds of 0.30 to 0.40. One map
    cannot serve both: answers in own words want a raw threshold of 0.3, copied ones of 0.9. So calibrate on labels.
    """
    return math.pow(min(1.0, max(0.0, raw)), _POWER)


def cut_note(*parts: str) -> str:
    """Say what a judge was limited to, as an addition to its reason; empty where everything was read."""
    named = [part for part in parts if part]
    return f" (judged on the first {' and the first '.join(named)})" if named else ""


def cut_answer(answer: str) -> str:
    """Say which part of the answer is read; empty for all of it."""
    return f"{ANSWER_LIMIT:,} characters of the answer" if len(answer) > ANSWER_LIMIT else ""


def cut_question(question: str) -> str:
    """Say which part of the question is read; empty for all of it."""
    return f"{QUESTION_LIMIT:,} characters of the question" if len(question) > QUESTION_LIMIT else ""


def absent(phrases: Sequence[Phrase], source: str, where: str) -> str:
    """Say which words of `source` ("the question") are not in `where` ("the passages").

    Scripts without spaces are compared by character pairs: a pair that is only a part of a written stretch is shown within it,
    never as a word.
    """
    words = [phrase.text[:_LONGEST] for phrase in phrases if not phrase.is_fragment]
    parts = [
        f"{quoted(phrase.text, _LONGEST)} in {quoted(phrase.stretch, _LONGEST)}"
        for phrase in phrases
        if phrase.is_fragment
    ]
    notes = [f"words of {source} not in {where}: {named(words)}"] if words else []
    notes += [f"parts of {source} not in {where}: {named(parts)}"] if parts else []
    return "; ".join(notes)


def named(things: Sequence[str]) -> str:
    """List the first few, and say how many more there are."""
    more = f" and {len(things) - _SHOWN} more" if len(things) > _SHOWN else ""
    return ", ".join(things[:_SHOWN]) + more


def not_applicable(judge: Judge, item: Item, reason: str) -> JudgeFailure:
    """Record that the judge's question does not fit an item."""
    return JudgeFailure(
        item_id=item.id,
        judge=judge.name,
        signature=judge.signature,
        kind=FailureKind.NOT_APPLICABLE,
        reason=displayable(reason),
    )
