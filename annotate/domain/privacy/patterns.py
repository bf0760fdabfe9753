r"""Patterns that find e-mail addresses, telephone and record numbers, network addresses and passwords in a text, and stand-ins.

A stand-in takes the place of each: a plain one such as `[e-mail]`, or what the caller makes of its kind and value (see
`pseudonyms.py`). The rules: every pattern runs in linear time; dates, times, doses and measured values stay, because masking must
not change what a text says.

This is not de-identification: a name, a birthday, an address of a street or a rare illness stays in the text.

Compile a team's own regular expressions by RE2, which takes time in proportion to the text whatever the pattern. Patterns
are written as for Python. RE2 knows ASCII only in `\d`, `\w`, `\s` and `\b`, which would leave names and numbers in other
scripts unmasked, so these are translated. Where RE2 cannot do as Python does, a pattern is refused or masks more, never
less.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from proxy.errors import UsageError

# Kinds of what is replaced; the last is that of a team's own pattern without a named group.
E_MAIL, PHONE, NUMBER, ADDRESS, PASSWORD, HIDDEN = "EMAIL", "PHONE", "NUMBER", "ADDRESS", "PASSWORD", "HIDDEN"
KINDS = (E_MAIL, PHONE, NUMBER, ADDRESS, PASSWORD, HIDDEN)
KIND = re.compile(r"[A-Z][A-Z_]{1,30}")
StandIn = Callable[[str, str], str]  # of a kind and the value that it stands for
KindOf = Callable[[re.Match[str]], str | None]
Step = tuple[re.Pattern[str], KindOf, int]
# Letters of names and hosts; not Chinese, Japanese or Korean ones, which stand beside an address without a space.
_LETTER = r"A-Za-z0-9\u00c0-\u024f"
# A number begins and ends where no digit or Latin letter is; a decimal mark before or after makes it part of a longer one.
_START = r"(?<![A-Za-z0-9_])(?<!\d[.,])"
_END = r"(?![A-Za-z0-9_])(?![.,]\d)"
_UNIT = r"(?!\s?(?:IU|IE|UI|U|units?|mg|mcg|[uµμ]g|ml|cells|copies|CFU|per|/|個|單位|单位|萬|万|단위|개)(?![a-z]))"

_PASSWORDS = re.compile(r"(?<=://)[^\s/@:]{1,200}:[^\s/@]{1,200}(?=@)")
_E_MAILS = re.compile(
    rf"(?<![{_LETTER}._%+-])[{_LETTER}._%+'-]{{1,64}}[@\uff20](?:[{_LETTER}-]{{1,63}}\.){{1,8}}[{_LETTER}-]{{2,63}}"
)
_IPV4 = re.compile(
    r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?![\w.]{0,40}\d)"
)
_IPV6 = re.compile(r"(?<![\w:])(?:[0-9A-Fa-f]{1,4}:){1,7}(?::[0-9A-Fa-f]{1,4}){0,7}(?:[0-9A-Fa-f]{1,4})?(?![\w:])")
# Cards in groups of four, and the numbers that states give people: Korea, the United States, Taiwan.
_GROUPED = re.compile(
    rf"{_START}(?:\d{{4}}[ -]\d{{4}}[ -]\d{{4}}[ -]\d{{1,7}}|\d{{6}}-[1-8]\d{{6}}|\d{{3}}-\d{{2}}-\d{{4}}){_END}"
)
_NAMED = re.compile(
    r"(?i)(\b(?:MRN|NHS(?: number)?|SSN|(?:medical )?record (?:no\.?|number)|patient (?:id|no\.?|number)|Fallnummer)"
    r"|病歷號碼?|病历号|身分證(?:字號)?|身份证号?|健保卡號|등록번호|환자번호|주민등록번호)"
    r"(\s{0,3}(?:is|[:：#=])?\s{0,3})([A-Za-z]{0,4}-?\d[\d-]{3,30})"
)
_LETTERED = re.compile(rf"{_START}(?!NCT|PMC|ISRCTN|RO)[A-Z]{{1,3}}-?\d{{7,30}}{_END}")
_DIGITS = re.compile(rf"{_START}\d{{7,40}}{_END}{_UNIT}")
_PHONES = re.compile(r"(?<![A-Za-z0-9_.,/-])(?:\+|\(?\d)[\d\s()./-]{6,24}\d(?![A-Za-z0-9_-])(?![.,/]\d)")

# Every match of a number's pattern holds one of these, and what its pattern looks at begins and ends within reach of one.
_ANCHORS = re.compile(r"\d(?:[\d-]{3}|[\d\s()./-]{4})|:[0-9A-Fa-f]{0,4}:")
_REACH = 48

_DAY = re.compile(r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\d{4}|\d{6})?")
_ROUND = re.compile(r"[1-9]\d{0,2}0{5,}")
_AREA = re.compile(r"\(\d{2,4}\) ?\d{3,4}[ -]?\d{3,4}|\d{3}[-.]\d{3}[-.]\d{4}|0\d{1,4}(?:[ /-]\d{2,8}){1,5}")
_DATE = re.compile(r"\d{1,2}([ ./-])\d{1,2}\1\d{2,4}|\d{4}([ ./-])\d{1,2}\2\d{1,2}.*", re.DOTALL)
_HOURS = re.compile(r"[0-2]\d[0-5]\d[\s-]{1,3}[0-2]\d[0-5]\d")
# A telephone number in one piece: Europe and Asia dial a zero first, and numbers that are filled up with zeros have two.
_DIALLED = re.compile(r"0[1-9]\d{7,9}")
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


def plain(kind: str, value: str = "") -> str:
    """Return the stand-in that tells the kind alone."""
    return "[e-mail]" if kind == E_MAIL else f"[{kind.lower()}]"


def masked(text: str, stand_in: StandIn = plain) -> str:
    """Return the text with what the patterns find replaced; masking it again changes nothing."""
    if "@" in text or "\uff20" in text:
        text = _stepped(text, _BY_SIGN, stand_in)
    parts, at = list[str](), 0
    for start, end in _regions(text):
        parts += [text[at:start], _stepped(text[start:end], _NUMBERS, stand_in)]
        at = end
    return "".join([*parts, text[at:]]) if parts else text


def _regions(text: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text that the patterns of numbers have to look at: a tenth of it, in time."""
    first = last = -1
    for match in _ANCHORS.finditer(text):
        if last < 0 or match.start() - _REACH > last:
            if last >= 0:
                yield first, last
            first = max(0, match.start() - _REACH)
        last = match.end() + _REACH
    if last >= 0:
        yield first, last


