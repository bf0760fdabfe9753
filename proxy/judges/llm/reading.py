"""A model's reply as verdicts: parsed against the form's closed choices, never searched for words that look like one.

In come a reply and its form, out comes one Answered a key. The rule: what is not exactly one listed choice for each key is
Unreadable with its reason; what declines is Refused; nothing is ever guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from proxy.judges.llm.form import LAST_LINE, Form, Mode, Question
from proxy.judges.llm.probability import Token, probabilities
from proxy.refusals import declines

LONGEST_REPLY = 400_000
_FENCE = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL)
_THINKING = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_VERDICT = re.compile(r'"verdict"\s*:\s*"')
_PAIR = re.compile(r"\s*([A-Za-z]\w*)\s*=\s*<?([\w.]+)>?\s*")


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What the model said. `finish` is the endpoint's reason to stop; `refusal` its own word for declining."""

    text: str
    finish: str = "stop"
    refusal: str | None = None
    tokens: tuple[Token, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """The answer to one question; `chances` is the model's probability of each choice where the endpoint tells."""

    verdict: str
    note: str = ""
    chances: Mapping[str, float] = field(default_factory=dict)


class Unreadable(Exception):
    """A reply that is not what the form asks for; the message is the reason, `raw` the reply."""

    def __init__(self, reason: str, raw: str) -> None:
        super().__init__(reason)
        self.raw = raw


class Refused(Unreadable):
    """The model or its provider declined to answer."""


def read(reply: Reply, form: Form, mode: Mode) -> Mapping[str, Answered]:
    """The answer to each question of the form."""
    text = reply.text
    if reply.refusal is not None or reply.finish == "content_filter":
        raise Refused(f"the model declined: {(reply.refusal or 'content filter')[:200]}", reply.refusal or text)
    if reply.finish == "length":
        raise Unreadable("the reply was cut off at its longest allowed length", text)
    if not text.strip():
        raise Unreadable("the reply is empty", text)
    if len(text) > LONGEST_REPLY:
        raise Unreadable(f"the reply has {len(text):,} characters", text[:LONGEST_REPLY])
    try:
        found = _from_last_line(text) if mode is Mode.LAST_LINE else _from_json(reply, form)
        _check_keys(found, form)
        return {one.key: _checked(one, found[one.key]) for one in form.questions}
    except _Odd as odd:
        if declines(text):
            raise Refused(f"the model declined: {' '.join(text.split())[:200]}", text) from None
        raise Unreadable(str(odd), text) from None


class _Odd(Exception):
    """What is wrong with a reply."""


def _from_json(reply: Reply, form: Form) -> dict[str, Answered]:
    """The entries of the JSON object that the reply is; a fence round it and thinking before it are no part of it."""
    text = reply.text
    bare = _THINKING.sub("", text, count=1) if text.lstrip().startswith("<think>") else text
    fenced = _FENCE.fullmatch(bare)
    try:
        value = json.loads(
            fenced.group(1) if fenced else bare, object_pairs_hook=_once, parse_constant=_no_constant, strict=False
        )
    except RecursionError:
        raise _Odd("the reply is nested too deeply") from None
    except ValueError as error:
        raise _Odd(f"the reply is not one JSON object: {error}") from None
    if not isinstance(value, dict):
        raise _Odd("the reply is not a JSON object")
    notes = {one.key: one.note for one in form.questions}
    chances = _chances(reply, value, form)
    return {key: _entry(key, entry, notes.get(key, "reason"), chances.get(key, {})) for key, entry in value.items()}


def _entry(key: str, entry: object, note: str, chances: Mapping[str, float]) -> Answered:
    """One question's entry; a bare choice will do where there is no note."""
    if isinstance(entry, dict):
        verdict, words = entry.get("verdict"), entry.get(note)
    else:
        verdict, words = entry, None
    return Answered(verdict=_choice(key, verdict), note=words if isinstance(words, str) else "", chances=chances)


def _choice(key: str, value: object) -> str:
    """A verdict as text; a whole number may come as such."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:g}"
    raise _Odd(f"{key} has no verdict")


def _chances(reply: Reply, value: Mapping[str, object], form: Form) -> Mapping[str, Mapping[str, float]]:
    """The probability of each choice, by key; {} where the endpoint gave none or the verdicts cannot be told apart."""
    starts = [match.end() for match in _VERDICT.finditer(reply.text)] if reply.tokens else []
    if not starts or len(starts) != len(value):
        return {}
    choices = {one.key: one.choices for one in form.questions}
    return {
        key: probabilities(reply.tokens, start, choices[key])
        for key, start in zip(value, starts, strict=True)
        if key in choices
    }


def _from_last_line(text: str) -> dict[str, Answered]:
    """The pairs of the last line."""
    lines = [line.strip().strip("*` ") for line in text.splitlines() if line.strip().strip("*` ")]
    line = lines[-1] if lines else ""
    if not line.upper().startswith(LAST_LINE):
        raise _Odd(f"the last line does not begin with {LAST_LINE}")
    found: dict[str, Answered] = {}
    for part in line[len(LAST_LINE) :].rstrip(" ;.*").split(";"):
        pair = _PAIR.fullmatch(part)
        if pair is None:
            raise _Odd(f"the last line holds {part.strip()[:60]!r}")
        if pair.group(1) in found:
            raise _Odd(f"{pair.group(1)} is answered twice")
        found[pair.group(1)] = Answered(verdict=pair.group(2))
    return found


def _check_keys(found: Mapping[str, Answered], form: Form) -> None:
    """Every key, and no other."""
    wanted = {one.key for one in form.questions}
    if missing := [one.key for one in form.questions if one.key not in found]:
        raise _Odd(f"{len(missing)} of {len(wanted)} verdicts are missing: {', '.join(missing[:5])}")
    if extra := [key for key in found if key not in wanted]:
        raise _Odd(f"nobody asked for {', '.join(key[:40] for key in extra[:5])}")


def _checked(question: Question, answer: Answered) -> Answered:
    """The answer with its verdict as the form spells it."""
    verdict = answer.verdict.lower()
    if verdict not in question.choices:
        raise _Odd(f"{question.key} is {answer.verdict[:40]!r}, not one of {', '.join(question.choices)}")
    return Answered(verdict=verdict, note=answer.note, chances=answer.chances)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The object of these pairs."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _Odd(f"{next(name for name in names if names.count(name) > 1)[:40]} is answered twice")
    return found


def _no_constant(name: str) -> NoReturn:
    """NaN and Infinity are no verdicts."""
    raise _Odd(f"the reply holds {name}")
