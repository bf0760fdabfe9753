"""Find what stands beside a word that names it: dates of birth, numbers of records and identity, telephone numbers.

The words of all languages are one automaton of RE2, which reads a text once; what follows a word is looked at from its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from string import ascii_letters
from typing import Any

from annotate.domain.privacy import birth_dates, identity_numbers, kept_codes, labels


class LabelKind(StrEnum):
    """What a label names."""

    BIRTH = "birth"
    RECORD = "record"
    WEAK = "weak"
    PHONE = "phone"
    CODE = "code"


_LISTS = (
    (LabelKind.BIRTH, labels.BIRTH),
    (LabelKind.RECORD, labels.RECORD),
    (LabelKind.PHONE, labels.PHONE),
    (LabelKind.WEAK, labels.WEAK),
    (LabelKind.CODE, kept_codes.NAMES),
)
_JOINT = r"[\s._-]{0,3}"
# Between a label and its value: signs, a remark in brackets, marks of HTML, and words that only join.
_JOINS = (
    r"is|was|are|s|age|sex|gender|día|dia|last four|last 4(?= digits| \d)|digits|value|da|lo|der|die|de|of|the|for"
    r"|this|that|patient|recorded|listed|given|documented|noted|as|on|est|es|el|le|la|ist|lautet|war|am|é|em|il|era"
    r"|op|er|den|dne|to|no|nr|number|серии|номер|n|nº|n°|num|numero|número|numéro|nummer|als|jest|je|là|adalah|des|du"
    r"|della|von|vom|patienten|pacjenta|paciente|paziente|dnia|рф|a"
)
_PLACE = r"(?:a|à|en|in|em|at|i|w|v|в|te|zu) [^\s\d]{2,20}(?: [^\s\d]{2,20})?,? (?:il|le|el|on|am|em|op|den|dne) "
_GAP = re.compile(
    rf"(?i)(?:[(（\[][^)）\]\d]{{1,24}}[)）\]]|</?[a-z]{{1,6}}>|[\s:;#=|\"'*<>\[\](),（）「」『』【】/_~№º°.+-]"
    rf"|{_PLACE}|(?-i:(?:[A-Z][^\s\d]{{1,20}} ){{1,2}}(?:le|il|el|on|am) )"
    rf"|(?:{_JOINS})(?![^\W_])|番号|號碼|号码|번호|앞자리|뒷자리|[은는이가为為是はがの])"
)
_LONGEST_GAP = 40
_PIECE = (
    r"(?:[A-Za-z]{7,8}|[A-Za-z]{0,6}[ /-]?)\d(?:[A-Za-z0-9]|[./-](?=[A-Za-z0-9])){1,30}"
    r"(?: ?\([0-9A]\)| [A-Z](?![^\W\d_]|\.))?"
)
_RECORD_VALUE = re.compile(
    r"(?:[A-Za-z]{1,4}[ -]?)?\d{1,7}(?:(?: ?[.-] ?| ?№ ?| )\d{1,7}){1,12}(?:[ -]?[A-Za-z](?![^\W\d_]|\.))?"
    r"(?![A-Za-z0-9])(?![./-]\d)"
    rf"|{_PIECE}"
)
_TOKEN = re.compile(_PIECE)
_PHONE_VALUE = re.compile(r"\+?\(?\d(?:[ ().-]{0,3}\d){6,14}(?![A-Za-z0-9])(?![./]\d)")
_AGE = re.compile(r"\d{1,3}\s?(?:yo|y|yrs?|years|세|歳|岁|歲)?\s?[/|,]\s?")
_PREFIX = ascii_letters + " "
_ALSO = re.compile(
    r"\s?(?:\([^()\d]{1,20}\))?\s?(?:[,;/]|or|and|oder|ou|et|und|o|y|e|或|または)\s?(?:[^\W\d_]{1,8}:? )?(?=[+(\d])"
)
_UNITS = re.compile(
    r"\s?(?:mg|mcg|µg|μg|g|ml|l|mmol|mmHg|IU|U|%|bpm|cm|mm|kg|days?|weeks?|months?|years?|hours?|patients|cases)(?![a-z])"
)
_DATE = re.compile(
    r"(?:19|20)\d{2}([./-])\d{1,2}\1\d{1,2}(?!\d)|\d{1,2}([./-])\d{1,2}\2(?:19|20)\d{2}(?!\d)|(?:19|20)\d{2}(?:[/-]\d{2})?(?![A-Za-z0-9-])"
)
_FEWEST = {LabelKind.RECORD: 4, LabelKind.WEAK: 6}


def spans(text: str) -> Iterator[tuple[int, int, LabelKind]]:
    """Yield start, end and kind of what labels name in a folded text, in order and apart."""
    data, at = text.encode("utf-8", "surrogatepass"), 0
    is_ascii, first, taken = len(data) == len(text), 0, 0
    automaton, kinds = _automaton()
    while match := automaton.search(data, at):
        start, end = match.span()
        if is_ascii:
            begin, stop = start, end
        else:
            begin = first + len(data[at:start].decode("utf-8", "surrogatepass"))
            stop = begin + len(data[start:end].decode("utf-8", "surrogatepass"))
        at, first = end, stop
        key = _key(text[begin:stop])
        if key not in kinds:
            key, stop = _key(text[begin : stop - 1]), stop - 1
        if begin < taken or not _is_word(text, begin, stop):
            continue
        kind = kinds[key]
        value = kept_codes.code_at(text, stop, key) if kind is LabelKind.CODE else _value(text, stop, kind, key)
        if value is not None:
            yield (*value, kind)
            taken = value[1]
            if kind is LabelKind.PHONE:
                more = list(_more_phones(text, taken))
                yield from ((*phone, kind) for phone in more)
                taken = more[-1][1] if more else taken


def kind_of(name: str) -> LabelKind | None:
    """Return what a whole name, such as the head of a column, stands for; the last label in it says so."""
    automaton, kinds = _automaton()
    if (kind := kinds.get(_key(name))) is not None:
        return kind
    text, at = name.replace("_", " "), 0
    for match in automaton.finditer(text.encode("utf-8", "surrogatepass")):
        label = bytes(match[0]).decode("utf-8", "surrogatepass")
        label = label if _key(label) in kinds else label[:-1]
        at = text.find(label, at)
        kind = kinds[_key(label)] if _is_word(text, at, at + len(label)) else kind
    return kind


def is_phone(text: str) -> bool:
    """Return whether the whole text may be a telephone number."""
    return _PHONE_VALUE.fullmatch(text) is not None


def is_date(text: str) -> bool:
    """Return whether the whole text is a day with its year, or years."""
    return _DATE.fullmatch(text) is not None


def _more_phones(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Yield where further telephone numbers lie that a list goes on with."""
    while (gap := _ALSO.match(text, at)) and (match := _PHONE_VALUE.match(text, gap.end())):
        if _DATE.match(match[0]):
            return
        yield match.span()
        at = match.end()


