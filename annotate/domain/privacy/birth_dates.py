"""Find dates of birth: a day in any usual form beside a word that names it. Other dates stay, since experts need them."""

from __future__ import annotations

import re
from datetime import date

from annotate.domain.privacy.labels import BORN

_SEP = r"(?: ?[./-] ?| )"
_MONTH = r"[^\s\d,;:()\[\]<>\"'/]{2,14}"
_OF = r"(?:de |del |di |d'|of |da |dne )?"
_CJK_NUMBER = r"[〇零一二三四五六七八九十廿卅元正\d]{1,4}"
_ERA = r"(?:(?:民國|民国|明治|大正|昭和|平成|令和|[MTSHR](?=\d))\s?)?"
_END = r"(?![A-Za-z0-9])(?![./-]\d)"
NUMERIC = (
    rf"(?:(?:民國|民国|昭和|平成|令和|[MTSHR])\d{{1,3}}{_SEP}\d{{1,2}}{_SEP}\d{{1,2}}"
    rf"|{_ERA}\d{{1,2}}{_SEP}\d{{1,2}}{_SEP}'?(?:\d{{4}}|\d{{2}})|\d{{3,4}}{_SEP}\d{{1,2}}{_SEP}\d{{1,2}}"
    r"(?:[T ]0?0:00(?::00(?:\.0{1,6})?)?Z?)?)"
)
CJK = rf"(?:{_ERA}{_CJK_NUMBER}\s?[年년]\s?{_CJK_NUMBER}\s?[月월](?:\s?{_CJK_NUMBER}\s?[日일号號])?)"
NAMED_MONTH = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th|er|re|e|a|º|ª|\.)?[ ./-]{{0,2}}{_OF}{_MONTH}\.?,?[ ./-]{{0,2}}{_OF}'?(?:\d{{4}}|\d{{2}})"
    rf"|{_MONTH}\.?[ ./-]{{1,2}}\d{{1,2}}(?:st|nd|rd|th)?(?:, {{0,2}}| {{1,2}}|[./-])'?\d{{4}}"
    rf"|\d{{4}}[ ./-]{{1,2}}{_MONTH}\.?[ ./-]{{1,2}}\d{{1,2}})"
)
# Months by how their names begin; a month and a year alone need one.
_MONTHS = (
    r"(?:jan|feb|fév|fev|mar|mär|mrt|apr|avr|abr|may|mai|maj|mei|mag|jun|jui|giu|jul|lug|aug|août|ago|sep|set|oct|okt|ott|out"
    r"|nov|dec|déc|dez|dic|gen|ene)[^\W\d_]{0,8}\.?"
)
_SPACED = r"\d ?\d ?[./-] ?\d ?\d ?[./-] ?\d ?\d ?\d ?\d"
_WORDS = rf"[^\W\d_]{{3,10}}(?:[- ][^\W\d_]{{3,8}})?(?: day)? (?:of |de )?{_MONTHS},? (?:of |de |del |di )?"
MONTH_ALONE = re.compile(rf"(?i){_MONTHS},? (?:of |de |del |di )?\d{{4}}")
_WEEKDAY = r"(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? )?"
# What follows a label; a month and a year alone, and six or eight digits in a row, are a date there alone.
LABELLED = re.compile(
    rf"(?i){_WEEKDAY}(?:{CJK}|{NUMERIC}{_END}|{NAMED_MONTH}{_END}|(?:\d{{8}}|\d{{6}}){_END}|\d{{1,2}}[./-]\d{{4}}{_END}"
    rf"|{_SPACED}{_END}|(?:{_WORDS}|{_MONTHS},? (?:of |de |del |di )?)\d{{4}}{_END})"
)
FOLLOWED = re.compile(rf"(?i)(?<![A-Za-z0-9./-])(?:{CJK}|(?:{NUMERIC}|{NAMED_MONTH})(?![./-]?\d))(?={BORN})")
# Signs too short to stand among the labels, right before a day: a star as in Germany (with a space it begins a list), b., ur.
_STARRED = rf"(?<![*\w])\*(?P<starred>\d{{1,2}}\. ?\d{{1,2}}\. ?(?:\d{{4}}|\d{{2}}){_END})(?!\*)"
_SHORT = r"(?<![^\W_])(?:b\.|fn:|f\.n\.:?|d\.t\.:?|dn:|d\.n\.:?|ur\.|nar\.|sz\.|szül\.|род\.|р\.) ?"
SIGNED = re.compile(rf"(?i)(?:{_STARRED}|{_SHORT}(?P<signed>{NUMERIC}{_END}|{NAMED_MONTH}{_END}))")

# Without one of these in a text, in small letters, no day is followed by a word or has a sign before it.
FOLLOWED_BY = (
    "dob",
    "d.o.b",
    "birth",
    "born",
    "geb",
    "naissance",
    "nacimiento",
    "nascita",
    "született",
    "рожд",
    "р.",
    "生",
    "생",
    "出",
    "doğ",
)
SIGNED_BY = ("*", "b.", "fn:", "f.n.", "d.t.", "dn:", "d.n.", "ur.", "nar.", "sz.", "szül.", "род.", "р.")
# A whole day with its year, no other number beside it: it is of no number's form.
PLAIN = re.compile(
    r"(?<![\w./,+:()*-])(?<!\d )(?:(?:19|20)\d\d([./-])[01]?\d\1[0-3]?\d|[0-3]?\d([./-])[0-3]?\d\2(?:19|20)\d\d)"
    r"(?![\w/+:()-]|[.,]\d| (?!\d\d?:\d\d)[\d(])"
)


def is_plausible(text: str) -> bool:
    """Return whether the numbers of a text may be a day: a month and a day among them where they are three."""
    numbers = [int(part) for part in re.findall(r"\d+", text)]
    if len(numbers) == 1 and (compact := re.fullmatch(r"\d{6}|\d{8}", text.strip())):
        return is_day(compact[0])
    if len(numbers) < 3 or ":" in text:
        return True
    rest = numbers[1:3] if numbers[0] > 31 else numbers[:2]
    return all(1 <= number <= 31 for number in rest) and min(rest) <= 12


def is_day(digits: str) -> bool:
    """Return whether six or eight digits are a day: year, month and day, or day, month and year, or as in America."""
    if len(digits) == 6:
        orders = ((0, 2, 4), (4, 2, 0), (4, 0, 2))
        return any(_exists(2000 + int(digits[y : y + 2]), digits[m : m + 2], digits[d : d + 2]) for y, m, d in orders)
    years = (
        (digits[:4], digits[4:6], digits[6:]),
        (digits[4:], digits[2:4], digits[:2]),
        (digits[4:], digits[:2], digits[2:4]),
    )
    return any(1850 <= int(year) <= 2100 and _exists(int(year), month, day) for year, month, day in years)


def _exists(year: int, month: str, day: str) -> bool:
    try:
        date(year, int(month), int(day))
    except ValueError:
        return False
    return True
