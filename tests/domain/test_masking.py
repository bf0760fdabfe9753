"""What patterns find in a text and what they leave: a table of each, in several scripts, and time that grows with the text."""

from __future__ import annotations

import random
import re
import time

import pytest

from annotate.domain.privacy import patterns
from annotate.domain.privacy.own_patterns import compiled, replaced
from annotate.domain.privacy.patterns import masked
from annotate.domain.privacy.redaction import HIDDEN
from proxy.errors import UsageError

FOUND = {
    "write to ann.lee+x@clinic.example.org now": "write to [e-mail] now",
    "請寄到ann@example.org謝謝": "請寄到[e-mail]謝謝",
    "메일은ann@example.co.kr입니다": "메일은[e-mail]입니다",
    "müller@klinik.de": "[e-mail]",
    "https://bob:s3cret@host.org/x": "https://[password]@host.org/x",
    "call +41 44 123 45 67 or 02-2345-6789": "call [phone] or [phone]",
    "電話0912-345-678。": "電話[phone]。",
    "010-1234-5678로 전화": "[phone]로 전화",
    "030 123456": "[phone]",
    "Tochter unter 0221 / 4710 5582 anrufen": "Tochter unter [phone] anrufen",
    "Fecha de nac.: 12/oct/1987": "Fecha de nac.: [birthdate]",
    "Numer historii choroby 11873/2024": "Numer historii choroby [number]",
    "call 0912345678": "call [phone]",
    "06 12 34 18 24": "[phone]",
    "(415) 555-2671, 415-555-2671": "[phone], [phone]",
    "at 192.168.1.20 and fe80::1ff:fe23:4567:890a": "at [address] and [address]",
    "MRN: 123456, 病歷號12345 and patient id AB-99881": "MRN: [number], 病歷號[number] and patient id [number]",
    "card 4111 1111 1111 1111": "card [number]",
    "900101-1234567 and 123-45-6789": "[number] and [number]",
    "A123456789": "[number]",
    "No. 00123456789.": "No. [number].",
    "病歷00123456789號": "病歷[number]號",
    "DOB: 12 March 1980, seen 21 November 2026": "DOB: [birthdate], seen 21 November 2026",
    "geb. 12.03.1980, aufgenommen 21.11.2026": "geb. [birthdate], aufgenommen 21.11.2026",
    "生年月日：１９８０年３月１２日、来院 2026年11月21日": "生年月日：[birthdate]、来院 2026年11月21日",
    "1980년 3월 12일생, 2026년 11월 21일 내원": "[birthdate]생, 2026년 11월 21일 내원",
    "生年月日 昭和55年3月12日": "生年月日 [birthdate]",
    "NHS 943 476 5919 or 943 476 5919": "NHS [number] or [number]",
    "HKID A123456(3), 身份證 Ｇ１２３４５６（Ａ）": "HKID [number], 身份證 [number]",
    "CPF 529.982.247-25; DNI 12345678Z; hetu 131052-308T": "CPF [number]; DNI [number]; hetu [number]",
    "2341 2341 2346 and RSSMRA85T10A562S": "[number] and [number]",
    "IBAN DE89 3704 0044 0532 0130 00 and more": "IBAN [number] and more",
    "Passport C01X00T47, MRN 44-88-12": "Passport [number], MRN [number]",
}
KEPT = (
    *(
        "2026-11-21 09:00:00",
        "2026-11-21T09:00:00.000Z",
        "21.11.2026",
        "11/21/2026",
        "01-02-2026",
        "20261121",
        "10:20:30",
    ),
    *("500 mg twice a day, 0.5 mg, 2-3 times", "dose 1-0-1-0", "penicillin 5000000 IU; 1200000 units; 2,400,000 U"),
    *("每日2次,每次500毫克,共14天", "2026年11月21日上午9點", "1일 3회 500mg 14일", "1234567 copies/ml", "NCT01234567"),
    *("BP 120/80", "values 138 4.1 102 0.92", "0.123456789", "1,234,567", "RR 1.23 (1.01-1.50)", "pages 2001-2002"),
    *(
        "born before 1957",
        "birth weight 3200 g",
        "*2026-11-21",
        "138 410 1029",
        "2341 2341 2348",
        "SNOMED CT 73211009",
        "44054006",
    ),
    *(
        "doi:10.1056/NEJMoa2034577",
        "PMID 34567890",
        "NDC 0002-8215-01",
        "HP:0001250",
        "2001 2002 2003 2004",
        "chr17:43044295",
    ),
    *("open 0800-1600", "0800 1600", "06 12 18 24 hours", "v1.2.3", "ratio 1:2:4", "t-042539", "100 200 300 mg"),
)
ENDLESS = (
    *(
        "DOB ",
        "DOB (",
        "MRN 1 ",
        "born a ",
        "1-",
        "A1",
        "AA",
        "<",
        "1 2 3 ",
        "19800101 ",
        "生",
        "年1",
        "tel +",
        "１",
        "943 476 591",
    ),
    *("0 ", "a", "1", "a.", "(0", "1:", "1.", "://", "+1 ", "MRN ", "0-", "a@b.", "x://a:b@"),
)
REFUSED = {
    r"(?=a)b": "character 1 begins a lookahead",
    r"b(?!a)": "character 2 begins a lookahead",
    r"(?<=Ward )a": "character 1 begins a lookbehind",
    r"(?<!a)b": "character 1 begins a lookbehind",
    r"(a)\1": "character 4 begins a backreference",
    r"(?P<x>a)(?P=x)": "character 9 begins a backreference",
    r"(a)?(?(1)b|c)": "character 5 begins a condition",
    r"(?>a)b": "character 1 begins an atomic group",
    r"a(?#why)": "character 2 begins a comment",
    r"a\Bb": "character 2 begins a place that is no word boundary",
    r"a\bb": "character 2 begins a word boundary between",
    r"(?:\bA|B)": "character 4 begins a word boundary between",
    r"\bA|B\b": "round a group of all alternatives",
    r"[^\W\d_]": r"character 3 begins a \W in brackets",
    r"[\Sa]": r"character 2 begins a \S in brackets",
    r"(?x)a b": "invalid perl operator",
    r"a++": "bad repetition operator",
    "[": "missing ]",
    "\\": "trailing",
    "\ud800": "surrogates",
    "a{1001}": "invalid repetition size",
    r"\w{1,1000}": "is too large",
    "x*": "matches where nothing is",
    "$": "matches where nothing is",
    r"\b": "matches where nothing is",
    "": "matches where nothing is",
}
HOSTILE = {
    r"(a+)+$": "a" * 100_000 + "!",
    r"(a|a)*b": "a" * 100_000,
    r"(a|aa)+$": "a" * 100_000 + "b",
    r"(.*)*x": "a" * 100_000,
    r".*.*.*=.*": "a" * 100_000,
    r"(\w{1,20}\s){1,5}!": ("a" * 19 + " ") * 5_000,
    r"((a{1,30}){1,30})b": "a" * 100_000,
    r"(?i)\b(?:dr|prof)\.? [\w-]+(?: [\w-]+)*@": "Dr " + "né " * 30_000,
    r"\w{1,64}@\w{1,64}": ("é" * 63 + "@") * 1_500,
    r"<[^>]+>": "<" * 100_000,
    r"(?:no|nr)\.(\d+|[a-f]{4})!": "no." * 33_000,
    r"[a-z]*a[a-z]{30}#": "a" * 100_000,
}


