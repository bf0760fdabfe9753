"""Redact the texts of an item before they are sent: the one seam through which any text leaves the house.

What is masked is a property of the store: it is recorded there when something is sent (`masking_policy.py`) and holds in every
folder. In force is what the stores that this process has open ask for, joined with the folder's own assay.toml.

`on = true` in the table [redaction] masks what patterns can find (`patterns.py`), the team's own `patterns`, and what its
`recognisers` find, in all that is sent to Label Studio or to a model, in every exported file, in everything that the app, the
terminal and the HTML report show; annotators are named by a number on pages, and the caller's own fields are left out there
but for those that are named in `shown`. `hidden` names more fields that are shown nowhere: on no page, and in no list of
disagreements. Without the table texts are only made safe to store and to show.

What is masked becomes a pseudonym of the store (`pseudonyms.py`), or with `pseudonyms = false` a plain stand-in. Where the key is
missing, is another than the store knows, or open stores disagree, plain stand-ins take their place: less is told, never more.

This is not de-identification: patterns find no names of patients, places or rare illnesses. The rule: whatever is sent to Label
Studio or to a model is taken from `OutgoingTexts`, never from an item, whatever a page shows goes through `for_page`, and
whatever is written to a file through `exported`.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from threading import Lock
from typing import NamedTuple
from weakref import WeakKeyDictionary

from annotate.domain import passages
from annotate.domain.passages import SOURCE, TITLE, PassageName
from annotate.domain.privacy import kinds, own_patterns
from annotate.domain.privacy import pseudonyms as store_pseudonyms
from annotate.domain.privacy import recognisers as named_recognisers
from annotate.domain.privacy.kinds import StandIn, plain
from annotate.domain.privacy.own_patterns import OwnPattern
from annotate.domain.privacy.people import without_people
from annotate.domain.privacy.pseudonyms import PSEUDONYM, Pseudonyms
from annotate.domain.privacy.recognisers import Unrecognised
from annotate.settings import REDACTION, SETTINGS, Flag, SettingsTable, Texts, checked, settings
from proxy.errors import UsageError
from proxy.records import Context, Item, Turn
from proxy.text.controls import displayable

OWN = "metadata."
ANNOTATOR, GROUP = "annotator", "group"
# What can be hidden: the names stand where these are shown.
FIELDS = (ANNOTATOR, GROUP, "comment", "correction", "rationale", "reference", "history", TITLE, SOURCE)
HIDDEN = plain(kinds.HIDDEN)
# What the standard patterns find: 6 finds what the head of a column names.
VERSION = 6
_PSEUDONYMS = re.compile(f"({PSEUDONYM.pattern})")
_WORDS = re.compile(r"\d+|[^\W\d_]+")
_MACHINE_WORD = re.compile(r"[a-z][a-z0-9_]*")
# Fields whose values find a thing again, or are computed: ids, digests, times, versions, commands.
_NAMES = re.compile(
    r"(?:.*_)?(?:ids?|key|keys|hash|digest|head|signature|salt|fingerprint|at|timestamp|commands?|db|file|release)"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Redaction:
    """Redaction that the team asks for; `hidden` and `shown` are names of fields, the caller's own as `metadata.NAME`."""

    is_on: bool = False
    patterns: tuple[OwnPattern, ...] = ()
    recognisers: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    shown: frozenset[str] = frozenset()
    # Whether a pseudonym takes the place of what is masked; None where nobody has said so.
    has_pseudonyms: bool | None = None
    # What tells this store's pseudonyms from others', and how to know their key; "" where it has none yet.
    salt: str = ""
    fingerprint: str = ""
    pseudonyms: Pseudonyms | None = field(default=None, repr=False)

    def text(self, text: str) -> str:
        """Return the text as it may leave or be shown; one that a recogniser cannot read is hidden as a whole."""
        safe = displayable(text)
        if not self.is_on:
            return safe
        try:
            return self._masked(safe, self._stand_in)
        except Unrecognised:
            return HIDDEN

    def optional(self, text: str | None) -> str | None:
        """Return the text as it may leave, where there is one."""
        return None if text is None else self.text(text)

    def count(self, text: str, counts: Counter[str]) -> None:
        """Add what is replaced in a text to the counts by kind; Unrecognised where a recogniser fails."""

        def counted(kind: str, value: str) -> str:
            counts[kind] += 1
            return self._stand_in(kind, value)

        self._masked(displayable(text), counted)

    def marked(self, text: str, marks: list[tuple[str, str]]) -> str:
        """Return the masked text, and add the kind and the stand-in of each value to `marks`; Unrecognised as `count`."""

        def noted(kind: str, value: str) -> str:
            marks.append((kind, self._stand_in(kind, value)))
            return marks[-1][1]

        return self._masked(text, noted)

    def _masked(self, text: str, stand_in: StandIn) -> str:
        from annotate.domain.privacy.patterns import masked  # takes long to load, and most stores mask nothing

        # What comes in may hold pseudonyms of ours, from before: no pattern finds a part of one.
        pieces = _PSEUDONYMS.split(text) if self.patterns else [text]
        pieces[::2] = [own_patterns.replaced(piece, self.patterns, stand_in) for piece in pieces[::2]]
        return named_recognisers.replaced(masked("".join(pieces), stand_in), self.recognisers, stand_in)

    @property
    def _stand_in(self) -> StandIn:
        return self.pseudonyms or plain

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
        asked = {self.has_pseudonyms, other.has_pseudonyms} - {None}
        # Where two stores have pseudonyms of their own, neither may be told by the other's.
        keyed = [redaction for redaction in (self, other) if redaction.salt]
        source = keyed[0] if keyed else Redaction()
        is_one = all((policy.salt, policy.pseudonyms) == (source.salt, source.pseudonyms) for policy in keyed)
        return Redaction(
            is_on=True,
            patterns=self.patterns + more,
            recognisers=tuple(dict.fromkeys(self.recognisers + other.recognisers)),
            hidden=self.hidden | other.hidden,
            shown=self.shown & other.shown,
            has_pseudonyms=None if not asked else False not in asked,
            salt=source.salt,
            fingerprint=source.fingerprint,
            pseudonyms=source.pseudonyms if is_one and False not in asked else None,
        )

    def covers(self, other: Redaction) -> bool:
        """Return whether this masks all that the other does."""
        if not (self.is_on and other.is_on):
            return not other.is_on
        return (
            {pattern.pattern for pattern in self.patterns} >= {pattern.pattern for pattern in other.patterns}
            and set(self.recognisers) >= set(other.recognisers)
            and self.hidden >= other.hidden
            and self.shown <= other.shown
            and not (self.has_pseudonyms is True and other.has_pseudonyms is False)
        )

    def as_json(self) -> str:
        """Return it as a store keeps it, with the keys of the table."""
        lists = {"hidden": sorted(self.hidden), "shown": sorted(self.shown)}
        more = {"recognisers": list(self.recognisers), "pseudonyms": self.has_pseudonyms is True}
        return json.dumps(
            {
                "on": self.is_on,
                "patterns": [pattern.pattern for pattern in self.patterns],
                **lists,
                **more,
                "salt": self.salt,
                "fingerprint": self.fingerprint,
            }
        )

    @property
    def digest(self) -> str:
        """A name for what is masked, part of a model judge's signature; empty where nothing is."""
        if not self.is_on:
            return ""
        lines = [*(pattern.pattern for pattern in self.patterns), *self.recognisers]
        lines += [self.fingerprint] if self.pseudonyms else []
        return f"masked v{VERSION} {sha256(chr(10).join(lines).encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"

    def of_store(self, secret: bytes | None) -> Redaction:
        """Return it with the pseudonyms of the store that recorded it, where the secret is that store's."""
        if secret is None or not (self.is_on and self.has_pseudonyms and self.salt):
            return self
        made = store_pseudonyms.of_store(secret, self.salt)
        return replace(self, pseudonyms=made) if made.fingerprint == self.fingerprint else self


