"""Write messages in a language, from the tables in `strings/`: a file a section, a row a key, a column a language.

A row may have `en_one`, said where its value `count` is 1. Reasons that come from below in English have rows in `reasons.toml`,
found by their English words.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from annotate.domain.message import (
    Between,
    Code,
    Command,
    EvidenceText,
    IntervalBasis,
    Kind,
    Listing,
    Message,
    Name,
    Number,
    Quote,
    Value,
)
from annotate.domain.privacy.redaction import for_page
from annotate.present.commands import typed, typed_within
from proxy.reason import Reason
from proxy.text import numbers
from proxy.text.controls import displayable

LANGUAGES = {"en": "English", "zh": "繁體中文", "ko": "한국어"}
REASONS = "reasons"
# It brings the space that follows it.
WIDE_BRACKET = "）"
# Chosen: about two lines of a terminal.
LONGEST_QUOTE = 160


def printed(value: Value) -> str:
    """Write a value for a terminal."""
    return LeavingWriter().write(value)


def text(value: Value, language: str = "en") -> str:
    """Write a value in a language, as plain text."""
    return Writer(language).write(value)


class Writer:
    """Writes values in one language as plain text; other media override `template` and `shown`.

    Parameters
    ----------
    language : str
        A key of LANGUAGES.
    longest : int, optional
        How many characters of a quoted text are shown; None shows all.
    """

    def __init__(self, language: str = "en", *, longest: int | None = None) -> None:
        self.language = language
        self._longest = longest

    def template(self, words: str) -> str:
        """Prepare our own words for the medium."""
        return words

    def shown(self, value: Value, words: str) -> str:
        """Prepare the words of a value for the medium."""
        return f"`{words}`" if isinstance(value, Command) else words

    def count(self, value: int) -> object:
        """Prepare a count within a sentence: with commas, unless our words ask for something else."""
        return _Count(value)

    def leaving(self, words: str) -> str:
        """Return words of others as they may leave, before they are cut short; pages do it where they show them."""
        return words

    def write(self, value: Value) -> str:
        """Write a value."""
        if isinstance(value, Message):
            return self._message(value)
        if isinstance(value, Listing):
            return self._message(Message(value.joint)).join(map(self.write, value.parts))
        if isinstance(value, EvidenceText):
            return self._evidence(value)
        return self.shown(value, self._plain(value))

    def _message(self, message: Message) -> str:
        row = table(message.key.partition(".")[0])[message.key]
        is_one = self.language == "en" and "en_one" in row and message.values.get("count") == 1
        return self._filled(row["en_one" if is_one else self.language], message.values)

    def _filled(self, words: str, values: Mapping[str, Value]) -> str:
        parts = {name: self._part(value) for name, value in values.items()}
        for name, part in parts.items():
            if self.language == "zh" and isinstance(part, str) and part.endswith(WIDE_BRACKET):
                words = words.replace(f"{{{name}}} ", f"{{{name}}}")
        return self.template(typed_within(words, is_template=True)).format(**parts)

    def _part(self, value: Value) -> object:
        """Write a value within a sentence; there points have their unit."""
        if isinstance(value, EvidenceText) and value.kind is Kind.POINTS:
            return self._evidence(value, unit="_points")
        return self.count(value) if isinstance(value, int) and not isinstance(value, bool) else self.write(value)

    def _evidence(self, value: EvidenceText, *, unit: str = "") -> str:
        estimate, kind, which, is_signed, limit = value
        window = (estimate.low, estimate.high) if estimate.low is not None and estimate.high is not None else None
        interval = estimate.long_run if which is IntervalBasis.LONG_RUN else window
        if estimate.estimate is None and (interval is None or estimate.reason):
            return self._message(Message("values.unknown", {"reason": estimate.reason or None}))
        values: dict[str, Value] = {"value": Number(estimate.estimate, kind, is_signed, limit), "n": estimate.n}
        if interval is None and estimate.reason:
            return self._message(Message("values.why_without_interval", values | {"reason": estimate.reason}))
        if interval is None:
            return self._message(Message(f"values.without_interval{unit}", values))
        span = Between(*interval, kind, is_signed, limit=limit)
        return self._message(Message(f"values.evidence{unit}", values | {"span": span}))

    def _plain(self, value: Value) -> str:
        if value is None:
            return numbers.NONE
        if isinstance(value, Number):
            return numbers.written(value.value, value.kind, is_signed=value.is_signed, limit=value.limit)
        if isinstance(value, Between):
            return self._between(value)
        if isinstance(value, int):
            return f"{value:,}"
        if isinstance(value, Quote):
            return one_line(self.leaving(value), self._longest)
        if isinstance(value, Command):
            return displayable(typed(value))
        if isinstance(value, Name | Code):
            return displayable(self.leaving(value))
        if isinstance(value, str):
            return self._reason(value)
        raise TypeError(type(value))

    def _between(self, value: Between) -> str:
        low, high, kind, is_signed, is_exact, limit = value
        if low is None or high is None:
            return numbers.NONE
        if not numbers.has_width(low, high):
            return self._message(Message("measures.exact" if is_exact else "measures.no_width"))
        first = Kind.BARE_SHARE if kind is Kind.SHARE else kind  # the sign stands once, behind the second
        ends = {"low": Number(low, first, is_signed, limit), "high": Number(high, kind, is_signed, limit)}
        return self._message(Message("measures.span", ends))

    def _reason(self, words: str) -> str:
        """A reason from below in this language; where the table lacks it, as it came."""
        template = words.template if isinstance(words, Reason) else words
        row = _reasons().get(template)
        if row is None:
            return typed_within(displayable(self.leaving(words)))
        parts = words.values if isinstance(words, Reason) else {}
        values = {name: str(typed(part)) if isinstance(part, Command) else part for name, part in parts.items()}
        return self._filled(row[self.language], values)


class LeavingWriter(Writer):
    """Writes what is printed or sent: words of others as redaction lets them out; a command stays as it has to be typed."""

    def leaving(self, words: str) -> str:
        """Return them masked, where redaction is on."""
        return for_page(words)


class _Count(int):
    """A count, with commas unless the string asks for something else."""

    def __format__(self, spec: str) -> str:
        return format(int(self), spec or ",")


def one_line(words: str, longest: int | None = LONGEST_QUOTE) -> str:
    """Write a text of others on one line, cut short, with nothing in it that could steer a terminal."""
    line = "".join(sign if sign.isprintable() or sign == " " else " " for sign in displayable(" ".join(words.split())))
    return line if longest is None or len(line) <= longest else f"{line[: longest - 1]}…"


@cache
def table(section: str) -> Mapping[str, Mapping[str, str]]:
    """Read the rows of a section by their keys; KeyError for a section that is not there."""
    file = files("annotate.present").joinpath("strings", f"{section}.toml")
    if not file.is_file():
        raise KeyError(section)
    rows = tomllib.loads(file.read_text(encoding="utf-8"))[section]
    return {f"{section}.{name}": row for name, row in rows.items()}


def whole_table() -> Mapping[str, Mapping[str, str]]:
    """Read every row of every section."""
    names = sorted(file.name for file in files("annotate.present").joinpath("strings").iterdir())
    return {key: row for name in names for key, row in table(name.removesuffix(".toml")).items()}


@cache
def _reasons() -> Mapping[str, Mapping[str, str]]:
    """Read the rows of reasons by their English words."""
    return {row["en"]: row for row in table(REASONS).values()}
