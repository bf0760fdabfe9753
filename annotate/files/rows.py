"""A row of a file, and a row that could not be read; and what bounds them both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from proxy.text.turns import known_role

# Kept of a row that cannot be read.
KEPT_BYTES = 1_000_000
# A row of traffic is some kilobytes; what is longer is no row, or a file that unpacks to fill memory.
LONGEST_ROW = 64_000_000
MOST_COLUMNS = 10_000
LONGEST_KEY = 40  # of what a reason says
TOO_LONG = f"longer than {LONGEST_ROW // 1_000_000} MB"
NAME_ENCODING = "say which encoding it is, for example `--encoding cp1252`, cp1250, shift_jis or gb18030"
CUT_OFF = "the file may be cut off here"
NOTHING_AFTER = "nothing after it was read"
# What says in a message whose conversation it is: messages of several in one list are no conversation.
TALKS = frozenset(("conversation_id", "session_id", "thread_id", "chat_id", "trace_id", "item_id"))
# The same as chat tools write it, who export one conversation in a list, or all of them.
OF_TALK = ("conversationId", "sessionId", "threadId", "chatId")
MESSAGE = frozenset(("content", "parts", "blocks", "tool_calls", "function_call"))


class FileRow(NamedTuple):
    """One readable row: its line (or row number) in the file, its fields as they came, and its size in bytes, about.

    `is_cells` is whether they are cells of a spreadsheet, which an export of ours may have put a quote before, `is_table` whether
    they are of a table of any kind; `shown` has the numbers that a sheet shows in another way, "" where it is not known how.
    `is_element` is whether the row stands in a list of objects; `line` is its number there.
    """

    line: int
    fields: Mapping[str, object]
    size: int
    is_cells: bool = False
    is_element: bool = False
    is_table: bool = False
    shown: Mapping[str, str] = {}

    def reason(self, why: str) -> str:
        """Return why the row is refused, with its number where that is not the line's."""
        return f"{why}{of_element(self.line)}" if self.is_element else why


class Rejected(NamedTuple):
    """Data that could not be read: where, why, and the bytes themselves (the first megabyte)."""

    line: int
    reason: str
    raw: bytes


class RepeatedKey(ValueError):
    """A key that stands twice in one JSON object, with two values: one of them would be lost."""


def object_of(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """Return an object of JSON; RepeatedKey where it has two values under one key. The same value twice loses nothing."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        for name, value in pairs:
            if fields[name] != value:
                raise RepeatedKey(f"the key {name[:LONGEST_KEY]!r} stands twice in one JSON object, with two values")
    return fields


def of_element(number: int) -> str:
    """Say which element of a list of objects is meant."""
    return f" (element {number:,})"


def rejected(line: int, reason: str, raw: bytes = b"") -> Rejected:
    """Return a row that could not be read, with the first megabyte of it."""
    return Rejected(line, reason, raw[:KEPT_BYTES])


def is_message(value: object) -> bool:
    """Return whether a value is a turn of a conversation: an object with a role of a chat, or ShareGPT's `from`, and a text."""
    if not isinstance(value, Mapping) or not TALKS.isdisjoint(value) or not {"question", "answer"}.isdisjoint(value):
        return False
    role = value.get("role", value.get("from"))
    says = not MESSAGE.isdisjoint(value) if "role" in value else isinstance(value.get("value"), str)
    return says and isinstance(role, str) and known_role(role) is not None


def are_of_one_talk(messages: Sequence[Mapping[str, object]]) -> bool:
    """Return whether no two messages name different conversations."""
    return all(len({str(message[name]) for message in messages if name in message}) <= 1 for name in OF_TALK)


def as_fields(value: object) -> dict[str, object] | None:
    """Return a value as the fields of a row: an object, or messages of one conversation; None for anything else."""
    if isinstance(value, dict):
        return value
    if isinstance(value, list) and value and all(map(is_message, value)) and are_of_one_talk(value):
        return {"messages": value}
    return None


def size_of(value: object) -> int:
    """Estimate how many bytes a value takes."""
    if isinstance(value, (str, bytes)):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(size_of, value.values()))
    if isinstance(value, (list, tuple)):
        return sum(map(size_of, value))
    return 8
