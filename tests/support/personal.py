"""Sentences with made-up personal data in many countries' forms, by kind, and clinical sentences whose numbers must stay.

The values come from Faker and from the examples of python-stdnum's documentation; the sentences around them are written here.
"""

from __future__ import annotations

import doctest
import random
import re
from collections.abc import Iterator
from datetime import date
from importlib import import_module
from itertools import cycle
from typing import NamedTuple

from faker import Faker


class PersonalSample(NamedTuple):
    """A sentence, its kind, and the part of it that must not leave."""

    kind: str
    text: str
    value: str


LOCALES = (
    "en_US en_GB en_CA en_IN fr_FR fr_CH it_IT es_ES es_MX es_CL de_DE de_AT de_CH nl_NL nl_BE pl_PL pt_BR pt_PT sv_SE no_NO fi_FI"
    " da_DK cs_CZ sk_SK ko_KR zh_CN zh_TW he_IL tr_TR ru_RU el_GR hu_HU bg_BG ro_RO hr_HR et_EE lv_LV lt_LT sl_SI th_TH"
).split()
STATES = (
    "at.vnr au.tfn be.nn br.cpf ca.sin ch.ssn cl.rut cn.ric cz.rc de.idnr dk.cpr es.dni es.nie fi.hetu fr.nir gb.nhs gr.amka"
    " hr.oib ie.pps il.idnr in_.aadhaar in_.pan is_.kennitala it.codicefiscale jp.in_ kr.rrn lt.asmens mx.curp my.nric nl.bsn"
    " no.fodselsnummer pk.cnic pl.pesel pt.cc ro.cnp se.personnummer si.emso sk.rc th.pin tr.tckimlik us.ssn za.idnr iban"
).split()
# Numbers that are in neither source.
MORE = (
    "A123456(3)", "AB987654(3)", "A 123456 (3)", "G123456(A)", "S1234567D", "T0123456G", "1EG4-TE5-MK73", "2123 45670 1",
    "112-233-445 95", "784-1980-1234567-1", "65 170839 J 003", "QQ 12 34 56 C", "756.9217.0769.85", "900101-1234567",
    "943-476-5919", "11010519491231002X", "A123456789", "198803200016", "12.345.678-5", "4111 1111 1111 1111", "3782 822463 10005",
)  # fmt: skip
AROUND = (
    "Seen today, {}, with a cough.", "患者 {}，今日來診。", "환자({})가 내원함.", "Paciente {} con fiebre.", "Der Patient ({}) klagt.",
    "see {}; review in 2 weeks", "<b>{}</b>", "\"{}\"", "La paziente {}: dimessa.", "{}",
)  # fmt: skip
RECORDS = (
    "MRN: {}", "mrn={}", "Medical record number {}", "Hospital no. {}", "Patient ID #{}", "\"patientId\": \"{}\"", "**MRN:** {}",
    "| MRN | {} |", "Unit number is {}", "Patientennummer: {}", "Fallnummer {}", "Versichertennr. {}", "N° de dossier : {}",
    "Numéro de dossier {}", "Historia clínica: {}", "NHC {}", "Prontuário nº {}", "Cartella clinica n. {}", "Patiëntnummer: {}",
    "Journalnummer {}", "Номер карты: {}", "История болезни № {}", "病歷號：{}", "病历号{}", "住院号: {}", "病案号 {}", "患者番号：{}",
    "カルテ番号は{}", "診察券番号 {}", "등록번호 {}", "환자번호: {}", "차트번호는 {}", "Hasta no: {}", "رقم الملف: {}", "מספר תיק {}", "HN: 00{}",
    "ＭＲＮ：{}", "Account number: {}", "Health plan number {}", "Encounter ID: {}",
)  # fmt: skip
PASSPORTS = (
    "Passport No. {}", "passport number: {}", "Passport: {}", "Reisepass-Nr. {}", "Passeport n° {}", "Pasaporte: {}", "護照號碼：{}",
    "护照号 {}", "여권번호 {}", "旅券番号：{}", "Паспорт {}", "Paspoortnummer {}", "Driver's license: {}", "Identity card no. {}",
)  # fmt: skip
BIRTHS = (
    "DOB: {}", "D.O.B. {}", "dob {}", "Date of birth is {}", "Date of Birth (dd/mm/yyyy): {}", "born on {}", "She was born {} in Leeds",
    "\"birthDate\": \"{}\"", "**DOB:** {}", "<td>DOB</td><td>{}</td>", "geb. {}", "geboren am {}", "Geburtsdatum: {}", "née le {}",
    "né le {}", "Date de naissance : {}", "fecha de nacimiento: {}", "nacido el {}", "F. nac. {}", "nata il {}", "Data di nascita {}",
    "nascido em {}", "Data de nascimento: {}", "geboortedatum {}", "født {}", "födelsedatum: {}", "Syntymäaika {}", "data urodzenia: {}",
    "ur. data urodzenia {}", "datum narození: {}", "doğum tarihi: {}", "дата рождения: {}", "родился {}", "生年月日：{}", "出生日期: {}",
    "出生日期{}", "生日是{}", "생년월일: {}", "생년월일은 {}", "تاريخ الميلاد: {}", "תאריך לידה: {}", "ngày sinh: {}", "वันเกิด".replace("व", "ว") + " {}",
    "Tanggal lahir: {}", "जन्म तिथि: {}",
)  # fmt: skip
FORMS = (
    "{d:02}/{m:02}/{y}", "{y}-{m:02}-{d:02}", "{d}.{m}.{y}", "{m}/{d}/{y}", "{d} {month} {y}", "{month} {d}, {y}", "{d:02}-{m:02}-{yy:02}",
    "{y}{m:02}{d:02}", "{y}年{m}月{d}日", "{y}년 {m}월 {d}일", "{y}. {m}. {d}", "{d}-{mon}-{y}", "{d}th {month} {y}", "{y}/{m}/{d}", "{d:02}.{m:02}.{yy:02}",
)  # fmt: skip
# With the month's name of the language, or with the word behind the date.
OTHER_BIRTHS = (
    ("geboren am {}", "3. März 1956"), ("née le {}", "1er août 1961"), ("nacida el {}", "4 de mayo de 1977"), ("nato il {}", "9 luglio 1949"),
    ("родилась {}", "12 января 1983"), ("生於{}", "民國69年3月12日"), ("生年月日 {}", "昭和55年3月12日"), ("生年月日：{}", "S55.3.12"),
    ("出生：{}", "一九八〇年三月十二日"), ("{}生まれ", "1980年3月12日"), ("{}生，男", "1952年10月2日"), ("{}생 남자", "1980년 3월 12일"),
    ("{} г.р.", "12.03.1980"), ("{} (DOB)", "12/03/1980"), ("Herr M., *{}, Diabetes", "12.03.1980"), ("生年月日：{}", "１９８０年３月１２日"),
    ("DOB：{}", "１９８０－０３－１２"), ("생년월일 {}", "800312"),
)  # fmt: skip
PHONES = (
    "Tel. {}", "phone: {}", "call me on {}", "電話：{}", "전화 {}", "Telefon {}", "tél. {}", "móvil {}", "携帯 {}", "тел. {}",
)  # fmt: skip
STAYS = (
    "Amoxicillin 500 mg three times a day for 7 days", "BP 120/80, then 135/85 mmHg", "BP 118/76 (2026-11-21) and 122/78", "HR 72, RR 16, T 37.2",
    "glucose 110 125 140 mg/dL", "sodium 138 142 140 mmol/l", "values 138 4.1 102 0.92", "WBC 11.2 x 10^9/L", "platelets 250,000/uL", "pH 7.35 7.40 7.45",
    "troponin 0.012345678 ng/ml", "HbA1c 6.5-7.0 %", "eGFR 45-59", "INR 2.0-3.0", "RR 1.23 (95% CI 1.01-1.50)", "p = 0.00001234", "n = 12,345,678",
    "2 400 000 units", "benzathine penicillin 2,400,000 U IM", "penicillin 5000000 IU", "heparin 5000 units", "1 000 000 copies/ml", "HIV RNA 1234567 copies/ml",
    "dose 1-0-1-0", "doses of 250 500 1000 mg", "100 200 300 mg", "10/20/40 mg", "0.5-1.0 mg/kg/min", "vitamin D 50,000 IU weekly", "insulin 10-12-8 units",
    "ICD-10 E11.9 and I10", "ICD-9 250.00", "ICD-O-3 8140/3", "SNOMED CT 73211009", "SNOMED 44054006 type 2 diabetes", "concept 38341003 |Hypertension|",
    "22298006 myocardial infarction", "LOINC 4548-4", "LOINC 2345-7", "RxNorm 860975", "ATC A10BA02", "HP:0001250", "MONDO:0005148", "OMIM 219700",
    "ORPHA:586", "UMLS C0011849", "MeSH D003920", "CAS 50-78-2", "NDC 0002-8215-01", "rs1801133", "NM_000546.6", "ENSG00000141510", "CPT 99213", "DRG 470",
    "doi:10.1056/NEJMoa2034577", "https://doi.org/10.1016/S0140-6736(20)30183-5", "10.1001/jama.2020.12345678", "PMID: 34567890", "PMC7123456", "NCT04280705",
    "EudraCT 2004-000446-20", "ISRCTN83971151", "ISBN 978-3-16-148410-0", "CRD42020123456", "version 2.10.3", "v1.2.3-rc.4", "release 2026.11.21", "Python 3.11.9",
    "admitted 2026-11-21", "seen on 21.11.2026", "discharged 21/11/2026", "on November 21, 2026", "21 Nov 2026", "2026年11月21日入院", "2026년 11월 21일 내원", "last dose 20261121",
    "2026-11-21T09:00:00Z", "20261121143000", "at 09:30 and 21:45", "open 0800-1600", "2001-2002", "from 01.02.2026 to 05.03.2026", "01.02.2026-05.03.2026", "Q4 2026",
    "born before 1957", "people born after 1980", "born between 1945 and 1965", "born at 38 weeks, 3200 g", "newborn of 3 days", "birth weight 3200 g", "infants born preterm 28-32 weeks",
    "age 45", "68 years old", "G2P1 at 32+4 weeks", "2026年11月21日生化檢查", "2026年1月1日生效", "11월 21일 생검 시행", "每日2次，每次500毫克，共14天", "1일 3회 500mg 14일", "血壓 120/80",
    "ward 12, bed 3", "room 4021", "NHS 111", "NHS guideline of 2024", "call 911", "call 112", "NICE NG28", "table 3, page 1024", "n=1234 patients", "patient 3 of 12", "case 12 of 40",
    "ID 7", "study 2 arm 3", "ratio 1:2:4", "1:10000 dilution", "E. coli O157:H7", "H1N1 2009", "COVID-19", "CD4 350 cells/mm3", "GFR 60 mL/min/1.73 m2", "25(OH)D 75 nmol/L",
    "5-10-15 minutes", "6 12 18 24 hours", "q4-6h, max 4000 mg/24h", "EUR 1,234.56", "years 2019 2020 2021", "1 in 10 000 000", "HLA-B*57:01", "T-cell count 1000 1200 1500", "FEV1 2.34 3.12 75",
)  # fmt: skip
_WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}


