"""Decide what becomes of a gold entry when what stands behind it changes.

A candidate follows the best that its item offers. What a person accepted, retired or wrote is never changed: an accepted entry
is flagged where the label behind it says something else, and a person decides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from annotate.domain.gold.entries import WRITTEN_HERE, Candidate, GoldEntry, GoldSource, GoldStatus, gold_id
from annotate.domain.gold.flags import ItemState, basis, doubt
from proxy.records import Label

ASSAY = "assay"
AGAIN = "the label offers one again"
CHANGED = "label changed"
WITHDRAWN = "the label no longer offers it"
SINCE = re.compile(r" since \d{4}-\d\d-\d\d")
MOOT = "the flag came off: what stands behind it says again what it said when this was accepted"


class Identity(NamedTuple):
    """An item as a gold entry names it: its row, its id and the revision of its content."""

    item: int
    item_id: str
    revision: int

    @property
    def gold_id(self) -> str:
        """The name of its entry."""
        return gold_id(self.item_id, self.revision)

    def entry(self, offered: Candidate, now: str) -> GoldEntry:
        """Return a new candidate of the item."""
        return GoldEntry(
            gold_id=self.gold_id,
            item=self.item,
            item_id=self.item_id,
            reference=offered.reference,
            status=GoldStatus.CANDIDATE,
            source=offered.source,
            annotator=offered.annotator,
            updated_at=now,
        )


class EntryRevision(NamedTuple):
    """A revision that is to be written: the entry as it will be, who makes it so, and why."""

    entry: GoldEntry
    who: str
    why: str | None


def offer(before: GoldEntry, offered: Candidate) -> GoldEntry:
    """Return the entry as a candidate with what is offered now."""
    reference, source, annotator = offered
    return replace(before, reference=reference, source=source, annotator=annotator, status=GoldStatus.CANDIDATE)


def is_withdrawn(entry: GoldEntry, last: EntryRevision) -> bool:
    """Return whether an entry was retired because its label no longer offered it, and not by a person."""
    return (entry.status, last.who, last.why) == (GoldStatus.RETIRED, ASSAY, WITHDRAWN)


def follow(before: GoldEntry, offered: Candidate | None, *, was_withdrawn: bool) -> EntryRevision | None:
    """Return what becomes of an entry that is not accepted, now that its item offers this; None where it stays as it is."""
    if before.status is GoldStatus.RETIRED:
        return EntryRevision(offer(before, offered), voice(offered), AGAIN) if offered and was_withdrawn else None
    if before.source in WRITTEN_HERE or offered == (before.reference, before.source, before.annotator):
        return None
    if offered is None:
        return EntryRevision(replace(before, status=GoldStatus.RETIRED), ASSAY, WITHDRAWN)
    return EntryRevision(offer(before, offered), voice(offered), CHANGED)


def may_replace(entry: GoldEntry, *, was_withdrawn: bool) -> bool:
    """Return whether an imported reference may take the place of this one: no person wrote, accepted or retired it."""
    if entry.status is GoldStatus.RETIRED:
        return was_withdrawn
    return entry.status is GoldStatus.CANDIDATE and entry.source not in (*WRITTEN_HERE, GoldSource.WRITTEN)


def flagged(
    entry: GoldEntry, label: Label | None, stands: ItemState, now: str, sources: Sequence[str] = ()
) -> EntryRevision | None:
    """Return an accepted entry with what changed behind it, or with its flag off where it changed back; None for neither."""
    since = ((label.at if label else None) or now)[:10]
    before = basis(entry, stands)
    flag = doubt(entry, before, stands, since, sources)
    if (flag is None) == (entry.flag is None) and _kind(flag) == _kind(entry.flag):
        return None
    changed = replace(entry, flag=flag, basis=before.kept())
    return EntryRevision(changed, ASSAY, f"flagged: {flag}" if flag else MOOT)


def voice(offered: Candidate) -> str:
    """Return who offers a candidate; an end user's name is not ours, so corrections and references of the traffic have none."""
    return (offered.annotator or "") if offered.source in (GoldSource.WRITTEN, GoldSource.RIGHT_ANSWER) else ASSAY


def _kind(flag: str | None) -> str:
    """Return a flag without its day, which may be today's where a label has none."""
    return "" if flag is None else SINCE.sub("", flag)