@dataclass(frozen=True, kw_only=True, slots=True)
class _Table(SettingsTable):
    """What [redaction] knows."""

    on: Flag = False
    patterns: Texts = field(default_factory=list)
    recognisers: Texts = field(default_factory=list)
    hidden: Texts = field(default_factory=list)
    shown: Texts = field(default_factory=list)
    pseudonyms: Flag | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class OutgoingTexts:
    """The texts of one item that may leave: nothing that says where they come from or what a judge thought."""

    question: str
    answer: str
    contexts: tuple[str, ...]
    history: tuple[Turn, ...] = ()
    reference: str | None = None


class Followed(NamedTuple):
    """Where an open store says what is masked, and where its secret is; both are read anew each time."""

    recorded: Callable[[], str | None]
    secret: Callable[[], bytes | None]

    def redaction(self) -> Redaction | None:
        """Return what the store asks for; None where it has recorded nothing."""
        text = self.recorded()
        return None if text is None else from_json(text).of_store(self.secret())


# Another process may have recorded more: nothing is kept of what a store asks for.
_STORES: WeakKeyDictionary[object, Followed] = WeakKeyDictionary()
_LOCK = Lock()


def follow(store: object, recorded: Callable[[], str | None], secret: Callable[[], bytes | None]) -> None:
    """Follow what a store asks for while it is open."""
    with _LOCK:
        _STORES[store] = Followed(recorded, secret)


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
        stores = list(_STORES.values())
    redaction = Redaction()
    for store in stores:
        if (asked := store.redaction()) is not None:
            redaction = redaction.joined(asked)
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
    """Read what a store has recorded; one from before pseudonyms goes on without them."""
    table = json.loads(text)
    salt, fingerprint = table.pop("salt", ""), table.pop("fingerprint", "")
    asked = _asked({"pseudonyms": False, **table}, "the masking of the store")
    return replace(asked, salt=salt, fingerprint=fingerprint)


