"""Find the question and the answer in values of any shape that apps and tracers write.

A value is text, an object whose key says what it is, messages of a chat, or JSON of these held as text. What cannot be told
is None: nothing is guessed from a value that has several texts.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from annotate.domain.turns import read_turns
from proxy.errors import InputError
from proxy.records import Turn
from proxy.text.turns import ASSISTANT, SYSTEM, TOOL, USER, known_role
from proxy.text.written_lists import read_list, read_object

DEEPEST = 8
BODIES = ("content", "parts", "blocks", "value", "text")
CALLS = ("tool_call", "tool-call", "tool_use", "function_call", "reasoning", "thinking", "server_tool_call")
RESULTS = ("tool_result", "tool-result", "tool_call_response", "function_call_output", "server_tool_call_response")
# Where a message says who speaks.
SPEAKERS = ("role", "from", "sender", "author", "type")
# Parts of Anthropic's messages that hold what was retrieved.
RETRIEVED = ("document", "search_result")
# What the parts of Pydantic AI's messages are.
SPOKEN_PARTS = {"system-prompt": SYSTEM, "user-prompt": USER, "text": ASSISTANT, "tool-return": TOOL}
# What stands alone under these says what a thing is, and no person wrote it.
NO_TEXTS = ("type", "id", "name", "role", "kind", "model", "status")
# Keys under which apps keep these, the surest first.
QUESTIONS = (
    "question",
    "query",
    "user_input",
    "user_query",
    "user_question",
    "user_message",
    "prompt",
    "input",
    "inputs",
    "request",
    "q",
    "message",
    "text",
    "input_value",
    "kwargs",
    "args",
    "data",
)
ANSWERS = (
    "answer",
    "response",
    "final_answer",
    "output",
    "output_text",
    "outputs",
    "result",
    "completion",
    "generation",
    "actual_output",
    "reply",
    "replies",
    "text",
    "content",
    "message",
    "output_value",
    "return_value",
    "data",
)
MESSAGES = ("messages", "input_messages", "output_messages", "chat_messages", "conversation", "conversations")
HISTORIES = ("chat_history", "history", "conversation_history", "previous_messages", "messages")


class QuestionInContext(NamedTuple):
    """A question, the turns before it, and the path where it was, from the value on."""

    text: str
    history: tuple[Turn, ...] = ()
    path: str = ""


class Exchange(NamedTuple):
    """The last exchange of a conversation: what was asked, what before it, what tools gave, and the answer."""

    question: str
    history: tuple[Turn, ...]
    tools: tuple[str, ...]
    answer: str | None
    system: str | None


def loaded(value: object) -> object:
    """Return what an object or list of JSON, or objects of Python's, hold that came as text; anything else as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    inner = decoded(value)
    written = read_object(value) if inner is value else None
    return inner if written is None else written


def written(value: object) -> object:
    """Return what a cell holds that pandas wrote: a list or an object, as JSON or as Python's text; anything else as it is."""
    value = loaded(value)
    if not isinstance(value, str):
        return value
    try:
        inner = read_list(value)
    except InputError:
        return value
    return value if inner is None else inner


def decoded(value: object) -> object:
    """Return what JSON of any kind holds; text that is none as it is, and so are bare numbers and the like."""
    if not isinstance(value, str):
        return value
    try:
        inner = json.loads(value, parse_constant=str)
    except (ValueError, RecursionError):
        return value
    return inner if isinstance(inner, (str, list, dict)) else value