def samples(seed: int = 1) -> list[PersonalSample]:
    """Make some 900 sentences."""
    Faker.seed(seed)
    rng = random.Random(seed)
    return [*_numbers(), *_labelled(rng), *_births(rng), *_contacts()]


def _numbers() -> Iterator[PersonalSample]:
    around = cycle(AROUND)
    for locale in LOCALES:
        fake = Faker(locale)
        for _ in range(3):
            yield _inside("identity number", next(around), fake.ssn())
    for place, value in enumerate((*_documented(), *MORE)):
        yield _inside("identity number", next(around), value)
        if place % 3 == 0:
            yield _inside("full-width number", next(around), value.translate(_WIDE))
        if place % 5 == 0 and "-" in value:
            yield _inside("odd dashes", next(around), value.replace("-", "\u2011"))
        if place % 5 == 0 and " " in value:
            yield _inside("odd spaces", next(around), value.replace(" ", "\u00a0"))


def _documented() -> Iterator[str]:
    """Yield the valid numbers that the documentation of python-stdnum has."""
    for name in STATES:
        for example in doctest.DocTestParser().get_examples(import_module(f"stdnum.{name}").__doc__ or ""):
            number = re.match(r"validate\('([^']+)'\)", example.source)
            if number and not example.exc_msg and len(re.sub(r"\W", "", number[1])) > 7:
                yield number[1]


