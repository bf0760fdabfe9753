"""Find numbers that states, insurers and banks give people by how they are grouped, and by their check digits.

A form that nothing else has is enough. Where a list of values could have the form, the check digit decides (python-stdnum).
Digits without separators are a long number already (see patterns.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import NamedTuple

from annotate.domain.privacy.birth_dates import is_day

Check = Callable[[str], bool]
_DAY = r"(?:0[1-9]|[12]\d|3[01])"
# Where two digits of a day are raised, and by how much: Sweden, Norway, the Netherlands; Czechia, Bulgaria, women, the young.
_RAISED = ((0, 0), (4, 60), (0, 60), (0, 40), (2, 20), (2, 40), (2, 50))


class NumberForm(NamedTuple):
    """A pattern, and what has to hold of a match without its separators; `is_grouped` where spaces could be those of a list."""

    pattern: str
    check: Check | None = None
    is_grouped: bool = False


@lru_cache(maxsize=64)
def _module(name: str) -> Check:
    check: Check = import_module(f"stdnum.{name}").is_valid
    return check


def _any_of(*names: str) -> Check:
    """Return whether one of these modules of python-stdnum takes a number."""
    return lambda number: any(_module(name)(number) for name in names)


def _groups(number: str) -> list[int]:
    return [int(group) for group in re.findall(r"\d+", number)]


def _unlike_values(check: Check) -> Check:
    """Add that the groups do not look like values that were measured: round, near each other, in order, or years."""

    def holds(number: str) -> bool:
        groups = _groups(number)
        low, high = min(groups), max(groups)
        is_ordered = groups in (sorted(groups), sorted(groups, reverse=True))
        is_list = high <= 1.5 * low or (is_ordered and high <= 2 * low) or not any(group % 10 for group in groups)
        return not is_list and not all(1900 <= group <= 2100 for group in groups) and check(number)

    return holds


def _unlike_years(check: Check) -> Check:
    def holds(number: str) -> bool:
        groups = _groups(number)
        is_years = all(1900 <= group <= 2100 for group in groups)
        return not is_years and any(group % 10 for group in groups) and check(number)

    return holds


def _dated(number: str) -> bool:
    """Return whether the first six digits are a day; some countries add 40 or 60 to the day, or 20, 40 or 50 to the month."""
    digits = re.sub(r"\D", "", number)[:6]
    return any(_is_raised_day(digits, place, raised) for place, raised in _RAISED)


def _is_raised_day(digits: str, place: int, raised: int) -> bool:
    part = int(digits[place : place + 2]) - raised
    return part >= 0 and is_day(f"{digits[:place]}{part:02}{digits[place + 2 :]}")


def _is_american_phone(number: str) -> bool:
    return re.fullmatch(r"[2-9]\d\d [2-9]\d\d \d{4}", number) is not None


def _is_social_security(number: str) -> bool:
    return not 1900 <= _groups(number)[-1] <= 2100 and _any_of("us.ssn", "us.itin")(
        number.replace(" ", "-").replace(".", "-")
    )


def _is_medicare(number: str) -> bool:
    """Australia's: the ninth digit is the first eight, weighted 1, 3, 7, 9, modulo 10."""
    digits = [int(sign) for sign in number if sign.isdecimal()]
    return (
        sum(digit * weight for digit, weight in zip(digits, (1, 3, 7, 9, 1, 3, 7, 9), strict=False)) % 10 == digits[8]
    )


def is_hkid(number: str) -> bool:
    """Return whether a Hong Kong identity card number has its check digit: weights 9 to 1, modulo 11, a space counts 36."""
    signs = re.sub(r"[^A-Z0-9]", "", number.upper()).rjust(9)
    values = [36 if sign == " " else int(sign, 36) for sign in signs]
    return sum(value * weight for value, weight in zip(values, range(9, 0, -1), strict=True)) % 11 == 0


def _is_bank_account(number: str) -> bool:
    """Return whether the check digits of an IBAN hold (ISO 7064, modulo 97); countries add forms too often to ask for them."""
    compact = re.sub(r"[^A-Za-z0-9]", "", number).upper()
    return 15 <= len(compact) <= 34 and _module("iso7064.mod_97_10")(compact[4:] + compact[:4])


def _is_personnummer(number: str) -> bool:
    """Sweden's with its century; a time of day after a day of this century is no number."""
    digits = re.sub(r"\D", "", number)
    is_time = digits.startswith("20") and re.fullmatch(r"(?:[01]\d|2[0-3])[0-5]\d", digits[8:]) is not None
    return not is_time and _module("se.personnummer")(digits)


def is_century_number(digits: str) -> bool:
    """Return whether twelve digits that begin like a day are Sweden's number of a person."""
    return len(digits) == 12 and _is_personnummer(digits)


