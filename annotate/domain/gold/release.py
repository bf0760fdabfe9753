"""A release of the gold set: which entries it holds, each with a hash of its content, and one hash over all.

In come entries, out come hashes and differences. The rule: a release holds ids and hashes, never a text, and the same content
gives the same hash on any machine.

Gold entries as rows of a file: our own form, with where each entry comes from. The rule: what was forgotten is null and says
so, never an empty text.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from annotate.domain.gold.entries import GoldEntry, GoldRole
from annotate.domain.turns import as_rows
from proxy.errors import UsageError
from proxy.records import Item, Label, Turn

LONGEST_NAME = 100
NOT_IN_FILE_NAMES = '/\\<>:"|?*'
EXPORT_COLUMNS = (
    "gold_id",
    "question",
    "history",
    "reference",
    "contexts",
    "item_id",
    "corrects",
    "system",
    "annotator",
    "role",
    "release",
    "status",
    "source",
    "label",
    "wave",
    "label_at",
    "updated_at",
    "language",
    "lacks_knowledge",
    "flag",
    "content_hash",
    "forgotten",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Release:
    """A named release; `hash` is the manifest's, `who` the person who made it."""

    name: str
    at: str
    who: str
    hash: str
    entries: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Released:
    """One entry of a release: the number of its revision, and a hash of its question, reference and passages."""

    gold_id: str
    revision: int
    content_hash: str
    role: GoldRole | None = None
    lacks_knowledge: bool = False


class ReleasedTexts(NamedTuple):
    """A released entry with its texts; all of them None where one was forgotten since."""

    entry: Released
    question: str | None
    reference: str | None
    contexts: tuple[str, ...] | None
    history: tuple[Turn, ...] = ()


class Difference(NamedTuple):
    """Differences of two releases: gold ids, in order. `moved` have another role, `marked` another mark."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    moved: tuple[str, ...]
    marked: tuple[str, ...]


def content_hash(question: str, reference: str, contexts: Sequence[str], history: Sequence[Turn] = ()) -> str:
    """Return the SHA-256 of canonical JSON of [question, reference, contexts], and of the conversation where there is one."""
    before = [as_rows(history)] if history else []
    return sha256(_canonical([question, reference, list(contexts), *before]).encode()).hexdigest()


def fits(noted: str, question: str, reference: str, contexts: Sequence[str], history: Sequence[Turn]) -> bool:
    """Return whether the texts are those of a released entry; earlier releases did not hash the conversation."""
    return noted in (
        content_hash(question, reference, contexts, history),
        content_hash(question, reference, contexts),
    )


def manifest_hash(entries: Iterable[Released]) -> str:
    """Return SHA-256 over a line of canonical JSON an entry, [gold_id, content_hash, role, lacks_knowledge], by gold id."""
    lines = [
        _canonical([entry.gold_id, entry.content_hash, entry.role.value if entry.role else None, entry.lacks_knowledge])
        for entry in sorted(entries, key=lambda entry: entry.gold_id)
    ]
    return sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def _canonical(value: object) -> str:
    """Return JSON in one form: no spaces, nothing but ASCII."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)


def difference(before: Iterable[Released], after: Iterable[Released]) -> Difference:
    """Return what changed from one release to another."""
    old, new = ({entry.gold_id: entry for entry in release} for release in (before, after))
    both = sorted(old.keys() & new.keys())
    return Difference(
        added=tuple(sorted(new.keys() - old.keys())),
        removed=tuple(sorted(old.keys() - new.keys())),
        changed=tuple(gold_id for gold_id in both if old[gold_id].content_hash != new[gold_id].content_hash),
        moved=tuple(gold_id for gold_id in both if old[gold_id].role != new[gold_id].role),
        marked=tuple(gold_id for gold_id in both if old[gold_id].lacks_knowledge != new[gold_id].lacks_knowledge),
    )


def checked_name(name: str) -> str:
    """Return the name of a release: one line of text that can be typed, and that the name of a file can hold on any system."""
    plain = name.strip()
    if not plain or len(plain) > LONGEST_NAME or any(unicodedata.category(sign)[0] == "C" for sign in plain):
        raise UsageError(f"a release needs a name of 1 to {LONGEST_NAME} characters in one line, like 2026-11 or v3")
    if plain.startswith(".") or plain.endswith(".") or any(sign in NOT_IN_FILE_NAMES for sign in plain):
        raise UsageError(
            f"the name of a release goes into names of files: leave out {' '.join(NOT_IN_FILE_NAMES)} and a full stop at "
            "either end, and write it like 2026-11 or v3"
        )
    return plain


def export_row(entry: GoldEntry, item: Item, label: Label | None, corrects: Sequence[str]) -> Mapping[str, object]:
    """Return an entry as it stands, with where it comes from; `corrects` are the other wrong answers, by item id."""
    return {
        "gold_id": entry.gold_id,
        "question": item.question,
        "history": as_rows(item.history),
        "reference": entry.reference,
        "contexts": [context.text for context in item.contexts],
        "item_id": entry.item_id,
        "corrects": list(corrects),
        "system": item.system,
        "annotator": entry.annotator,
        "role": entry.role.value if entry.role else None,
        "release": None,
        "status": entry.status.value,
        "source": entry.source.value,
        "label": label.judgement.value if label else None,
        "wave": label.wave if label else None,
        "label_at": label.at if label else None,
        "updated_at": entry.updated_at,
        "language": item.language,
        "lacks_knowledge": entry.lacks_knowledge,
        "flag": entry.flag,
        "content_hash": None,
        "forgotten": False,
    }


def released_row(
    entry: GoldEntry, item: Item, label: Label | None, corrects: Sequence[str], release: Release, texts: ReleasedTexts
) -> Mapping[str, object]:
    """Return an entry as it was released, with what is known of its origin today."""
    released = texts.entry
    return {
        **export_row(entry, item, label, corrects),
        "question": texts.question,
        "history": as_rows(texts.history),
        "reference": texts.reference,
        "contexts": None if texts.contexts is None else list(texts.contexts),
        "role": released.role.value if released.role else None,
        "release": release.name,
        "status": "released",
        "lacks_knowledge": released.lacks_knowledge,
        "content_hash": released.content_hash,
        "forgotten": texts.question is None,
    }
