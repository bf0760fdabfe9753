r"""Patterns that find e-mail addresses, telephone, record and identity numbers, dates of birth, network addresses and passwords.

A stand-in takes the place of each: a plain one such as `[e-mail]` (see `kinds.py`), or what the caller makes of its kind and
value (see `pseudonyms.py`). The rules: every pattern runs in linear time; other dates, times, doses, measured values and codes
of classifications stay, because masking must not change what a text says.

This is not de-identification: a name, an address of a street or a rare illness stays in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from annotate.domain.privacy import birth_dates, identity_numbers, kept_codes, labelled, tables
from annotate.domain.privacy.folding import folded
from annotate.domain.privacy.kinds import ADDRESS, BIRTH, E_MAIL, NUMBER, PASSWORD, PHONE, StandIn, plain
from annotate.domain.privacy.labelled import LabelKind


class MaskedSpan(NamedTuple):
    """A part of a text and its kind; the kind is "" for a code that stays."""

    start: int
    end: int
    kind: str


Locate = Callable[[re.Match[str]], MaskedSpan | None]
Step = tuple[re.Pattern[str], Locate]
# Letters of names and hosts; not Chinese, Japanese or Korean ones, which stand beside an address without a space.
_LETTER = r"A-Za-z0-9\u00c0-\u024f\u0370-\u06ff"
# A number begins and ends where no digit or Latin letter is; a decimal mark before or after makes it part of a longer one.
_START = r"(?<![A-Za-z0-9_])(?<!\d[.,])"
_END = r"(?![A-Za-z0-9_])(?![.,]\d)"
_UNIT = r"(?!\s?(?:IU|IE|UI|U|units?|mg|mcg|[uµμ]g|ml|cells|copies|CFU|per|/|個|單位|单位|萬|万|단위|개)(?![a-z]))"

_PASSWORDS = re.compile(r"(?<=://)[^\s/@:]{1,200}:[^\s/@]{1,200}(?=@)")
_AT = r"(?:@| ?[\[(] ?(?i:at|ä) ?[\])] ?)"
_POINT = r"(?:\.| ?[\[(] ?(?i:dot|punkt|punto|point) ?[\])] ?)"
# Hosts in Chinese, Japanese and Korean end in one of few names, which tell where they end among words without spaces.
_IDEOGRAPHS = r"\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3"
_TOP = "公司|中国|中國|香港|台灣|台湾|网络|網絡|网址|在线|我爱你|世界|한국|닷컴|닷넷|みんな|コム"
_E_MAILS = re.compile(
    rf"(?<![{_LETTER}._%+-])[{_LETTER}._%+'-]{{1,64}}{_AT}(?:[{_LETTER}-]{{1,63}}{_POINT}){{1,8}}[{_LETTER}-]{{2,63}}"
    rf"|[{_LETTER}{_IDEOGRAPHS}._%+'-]{{1,64}}@(?:[{_LETTER}{_IDEOGRAPHS}-]{{1,63}}\.){{1,8}}(?:{_TOP})"
)
_IPV4 = re.compile(
    r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?![\w.]{0,40}\d)"
)
_IPV6 = re.compile(r"(?<![\w:])(?:[0-9A-Fa-f]{1,4}:){1,7}(?::[0-9A-Fa-f]{1,4}){0,7}(?:[0-9A-Fa-f]{1,4})?(?![\w:])")
# Cards in groups of four, and the numbers that states give people: Korea, the United States, Taiwan.
_IN_FOURS = r"\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{1,7}(?:[ -]\d{1,4})?"
_GROUPED = re.compile(rf"{_START}(?:{_IN_FOURS}|\d{{6}}-[1-8]\d{{6}}|\d{{3}}-\d{{2}}-\d{{4}}){_END}")
_LETTERED = re.compile(rf"{_START}(?!NCT|PMC|ISRCTN|RO)[A-Z]{{1,3}}-?\d{{7,30}}(?:-?[A-Z]|-\d{{1,3}})?{_END}")
_DIGITS = re.compile(rf"{_START}\d{{7,40}}(?:-(?:\d{{1,3}}|[A-Z]))?{_END}{_UNIT}")
_PHONES = re.compile(
    r"(?<![A-Za-z0-9_.,/-])(?:\+|\((?=\d{1,4}\))|\d)[\d\s()./-]{6,24}\d(?:\s?(?:x|ext\.?|#)\s?\d{1,6})?(?![A-Za-z0-9_-])(?![.,/]\d)"
)
_EXTENSION = re.compile(r"\s?[xe#].*")

# Every match of a number's pattern holds one of these, and what its pattern looks at begins and ends within reach of one.
_ANCHORS = re.compile(
    r"[0-9:〇一二三四五六七八九十]"
    r"(?:(?<=\d)(?:[\d-]{3}|[\d\s()./-]{4}|[A-Za-z]\d\d|[A-Z][A-Z0-9]\d-|-[1-8][*●○]|\s?[年년])|(?<=:)[0-9A-Fa-f]{0,4}:|(?<=[〇-十])\s?年)"
)
_REACH = 64
_DIGIT = re.compile("[0-9<〇一二三四五六七八九十]")
# What takes the place of what was found, for later steps: no letter, digit, space or separator.
_BLANK = "\0"

_DAY = re.compile(r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?)?")
_ROUND = re.compile(r"[1-9]\d{0,2}0{5,}")
# How countries group a number: an area in brackets, three groups, an area with its zero, a mobile's groups.
_AREAS = (
    r"(?:[1-9] ?)?\(\d{2,4}\) ?\d{3,4}[ -]?\d{3,4}",
    r"\(\d{2,4}\)[ -]?\d{2,4}(?:[ /-]\d{2,4}){2,4}",
    r"\(\d\d\) ?9?\d{4}-\d{4}",
    r"[78] ?\(\d{3}\) ?\d{3}[ -]\d\d[ -]\d\d",
    r"0\d{1,3}\) ?\d{3,4}[ -]\d{4}",
    r"\d{3}[-.]\d{3}[-.]\d{4}",
    r"1[ .-]\d{3}[ .-]\d{3}[ .-]\d{4}",
    r"[1-9]\d{1,2}-\d{4}-\d{4}",
    r"[1-9]\d 9?\d{4}-\d{4}",
    r"1[3-9]\d[ -]\d{4}[ -]\d{4}",
    r"0\d(?:\.\d\d){4}",
    r"0\d{1,4}(?:[ /-]\d{2,8}){1,5}",
    r"0\d{2,4} / \d{3,8}(?:[ -]\d{2,8}){0,3}",
    r"[6-9]\d\d \d\d \d\d \d\d",
    r"[2-9]\d\d \d{7}",
    r"[6-9]\d{4} \d{3}[1-9]\d",
    r"[689]\d \d{3} \d\d \d\d",
    r"0\d{1,3}\(\d{2,4}\)\d{3,4}",
    r"[78]-\d{3}-\d{3}-\d\d-\d\d",
)
_AREA = re.compile("|".join(_AREAS))
_DATE = re.compile(r"\d{1,2}([ ./-])\d{1,2}\1\d{2,4}|[12]\d{3}([ ./-])\d{1,2}\2\d{1,2}.*", re.DOTALL)
_HOURS = re.compile(r"[0-2]\d[0-5]\d[\s-]{1,3}[0-2]\d[0-5]\d")
# A telephone number in one piece: Europe and Asia dial a zero first, and numbers that are filled up with zeros have two.
_DIALLED = re.compile(r"0[1-9]\d{7,9}")


def masked(text: str, stand_in: StandIn = plain) -> str:
    """Return the text with what the patterns find replaced; masking it again changes nothing."""
    parts, at = list[str](), 0
    for start, end, kind in spans(text):
        parts += [text[at:start], stand_in(kind, text[start:end])]
        at = end
    return "".join([*parts, text[at:]]) if parts else text


def spans(text: str) -> list[MaskedSpan]:
    """Return what the patterns find, in order and apart."""
    seen, taken = folded(text), list[MaskedSpan]()
    if "@" in seen or "at]" in seen or "at)" in seen or "at )" in seen or "at ]" in seen:
        seen = _stepped(seen, 0, _BY_SIGN, taken)
    if _DIGIT.search(seen) is None:
        return taken
    seen = _blanked(seen, sorted(tables.spans(seen)), taken)
    seen = _blanked(seen, labelled.spans(seen), taken)
    if "<<" in seen:
        seen = _stepped(seen, 0, _PASSPORTS, taken)
    births = _births(seen)
    for start, end in _regions(seen):
        part = _stepped(seen[start:end], start, births, taken) if births else seen[start:end]
        part = birth_dates.PLAIN.sub(_blank, part)
        if _ANCHORS.search(part):
            _stepped(part, start, _NUMBERS, taken)
    return sorted(span for span in taken if span.kind)


def _blanked(text: str, named: Iterable[tuple[int, int, LabelKind]], taken: list[MaskedSpan]) -> str:
    """Add what labels or heads name, in order, and return the text with that blanked."""
    parts, at = list[str](), 0
    for start, end, label in named:
        taken.append(MaskedSpan(start, end, _KIND_OF[label]))
        parts += [text[at:start], _BLANK * (end - start)]
        at = end
    return "".join([*parts, text[at:]])


def _births(text: str) -> tuple[Step, ...]:
    """Return the steps of dates of birth that a text has the words and signs for."""
    small = text.lower()
    followed = _FOLLOWED if any(sign in small for sign in birth_dates.FOLLOWED_BY) else ()
    signed = _SIGNED if any(sign in small for sign in birth_dates.SIGNED_BY) else ()
    return followed + signed


def _blank(match: re.Match[str]) -> str:
    return _BLANK * len(match[0])


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


def _stepped(text: str, offset: int, steps: Iterable[Step], taken: list[MaskedSpan]) -> str:
    """Add what each step finds in turn, and return the text with that blanked: no later step sees it."""
    for pattern, locate in steps:
        text = pattern.sub(partial(_take, locate, offset, taken), text)
    return text


def _take(locate: Locate, offset: int, taken: list[MaskedSpan], match: re.Match[str]) -> str:
    span = locate(match)
    if span is None:
        return match[0]
    taken.append(MaskedSpan(offset + span.start, offset + span.end, span.kind))
    before, after = span.start - match.start(), match.end() - span.end
    return match[0][:before] + _BLANK * (span.end - span.start) + match[0][len(match[0]) - after :]


def _of_kind(kind_of: Callable[[re.Match[str]], str | None]) -> Locate:
    """Locate the whole match, where it has a kind."""

    def locate(match: re.Match[str]) -> MaskedSpan | None:
        kind = kind_of(match)
        return None if kind is None else MaskedSpan(*match.span(), kind)

    return locate


def _always(kind: str) -> Locate:
    return lambda match: MaskedSpan(*match.span(), kind)


def _within(find: Callable[[re.Match[str]], tuple[int, int] | None]) -> Locate:
    """Locate the number in a match."""

    def locate(match: re.Match[str]) -> MaskedSpan | None:
        span = find(match)
        return None if span is None else MaskedSpan(*span, NUMBER)

    return locate


def _signed_birth(match: re.Match[str]) -> MaskedSpan | None:
    group = str(match.lastgroup)
    return MaskedSpan(*match.span(group), BIRTH) if birth_dates.is_plausible(match[group]) else None


def _birth(match: re.Match[str]) -> str | None:
    return BIRTH if birth_dates.is_plausible(match[0]) else None


def _grouped(match: re.Match[str]) -> str | None:
    """Tell a number in groups from a list of years or of round values."""
    groups = [int(group) for group in re.findall(r"\d+", match[0])]
    is_list = all(group % 10 == 0 or 1900 <= group <= 2100 for group in groups)
    return None if is_list and len(groups) == 4 else NUMBER


def _number(match: re.Match[str]) -> str | None:
    """Tell the kind of a run of digits, unless it is a day or a round quantity."""
    digits = match[0]
    if _ROUND.fullmatch(digits) or (_DAY.fullmatch(digits) and not identity_numbers.is_century_number(digits)):
        return None
    if kept_codes.is_concept(digits):
        return None
    return PHONE if _DIALLED.fullmatch(digits) else NUMBER


def _phone(match: re.Match[str]) -> str | None:
    """Tell a telephone number from dates, hours and lists of values by how it begins and is grouped."""
    whole = _EXTENSION.sub("", match[0])
    digits = sum(map(str.isdecimal, whole))
    if whole.startswith("+"):
        return PHONE if 8 <= digits <= 15 else None
    if _DATE.fullmatch(whole) or _HOURS.fullmatch(whole) or not 8 <= digits <= (15 if whole.startswith("0") else 12):
        return None
    return PHONE if _AREA.fullmatch(whole) and not _is_list(re.findall(r"\d+", whole)) else None


def _is_list(groups: list[str]) -> bool:
    """Return whether these are short numbers that grow, such as hours; in another order, or above 60, five dial in France."""
    is_short = all(len(group) < 3 for group in groups)
    return is_short and (len(groups) != 5 or (groups == sorted(groups) and int(groups[-1]) <= 60))


def _address(match: re.Match[str]) -> str | None:
    """Tell an address of the sixth version: two colons together, or eight groups; a time of day has neither."""
    whole = match[0]
    return ADDRESS if ("::" in whole and len(whole) > 3) or whole.count(":") == 7 else None


_KIND_OF = {
    LabelKind.BIRTH: BIRTH,
    LabelKind.PHONE: PHONE,
    LabelKind.RECORD: NUMBER,
    LabelKind.WEAK: NUMBER,
    LabelKind.CODE: "",
}
# Steps that need an @, and those of numbers: a step sees nothing of what an earlier one took.
_BY_SIGN: tuple[Step, ...] = (
    (_PASSWORDS, _always(PASSWORD)),
    (_E_MAILS, _always(E_MAIL)),
)
_PASSPORTS: tuple[Step, ...] = ((identity_numbers.PASSPORT_LINES, _always(NUMBER)),)
_FOLLOWED: tuple[Step, ...] = ((birth_dates.FOLLOWED, _of_kind(_birth)),)
_SIGNED: tuple[Step, ...] = ((birth_dates.SIGNED, _signed_birth),)
_NUMBERS: tuple[Step, ...] = (
    (kept_codes.UNLABELLED, _always("")),
    (identity_numbers.ACCOUNTS, _within(identity_numbers.account_at)),
    (identity_numbers.NUMBERS, _within(identity_numbers.number_at)),
    (_GROUPED, _of_kind(_grouped)),
    (_LETTERED, _always(NUMBER)),
    (_PHONES, _of_kind(_phone)),
    (_IPV4, _always(ADDRESS)),
    (_IPV6, _of_kind(_address)),
    (_DIGITS, _of_kind(_number)),
)
