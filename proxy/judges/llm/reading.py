"""Parse a model's reply into verdicts, against the form's closed choices; never search it for words that look like one.

What is not exactly one listed choice for each key is Unreadable with its reason; a reply that declines is ModelRefused;
nothing is ever guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NoReturn

from proxy.judges.llm.form import ENTRIES, LAST_LINE, LISTED, QUOTE, Mode, Question, QuestionForm
from proxy.judges.llm.probability import Token, probabilities
from proxy.text.refusals import declines

LONGEST_REPLY = 400_000
_THINKS, _THOUGHT, _FENCE = "<think>", "</think>", "```"
_VERDICT = re.compile(r'"verdict"\s*:\s*"')
_PAIR = re.compile(r"\s*([A-Za-z]\w*)\s*=\s*<?([\w.]+)>?\s*")


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """A model's reply. `finish` is the endpoint's reason to stop; `refusal` is the text with which it declines."""

    text: str
    finish: str = "stop"
    refusal: str | None = None
    tokens: tuple[Token, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionAnswer:
    """The answer to one question; `chances` is the model's probability of each choice where the endpoint gives it.

    `entries` are the texts of a question that asks for a list.
    """

    verdict: str
    note: str = ""
    entries: tuple[str, ...] = ()
    chances: Mapping[str, float] = field(default_factory=dict)


class Unreadable(Exception):
    """A reply that is not what the form asks for; the message is the reason, `raw` the reply."""

    def __init__(self, reason: str, raw: str) -> None:
        super().__init__(reason)
        self.raw = raw


class ModelRefused(Unreadable):
    """The model or its provider declined to answer."""


def read(reply: Reply, form: QuestionForm, mode: Mode) -> Mapping[str, QuestionAnswer]:
    """Read the answer to each question of the form."""
    text = reply.text
    if reply.refusal is not None or reply.finish == "content_filter":
        raise ModelRefused(
            f"the model declined: {_line(reply.refusal or 'content filter', 200)}", reply.refusal or text
        )
    if reply.finish == "length":
        raise Unreadable("the reply was cut off at its longest allowed length", text)
    if not text.strip():
        raise Unreadable("the reply is empty", text)
    if len(text) > LONGEST_REPLY:
        raise Unreadable(f"the reply has {len(text):,} characters", text[:LONGEST_REPLY])
    visible = _without_thinking(text)
    if visible is None:
        raise Unreadable(f"the thinking has no {_THOUGHT}", text)
    try:
        answers = _from_last_line(visible, form) if mode is Mode.LAST_LINE else _from_json(visible, reply, form)
        return {question.key: _checked(question, answers[question.key]) for question in form.questions}
    except _Odd as odd:
        if declines(visible):
            raise ModelRefused(f"the model declined: {_line(visible, 200)}", text) from None
        raise Unreadable(str(odd), text) from None


class _Odd(Exception):
    """A fault in a reply."""


def _without_thinking(text: str) -> str | None:
    """Return what follows the thinking that a reply opens with; None where the thinking has no end."""
    opened = text.lstrip()
    if not opened.startswith(_THINKS):
        # Some servers write the opening mark into the prompt, so that a reply begins in the middle of the thinking.
        return text if opened.startswith(("{", _FENCE)) or _THOUGHT not in text else text.rpartition(_THOUGHT)[2]
    _, end, visible = opened.partition(_THOUGHT)
    return visible if end else None


def _without_fence(text: str) -> str:
    """Return the text between the fences, where they are the first and the last line."""
    first, _, rest = text.strip().partition("\n")
    body, fence, after = rest.rpartition(_FENCE)
    is_fenced = first.strip().lower() in (_FENCE, f"{_FENCE}json") and fence and not after
    return body if is_fenced else text


def _from_json(visible: str, reply: Reply, form: QuestionForm) -> dict[str, QuestionAnswer]:
    """Read the entries of the reply's JSON object; a fence around it and thinking before it are left out."""
    try:
        value = json.loads(_without_fence(visible), object_pairs_hook=_once, parse_constant=_no_constant, strict=False)
    except RecursionError:
        raise _Odd("the reply is nested too deeply") from None
    except ValueError as error:
        raise _Odd(f"the reply is not one JSON object: {error}") from None
    if not isinstance(value, dict):
        raise _Odd("the reply is not a JSON object")
    _check_keys(value, form)
    notes = {question.key: question.note for question in form.questions}
    if lost := [key for key, note in notes.items() if note == QUOTE and not _has(value[key], note)]:
        raise _Odd(f"{len(lost)} verdicts lack a quote: {', '.join(lost[:5])}")
    chances = _chances(reply, len(reply.text) - len(visible), value, form)
    return {key: _entry(key, entry, notes[key], chances.get(key, {})) for key, entry in value.items()}


