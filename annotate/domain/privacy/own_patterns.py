"""Compile a team's own regular expressions, and refuse those that could run for long.

The rule: a pattern is refused when the ways in which it could match at one place, multiplied out, are more than a few thousand.
From each place it is tried as far ahead as its longest match reaches; a repetition without an end is followed for PIECE
characters. Where such a repetition goes on for longer, what begins like a match is masked to the end of the repetition and as far
as the rest of the pattern could reach, whether or not it matches there: more is masked, never less.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from proxy.errors import UsageError

LONGEST = 300
PIECE = 1_000
WAYS = 5_000
WIDEST = 5_000
STAND_IN = "[hidden]"
_GROUPS = ("SUBPATTERN", "ATOMIC_GROUP", "ASSERT", "ASSERT_NOT")
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")


def compiled(pattern: str, where: str) -> re.Pattern[str]:
    """Compile the pattern; UsageError where it is none, matches nothing at all, or could run for long."""
    if len(pattern) > LONGEST:
        raise UsageError(f"{where}: a pattern has at most {LONGEST} characters")
    try:
        compiled_pattern = re.compile(pattern)
        parsed = _parser().parse(pattern)
        ways = _ways(parsed)
    except (re.error, RecursionError, OverflowError) as error:
        raise UsageError(f"{where}: {pattern!r} is no regular expression: {error}") from None
    if compiled_pattern.search(""):
        raise UsageError(f"{where}: {pattern!r} matches where nothing is: ask for a character at least")
    if ways > WAYS:
        raise UsageError(
            f"{where}: {pattern!r} could take very long: give each repetition an end, like {{1,20}} instead of +, and put no "
            "repetition into another"
        )
    if _width(parsed) > WIDEST:
        raise UsageError(f"{where}: {pattern!r} could match more than {WIDEST:,} characters: give it less room")
    try:
        _reach(compiled_pattern)
    except UsageError as error:
        raise UsageError(f"{where}: {pattern!r}: {error}") from None
    return compiled_pattern


class _Open(NamedTuple):
    """A repetition without an end: what begins like a match up to a long run of it, one more of it, and what may follow."""

    begun: re.Pattern[str]
    more: re.Pattern[str]
    tail: int
    is_lazy: bool


def replaced(text: str, patterns: Sequence[re.Pattern[str]]) -> str:
    """Return the text with every match replaced, one pattern after the other."""
    for pattern in patterns:
        text = _replaced(text, pattern)
    return text


def _replaced(text: str, pattern: re.Pattern[str]) -> str:
    reach, endless = _reach(pattern)
    if len(text) <= reach:
        return pattern.sub(STAND_IN, text)
    spans, more = list(_spans(text, pattern, reach)), list[tuple[int, int]]()
    for repetition in endless:
        # A repetition that takes as little as it can ended where the whole pattern was found.
        known = dict(spans) if repetition.is_lazy else {}
        more += [
            (start, _run_out(text, repetition, end, reach))
            for start, end in _spans(text, repetition.begun, reach, known)
        ]
    parts, at = [], 0
    for start, end in sorted([*spans, *more]):
        if start >= at:
            parts += [text[at:start], STAND_IN]
        at = max(at, end)
    return "".join([*parts, text[at:]])


def _run_out(text: str, repetition: _Open, end: int, reach: int) -> int:
    """Return where a match that goes on at `end` is over at the latest."""
    while (more := repetition.more.match(text, end, end + reach)) and more.end() > end:
        end = more.end()
    return min(len(text), end + repetition.tail)


def _spans(text: str, pattern: re.Pattern[str], reach: int, known: Mapping[int, int] = {}) -> Iterator[tuple[int, int]]:
    """Yield where the pattern matches, but for what begins at a `known` place, and ends as known.

    From every place it sees as far ahead as it reaches, so that no window cuts a match.
    """
    at, block = 0, reach
    while at < len(text):
        match = pattern.search(text, at, block + reach)
        if match is None or match.start() >= block:
            at, block = block, block + reach
            continue
        if match.start() not in known:
            yield match.span()
        at = known.get(match.start(), match.end())
        block = max(block, at + 1)


@lru_cache(maxsize=64)
def _reach(pattern: re.Pattern[str]) -> tuple[int, tuple[_Open, ...]]:
    """Return how far ahead of its beginning a match may look, and the repetitions without an end."""
    parsed = _parser().parse(pattern.pattern)
    width = _width(parsed)
    endless = tuple(
        _Open(_compiled(parsed, begun), _compiled(parsed, [more]), width, is_lazy)
        for begun, more, is_lazy in _endless(parsed)
    )
    return width + PIECE + 1, endless


def _width(parsed: Any) -> int:
    """Return how many characters it covers or looks at, at most; a repetition without an end counted once."""
    return min(sum(_width_of(str(name), value) for name, value in parsed), WIDEST + 1)


def _width_of(name: str, value: Any) -> int:
    """Return the same for one part of a parsed pattern."""
    if name in _REPEATS:
        return (1 if int(value[1]) > PIECE else int(value[1])) * _width(value[2])
    if name == "BRANCH":
        return max(_width(branch) for branch in value[1])
    if name in _GROUPS:
        return _width(value[-1] if isinstance(value, tuple) else value)
    return 1


def _endless(parsed: Any) -> Iterator[tuple[list[Any], Any, bool]]:
    """Yield for each repetition without an end all up to PIECE characters of it, and more; UsageError in a look-around."""
    for place, (name, value) in enumerate(parsed):
        before, kind = list(parsed[:place]), str(name)
        inside: list[Any] = []
        if kind in _REPEATS and int(value[1]) > PIECE:
            times = max(1, PIECE // max(1, _width(value[2])))
            most = _parser().MAXREPEAT
            greedy = _parser().MAX_REPEAT
            is_lazy = kind == "MIN_REPEAT"
            yield [*before, (greedy, (times, most, value[2]))], (greedy, (1, most, value[2])), is_lazy
        elif kind in _REPEATS:
            inside = [value[2]]
        elif kind == "BRANCH":
            inside = value[1]
        elif kind in _GROUPS:
            inside = [value[-1] if isinstance(value, tuple) else value]
        for part in inside:
            for begun, more, is_lazy in _endless(part):
                if kind.startswith("ASSERT"):
                    raise UsageError("a repetition in a look-around needs an end, like {1,20}")
                if kind == "SUBPATTERN":  # with the flags that hold in it
                    parts = ((name, (*value[:-1], _part(parsed, items))) for items in (begun, [more]))
                    yield [*before, next(parts)], next(parts), is_lazy
                else:
                    # What another branch matches here says nothing of where this one would end.
                    yield [*before, *begun], more, is_lazy and kind not in ("BRANCH", *_REPEATS)


def _part(parsed: Any, items: list[Any]) -> Any:
    return _parser().SubPattern(parsed.state, items)


def _compiled(parsed: Any, items: list[Any]) -> re.Pattern[str]:
    compiled_pattern: re.Pattern[str] = import_module("re._compiler").compile(_part(parsed, items), parsed.state.flags)
    return compiled_pattern


def _parser() -> Any:
    return import_module("re._parser")


def _ways(parsed: Any) -> int:
    """Return in how many ways the parsed pattern can match at one place, at most; more than WAYS is not told apart."""
    total = 1
    for name, value in parsed:
        total = min(total * _ways_of(str(name), value), WAYS + 1)
    return total


def _ways_of(name: str, value: Any) -> int:
    """Return the same for one part of a parsed pattern."""
    if name in _REPEATS:
        least, most, inside = int(value[0]), min(int(value[1]), PIECE), _ways(value[2])
        within: int = min(inside ** min(most, 20), WAYS + 1)
        return within * max(most - least + 1, 1)
    if name == "BRANCH":
        return sum(_ways(branch) for branch in value[1])
    if name in _GROUPS:
        return _ways(value[-1] if isinstance(value, tuple) else value)
    if name.startswith("GROUPREF"):
        return WAYS + 1
    return 1