def outgoing(item: Item) -> OutgoingTexts:
    """Redact the texts of an item that may leave the house; passages keep their rank order."""
    text = in_force().text
    return OutgoingTexts(
        question=text(item.question),
        answer=text(item.answer),
        contexts=tuple(text(context.text) for context in item.contexts),
        history=tuple(Turn(role=text(turn.role), text=text(turn.text)) for turn in item.history),
        reference=in_force().optional(item.reference),
    )


def texts_of(item: Item) -> Iterator[str]:
    """Yield every text of an item that may ever leave."""
    yield from (item.question, item.answer, item.reference or "")
    for context in item.contexts:
        yield context.text
    for name in passages.passage_names(item):
        yield from (name.title, name.date, name.source)
    for turn in item.history:
        yield from (turn.role, turn.text)


def exported(row: Mapping[str, object], *, keep: Collection[str] = ()) -> dict[str, object]:
    """Return a row of an exported file as it may leave: every text in it masked, however deep.

    The fields of `keep` stay as they are: ids by which a row finds its way back.
    """
    redaction = in_force()
    if not redaction.is_on:
        return dict(row)
    return {name: value if name in keep else _leaving(value, redaction) for name, value in row.items()}


def printed(value: object) -> object:
    """Return the JSON of a command as it may be printed: texts masked, and what names a thing for the next command kept."""
    redaction = at_least()
    return _leaving(value, redaction) if redaction.is_on else value


def _leaving(value: object, redaction: Redaction) -> object:
    if isinstance(value, str):
        # A word of a machine, such as the name of a judge: a recogniser may take it for a person.
        is_word = _MACHINE_WORD.fullmatch(value)
        return replace(redaction, recognisers=()).text(value) if is_word else redaction.text(value)
    if isinstance(value, Mapping):
        return {
            _leaving(name, redaction): inner if _NAMES.fullmatch(str(name)) else _leaving(inner, redaction)
            for name, inner in value.items()
        }
    return [_leaving(inner, redaction) for inner in value] if isinstance(value, list | tuple) else value


def passage_names(item: Item) -> tuple[PassageName, ...]:
    """Return title, date and source of each passage as an expert may see them, rank by rank; empty what is hidden."""
    redaction = in_force()

    def mask(text: str, field: str) -> str:
        return "" if redaction.hides(field) else redaction.text(text)

    return tuple(name.masked(mask) for name in passages.passage_names(item))


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


def about(item: Item, reason: str) -> str:
    """Mask in a judge's words those that are masked in the item itself: in pieces no pattern finds them."""
    return about_item(item)(reason)


def about_item(item: Item) -> Callable[[str], str]:
    """Return what masks a judge's words as `about` does, for several of them: the item is masked once."""
    redaction = at_least()
    if not redaction.is_on:
        return lambda reason: reason
    turns = [turn.text for turn in item.history]
    whole = [
        displayable(text) for text in (item.question, item.answer, *turns, *(context.text for context in item.contexts))
    ]
    masked_words = _words(whole) - _words([redaction.text(text) for text in whole])
    return lambda reason: _WORDS.sub(lambda match: HIDDEN if match[0].casefold() in masked_words else match[0], reason)


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


@lru_cache(maxsize=8)
def _read(folder: str, changed: int, size: int, number: int) -> Redaction | None:
    """Return the table of the file as it is now; the rest tells this file from what it was before."""
    table = settings().get(REDACTION)
    return None if table is None else _asked(table, f"{SETTINGS}: [{REDACTION}]")


def _asked(table: object, where: str) -> Redaction:
    """Return what a table asks for."""
    asked = checked(_Table, table, where)
    patterns = tuple(own_patterns.compiled(pattern, f"{where} patterns") for pattern in asked.patterns)
    hidden, shown = frozenset(asked.hidden), frozenset(asked.shown)
    if odd := sorted(name for name in hidden | shown if name not in FIELDS and not name.startswith(OWN)):
        raise UsageError(f"{where} has no field {odd[0]}: there are {', '.join(FIELDS)} and {OWN}NAME")
    return Redaction(
        is_on=asked.on,
        patterns=patterns,
        recognisers=tuple(dict.fromkeys(asked.recognisers)),
        hidden=hidden | ({GROUP} - shown),
        shown=shown,
        has_pseudonyms=asked.pseudonyms,
    )