def _value(text: str, at: int, kind: LabelKind, key: str) -> tuple[int, int] | None:
    """Return where the value of a label that ends here lies; None where what follows is none."""
    start = at
    while start - at < _LONGEST_GAP and (gap := _GAP.match(text, start)):
        start = gap.end()
    if kind is LabelKind.BIRTH:
        return _birth(text, start, key)
    if kind is LabelKind.PHONE:
        match = _PHONE_VALUE.match(text, start - (text[start - 1 : start] in {"+", "("}))
        return match.span() if match and not _DATE.match(match[0]) else None
    if span := identity_numbers.number_of(text, start):
        return span
    match = _numbered(text, start)
    if match is None or not _is_long(match[0], kind) or _DATE.fullmatch(match[0].lstrip(_PREFIX)):
        return None
    return None if _UNITS.match(text, match.end()) else match.span()


def _birth(text: str, at: int, key: str) -> tuple[int, int] | None:
    """Return where a day of birth lies, which an age may come before; a month alone stays in a sentence with "born"."""
    match = birth_dates.LABELLED.match(text, at)
    if match is None and (age := _AGE.match(text, at)):
        match = birth_dates.LABELLED.match(text, age.end())
    if match is None or not birth_dates.is_plausible(match[0]):
        return None
    return None if key == "born" and birth_dates.MONTH_ALONE.fullmatch(match[0]) else match.span()


def _is_long(value: str, kind: LabelKind) -> bool:
    """Return whether a value has as many digits as its label needs; beside a weak one, letters in a long value count, too."""
    digits, signs = sum(sign.isdecimal() for sign in value), sum(sign.isalnum() for sign in value)
    is_mixed = digits < signs and (digits >= 5 and signs >= 8 if kind is LabelKind.WEAK else digits >= 2 and signs >= 7)
    return digits >= _FEWEST[kind] or is_mixed


def _numbered(text: str, at: int) -> re.Match[str] | None:
    """Return the match of a number: in groups where they are alike or make eight digits or more, else one piece."""
    match = _RECORD_VALUE.match(text, at)
    if match is None or " " not in match[0]:
        return match
    groups = re.findall(r"\d+", match[0])
    is_even = len(groups) > 2 and {len(group) for group in groups} in ({2}, {3})
    if is_even or sum(map(len, groups)) >= (6 if match[0][0].isupper() else 8):
        return match
    return _TOKEN.match(text, at)


def _is_word(text: str, start: int, end: int) -> bool:
    """Return whether a label in an alphabet stands alone; in other scripts words stand together."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return not ((_is_letter(text[start]) and _is_letter(before)) or (_is_letter(text[end - 1]) and _is_letter(after)))


def _is_letter(sign: str) -> bool:
    """Return whether this is a letter of the Latin, Greek or Cyrillic alphabet."""
    return sign.isalpha() and sign < "\u0530"


def _key(label: str) -> str:
    return re.sub(r"[\s._-]", "", label.lower())


@lru_cache(maxsize=1)
def _automaton() -> tuple[Any, dict[str, LabelKind]]:
    """Compile the labels once; the longest of those that begin alike comes first."""
    import re2

    kinds: dict[str, LabelKind] = {}
    for kind, text in _LISTS:
        for label in labels.words(text):
            kinds.setdefault(_key(label), kind)
    every = labels.words("|".join(text for _, text in _LISTS))
    options = re2.Options()
    options.log_errors, options.case_sensitive, options.max_mem = False, False, 64 << 20
    return re2.compile("|".join(map(_pattern, every)), options), kinds


def _pattern(label: str) -> str:
    """Return the pattern of a label; RE2 looks at ASCII letters beside it, and takes the sign behind it into the match."""
    import re2

    first = r"\b" if label[0].isascii() and label[0].isalnum() else ""
    last = "(?:[^A-Za-z]|$)" if label[-1].isascii() and label[-1].isalpha() else ""
    return first + _JOINT.join(map(re2.escape, label.split(" "))) + last
