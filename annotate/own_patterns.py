"""A team's own regular expressions: text in, a pattern out that cannot run for long.

The rule: a pattern is refused when the ways in which it could match at one place, multiplied out, are more than a few thousand;
texts are read in pieces, so that a repetition without an end has one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from proxy.errors import UsageError

LONGEST = 300
PIECE = 1_000
WAYS = 5_000
STAND_IN = "[hidden]"
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_BREAK = re.compile(r"[\s，。、；！？]")


def compiled(pattern: str, where: str) -> re.Pattern[str]:
    """The pattern; UsageError where it is none, matches nothing at all, or could run for long."""
    if len(pattern) > LONGEST:
        raise UsageError(f"{where}: a pattern has at most {LONGEST} characters")
    try:
        found = re.compile(pattern)
        ways = _ways(import_module("re._parser").parse(pattern))
    except (re.error, RecursionError, OverflowError) as error:
        raise UsageError(f"{where}: {pattern!r} is no regular expression: {error}") from None
    if found.search(""):
        raise UsageError(f"{where}: {pattern!r} matches where nothing is: ask for a character at least")
    if ways > WAYS:
        raise UsageError(
            f"{where}: {pattern!r} could take very long: give each repetition an end, like {{1,20}} instead of +, and put no "
            "repetition into another"
        )
    return found


def replaced(text: str, patterns: Sequence[re.Pattern[str]]) -> str:
    """The text with every match replaced, piece by piece."""
    if not patterns:
        return text
    return "".join(_replaced(piece, patterns) for piece in _pieces(text))


def _replaced(piece: str, patterns: Sequence[re.Pattern[str]]) -> str:
    for pattern in patterns:
        piece = pattern.sub(STAND_IN, piece)
    return piece


def _pieces(text: str) -> Iterator[str]:
    """The text in parts of at most PIECE characters, cut after a space or a mark where there is one."""
    start = 0
    while start < len(text):
        end = start + PIECE
        if end < len(text):
            breaks = [found.end() for found in _BREAK.finditer(text, start, end)]
            end = breaks[-1] if breaks else end
        yield text[start:end]
        start = end


def _ways(parsed: Any) -> int:
    """In how many ways the parsed pattern can match at one place, at most; more than WAYS is not told apart."""
    total = 1
    for name, value in parsed:
        total = min(total * _ways_of(str(name), value), WAYS + 1)
    return total


def _ways_of(name: str, value: Any) -> int:
    """The same for one part of it."""
    if name in _REPEATS:
        least, most, inside = int(value[0]), min(int(value[1]), PIECE), _ways(value[2])
        within: int = min(inside ** min(most, 20), WAYS + 1)
        return within * max(most - least + 1, 1)
    if name == "BRANCH":
        return sum(_ways(one) for one in value[1])
    if name in {"SUBPATTERN", "ATOMIC_GROUP", "ASSERT", "ASSERT_NOT"}:
        return _ways(value[-1] if isinstance(value, tuple) else value)
    if name.startswith("GROUPREF"):
        return WAYS + 1
    return 1