@pytest.mark.parametrize(("text", "left"), FOUND.items())
def test_what_is_found_has_a_stand_in(text: str, left: str) -> None:
    """Each kind in its scripts, and masking it again changes nothing."""
    assert masked(text) == left
    assert masked(left) == left


@pytest.mark.parametrize("text", KEPT)
def test_what_a_text_says_stays(text: str) -> None:
    """Dates, times, doses, quantities and measured values are no personal data."""
    assert masked(text) == text


PIECES = (
    *("MRN", "patient number", "病歷號", "DOB", "生年月日", "tel", "SNOMED", " is ", ": ", "0", "7", "12", "2026", "1980", "-", " ", "  "),
    *("\n", ".", ",", "/", "(", ")", "+", ":", "::", "fe80", "beef", "A", "AB", "mg", " IU", "x", "ward ", "０", "年", "月", "日生", "March"),
    *("@", "ann@example.org", "://", "b:c", "00123456789", "0912-345-678", "1.2.3.4", "943 476 5919", "DE89 3704 0044 0532 0130 00"),
    *("A123456(3)", "529.982.247-25", "RSSMRA85T10A562S", "P<UTO<<ANN<<<<", " word" * 12, "語" * 30, "x" * 60),
)  # fmt: skip


@pytest.mark.slow
def test_looking_at_parts_finds_what_looking_at_all_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random texts of what numbers, addresses and words are made of: the same as every pattern over the whole text."""
    rng = random.Random(11)
    texts = ["".join(rng.choices(PIECES, k=rng.randrange(1, 25))) for _ in range(6_000)]
    in_parts = [masked(text) for text in texts]
    monkeypatch.setattr(patterns, "_regions", lambda text: [(0, len(text))])

    for text, part in zip(texts, in_parts, strict=True):
        assert part == masked(text), text
    assert sum(part != text for text, part in zip(texts, in_parts, strict=True)) > 600


@pytest.mark.slow
@pytest.mark.parametrize("part", ENDLESS)
def test_time_grows_with_the_text(part: str) -> None:
    """A text made to be slow takes no more than a second for 200,000 characters."""
    text = part * (200_000 // len(part))
    start = time.process_time()
    masked(text)
    masked(f"{text}@")

    assert time.process_time() - start < 2


@pytest.mark.slow
@pytest.mark.parametrize(("pattern", "reason"), REFUSED.items())
def test_a_pattern_that_cannot_be_used_is_refused(pattern: str, reason: str) -> None:
    """What RE2 does not know is named with its place; so is what is none, too large, or matches nothing at all."""
    with pytest.raises(UsageError) as refused:
        compiled(pattern, "here")

    assert str(refused.value).startswith(f"here: {pattern!r} ")
    assert reason in str(refused.value)


@pytest.mark.slow
@pytest.mark.parametrize("pattern", HOSTILE)
def test_a_pattern_takes_time_in_proportion_to_the_text(pattern: str) -> None:
    """Those that take Python's own engine for ever, on texts made for it: twice the text is never much more than twice the work."""
    compiled_pattern = compiled(pattern, "here")
    start = time.process_time()
    replaced(HOSTILE[pattern], [compiled_pattern])
    replaced(HOSTILE[pattern] * 2, [compiled_pattern])

    assert time.process_time() - start < 4


