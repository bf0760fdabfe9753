"""What patterns find in a text and what they leave: a table of each, in several scripts, and time that grows with the text."""

from __future__ import annotations

import random
import time

import pytest

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
    "06 12 34 18 24": "[phone]",
    "(415) 555-2671, 415-555-2671": "[phone], [phone]",
    "at 192.168.1.20 and fe80::1ff:fe23:4567:890a": "at [address] and [address]",
    "MRN: 123456, 病歷號12345 and patient id AB-99881": "MRN: [number], 病歷號[number] and patient id [number]",
    "card 4111 1111 1111 1111": "card [number]",
    "900101-1234567 and 123-45-6789": "[number] and [number]",
    "A123456789": "[number]",
    "No. 00123456789.": "No. [number].",
    "病歷00123456789號": "病歷[number]號",
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
    *("open 0800-1600", "0800 1600", "06 12 18 24 hours", "v1.2.3", "ratio 1:2:4", "t-042539", "100 200 300 mg"),
)
ENDLESS = ("0 ", "a", "1", "a.", "(0", "1:", "1.", "://", "+1 ", "MRN ", "0-", "a@b.", "x://a:b@")
BOUNDED = (r"\d+", r"W-\d{5}", r"(?:ward|bed) \d{1,4}", r"\w{1,64}@\w{1,64}", "病歷\\d{4,10}", r"(?<=Ward )\w+")
UNBOUNDED = (r"(a+)+$", r"(a|a)*b", r".*.*x", r"(\w{1,20}\s){1,5}", r"(a)\1", "x*", "[", "a" * 301, r"(a{1,10}){1,10}")


@pytest.mark.parametrize(("text", "left"), FOUND.items())
def test_what_is_found_has_a_stand_in(text: str, left: str) -> None:
    """Each kind in its scripts, and masking it again changes nothing."""
    assert masked(text) == left
    assert masked(left) == left


@pytest.mark.parametrize("text", KEPT)
def test_what_a_text_says_stays(text: str) -> None:
    """Dates, times, doses, quantities and measured values are no personal data."""
    assert masked(text) == text