def _joined(*groups: int, by: str) -> str:
    """Return the pattern of digits in these groups, with the same separator between all."""
    ways = [re.escape(separator).join(rf"\d{{{group}}}" for group in groups) for separator in by]
    return f"(?:{'|'.join(ways)})"


_NHS = _any_of("gb.nhs")
_OF_DIGITS = (
    NumberForm(
        _joined(3, 3, 4, by=" "), _unlike_values(lambda number: _NHS(number) or _is_american_phone(number)), True
    ),
    NumberForm(r"\d{3}-\d{3}-\d{3}[ -]\d{2}|\d{3}\.\d{3}\.\d{3}-\d{2}|\d{3} \d{3} \d{3}-\d{2}|\d{3}\.\d{3}\.\d{3}-\d"),
    NumberForm(
        r"\d{3} \d{3} \d{3} \d{2}", _unlike_values(_any_of("ru.inn", "br.cpf", "pl.pesel", "hr.oib", "be.nn")), True
    ),
    NumberForm(
        _joined(3, 3, 3, by=" -."), _unlike_values(_any_of("ca.sin", "au.tfn", "nl.bsn", "pt.nif", "us.itin")), True
    ),
    NumberForm(r"\d{4}\.\d{2}\.\d{3}", _any_of("nl.bsn")),
    NumberForm(_joined(4, 4, 4, by=" -"), _unlike_years(_any_of("in_.aadhaar", "jp.in_")), True),
    NumberForm(r"[2-6]\d{3} \d{5} \d(?:[ /-]\d)?", _is_medicare, True),
    NumberForm(r"[2-6]\d{3}-\d{5}-\d(?:-\d)?"),
    NumberForm(r"\d{4}[ -]\d{3}[ -]\d{3}(?:[ -]?[A-Z]{2})?", _any_of("luhn", "ca.bc_phn"), True),
    NumberForm(r"\d{2} \d{3} \d{3} \d{3}", _any_of("de.idnr", "au.abn"), True),
    NumberForm(_joined(3, 4, 4, 2, by=". -")),
    NumberForm(r"[1-9]\d{2} \d{4} \d{4} \d{4}"),
    NumberForm(r"\d{1,2}\.\d{3}\.\d{3}-[\dkK]"),
    NumberForm(r"\d{7,8}-[\dkK]", _any_of("cl.rut")),
    NumberForm(
        r"\d{5}-\d{7}-\d|784-\d{4}-\d{7}-\d|\d{3}-\d{7}-\d|\d[ -]\d{4}[ -]\d{5}[ -]\d{2}[ -]\d|\d{2}-\d{7,9}-\d"
    ),
    NumberForm(r"\d-\d{4}-\d{4}|\d{4}-\d{7}-\d"),
    NumberForm(r"\d{6}-\d{2}-\d{4}", _dated),
    NumberForm(r"\d{2}-\d{4}-\d{4}-\d{4}"),
    NumberForm(r"\d{6} ?- ?[0-9]\d{6}|\d{6} [0-9]\d{6}", _dated),
    NumberForm(r"\d{6}[-+]\d{4}", _dated),
    NumberForm(r"\d{6} \d{4}", _any_of("se.personnummer", "dk.cpr", "is_.kennitala"), True),
    NumberForm(r"(?:18|19|20)\d{6}[-+ ]\d{4}", _is_personnummer),
    NumberForm(r"\d{6}-\d{5}|\d{6} \d{4} \d{2} \d|\d{6} \d{4} \d{3}|\d{6}-[1-8][*●○xX]{6}"),
    NumberForm(
        r"\d{2} \d{2} \d{2} \d{3} \d{2}|\d{2} \d{2} \d{3} \d{3} \d{3}", _any_of("be.nn", "be.bis", "fr.nif"), True
    ),
    NumberForm(r"\d{6} \d{5}", _any_of("no.fodselsnummer"), True),
    NumberForm(r"\d{6}/\d{3,4}", _any_of("cz.rc")),
    NumberForm(r"\d{2}\.\d{2}\.\d{2}[ -]\d{3}[. -]\d{2}"),
    NumberForm(r"\d{4} \d{6}", _any_of("at.vnr"), True),
    NumberForm(r"\d{3} \d{2} \d{4}|\d{3}\.\d{2}\.\d{4}", _is_social_security, True),
    NumberForm(r"3[47]\d{2}[ -]\d{6}[ -]\d{5}|3[068]\d{2}[ -]\d{6}[ -]\d{4}"),
    NumberForm(
        r"[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3}(?: ?\d{2})?",
        lambda number: len(number) > 13,
    ),
    NumberForm(rf"\d{{6}} (?:18|19|20)\d{{2}}(?:0[1-9]|1[0-2]){_DAY} \d{{3}}[\dXx]|\d{{17}}[Xx]"),
    NumberForm(r"[157]\d{6} ?\([0-9]\)"),
    NumberForm(r"\d{2}\.?\d{3}\.?\d{3}[ -]?[A-Za-z](?!\.[A-Za-z])", _any_of("es.dni")),
    NumberForm(r"(?i:\d{7}[ -]?[A-W][A-Z]?)", _any_of("ie.pps")),
    NumberForm(r"(?i:\d{6}[-+A-FU-Y]\d{3}[0-9A-Y])", _any_of("fi.hetu")),
    NumberForm(rf"\d{{2}} ?{_DAY}(?:0[1-9]|1[0-2])\d{{2}} ?[A-Z] ?\d{{3}}"),
    NumberForm(
        r"[1-9][AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d-?[AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d-?[AC-HJKMNP-RT-Y]{2}\d{2}"
    ),
    NumberForm(r"\d{9}[VXvx]"),
    NumberForm(r"\d{8} ?\d ?[A-Z0-9]{2}\d", _any_of("pt.cc")),
)
_OF_LETTERS = (
    NumberForm(r"[A-Za-z]{1,2} ?\d{3} ?\d{3} ?\([0-9A-Za-z]\)"),
    NumberForm(r"[A-Z]{1,2} ?\d{6}[ -]?[0-9A]", is_hkid),
    NumberForm(r"[A-Z]{3} ?[A-Z]{3} ?[0-9LMNP-V]{2}[A-EHLMPRST][0-9LMNP-V]{2} ?[A-Z][0-9LMNP-V]{3}[A-Z]"),
    NumberForm(r"(?i:[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z])"),
    NumberForm(r"[A-Z]{3,4}[ -]?\d{6}[ -]?(?:[HMX][A-Z]{5}[A-Z0-9]\d|[A-Z0-9]{3})", _dated),
    NumberForm(r"[XYZxyz][ -]?\d{7}[ -]?[A-Za-z]", _any_of("es.nie")),
    NumberForm(r"[STFGM] ?\d{7} ?[A-Z]"),
    NumberForm(r"[A-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-Z]|[a-z]{2} ?\d{2} ?\d{2} ?\d{2} ?[a-d]"),
    NumberForm(r"[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z]"),
    NumberForm(r"[A-Z]{4} ?\d{4} ?\d{4}", lambda number: " " in number),
)
FORMS = (*_OF_DIGITS, *_OF_LETTERS)
_APART = r"(?<![A-Za-z0-9_])(?<!\d[.,/-])(?:{})(?![A-Za-z0-9_])(?![.,/-]\d)"
# Alone on a line of values: no other number beside it.
_ALONE = r"(?<!\d )(?<!\d, )(?:{})(?!,? \d)"