# Pattern, text and what is left: as Python has it, in every script.
AS_PYTHON = (
    (r"病歷\d{4,10}", "病歷１２３４５號", "[hidden]號"),
    (r"\w{1,64}@\w{1,64}", "請寄:müller@klinik!", "請寄:[hidden]!"),
    (r"[\w.-]+@x", "to a.b-é@x", "to [hidden]"),
    (r"Ward\s\d+", "Ward\u30007, Ward\x1f8", "[hidden], [hidden]"),
    (r"[\s]7\S", "a\u30007b", "a[hidden]"),
    (r"\D7\W", "a7。", "[hidden]"),
    (r"\bÖzil\b", "Özil, Özil Özil; Özile", "[hidden], [hidden] [hidden]; Özile"),
    (r"\bRené", "René Renée Irené", "[hidden] [hidden]e Irené"),
    (r"(?i)\bann\b", "ANN Anna ann", "[hidden] Anna [hidden]"),
    (r"[ -]{2,9}$", "a -- ", "a[hidden]"),
    (r"\d+$", "12 34", "12 [hidden]"),
    (r"(?m)\d+$", "12\na 34", "[hidden]\na [hidden]"),
    (r"x\Z", "xx", "x[hidden]"),
    (r"a{,2}b", "aaab", "a[hidden]"),
    (r"[]a]+", "x]a", "x[hidden]"),
    (r"[^]a]+", "x]a", "[hidden]]a"),
    (r"[x[]\d", "[[5", "[[hidden]"),
    (r"(a|b)(?P<n>c)", "acbc", "[hidden][hidden]"),
    (r"Ann|Bob", "Ann, Bob", "[hidden], [hidden]"),
)


