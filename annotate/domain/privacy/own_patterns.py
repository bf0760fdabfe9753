r"""Compile a team's own regular expressions by RE2, which takes time in proportion to the text whatever the pattern.

Patterns are written as for Python. RE2 knows ASCII only in `\d`, `\w`, `\s` and `\b`, which would leave names and numbers
in other scripts unmasked, so these are translated. Where RE2 cannot do as Python does, a pattern is refused or masks more, never
less.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotate.domain.privacy.kinds import HIDDEN, StandIn, plain
from proxy.errors import UsageError

_NAMED_GROUP = re.compile(r"\(\?P<([A-Z][A-Z_]{1,30})>")
# What a pattern may take: RE2 is quick while its automaton fits into memory, and its size is the price of a character.
MEMORY, INSTRUCTIONS = 64 << 20, 200_000

_DIGIT, _WORD, _SPACE = r"\p{Nd}", r"\p{L}\p{N}_", r"\s\v\x1c-\x1f\x85\p{Z}"
_OUTSIDE = {
    r"\d": _DIGIT,
    r"\D": r"\P{Nd}",
    r"\w": f"[{_WORD}]",
    r"\W": f"[^{_WORD}]",
    r"\s": f"[{_SPACE}]",
    r"\S": f"[^{_SPACE}]",
    r"\Z": r"\z",
    "$": r"(?:$|\n\z)",
    "{,": "{0,",
}
_IN_CLASS = {r"\d": _DIGIT, r"\D": r"\P{Nd}", r"\w": _WORD, r"\s": _SPACE}
_BOUNDARY = r"\b"
_EDGE = f"(?:\\b|%s|[^{_WORD}])"
_FLAGS = re.compile(r"(?:\(\?[A-Za-z]+\))?")
_PART = re.compile(r"\\.|\[\^?\]?|\{,(?=\d*\})|\(\?(?:P[=>]|<?[=!]|[>(#])|.", re.DOTALL)
_PART_IN_CLASS = re.compile(r"\\.|.", re.DOTALL)
_REFUSED = {
    **dict.fromkeys(("(?=", "(?!"), "a lookahead"),
    **dict.fromkeys(("(?<=", "(?<!"), "a lookbehind"),
    **dict.fromkeys(("(?P=", *(f"\\{number}" for number in range(1, 10))), "a backreference"),
    "(?(": "a condition",
    "(?>": "an atomic group",
    "(?#": "a comment",
    r"\B": "a place that is no word boundary",
    _BOUNDARY: "a word boundary between its beginning and its end",
}
_REFUSED_IN_CLASS = {
    r"\W": "a \\W in brackets (\\p{L} is a letter)",
    r"\S": "a \\S in brackets",
}


@dataclass(frozen=True, slots=True)
class OwnPattern:
    """A pattern as it was written, and compiled: what its first group covers is masked."""

    pattern: str
    compiled: Any = field(compare=False, repr=False)

    @property
    def kind(self) -> str:
        """The kind of what it finds: a group's name in capitals, `(?P<PATIENT>MRN-[0-9]+)`, where the pattern has one."""
        group = _NAMED_GROUP.search(self.pattern)
        return group[1] if group else HIDDEN


def compiled(pattern: str, where: str) -> OwnPattern:
    """Compile the pattern; UsageError that names `where` and the pattern if it is none, or matches nothing at all."""
    import re2

    options = re2.Options()
    options.log_errors, options.max_mem = False, MEMORY
    try:
        core, first, last = _translated(pattern)
        is_empty = re2.compile(core, options).search("") is not None
        expression = re2.compile(f"{first}({core}){last}", options)
    except (re2.error, ValueError) as error:
        reason = error.args[0].decode() if isinstance(error.args[0], bytes) else error
        raise UsageError(f"{where}: {pattern!r} cannot be used: {reason}") from None
    if is_empty:
        raise UsageError(f"{where}: {pattern!r} matches where nothing is: ask for a character at least")
    if expression.programsize > INSTRUCTIONS:
        raise UsageError(f"{where}: {pattern!r} is too large: repeat fewer times, or use + instead of a number")
    return OwnPattern(pattern, expression)


def replaced(text: str, patterns: Sequence[OwnPattern], stand_in: StandIn = plain) -> str:
    """Return the text with every match replaced, one pattern after the other."""
    for pattern in patterns:
        text = _replaced(text, pattern, stand_in)
    return text


def _replaced(text: str, pattern: OwnPattern, stand_in: StandIn) -> str:
    data, at, kind = text.encode("utf-8", "surrogatepass"), 0, pattern.kind
    parts = list[bytes]()
    # From the end of what is masked, not of the match: the next one may begin with the same character between words.
    while match := pattern.compiled.search(data, at):
        start, end = match.span(1)
        value = data[start:end].decode("utf-8", "surrogatepass")
        parts += [data[at:start], stand_in(kind, value).encode()]
        at = end
    return b"".join([*parts, data[at:]]).decode("utf-8", "surrogatepass") if parts else text


def _translated(pattern: str) -> tuple[str, str, str]:
    """Return the pattern for RE2, and what must stand before and behind it; ValueError for what it does not know."""
    flags = _FLAGS.match(pattern)
    head = flags[0] if flags else ""
    parts = list(_parts(pattern, len(head)))
    first = last = ""
    if parts and parts[0][1:] == (_BOUNDARY, False):
        first = _EDGE % r"\A"
        del parts[0]
    if parts and parts[-1][1:] == (_BOUNDARY, False):
        last = _EDGE % r"\z"
        del parts[-1]
    if (first or last) and _has_alternatives(parts):
        raise ValueError(f"write {_BOUNDARY} round a group of all alternatives, like {_BOUNDARY}(?:Ann|Bob){_BOUNDARY}")
    return head + "".join(_translated_part(*part) for part in parts), first, last


def _parts(pattern: str, at: int) -> Iterator[tuple[int, str, bool]]:
    """Yield the place of each part, what it is, and whether it stands in brackets."""
    is_in_class = False
    while match := (_PART_IN_CLASS if is_in_class else _PART).match(pattern, at):
        part, was_in_class = match[0], is_in_class
        if was_in_class:
            is_in_class = part != "]"
        elif part.startswith("["):
            is_in_class = was_in_class = True
        yield at, part, was_in_class
        at = match.end()


def _has_alternatives(parts: list[tuple[int, str, bool]]) -> bool:
    depth = 0
    for _, part, is_in_class in parts:
        if is_in_class:
            continue
        depth += part.startswith("(") - (part == ")")
        if part == "|" and not depth:
            return True
    return False


def _translated_part(at: int, part: str, is_in_class: bool) -> str:
    known, refused = (_IN_CLASS, _REFUSED_IN_CLASS) if is_in_class else (_OUTSIDE, _REFUSED)
    if part in refused:
        raise ValueError(f"character {at + 1} begins {refused[part]}, which RE2 does not know")
    return known.get(part, part)
