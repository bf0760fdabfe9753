"""Read a release of the gold set: check it against its hashes, and list its entries as rows of a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from annotate.domain.gold import GoldRole
from annotate.domain.gold.release import manifest_hash, released_row
from annotate.store import Store
from proxy.errors import StoreError


class Verified(NamedTuple):
    """A release whose hashes match: its hash, its entries, and how many of them were forgotten since."""

    hash: str
    entries: int
    forgotten: int


def verify(store: Store, name: str) -> Verified:
    """Read a release whole, and compare each text and the list of its entries with their hashes; StoreError where one differs."""
    made, entries = store.gold.releases.get(name), store.gold.releases.entries(name)
    if len(entries) != made.entries or manifest_hash(entries) != made.hash:
        raise StoreError(f"release {name}: its entries are not those it was made of: restore a backup")
    forgotten = sum(text.question is None for text in store.gold.releases.texts(name))
    return Verified(made.hash, len(entries), forgotten)


def rows(store: Store, name: str, role: GoldRole | None) -> Iterator[Mapping[str, object]]:
    """Yield the entries of a release as rows of a file, all or of one role."""
    made = store.gold.releases.get(name)
    by_id = {entry.gold_id: entry for entry in store.gold.entries()}
    released = [entry for entry in store.gold.releases.entries(name) if role in (None, entry.role)]
    labels, corrects = store.labels.by_item(), store.gold.answers.corrected([entry.gold_id for entry in released])
    entries = store.gold.with_items([by_id[entry.gold_id] for entry in released])
    for text, (entry, item) in zip(store.gold.releases.texts(name, role), entries, strict=True):
        label = labels.get(entry.item) if entry.item is not None else None
        yield released_row(entry, item, label, corrects.get(entry.gold_id, ()), made, text)
