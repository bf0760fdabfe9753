"""Tell whether text that is no UTF-8 is of Windows' Western code page (cp1252, and Latin-1 with it), from its own letters.

Every sequence of bytes is text in some code page, so that decoding proves nothing. It counts as cp1252 where nearly no byte
above 127 is valid UTF-8, and what the bytes stand for there is how one Western language is written: letters of its alphabet,
hardly ever two by themselves, upper case not behind lower case, and quotes and dashes where these stand. Half of the letters must
mean the same in the code pages that are told from it by single letters. Texts in Polish, Czech, Turkish, Cyrillic, Greek or CJK
code pages do not look so; for them, and for a text with too few such letters, the user has to name the encoding.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from proxy.errors import UsageError

AUTO, WESTERN = "auto", "cp1252"
PIECE, LONGEST_LINE = 1 << 16, 1 << 20
# Evidence of a file that is surely no UTF-8, or surely is; and of its first part alone.
MOST_RUNS, VALID_ENOUGH = 50_000, 20
HIGH = re.compile(rb"[^\x00-\x7f]+")
NO_WORD = re.compile(r"\W")
# What a word of an example may be cut to.
LONGEST_WORD = 24
ALPHABETS = {
    "de": "äöüß",
    "fr": "àâæçèéêëîïôùûüœ",
    "es": "áéíñóúüç",
    "pt": "àáâãçéêíóôõúü",
    "it": "àèéìíîòóùú",
    "nl": "áéëèêïíóöúü",
    "nordic": "åäöæøéü",
    "ca": "àçèéíïòóúü",
    "en": "éèêëïçñâôûàáóöüæœ",
}
LETTERS = frozenset("".join(ALPHABETS.values()))
# What Central European and Turkish Windows have at the same place, and what Baltic Windows has too: read right in any case.
SURE = frozenset("áâäçéëíîóôöúüß")
SUREST = frozenset("äéóõöüß")
# Languages that are hardly written with these, by the letters that they need in their place.
NEEDED = {"it": frozenset("àèìòù"), "nordic": frozenset("æøå")}
MARKS = frozenset("€…–—‘’“”‚„•™§°©®«»¿¡±²³µ·¹º½¼¾×÷ª†‰‹›£\xa0\xad")
# Between two letters only these stand.
WITHIN = frozenset("’–—…·\xad")
FEWEST_COVERED, MOST_ODD, MOST_PAIRS = 0.95, 0.01, 0.2
FEWEST_SURE, FEWEST_SUREST, FEWEST_NEEDED = 0.5, 0.2, 3


class GuessedEncoding(NamedTuple):
    """The encoding that a file seems to have, and a word of it as it is read."""

    name: str
    example: str


class GuessedFile(NamedTuple):
    """A file that says nothing of its encoding and is no UTF-8, and what it was read as."""

    file: str
    encoding: str
    example: str


def guess_encoding(stream: io.BufferedReader) -> GuessedEncoding | None:
    """Return cp1252 where text is no UTF-8 and surely that; None where it is to be read as UTF-8."""
    evidence = _Evidence()
    for run, before, after in _runs(stream):
        evidence.add(run, before, after)
        if evidence.is_enough:
            break
    return GuessedEncoding(WESTERN, evidence.example) if evidence.is_western else None


def check_encoding(name: str) -> None:
    """Raise UsageError where there is no such encoding of texts."""
    try:
        "".encode("ascii" if name == AUTO else name)
    except LookupError:  # also of codecs that are none of texts
        raise UsageError(
            f"--encoding {name}: there is no such encoding; write utf-8, cp1252, shift_jis or the like"
        ) from None


def _runs(stream: io.BufferedReader) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Yield bytes above 127 that stand together, with the ASCII before and behind them."""
    while lines := stream.read(PIECE) + stream.readline(LONGEST_LINE):
        for line in () if lines.isascii() else lines.split(b"\n"):
            for run in HIGH.finditer(line):
                yield run[0], line[max(0, run.start() - LONGEST_WORD) : run.start()], line[run.end() :][:LONGEST_WORD]


@dataclass(slots=True)
class _Evidence:
    """What the bytes above 127 of a file look like so far."""

    valid: int = 0
    runs: int = 0
    odd: int = 0
    pairs: int = 0
    letters: Counter[str] = field(default_factory=Counter)
    example: str = ""

    @property
    def is_enough(self) -> bool:
        """Whether more of the file would hardly tell something else."""
        return self.runs >= MOST_RUNS or (self.valid >= VALID_ENOUGH and not self.runs)

    @property
    def is_western(self) -> bool:
        """Whether the file is no UTF-8, and reads as a Western language in cp1252."""
        if not self.runs or self.valid > MOST_ODD * self.runs or self.odd > MOST_ODD * self.runs:
            return False
        languages = [name for name, alphabet in ALPHABETS.items() if self._share(alphabet) >= FEWEST_COVERED]
        has_needed = any(
            len(self.letters.keys() & NEEDED[name]) >= FEWEST_NEEDED for name in languages if name in NEEDED
        )
        is_sure = self._share(SURE) >= FEWEST_SURE and self._share(SUREST) >= FEWEST_SUREST
        return self.pairs <= MOST_PAIRS * self.runs and bool(languages) and (is_sure or has_needed)

    def _share(self, letters: Collection[str]) -> float:
        """Return how many of the letters are among these; all, where there are none."""
        total = self.letters.total()
        return sum(self.letters[letter] for letter in letters) / total if total else 1.0

    def add(self, run: bytes, before: bytes, after: bytes) -> None:
        """Add bytes that stand together."""
        if _is_utf8(run):
            self.valid += 1
            return
        self.runs += 1
        text = run.decode(WESTERN, "replace")
        start, end = (around.decode(WESTERN, "replace") for around in (before, after))
        letters = [letter for letter in text if letter.lower() in LETTERS]
        self.letters.update(letter.lower() for letter in letters)
        is_within = start[-1:].isalpha() or end[:1].isalpha()  # as in größer
        self.pairs += len(letters) == 2 and not is_within
        self.odd += len(letters) > 2 or not all(_fits(text, place, start, end) for place in range(len(text)))
        if not self.example:
            self.example = f"{re.split(NO_WORD, start)[-1]}{text}{re.split(NO_WORD, end)[0]}"


def _is_utf8(run: bytes) -> bool:
    try:
        run.decode()
    except UnicodeDecodeError:
        return False
    return True


def _fits(text: str, place: int, start: str, end: str) -> bool:
    """Return whether a sign stands where it does in Western languages."""
    sign = text[place]
    before = text[place - 1] if place else start[-1:]
    after = text[place + 1] if place + 1 < len(text) else end[:1]
    if sign.lower() in LETTERS:
        return not (sign.isupper() and before.islower())
    is_within = before.isalpha() and after.isalpha()
    return sign in MARKS and (sign in WITHIN or not is_within)
