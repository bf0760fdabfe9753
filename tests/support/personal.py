"""Sentences with made-up personal data in many countries' forms, by kind, and clinical sentences whose numbers must stay.

The values come from Faker and from the examples of python-stdnum's documentation, the sentences from `samples/redaction`.
"""

from __future__ import annotations

import doctest
import random
import re
from collections.abc import Callable, Iterator
from datetime import date
from functools import lru_cache
from importlib import import_module
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

from faker import Faker

SAMPLES = Path(__file__).parent.parent / "samples" / "redaction"
LOCALES = (
    "en_US en_GB en_CA en_IN fr_FR fr_CH it_IT es_ES es_MX es_CL de_DE de_AT de_CH nl_NL nl_BE pl_PL pt_BR pt_PT sv_SE no_NO fi_FI"
    " da_DK cs_CZ sk_SK ko_KR zh_CN zh_TW he_IL tr_TR ru_RU el_GR hu_HU bg_BG ro_RO hr_HR et_EE lv_LV lt_LT sl_SI th_TH"
)
DOCUMENTED = (
    "at.vnr au.tfn be.nn br.cpf ca.sin ch.ssn cl.rut cn.ric cz.rc de.idnr dk.cpr es.dni es.nie fi.hetu fr.nir gb.nhs gr.amka"
    " hr.oib ie.pps il.idnr in_.aadhaar in_.pan is_.kennitala it.codicefiscale jp.in_ kr.rrn lt.asmens mx.curp my.nric nl.bsn"
    " no.fodselsnummer pk.cnic pl.pesel pt.cc ro.cnp se.personnummer si.emso sk.rc th.pin tr.tckimlik us.ssn za.idnr iban"
)
_WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}


class PersonalSample(NamedTuple):
    """A sentence, its kind, and the part of it that must not leave."""

    kind: str
    text: str
    value: str

    def is_masked(self, spans: Callable[[str], list[tuple[int, int, str]]]) -> bool:
        """Return whether these spans cover every letter and digit of the value."""
        start = self.text.index(self.value)
        covered = {place for first, last, _ in spans(self.text) for place in range(first, last)}
        return all(
            place in covered or not self.text[place].isalnum() for place in range(start, start + len(self.value))
        )


class MarkedSample(NamedTuple):
    """A text, and the places of the digits of a person in it."""

    text: str
    digits: set[int]

    def masked_digits(self, spans: Callable[[str], list[tuple[int, int, str]]]) -> set[int]:
        """Return the places of the digits that these spans cover."""
        covered = {place for first, last, _ in spans(self.text) for place in range(first, last)}
        return {place for place in covered if self.text[place].isdecimal()}


@lru_cache
def marked() -> tuple[MarkedSample, ...]:
    """Return the texts whose values of a person stand between guillemets; a backslash makes lines and columns."""
    return tuple(map(_marked, lines("marked")))


def _marked(line: str) -> MarkedSample:
    text, digits = "", set[int]()
    plain = line.replace("\\n", "\n").replace("\\t", "\t")
    for place, piece in enumerate(re.split("[«»]", plain)):
        if place % 2:
            digits |= {len(text) + at for at, sign in enumerate(piece) if sign.isdecimal()}
        text += piece
    return MarkedSample(text, digits)


@lru_cache
def lines(name: str) -> tuple[str, ...]:
    """Return the lines of a file of sentences."""
    return tuple((SAMPLES / f"{name}.txt").read_text().splitlines())


def samples(seed: int = 1) -> list[PersonalSample]:
    """Make about a thousand sentences."""
    Faker.seed(seed)
    rng = random.Random(seed)
    return [*_numbers(), *_labelled(rng), *_births(rng), *_contacts(), *_hostile()]


def _numbers() -> Iterator[PersonalSample]:
    around = cycle(lines("around"))
    for locale in LOCALES.split():
        fake = Faker(locale)
        for _ in range(3):
            yield _inside("identity number", next(around), fake.ssn())
    for place, value in enumerate((*_documented(), *lines("numbers"))):
        yield _inside("identity number", next(around), value)
        if place % 3 == 0:
            yield _inside("full-width number", next(around), value.translate(_WIDE))
        if "-" in value:
            yield _inside("odd dashes", next(around), value.replace("-", "\u2011"))
        if " " in value:
            yield _inside("odd spaces", next(around), value.replace(" ", "\u00a0"))


def _documented() -> Iterator[str]:
    """Yield the valid numbers that the documentation of python-stdnum has."""
    for name in DOCUMENTED.split():
        for example in doctest.DocTestParser().get_examples(import_module(f"stdnum.{name}").__doc__ or ""):
            number = re.match(r"validate\('([^']+)'\)", example.source)
            if number and not example.exc_msg and len(re.sub(r"\W", "", number[1])) > 7:
                yield re.sub(r"^[A-Z]{2} (?=\d)", "", number[1])


def _labelled(rng: random.Random) -> Iterator[PersonalSample]:
    for template in lines("records"):
        yield _inside("record number", template, str(rng.randrange(10_000, 10_000_000)))
        yield _inside("record number", template, "-".join(f"{rng.randrange(100):02}" for _ in range(3)))
    for template in lines("passports"):
        yield _inside("passport or licence", template, f"{rng.choice('ABCEGHKLMPX')}{rng.randrange(10**7, 10**8)}")
        yield _inside("passport or licence", template, f"C0{rng.choice('FGHJ')}X{rng.randrange(1000, 9999)}T")


def _births(rng: random.Random) -> Iterator[PersonalSample]:
    forms = lines("birth_forms")
    for place, template in enumerate(lines("births")):
        for step in range(3):
            day = date(1930 + rng.randrange(90), 1 + rng.randrange(12), 4 + rng.randrange(24))
            form = forms[(place + step * 5) % len(forms)]
            names = {"month": f"{day:%B}", "mon": f"{day:%b}"}
            value = form.format(y=day.year, yy=day.year % 100, m=day.month, d=day.day, **names)
            yield _inside("date of birth", template, value)


def _contacts() -> Iterator[PersonalSample]:
    around, called = cycle(lines("around")), cycle(lines("phones"))
    for locale in LOCALES.split():
        fake = Faker(locale)
        yield _inside("e-mail", next(around), fake.ascii_safe_email())
        yield _inside("telephone beside a word", next(called), fake.phone_number())
        yield _inside(
            "telephone", next(around), f"+{fake.country_calling_code().lstrip('+').split()[0]} {fake.msisdn()[4:]}"
        )
        yield _inside("bank account", next(around), fake.iban())
        yield _inside("card", next(around), fake.credit_card_number())


def _hostile() -> Iterator[PersonalSample]:
    """Yield lines of which every digit is of a person."""
    for line in lines("hostile"):
        digits = [place for place, sign in enumerate(line) if sign.isnumeric()] or [0, len(line) - 1]
        yield PersonalSample("hostile spelling", line, line[digits[0] : digits[-1] + 1])


def _inside(kind: str, template: str, value: str) -> PersonalSample:
    return PersonalSample(kind, template.format(value), value)