def finite(value: object) -> float | None:
    """Return a finite number; NaN and what is no number are None."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def asked(value: object, depth: int = 0) -> QuestionInContext | None:
    """Return the question in an input."""
    value = loaded(value)
    if isinstance(value, str):
        return QuestionInContext(value) if value.strip() else None
    if depth > DEEPEST:
        return None
    if isinstance(value, list):
        exchange = last_question(value)
        if exchange is not None:
            return QuestionInContext(exchange.question, exchange.history, "last of the user")
        return _within(asked(value[0], depth + 1), "[0]") if len(value) == 1 else None
    if not isinstance(value, Mapping):
        return None
    if _is_message(value):
        return asked([value], depth + 1) if known_role(_role(value)) == USER else None
    for name in QUESTIONS:
        if value.get(name) and (inner := asked(value[name], depth + 1)):
            history = inner.history or _history(value, name)
            return _within(inner._replace(history=history), name)
    for name in MESSAGES:
        if value.get(name) and (inner := asked(value[name], depth + 1)):
            return _within(inner, name)
    return _only_text(value)


def answered(value: object, depth: int = 0) -> QuestionInContext | None:
    """Return the answer in an output; it has no history."""
    value = loaded(value)
    if isinstance(value, str):
        return QuestionInContext(value) if value.strip() else None
    if depth > DEEPEST:
        return None
    if isinstance(value, list):
        turn = _last_assistant(value)
        if turn is not None:
            return QuestionInContext(turn, (), "last of the assistant")
        texts = [part["text"] for part in value if isinstance(part, Mapping) and isinstance(part.get("text"), str)]
        if texts and all(
            isinstance(part, Mapping) and part.get("type") in (None, "text", "output_text") for part in value
        ):
            return QuestionInContext("".join(texts), (), "content parts") if "".join(texts).strip() else None
        return _within(answered(value[0], depth + 1), "[0]") if len(value) == 1 else None
    if not isinstance(value, Mapping):
        return None
    if _is_message(value):
        turn = _last_assistant([value])
        return QuestionInContext(turn, (), "content") if turn else None
    for name in ("choices", "generations", "candidates", "body", *ANSWERS, *MESSAGES):
        if value.get(name) and (inner := answered(value[name], depth + 1)):
            return _within(inner, name)
    return _only_text(value)


def _within(inner: QuestionInContext | None, name: str) -> QuestionInContext | None:
    if inner is None:
        return None
    joint = ", " if inner.path.startswith("last of") else "" if not inner.path or inner.path.startswith("[") else "."
    return inner._replace(path=f"{name}{joint}{inner.path}")


def _only_text(value: Mapping[object, object]) -> QuestionInContext | None:
    """Return the one text of an object that holds no other."""
    texts = [(str(name), inner) for name, inner in value.items() if isinstance(inner, str) and inner.strip()]
    is_only = len(texts) == 1 and len(value) == 1 and texts[0][0] not in NO_TEXTS
    return QuestionInContext(texts[0][1], (), texts[0][0]) if is_only else None


def _history(value: Mapping[str, object], without: str) -> tuple[Turn, ...]:
    """Return the turns that stand beside a question."""
    for name in HISTORIES:
        turns = loaded(value.get(name)) if name != without else None
        if isinstance(turns, list) and turns:
            try:
                return tuple(turn for turn in read_turns([_unwrapped(turn) for turn in turns]) if not _is_system(turn))
            except InputError:
                return ()
    return ()


def _is_system(turn: Turn) -> bool:
    return known_role(turn.role) == SYSTEM


def _role(message: Mapping[str, object]) -> str:
    speakers = (author for name in ("author", "from") if isinstance(author := message.get(name), Mapping))
    if (
        named := next((author["role"] for author in speakers if isinstance(author.get("role"), str)), None)
    ) is not None:
        return str(named)
    return next((str(message[name]) for name in SPEAKERS if isinstance(message.get(name), str)), "")


def _is_message(value: Mapping[str, object]) -> bool:
    """Return whether an object is a message: it says who speaks, in a role that is known."""
    unwrapped = _unwrapped(value)
    return (
        isinstance(unwrapped, Mapping)
        and any(name in unwrapped for name in ("content", "parts", "value", "tool_calls"))
        and known_role(_role(unwrapped)) is not None
    )


def _unwrapped(message: object, depth: int = 0) -> object:
    """Return a message without what LangChain or OpenInference put around it."""
    if not isinstance(message, Mapping):
        return message
    inner = message.get("kwargs")
    if message.get("type") == "constructor" and isinstance(inner, Mapping) and "content" in inner:
        names = message.get("id")
        named = str(names[-1]) if isinstance(names, list) and names else ""
        return {**inner, "role": inner.get("role") or inner.get("type") or named}
    inner = message.get("message")
    if isinstance(inner, Mapping) and ("role" in inner or inner.get("type") == "constructor"):
        return _unwrapped(inner, depth + 1) if depth < DEEPEST else inner
    inner = message.get("data")
    if isinstance(inner, Mapping) and "content" in inner and isinstance(message.get("type"), str):
        return {**inner, "role": message["type"]}
    if isinstance(message.get("contents"), list) and not message.get("content"):
        parts = [_part(part) for part in message["contents"]]
        return {**message, "content": [part for part in parts if part is not None]}
    return message


def _part(part: object) -> object:
    inner = part.get("message_content") if isinstance(part, Mapping) else None
    return inner if isinstance(inner, Mapping) else part


def turns_of(messages: Sequence[object]) -> list[Turn] | None:
    """Return messages as turns, calls of tools left out; None where they are no conversation."""
    turns: list[Turn] = []
    for message in _of_one_role(messages):
        unwrapped = _unwrapped(message)
        if not isinstance(unwrapped, Mapping):
            return None
        role = known_role(_role(unwrapped))
        type_ = str(unwrapped.get("type") or "")
        if role is None and (type_ in CALLS or type_.endswith("_call")):
            continue
        if role is None:
            return None
        content = next((unwrapped[name] for name in BODIES if unwrapped.get(name)), None)
        if role == TOOL and (texts := _artifact(unwrapped)):
            turns += [Turn(role=TOOL, text=text) for text in texts]
            continue
        parts, is_result = _parts(content)
        parts, retrieved = _retrieved(parts)
        if not parts and not retrieved:
            continue
        try:
            read = read_turns([{"role": TOOL if is_result else role, "content": parts}] if parts else [])
        except InputError:
            return None
        turns += [turn for turn in read if turn.text.strip()]
        turns += [Turn(role=TOOL, text=text) for text in retrieved]
    return turns or None


def _artifact(message: Mapping[str, object]) -> list[str]:
    """Return the texts of the documents that a tool of LangChain's gave beside its message, in which they are joined."""
    documents = message.get("artifact")
    inner = [_unwrapped_document(document) for document in documents] if isinstance(documents, list) else []
    texts = [document.get("page_content") for document in inner]
    return [text for text in texts if isinstance(text, str)] if all(isinstance(text, str) for text in texts) else []


