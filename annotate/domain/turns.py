"""Read the conversation before a question, in the shapes that chat logs have.

A turn is a text, or an object with who speaks (`role`, `speaker`, `from`, `author`, `type`) and what (`content`, `text`,
`value`, `message`, content parts). A pair is `[user, assistant]`, or an object such as `{"user": …, "assistant": …}` or
`{"question": …, "answer": …}`. Any other shape is an InputError: nothing that was said is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from annotate.domain.field_mapping import columns_listed
from proxy.errors import InputError
from proxy.records import Turn
from proxy.text.language import quoted
from proxy.text.turns import ASSISTANT, SYSTEM, USER, known_role, with_roles

SPEAKERS = ("role", "speaker", "from", "author", "sender", "type")
TEXTS = ("text", "content", "value", "message", "utterance", "parts", "body", "data")
LISTS = ("messages", "turns", "history", "conversation")
ASKED = ("user", "human", "question", "prompt", "input", "query", "customer")
ANSWERED = ("assistant", "ai", "answer", "bot", "response", "completion", "output", "model", "agent")
CALLS = ("tool_calls", "function_call")
DEEPEST = 5
SHOWN = 60


def read_turns(values: Sequence[object]) -> tuple[Turn, ...]:
    """Return the earlier messages in order."""
    return tuple(turn for place, value in enumerate(values) for turn in _turns(value, place, 0))


def _turns(value: object, place: int, depth: int) -> Iterator[Turn]:
    if isinstance(value, str):
        yield Turn(role="", text=value)
    elif depth > DEEPEST:
        raise _unknown(place, "found turns nested too deeply")
    elif isinstance(value, list):
        yield from _several(value, place, depth)
    elif isinstance(value, Mapping):
        yield from _from_object(value, place, depth)
    else:
        raise _unknown(place, f"found {type(value).__name__}")


def _several(value: list[object], place: int, depth: int) -> Iterator[Turn]:
    """Read a pair of texts, or turns within a list of their own."""
    if len(value) == 2 and all(isinstance(text, str) or text is None for text in value):
        for speaker, text in zip((USER, ASSISTANT), value, strict=True):
            if isinstance(text, str):
                yield Turn(role=speaker, text=text)
        return
    for turn in value:
        yield from _turns(turn, place, depth + 1)


def _from_object(value: Mapping[str, object], place: int, depth: int) -> Iterator[Turn]:
    name = next((name for name in TEXTS if value.get(name) is not None), None)
    calls = [value[call] for call in CALLS if value.get(call)]
    speaker = _speaker(value)
    if name is not None:
        content = value[name]
        if isinstance(content, Mapping) and (inner := list(_wrapped(content, place, depth))):
            yield from (Turn(role=turn.role or speaker, text=turn.text) for turn in inner)
        else:
            text = _text(content, place)
            yield Turn(role=speaker, text=f"{text}\n{_call_words(calls)}".strip() if calls else text)
        return
    if calls:
        yield Turn(role=speaker or ASSISTANT, text=_call_words(calls))
        return
    if nested := next((value[name] for name in LISTS if isinstance(value.get(name), list)), None):
        yield from _turns(nested, place, depth + 1)
        return
    keys = {key.lower(): key for key in value if isinstance(key, str)}
    pair = [(role, next((keys[name] for name in names if name in keys), None)) for role, names in _PAIR]
    if not any(key for role, key in pair if role != SYSTEM):
        if speaker and "content" in value:
            yield Turn(role=speaker, text="")
            return
        raise _unknown(place, f"found an object with {columns_listed(sorted(map(str, value)))}")
    for role, key in pair:
        if key is not None and value[key] is not None:
            yield Turn(role=role, text=_text(value[key], place))


_PAIR = ((SYSTEM, ("system",)), (USER, ASKED), (ASSISTANT, ANSWERED))


def _wrapped(content: Mapping[str, object], place: int, depth: int) -> Iterator[Turn]:
    """Read a message within a message, as LangChain and ChatGPT exports have it."""
    if isinstance(content.get("text"), str) and "role" not in content:
        yield Turn(role="", text=str(content["text"]))
    else:
        yield from _turns(content, place, depth + 1)


def _speaker(value: Mapping[str, object]) -> str:
    """Return who speaks as the source calls it; `type` counts only where it names a role."""
    for name in SPEAKERS:
        speaker = value.get(name)
        if isinstance(speaker, Mapping):
            speaker = speaker.get("role") or speaker.get("name")
        if speaker is None or (name == "type" and known_role(str(speaker)) is None):
            continue
        return str(speaker) if name == "role" else known_role(str(speaker)) or str(speaker)
    return ""


def _text(content: object, place: int) -> str:
    """Return a message as text: the text itself, or its content parts, each on a line of its own."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    parts = [content] if isinstance(content, Mapping) else content
    if not isinstance(parts, list):
        raise _unknown(place, f"found a message that is {type(content).__name__}")
    return "\n".join(_part(part, place) for part in parts)


def _part(part: object, place: int) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping):
        for name in ("text", "content", "value", "input_text", "output_text"):
            if isinstance(part.get(name), str):
                return str(part[name])
        text = part.get("text")
        if isinstance(text, Mapping) and isinstance(text.get("value"), str):
            return str(text["value"])
        if isinstance(part.get("type"), str):
            return f"[{part['type']}]"
    raise _unknown(place, "found a content part that is no text and has no type")


def _call_words(calls: Sequence[object]) -> str:
    """Return calls of tools as JSON: they are part of what was said."""
    return "\n".join(json.dumps(call, ensure_ascii=False, default=str) for call in calls)


def _unknown(place: int, what: str) -> InputError:
    return InputError(
        f"history[{place}]: expected a text, an object with role and content, or a pair of question and answer; {what}"
    )


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
