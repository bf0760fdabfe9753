"""Patterns that find e-mail addresses, telephone and record numbers, network addresses and passwords in a text, and stand-ins.

In comes a text, out comes the text with `[e-mail]`, `[phone]`, `[number]`, `[address]` or `[password]` in their place. The rules:
every pattern runs in linear time; dates, times, doses and measured values stay, because masking must not change what a text says.

This is not de-identification: a name, a birthday, an address of a street or a rare illness stays in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable

E_MAIL, PHONE, NUMBER, ADDRESS, PASSWORD = "[e-mail]", "[phone]", "[number]", "[address]", "[password]"
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
    r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?![\w.]*\d)"
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

_DAY = re.compile(r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\d{4}|\d{6})?")
_ROUND = re.compile(r"[1-9]\d{0,2}0{5,}")
_AREA = re.compile(r"\(\d{2,4}\) ?\d{3,4}[ -]?\d{3,4}|\d{3}[-.]\d{3}[-.]\d{4}|0\d{1,4}(?:[ /-]\d{2,8}){1,5}")
_DATE = re.compile(r"\d{1,2}([ ./-])\d{1,2}\1\d{2,4}|\d{4}([ ./-])\d{1,2}\2\d{1,2}.*", re.DOTALL)
_HOURS = re.compile(r"[0-2]\d[0-5]\d[\s-]{1,3}[0-2]\d[0-5]\d")


def masked(text: str) -> str:
    """Return the text with what the patterns find replaced; masking it again changes nothing."""
    if not any(sign in text for sign in "@\uff20:") and not any(sign.isdecimal() for sign in text):
        return text
    for pattern, stand_in in _STEPS:
        text = pattern.sub(stand_in, text)
    return text


def _number(match: re.Match[str]) -> str:
    """Mask a run of digits, unless it is a day or a round quantity."""
    digits = match[0]
    return digits if _DAY.fullmatch(digits) or _ROUND.fullmatch(digits) else NUMBER


def _phone(match: re.Match[str]) -> str:
    """Mask a telephone number, told from dates, hours and lists of values by how it begins and is grouped."""
    whole = match[0]
    digits = sum(sign.isdecimal() for sign in whole)
    if whole.startswith("+"):
        return PHONE if 8 <= digits <= 15 else whole
    if _DATE.fullmatch(whole) or _HOURS.fullmatch(whole) or not 8 <= digits <= 12:
        return whole
    return PHONE if _AREA.fullmatch(whole) and not _is_list(re.findall(r"\d+", whole)) else whole


def _is_list(groups: list[str]) -> bool:
    """Return whether these are short numbers that grow, such as hours; five pairs in another order are how France dials."""
    is_short = all(len(group) < 3 for group in groups)
    return is_short and (len(groups) != 5 or groups == sorted(groups))


def _address(match: re.Match[str]) -> str:
    """Mask an address of the sixth version: two colons together, or eight groups; a time of day has neither."""
    whole = match[0]
    return ADDRESS if ("::" in whole and len(whole) > 3) or whole.count(":") == 7 else whole


_STEPS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (_PASSWORDS, PASSWORD),
    (_E_MAILS, E_MAIL),
    (_NAMED, rf"\1\2{NUMBER}"),
    (_GROUPED, NUMBER),
    (_LETTERED, NUMBER),
    (_PHONES, _phone),
    (_IPV4, ADDRESS),
    (_IPV6, _address),
    (_DIGITS, _number),
)
