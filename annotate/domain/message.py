"""Say something by key and typed values, so that every language says the same numbers.

A message is never text: `annotate/present/messages.py` writes it in a language, from the tables in `present/strings/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType
from typing import NamedTuple, Self, TypeAlias

from proxy.evaluation.estimate import Estimate
from proxy.text.numbers import Kind as Kind  # noqa: PLC0414 # those who make messages take it from here

NO_VALUES: Mapping[str, Value] = MappingProxyType({})


class Number(NamedTuple):
    """A number and how it is written; None is "—". `is_signed` shows a plus too.

    What is not the `limit` that it is held against is never written like it.
    """

    value: float | None
    kind: Kind
    is_signed: bool = False
    limit: float | None = None


class Between(NamedTuple):
    """Both ends of an interval; `is_exact` where every answer is labelled, so that it has no width.

    `limit` is what they are held against, as in Number.
    """

    low: float | None
    high: float | None
    kind: Kind
    is_signed: bool = False
    is_exact: bool = False
    limit: float | None = None


class IntervalBasis(Enum):
    """Which of an estimate's intervals is meant."""

    WINDOW = auto()
    LONG_RUN = auto()


class EvidenceText(NamedTuple):
    """An estimate as a sentence shows it: value, interval and number of labels; its reason where there is none.

    `limit` is what it is held against, as in Number.
    """

    estimate: Estimate
    kind: Kind
    basis: IntervalBasis = IntervalBasis.LONG_RUN
    is_signed: bool = False
    limit: float | None = None


class Name(str):
    """A name or id of others: of an item, system, annotator, judge."""

    __slots__ = ()


class Quote(str):
    """Text of others, shortened where a line must do."""

    __slots__ = ()


class Code(str):
    """A rule, a path, a signature: something that is typed as it stands."""

    __slots__ = ()


class Command(str):
    """A command to type."""

    __slots__ = ()


class Counted(int):
    """A count of labelled answers, with the code that asks for them (`domain/counted.py`)."""

    code: str

    def __new__(cls, count: int, code: str) -> Self:
        """Make a count with its code."""
        made = super().__new__(cls, count)
        made.code = code
        return made


class Message(NamedTuple):
    """A sentence, title or label: the row of the tables and what stands in its places."""

    key: str
    values: Mapping[str, Value] = NO_VALUES


class Listing(NamedTuple):
    """Several values in one sentence, with commas between; `joint` is the row of the tables that joins two otherwise."""

    parts: tuple[Value, ...]
    joint: str = "values.comma"


# A plain `str` is words from below that come in English, such as a reason or a method; what others wrote has types of its own.
Value: TypeAlias = int | str | Number | Between | EvidenceText | Message | Listing | None


def message(key: str, /, **values: Value) -> Message:
    """Make a message of its key and values."""
    return Message(key, values)


def code_of(value: Value) -> str | None:
    """Return the code of a count, by itself, within a message, or the n of an estimate; None where nothing was counted."""
    if isinstance(value, Message | Listing):
        parts = value.values.values() if isinstance(value, Message) else value.parts
        return next((code for part in parts if (code := code_of(part))), None)
    if isinstance(value, EvidenceText):
        return code_of(value.estimate.n)
    return value.code if isinstance(value, Counted) and value else None


def share(value: float | None) -> Number:
    """Make a share."""
    return Number(value, Kind.SHARE)


def coefficient(value: float | None) -> Number:
    """Make a coefficient: kappa, AUROC and the like."""
    return Number(value, Kind.COEFFICIENT)


class Step(NamedTuple):
    """What to do next: why, and the commands that do it."""

    message: Message
    commands: tuple[str, ...] = ()
