"""Recognisers of other packages, which find what no pattern can name: names of persons, places, a hospital's own codes.

A package offers one under the entry point group `assay.recognisers`: a class or function that makes a callable, from a text to
spans (start, end, kind). `[redaction]` names it as `NAME`, or as `NAME:ARGUMENT` where it is made with a text. What a
recogniser cannot read is never let out: it raises `Unrecognised`, and the text as a whole is hidden or its row refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any, NamedTuple

from annotate.domain.privacy import presidio
from annotate.domain.privacy.kinds import KIND, StandIn
from annotate.domain.privacy.pseudonyms import PSEUDONYM
from proxy.errors import InputError, UsageError

GROUP = "assay.recognisers"
Recogniser = Callable[[str], Iterable[tuple[int, int, str]]]
_OURS: dict[str, Callable[..., Recogniser]] = {presidio.NAME: presidio.recogniser}


class Unrecognised(InputError):
    """A recogniser failed on a text; the message names neither the text nor what the error says of it."""


class NoRecogniser(UsageError):
    """A recogniser cannot be loaded or made; the message holds nothing of any text, for nothing else could be shown."""


class TextSpan(NamedTuple):
    """A part of a text, and the kind of what stands there."""

    start: int
    end: int
    kind: str


def replaced(text: str, names: Sequence[str], stand_in: StandIn) -> str:
    """Return the text with all spans that these recognisers find replaced; Unrecognised where one fails."""
    for name in names:
        spans = _spans(name, text)
        parts, at = list[str](), 0
        for start, end, kind in spans:
            parts += [text[at:start], stand_in(kind, text[start:end])]
            at = end
        text = "".join([*parts, text[at:]])
    return text


def check(names: Sequence[str]) -> None:
    """Raise NoRecogniser for a recogniser that cannot be loaded."""
    for name in names:
        loaded(name)


@lru_cache(maxsize=16)
def loaded(asked: str) -> Recogniser:
    """Make the recogniser that is asked for as NAME or NAME:ARGUMENT; NoRecogniser where it cannot be made."""
    name, _, argument = asked.partition(":")
    make = _OURS.get(name) or _offered(name)
    try:
        recogniser = make(argument) if argument else make()
    except UsageError as error:
        raise NoRecogniser(str(error)) from None
    except Exception as error:
        raise NoRecogniser(f"the recogniser {asked} cannot be made: {error!r}") from error
    if not callable(recogniser):
        raise NoRecogniser(f"{name} makes no recogniser: it needs a function from a text to spans (start, end, kind)")
    return recogniser


def _offered(name: str) -> Callable[..., Recogniser]:
    points = entry_points(group=GROUP, name=name)
    if not points:
        raise NoRecogniser(f"there is no recogniser {name}: install the package that offers it under {GROUP}")
    try:
        make: Callable[..., Recogniser] = next(iter(points)).load()
    except Exception as error:
        raise NoRecogniser(f"the recogniser {name} cannot be loaded: {error!r}") from error
    return make


@lru_cache(maxsize=1024)
def _spans(name: str, text: str) -> tuple[TextSpan, ...]:
    """Return what a recogniser finds, in order, without overlaps, and without what a pseudonym stands for already."""
    try:
        recogniser = loaded(name)
    except NoRecogniser:
        raise Unrecognised(f"the recogniser {name.partition(':')[0]} cannot be loaded") from None
    try:
        spans = sorted(_checked(span, text) for span in recogniser(text))
    except Exception as error:  # noqa: BLE001 (whatever it raises, the text stays here)
        raise Unrecognised(f"the recogniser {name.partition(':')[0]} failed: {type(error).__name__}") from None
    taken = [(match.start(), match.end()) for match in PSEUDONYM.finditer(text)]
    return tuple(_apart(part for span in spans for part in _outside(span, taken)))


def _checked(span: Any, text: str) -> TextSpan:
    start, end, kind = span
    start, end, kind = int(start), int(end), str(kind).upper()
    if not 0 <= start < end <= len(text) or not KIND.fullmatch(kind):
        raise ValueError
    return TextSpan(start, end, kind)


def _outside(span: TextSpan, taken: Sequence[tuple[int, int]]) -> Iterable[TextSpan]:
    """Yield the parts of a span that lie in no pseudonym."""
    start = span.start
    for first, last in taken:
        if last <= start or first >= span.end:
            continue
        if start < first:
            yield span._replace(start=start, end=first)
        start = last
    if start < span.end:
        yield span._replace(start=start)


def _apart(spans: Iterable[TextSpan]) -> Iterable[TextSpan]:
    """Yield spans of which none overlaps another: those that do are one, of the kind of the first."""
    last: TextSpan | None = None
    for span in spans:
        if last is None:
            last = span
        elif span.start < last.end:
            last = last._replace(end=max(last.end, span.end))
        else:
            yield last
            last = span
    if last is not None:
        yield last