def _entry(key: str, entry: object, note: str, chances: Mapping[str, float]) -> QuestionAnswer:
    """Read one question's entry; a bare choice will do where there is no note."""
    if isinstance(entry, dict):
        verdict, words = entry.get("verdict"), entry.get(note)
    else:
        verdict, words = entry, None
    if note == ENTRIES:
        return QuestionAnswer(verdict=_choice(key, verdict), entries=_entries(key, words))
    return QuestionAnswer(verdict=_choice(key, verdict), note=words if isinstance(words, str) else "", chances=chances)


def _entries(key: str, value: object) -> tuple[str, ...]:
    """Read a list of texts, none of them empty."""
    if not isinstance(value, list) or not all(isinstance(text, str) and text.strip() for text in value):
        raise _Odd(f"the {ENTRIES} of {key} are no list of texts")
    return tuple(text.strip() for text in value)


def _has(entry: object, note: str) -> bool:
    """Return whether the entry has this note, even an empty one."""
    return isinstance(entry, dict) and isinstance(entry.get(note, 0), str | None)


def _choice(key: str, value: object) -> str:
    """Return a verdict as text; points may come as a number."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value).removesuffix(".0")
    raise _Odd(f"{key} has no verdict")


def _chances(
    reply: Reply, begin: int, value: Mapping[str, object], form: QuestionForm
) -> Mapping[str, Mapping[str, float]]:
    """Compute the probability of each choice, by key; {} where the endpoint gave none that fit the text from `begin` on."""
    if not reply.tokens or not "".join([token.text for token in reply.tokens]).startswith(reply.text):
        return {}
    starts = [match.end() for match in _VERDICT.finditer(reply.text, begin)]
    if len(starts) != len(value):
        return {}
    choices = {question.key: question.choices for question in form.questions}
    return {key: probabilities(reply.tokens, at, choices[key]) for key, at in zip(value, starts, strict=True)}


def _from_last_line(text: str, form: QuestionForm) -> dict[str, QuestionAnswer]:
    """Read the pairs of the last line."""
    lines = [line.strip().strip("*` ") for line in text.splitlines() if line.strip().strip("*` ")]
    line = lines[-1] if lines else ""
    if not line.upper().startswith(LAST_LINE):
        raise _Odd(f"the last line does not begin with {LAST_LINE}")
    answers: dict[str, QuestionAnswer] = {}
    for part in line[len(LAST_LINE) :].strip(" ;.*").split(";"):
        pair = _PAIR.fullmatch(part)
        if pair is None:
            raise _Odd(f"the last line holds {part.strip()[:60]!r}")
        if pair.group(1) in answers:
            raise _Odd(f"{_line(pair.group(1))} is answered twice")
        answers[pair.group(1)] = QuestionAnswer(verdict=pair.group(2))
    _check_keys(answers, form)
    return answers


def _check_keys(answers: Mapping[str, object], form: QuestionForm) -> None:
    """Check that every key is answered, and no other."""
    wanted = {question.key for question in form.questions}
    if missing := [question.key for question in form.questions if question.key not in answers]:
        raise _Odd(f"{len(missing)} of {len(wanted)} verdicts are missing: {', '.join(missing[:5])}")
    if extra := [key for key in answers if key not in wanted]:
        raise _Odd(f"nobody asked for {', '.join(map(_line, extra[:5]))}")


def _checked(question: Question, answer: QuestionAnswer) -> QuestionAnswer:
    """Return the answer with its verdict as the form spells it."""
    verdict = answer.verdict.lower()
    if verdict not in question.choices:
        raise _Odd(f"{question.key} is {answer.verdict[:40]!r}, not one of {', '.join(question.choices)}")
    if question.note == ENTRIES and (verdict == LISTED) is not bool(answer.entries):
        raise _Odd(f"{question.key} is {verdict}, with {len(answer.entries)} {ENTRIES}")
    return replace(answer, verdict=verdict)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Build the object of these pairs; a repeated name is a fault."""
    entries: dict[str, object] = {}
    for name, value in pairs:
        if name in entries:
            raise _Odd(f"{_line(name)} is answered twice")
        entries[name] = value
    return entries


def _line(text: str, limit: int = 40) -> str:
    """Return the beginning of the text on one line."""
    return " ".join(text[: 2 * limit].split())[:limit]


def _no_constant(name: str) -> NoReturn:
    """Refuse NaN and Infinity: they are no verdicts."""
    raise _Odd(f"the reply holds {name}")
