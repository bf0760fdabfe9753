"""Redact the texts of an item before they are sent: the one seam through which any text leaves the house.

What is masked is a property of the store: it is recorded there when something is sent (`masking_policy.py`) and holds in every
folder. In force is what the stores that this process has open ask for, joined with the folder's own assay.toml.

`on = true` in the table [redaction] masks what patterns can find (`patterns.py`) and the team's own `patterns`, in all that is
sent to Label Studio or to a model, in everything that the app shows and in the HTML report; annotators are named by a
number there, and the caller's own fields are left out but for those that are named in `shown`. `hidden` names more fields that
are shown nowhere: on no page, and in no list of disagreements. Without the table texts are only made safe to store and to show.

This is not de-identification: patterns find no names of patients, places or rare illnesses. The rule: whatever is sent to Label
Studio or to a model is taken from `OutgoingTexts`, never from an item, and whatever a page shows goes through `for_page`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from threading import Lock
from weakref import WeakKeyDictionary

from annotate.domain.privacy import patterns as privacy_patterns
from annotate.domain.privacy.patterns import OwnPattern
from annotate.settings import REDACTION, SETTINGS, Flag, Table, Texts, checked, settings
from proxy.errors import UsageError
from proxy.records import Context, Item, Turn
from proxy.text.controls import displayable

OWN = "metadata."
ANNOTATOR, GROUP, TITLE = "annotator", "group", "title"
# What can be hidden: the names stand where these are shown.
FIELDS = (ANNOTATOR, GROUP, "comment", "correction", "rationale", "reference", "history", TITLE, "source")
HIDDEN = privacy_patterns.STAND_IN
VERSION = 3
_WORDS = re.compile(r"\d+|[^\W\d_]+")
MACHINES = frozenset({"", "assay", "unnamed"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Redaction:
    """Redaction that the team asks for; `hidden` and `shown` are names of fields, the caller's own as `metadata.NAME`."""

    is_on: bool = False
    patterns: tuple[OwnPattern, ...] = ()
    hidden: frozenset[str] = frozenset()
    shown: frozenset[str] = frozenset()

    def text(self, text: str) -> str:
        """Return the text as it may leave or be shown."""
        safe = displayable(text)
        return privacy_patterns.masked(privacy_patterns.replaced(safe, self.patterns)) if self.is_on else safe

    def hides(self, field: str) -> bool:
        """Return whether the values of this field are shown nowhere."""
        if not self.is_on:
            return False
        return field in self.hidden or (field.startswith(OWN) and field not in self.shown)

    def joined(self, other: Redaction) -> Redaction:
        """Join two redactions: nothing is shown that either of them masks."""
        if not (self.is_on and other.is_on):
            return self if self.is_on else other
        known = {pattern.pattern for pattern in self.patterns}
        more = tuple(pattern for pattern in other.patterns if pattern.pattern not in known)
        hidden, shown = self.hidden | other.hidden, self.shown & other.shown
        return Redaction(is_on=True, patterns=self.patterns + more, hidden=hidden, shown=shown)

    def covers(self, other: Redaction) -> bool:
        """Return whether this masks all that the other does."""
        return not other.is_on or self.joined(other) == self

    def as_json(self) -> str:
        """Return it as a store keeps it, with the keys of the table."""
        lists = {"hidden": sorted(self.hidden), "shown": sorted(self.shown)}
        return json.dumps({"on": self.is_on, "patterns": [pattern.pattern for pattern in self.patterns], **lists})

    @property
    def digest(self) -> str:
        """A name for what is masked, part of a model judge's signature; empty where nothing is."""
        if not self.is_on:
            return ""
        pattern_lines = "\n".join(pattern.pattern for pattern in self.patterns)
        # Version 3 matches own patterns by RE2; what the standard ones mask is as it was in version 1.
        version = VERSION if self.patterns else 1
        return f"masked v{version} {sha256(pattern_lines.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Table(Table):
    """What [redaction] knows."""

    on: Flag = False
    patterns: Texts = field(default_factory=list)
    hidden: Texts = field(default_factory=list)
    shown: Texts = field(default_factory=list)


@dataclass(frozen=True, kw_only=True, slots=True)
class OutgoingTexts:
    """The texts of one item that may leave: nothing that says where they come from or what a judge thought."""

    question: str
    answer: str
    contexts: tuple[str, ...]
    history: tuple[Turn, ...] = ()
    reference: str | None = None


# What each open store asks for, read anew each time: another process may have recorded more.
_STORES: WeakKeyDictionary[object, Callable[[], str | None]] = WeakKeyDictionary()
_LOCK = Lock()


def follow(store: object, recorded: Callable[[], str | None]) -> None:
    """Follow what a store asks for while it is open."""
    with _LOCK:
        _STORES[store] = recorded


def leave(store: object) -> None:
    """Stop following a store."""
    with _LOCK:
        _STORES.pop(store, None)


def in_force() -> Redaction:
    """Return what the open stores and assay.toml ask for; UsageError where the table says what is not known."""
    return of_stores().joined(of_folder() or Redaction())


def at_least() -> Redaction:
    """Return what is in force; where the folder's table cannot be read, the standard patterns in its place."""
    try:
        return in_force()
    except UsageError:
        return of_stores().joined(Redaction(is_on=True))


def of_stores() -> Redaction:
    """Return what the open stores ask for."""
    with _LOCK:
        recorded = list(_STORES.values())
    redaction = Redaction()
    for recorded_text in recorded:
        if (text := recorded_text()) is not None:
            redaction = redaction.joined(from_json(text))
    return redaction