@pytest.mark.slow
@pytest.mark.parametrize("part", ENDLESS)
def test_time_grows_with_the_text(part: str) -> None:
    """A text made to be slow takes no more than a second for 200,000 characters."""
    text = part * (200_000 // len(part))
    start = time.process_time()
    masked(text)
    masked(f"{text}@")

    assert time.process_time() - start < 2


@pytest.mark.parametrize("pattern", BOUNDED)
def test_a_bounded_pattern_is_taken_and_quick(pattern: str) -> None:
    """What matches in few ways is compiled; the worst text for it takes well under a second."""
    found = compiled(pattern, "here")
    start = time.process_time()
    replaced("a" * 5_000 + "1" * 5_000, [found])

    assert time.process_time() - start < 2


@pytest.mark.parametrize("pattern", UNBOUNDED)
def test_a_pattern_that_could_run_for_long_is_refused(pattern: str) -> None:
    """Repetitions within repetitions, references back, too much and nothing at all are UsageErrors that say where."""
    with pytest.raises(UsageError, match="here: "):
        compiled(pattern, "here")


NAMED = {
    r"Ann-Sophie Lee": lambda n: "Ann-Sophie Lee",
    r"W-\d{5}": lambda n: "W-12345",
    r"(?i:dr) [A-Z][a-z]{1,40}(?= )": lambda n: "DR L" + "e" * (n % 40 + 1),
    r"\bMRN:? ?\d{4,10}\b": lambda n: "MRN: " + "7" * (n % 7 + 4),
    r"(?<=name )[A-Z]{1,900}": lambda n: "N" * (n % 900 + 1),
    r"ID[0-9]+": lambda n: "ID" + "7" * (n + 1),
    r"<(?:secret|key) [^>]+>": lambda n: "<key " + "k" * (n + 1) + ">",
    r"(?:no|nr)\.(\d+|[a-f]{4})!": lambda n: "no." + "5" * (n + 1) + "!",
    r"start .{1,3000}stop": lambda n: "start " + "z" * (n % 2_900 + 1) + "stop",
    r"begin .+? end": lambda n: "begin " + "z" * (n + 1) + " end",
    r"[A-Z]+-END": lambda n: "Q" * (n + 1) + "-END",
    r"(?:xy)+Z{1,3}": lambda n: "xy" * (n // 2 + 1) + "ZZZ",
}
# These take a second and more.
LONG = (r"[A-Z]+-END", r"(?:xy)+Z{1,3}")


def places() -> list[tuple[int, int, int]]:
    """Characters before, length, characters after: around every cut of a thousand, and anywhere."""
    rng = random.Random(5)
    cuts = [
        (cut + move, length, 100) for cut in (1_000, 2_000) for move in range(-20, 4, 3) for length in (4, 30, 2_400)
    ]
    anywhere = [(rng.randrange(4_500), rng.randrange(6_000), rng.randrange(2_500)) for _ in range(60)]
    return [*cuts, *anywhere, (1_995, 5_000, 3_000), (0, 0, 0)]


@pytest.mark.parametrize(
    "pattern", [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in NAMED]
)
def test_a_match_is_found_wherever_it_lies(pattern: str) -> None:
    """Across every cut, and longer than any window; nothing else goes."""
    for before, length, after in places():
        _is_found(pattern, before, length, after)


def _is_found(pattern: str, before: int, length: int, after: int) -> None:
    secret, found = NAMED[pattern](length), compiled(pattern, "here")
    head, tail = ("we name " * (before // 8 + 1)), " of the ward" * (after // 12 + 1)
    text = head[: -5 if "?<=" in pattern else None] + ("name " if "?<=" in pattern else "") + secret + tail
    left = replaced(text, [found])

    kept, *rest = left.split(HIDDEN)
    assert (kept, len(rest)) == (text[: len(text) - len(secret) - len(tail)], 1), (before, length)
    # Of a match longer than any window more may go: never less.
    assert tail.endswith(rest[0])
    if len(secret) < 900 and pattern != r"start .{1,3000}stop":
        assert left == found.sub(HIDDEN, text)


def test_a_bounded_pattern_finds_what_it_finds_in_the_whole_text() -> None:
    """Windows change nothing, whatever the text."""
    rng = random.Random(7)
    patterns = (r"W-\d{1,5}", r"\b[A-Z]{1,3}\b", r"^a{1,4}", r"(?<!a)1(?= )", r"a{1,30}-?A", r"[ -]{2,9}$")
    for _ in range(60):
        text = "".join(rng.choices("aA1 -W:\n", k=rng.randrange(1, 90))) * rng.randrange(90)
        for pattern in patterns:
            found = compiled(pattern, "here")
            assert replaced(text, [found]) == found.sub(HIDDEN, text)


@pytest.mark.parametrize("pattern", [r"(?:.{1000}){6}", r"a(?=.*b)", r"a(?!.+b)", r"a(?=.{1,2000}b)"])
def test_a_pattern_that_would_have_to_see_too_far_is_refused(pattern: str) -> None:
    """What could be cut off would leave unmasked."""
    with pytest.raises(UsageError, match="here: "):
        compiled(pattern, "here")


@pytest.mark.slow
@pytest.mark.parametrize("pattern", [r"\w+@", r"ID\w+-END", r"<[^>]+>", r"(?:no|nr)\.(\d+|[a-f]{4})!"])
def test_an_endless_repetition_takes_time_in_proportion(pattern: str) -> None:
    """The worst texts for it, of a hundred thousand characters each."""
    found = compiled(pattern, "here")
    start = time.process_time()
    for text in ("a" * 100_000, "ID" * 50_000, "<" * 100_000, "no." * 33_000, ("a" * 999 + " ") * 100):
        replaced(text, [found])

    assert time.process_time() - start < 8


def test_own_patterns_replace_in_every_piece() -> None:
    """Nothing of a long text is lost."""
    found = compiled(r"W-\d{5}", "here")
    text = "see W-12345 there. " * 500

    assert replaced(text, [found]) == "see [hidden] there. " * 500
    assert replaced("no match " * 500, [found]) == "no match " * 500