def _stepped(text: str, steps: Iterable[Step], stand_in: StandIn) -> str:
    for pattern, kind_of, group in steps:
        text = pattern.sub(partial(_put, kind_of, group, stand_in), text)
    return text


def _put(kind_of: KindOf, group: int, stand_in: StandIn, match: re.Match[str]) -> str:
    """Return what takes the place of a match: its group replaced, or all of it as it is."""
    kind = kind_of(match)
    if kind is None:
        return match[0]
    return match[0][: match.start(group) - match.start()] + stand_in(kind, match[group])


def _always(kind: str) -> KindOf:
    return lambda match: kind


def _number(match: re.Match[str]) -> str | None:
    """Tell the kind of a run of digits, unless it is a day or a round quantity."""
    digits = match[0]
    if _DAY.fullmatch(digits) or _ROUND.fullmatch(digits):
        return None
    return PHONE if _DIALLED.fullmatch(digits) else NUMBER


def _phone(match: re.Match[str]) -> str | None:
    """Tell a telephone number from dates, hours and lists of values by how it begins and is grouped."""
    whole = match[0]
    digits = sum(sign.isdecimal() for sign in whole)
    if whole.startswith("+"):
        return PHONE if 8 <= digits <= 15 else None
    if _DATE.fullmatch(whole) or _HOURS.fullmatch(whole) or not 8 <= digits <= 12:
        return None
    return PHONE if _AREA.fullmatch(whole) and not _is_list(re.findall(r"\d+", whole)) else None


def _is_list(groups: list[str]) -> bool:
    """Return whether these are short numbers that grow, such as hours; five pairs in another order are how France dials."""
    is_short = all(len(group) < 3 for group in groups)
    return is_short and (len(groups) != 5 or groups == sorted(groups))


def _address(match: re.Match[str]) -> str | None:
    """Tell an address of the sixth version: two colons together, or eight groups; a time of day has neither."""
    whole = match[0]
    return ADDRESS if ("::" in whole and len(whole) > 3) or whole.count(":") == 7 else None


# Each pattern, the kind of what it finds, and the group that is replaced: those that need an @, and those of numbers.
_BY_SIGN: tuple[Step, ...] = (
    (_PASSWORDS, _always(PASSWORD), 0),
    (_E_MAILS, _always(E_MAIL), 0),
)
_NUMBERS: tuple[Step, ...] = (
    (_NAMED, _always(NUMBER), 3),
    (_GROUPED, _always(NUMBER), 0),
    (_LETTERED, _always(NUMBER), 0),
    (_PHONES, _phone, 0),
    (_IPV4, _always(ADDRESS), 0),
    (_IPV6, _address, 0),
    (_DIGITS, _number, 0),
)


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