def of_folder() -> Redaction | None:
    """Read what assay.toml asks for; None where it has no such table."""
    try:
        file = os.stat(SETTINGS)  # noqa: PTH116 (asked for every text that is shown)
    except OSError:
        return None
    return _read(os.getcwd(), file.st_mtime_ns, file.st_size, file.st_ino)  # noqa: PTH109 (see above)


@lru_cache(maxsize=8)
def from_json(text: str) -> Redaction:
    """Read what a store has recorded."""
    return _asked(json.loads(text), "the masking of the store")


def outgoing(item: Item) -> OutgoingTexts:
    """Redact the texts of an item that may leave the house; passages keep their rank order."""
    text = in_force().text
    return OutgoingTexts(
        question=text(item.question),
        answer=text(item.answer),
        contexts=tuple(text(context.text) for context in item.contexts),
        history=tuple(Turn(role=text(turn.role), text=text(turn.text)) for turn in item.history),
        reference=None if item.reference is None else text(item.reference),
    )


def titles(item: Item) -> tuple[str, ...]:
    """Return the titles of the passages as an expert may see them, rank by rank; empty where there is none or it is hidden."""
    redaction = in_force()
    return tuple("" if redaction.hides(TITLE) else redaction.text(context.title or "") for context in item.contexts)


def for_model(item: Item) -> Item:
    """Return the item as a model's judge may see it: the texts that may leave, the language, and the id, which is not sent."""
    texts = outgoing(item)
    return Item(
        id=item.id,
        question=texts.question,
        answer=texts.answer,
        contexts=tuple(Context(text=text) for text in texts.contexts),
        language=item.language,
        history=texts.history,
        reference=texts.reference,
    )


def about(item: Item, said: str) -> str:
    """Mask in a judge's words those that are masked in the item itself: in pieces no pattern finds them."""
    redaction = at_least()
    if not redaction.is_on:
        return said
    turns = [turn.text for turn in item.history]
    whole = [
        displayable(text) for text in (item.question, item.answer, *turns, *(context.text for context in item.contexts))
    ]
    masked_words = _words(whole) - _words([redaction.text(text) for text in whole])
    return _WORDS.sub(lambda match: HIDDEN if match[0].casefold() in masked_words else match[0], said)


def _words(texts: Iterable[str]) -> set[str]:
    """Return every word and every number in them."""
    return {match[0].casefold() for text in texts for match in _WORDS.finditer(text)}


def for_page(text: str, people: Mapping[str, str] = {}, *, fields: Iterable[str] = ()) -> str:
    """Return what a page may show of a text: `people` are names with what stands for them, `fields` what it is a value of.

    Where the table cannot be read, what patterns find is masked all the same.
    """
    redaction = at_least()
    if not redaction.is_on:
        return displayable(text)
    if any(map(redaction.hides, fields)):
        return HIDDEN
    return redaction.text(without_people(text, dict.fromkeys(people, HIDDEN) if redaction.hides(ANNOTATOR) else people))


def without_people(text: str, people: Mapping[str, str]) -> str:
    """Return the text with every name replaced, wherever it stands as a word."""
    if not people:
        return text
    if text in people:
        return people[text]
    # As in the store: a name is found however it is written.
    return _names(frozenset(people)).sub(lambda match: people.get(match[0]) or _fold(people)[match[0].casefold()], text)


def pseudonyms(names: list[str]) -> dict[str, str]:
    """Number everybody as an annotator, in this order; what acts by itself is nobody."""
    people = [name for name in dict.fromkeys(names) if name not in MACHINES]
    return {name: f"Annotator {number}" for number, name in enumerate(people, start=1)}


@lru_cache(maxsize=4)
def _names(names: frozenset[str]) -> re.Pattern[str]:
    """Compile a pattern that finds these names as words; one or two letters are no name within a sentence."""
    long = sorted((name for name in names if len(name) > 2), key=lambda name: (-len(name), name))
    words = [
        rf"{r'(?<![A-Za-z0-9_])' if name[0].isascii() else ''}{re.escape(name)}"
        rf"{r'(?![A-Za-z0-9_])' if name[-1].isascii() else ''}"
        for name in long
    ]
    return re.compile("|".join(words) or r"(?!)", re.IGNORECASE)


def _fold(people: Mapping[str, str]) -> dict[str, str]:
    return {name.casefold(): stand_in for name, stand_in in people.items()}


@lru_cache(maxsize=8)
def _read(folder: str, changed: int, size: int, number: int) -> Redaction | None:
    """Return the table of the file as it is now; the rest tells this file from what it was before."""
    table = settings().get(REDACTION)
    return None if table is None else _asked(table, f"{SETTINGS}: [{REDACTION}]")


def _asked(table: object, where: str) -> Redaction:
    """Return what a table asks for."""
    asked = checked(_Table, table, where)
    patterns = tuple(privacy_patterns.compiled(pattern, f"{where} patterns") for pattern in asked.patterns)
    hidden, shown = frozenset(asked.hidden), frozenset(asked.shown)
    if odd := sorted(name for name in hidden | shown if name not in FIELDS and not name.startswith(OWN)):
        raise UsageError(f"{where} has no field {odd[0]}: there are {', '.join(FIELDS)} and {OWN}NAME")
    return Redaction(is_on=asked.on, patterns=patterns, hidden=hidden | ({GROUP} - shown), shown=shown)