def _unwrapped_document(document: object) -> Mapping[str, object]:
    inner = document.get("kwargs", document) if isinstance(document, Mapping) else {}
    return inner if isinstance(inner, Mapping) else {}


def _of_one_role(messages: Sequence[object]) -> Iterator[object]:
    """Yield the messages; those of Pydantic AI, which hold what several said, part by part."""
    for message in messages:
        parts = message.get("parts") if isinstance(message, Mapping) else None
        kinds = [part.get("part_kind") if isinstance(part, Mapping) else None for part in parts or ()]
        if not isinstance(parts, list) or not parts or not all(isinstance(kind, str) for kind in kinds):
            yield message
            continue
        for kind, part in zip(kinds, parts, strict=True):
            if kind in SPOKEN_PARTS:
                yield {"role": SPOKEN_PARTS[kind], "content": part.get("content")}


def _retrieved(content: object) -> tuple[object, list[str]]:
    """Return a message without the texts of documents that it brings along, and these texts."""
    if not isinstance(content, list):
        return content, []
    texts = {place: text for place, part in enumerate(content) if (text := _text_of_document(part))}
    return [part for place, part in enumerate(content) if place not in texts], list(texts.values())


def _text_of_document(part: object) -> str:
    if not isinstance(part, Mapping) or part.get("type") not in RETRIEVED:
        return ""
    source = part.get("source")
    given = part.get("content") or (source.get("data") or source.get("content") if isinstance(source, Mapping) else "")
    if isinstance(source, Mapping) and source.get("type") not in ("text", "content"):
        return ""  # a file in base64, or its address
    if isinstance(given, list):
        texts = [block.get("text") for block in given if isinstance(block, Mapping)]
        return "\n".join(text for text in texts if isinstance(text, str))
    return given if isinstance(given, str) else ""


def _parts(content: object) -> tuple[object, bool]:
    """Return a message without its calls of tools, and whether it holds nothing but what tools gave."""
    if not isinstance(content, list):
        return content, False
    parts: list[object] = []
    results = 0
    for part in content:
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind in CALLS:
            continue
        if isinstance(part, Mapping) and kind in RESULTS:
            results += 1
            given = next((part[name] for name in ("content", "response", "result", "output") if part.get(name)), "")
            if isinstance(given, Mapping) and "value" in given:
                given = given["value"]  # as Vercel's AI SDK has it, beside its type
            nested = _parts(given)[0]
            parts += nested if isinstance(nested, list) else [given if isinstance(given, str) else str(given)]
        else:
            parts.append(part)
    return parts, results > 0 and results == len(content)


def last_question(messages: Sequence[object]) -> Exchange | None:
    """Return the last turn of the user with all before it; None where the messages are no conversation."""
    turns = turns_of(messages)
    places = [place for place, turn in enumerate(turns or ()) if turn.role == USER and turn.text.strip()]
    return _exchange(turns, places[-1]) if turns and places else None


def last_exchange(messages: Sequence[object]) -> Exchange | None:
    """Return the last turn of the user that the assistant answered, and the answer."""
    turns = turns_of(messages)
    for place in range(len(turns or ()) - 1, -1, -1):
        if turns and turns[place].role == USER and (exchange := _exchange(turns, place)).answer is not None:
            return exchange
    return None


def _exchange(turns: Sequence[Turn], place: int) -> Exchange:
    after: list[Turn] = []
    for turn in turns[place + 1 :]:
        if turn.role == USER:
            break
        after.append(turn)
    answers = [turn.text for turn in after if turn.role == ASSISTANT and turn.text.strip()]
    return Exchange(
        question=turns[place].text,
        history=tuple(turn for turn in turns[:place] if turn.role != SYSTEM),
        tools=tuple(turn.text for turn in after if turn.role == TOOL and turn.text.strip()),
        answer=answers[-1] if answers else None,
        system="\n".join(turn.text for turn in turns[:place] if turn.role == SYSTEM) or None,
    )


def _last_assistant(values: Sequence[object]) -> str | None:
    turns = turns_of(values)
    answers = [turn.text for turn in turns or () if turn.role == ASSISTANT and turn.text.strip()]
    return answers[-1] if answers else None