def _labelled(rng: random.Random) -> Iterator[PersonalSample]:
    for template in RECORDS:
        yield _inside("record number", template, str(rng.randrange(10_000, 10_000_000)))
        yield _inside("record number", template, f"{rng.randrange(100):02}-{rng.randrange(100):02}-{rng.randrange(100):02}")
    for template in PASSPORTS:
        yield _inside("passport or licence", template, f"{rng.choice('ABCEGHKLMPX')}{rng.randrange(10**7, 10**8)}")
        yield _inside("passport or licence", template, f"{rng.choice('CFGHJK')}0{rng.choice('FGHJ')}X{rng.randrange(1000, 9999)}{rng.choice('TVW')}")


def _births(rng: random.Random) -> Iterator[PersonalSample]:
    for place, template in enumerate(BIRTHS):
        for step in range(3):
            day = date(1930 + rng.randrange(90), 1 + rng.randrange(12), 4 + rng.randrange(24))
            form = FORMS[(place + step * 5) % len(FORMS)]
            value = form.format(y=day.year, yy=day.year % 100, m=day.month, d=day.day, month=f"{day:%B}", mon=f"{day:%b}")
            yield _inside("date of birth", template, value)
    for template, value in OTHER_BIRTHS:
        yield _inside("date of birth", template, value)


def _contacts() -> Iterator[PersonalSample]:
    around, called = cycle(AROUND), cycle(PHONES)
    for locale in LOCALES:
        fake = Faker(locale)
        yield _inside("e-mail", next(around), fake.ascii_safe_email())
        yield _inside("telephone beside a word", next(called), fake.phone_number())
        yield _inside("telephone", next(around), f"+{fake.country_calling_code().lstrip('+').split()[0]} {fake.msisdn()[4:]}")
        yield _inside("bank account", next(around), fake.iban())
        yield _inside("card", next(around), fake.credit_card_number())


def _inside(kind: str, template: str, value: str) -> PersonalSample:
    return PersonalSample(kind, template.format(value), value)