@pytest.mark.parametrize(("pattern", "text", "left"), AS_PYTHON)
def test_a_pattern_means_what_it_means_in_python(pattern: str, text: str, left: str) -> None:
    """Digits, letters, spaces and boundaries are those of every script, and Python's own signs are known."""
    assert re.sub(pattern, HIDDEN, text) == left
    assert replaced(text, [compiled(pattern, "here")]) == left


@pytest.mark.parametrize(
    ("pattern", "text", "left"),
    [
        (r"\d+$", "no 12\n", "no [hidden]"),
        (r"\bMRN \d{4,10}\b", "MRN 12345號", "[hidden]號"),
        (r"\bAnn\b", "éAnn Anné", "é[hidden] [hidden]é"),
        (r"\b-\d+", "a-1 -2", "a[hidden] [hidden]"),
    ],
)
def test_where_it_cannot_do_as_python_does_more_is_masked(pattern: str, text: str, left: str) -> None:
    """The end of a line before the end, and boundaries between ASCII and other letters or beside signs."""
    assert replaced(text, [compiled(pattern, "here")]) == left


def test_what_no_utf_8_can_hold_does_no_harm() -> None:
    """A lone surrogate stays where it is, and what is masked beside it is masked."""
    assert replaced("\ud800 W-1 \udfff", [compiled(r"W-\d", "here")]) == "\ud800 [hidden] \udfff"


NAMED = {
    r"Ann-Sophie Lee": lambda n: "Ann-Sophie Lee",
    r"W-\d{5}": lambda n: "W-12345",
    r"(?i:dr) [A-Z][a-z]{1,40}": lambda n: "DR L" + "e" * (n % 40 + 1),
    r"\bMRN:? ?\d{4,10}\b": lambda n: "MRN: " + "7" * (n % 7 + 4),
    r"[A-Z]{1,900}": lambda n: "N" * (n % 900 + 1),
    r"ID[0-9]+": lambda n: "ID" + "7" * (n + 1),
    r"<(?:secret|key) [^>]+>": lambda n: "<key " + "k" * (n + 1) + ">",
    r"(?:no|nr)\.(\d+|[a-f]{4})!": lambda n: "no." + "5" * (n + 1) + "!",
    r"start .{1,1000}stop": lambda n: "start " + "z" * (n % 900 + 1) + "stop",
    r"begin .+? end": lambda n: "begin " + "z" * (n + 1) + " end",
    r"[A-Z]+-END": lambda n: "Q" * (n + 1) + "-END",
    r"(?:xy)+Z{1,3}": lambda n: "xy" * (n // 2 + 1) + "ZZZ",
}


def places() -> list[tuple[int, int, int]]:
    """Characters before, length, characters after: around every threshold of a thousand, and anywhere."""
    rng = random.Random(5)
    thresholds = [
        (threshold + move, length, 100)
        for threshold in (1_000, 2_000)
        for move in range(-20, 4, 3)
        for length in (4, 30, 2_400)
    ]
    anywhere = [(rng.randrange(4_500), rng.randrange(6_000), rng.randrange(2_500)) for _ in range(60)]
    return [*thresholds, *anywhere, (1_995, 5_000, 3_000), (0, 0, 0)]


@pytest.mark.parametrize("pattern", NAMED)
def test_a_match_is_found_wherever_it_lies(pattern: str) -> None:
    """Anywhere in a long text and however long it is itself; nothing else goes."""
    compiled_pattern = compiled(pattern, "here")
    for before, length, after in places():
        head, tail = "we name " * (before // 8 + 1), " of the ward" * (after // 12 + 1)

        assert replaced(head + NAMED[pattern](length) + tail, [compiled_pattern]) == head + HIDDEN + tail, (
            before,
            length,
        )


@pytest.mark.slow
def test_random_texts_are_masked_as_by_python() -> None:
    """Whatever the text: what Python finds, and nothing else."""
    rng = random.Random(7)
    own = (r"W-\d{1,5}", r"\b[A-Z]{1,3}\b", r"^a{1,4}", r"a{1,30}-?A", r"[ -]{2,9}", r"\ba+\b", r"\S+:\s*\w")
    for _ in range(60):
        text = "".join(rng.choices("aA1 -W:\n", k=rng.randrange(1, 90))) * rng.randrange(90)
        for pattern in own:
            assert replaced(text, [compiled(pattern, "here")]) == re.sub(pattern, HIDDEN, text)