def _one_of(forms: tuple[NumberForm, ...], first: int) -> str:
    """Return the pattern of these forms, each a group with its place in FORMS."""
    patterns = (_ALONE.format(form.pattern) if form.is_grouped else form.pattern for form in forms)
    return "|".join(f"(?P<f{place}>{pattern})" for place, pattern in enumerate(patterns, start=first))


# What a form begins with is looked at first: most words and numbers have none of them.
NUMBERS = re.compile(
    _APART.format(
        rf"(?=\d)(?:{_one_of(_OF_DIGITS, 0)})"
        rf"|(?=[A-Za-z]{{1,7}}[ -]?[A-Za-z]{{0,3}} ?\d)(?:{_one_of(_OF_LETTERS, len(_OF_DIGITS))})"
    )
)
# The lines at the foot of a passport, for machines.
PASSPORT_LINES = re.compile(r"[A-Z0-9<]{5,44}<<[A-Z0-9<]{5,44}")
ACCOUNTS = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]{4}){2,7}(?:[ -]?[A-Za-z0-9]{1,3})?(?![A-Za-z0-9])"
)


def number_of(text: str, at: int) -> tuple[int, int] | None:
    """Return where a number of these forms lies that begins here, whatever its check digit; None where there is none."""
    account = ACCOUNTS.match(text, at)
    if account and (span := account_at(account)):
        return span
    match = NUMBERS.match(text, at)
    return match.span() if match else None


def number_at(match: re.Match[str]) -> tuple[int, int] | None:
    """Return where the number of a match of FORMS lies; None where its check digit or its groups say that it is none."""
    form = FORMS[int(str(match.lastgroup)[1:])]
    return match.span() if form.check is None or form.check(match[0]) else None


def account_at(match: re.Match[str]) -> tuple[int, int] | None:
    """Return where the bank account of a match lies, which words may follow; None where there is none."""
    end = match.end()
    while end - match.start() > 14:
        if _is_bank_account(match.string[match.start() : end]):
            return match.start(), end
        cut = max(match.string.rfind(" ", match.start(), end), match.string.rfind("-", match.start(), end))
        if cut < 0:
            return None
        end = cut
    return None
