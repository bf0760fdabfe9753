"""Keep the gold set in step with labels: candidates come and go with their labels, accepted entries are flagged.

A candidate follows the best that its item offers. What a person accepted, retired or wrote here is never changed: where
the label behind an accepted entry changes, the entry is flagged, and a person decides.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import NamedTuple

from annotate.domain.gold import (
    WRITTEN_HERE,
    Candidate,
    GoldEntry,
    GoldSource,
    GoldStatus,
    Others,
    imported_id,
    offered,
)
from annotate.domain.gold.flags import Standing, basis, doubt, standing
from annotate.domain.gold.import_rows import GoldRow
from annotate.store.audit.policies import Policy
from annotate.store.engine.database import from_column
from annotate.store.gold.decisions import GoldReview
from proxy.errors import InputError
from proxy.records import Label

ASSAY = "assay"
# The last revision of a candidate that no person retired.
WITHDRAWN = (GoldStatus.RETIRED, ASSAY, "the label no longer offers it")
AGAIN = "the label offers one again"
CHANGED = "label changed"
MOOT = "the flag came off: the label says again what it said when this was accepted"
TEXTS = "SELECT i.id, i.is_current, i.forgotten_at, t.answer, t.reference FROM items i JOIN texts t USING (key) WHERE key = ?"
# The correction that came first stays; one that comes later replaces nothing, also where the item has a newer revision.
CORRECTION = """
    SELECT correction, source FROM feedback WHERE item_id = :id AND trim(correction) != '' AND NOT EXISTS (
        SELECT 1 FROM gold g JOIN items i ON i.key = g.item WHERE i.id = :id AND i.key != :key AND g.source = :correction)
    ORDER BY received_at, at, hash LIMIT 1
"""
# `{among}` narrows each to some ids.
WAITING = """
    SELECT i.key FROM items i WHERE i.is_current AND i.forgotten_at IS NULL
    AND i.id IN (SELECT item_id FROM feedback WHERE correction IS NOT NULL AND item_id {among})
    AND NOT EXISTS (SELECT 1 FROM gold g WHERE g.item = i.key)
    UNION SELECT g.item FROM gold g JOIN items i ON i.key = g.item
    WHERE g.status = 'accepted' AND (g.basis IS NULL OR (NOT i.is_current AND g.flag IS NULL)) AND i.id {among}
"""
WITH_TRAFFIC = """
    SELECT i.key FROM items i JOIN texts t USING (key) WHERE i.is_current AND i.forgotten_at IS NULL
    AND t.reference IS NOT NULL AND NOT EXISTS (SELECT 1 FROM gold g WHERE g.item = i.key) AND i.id {among}
"""
EVERY_ID, THESE_IDS = "IS NOT NULL", "IN (SELECT value FROM json_each(:ids))"


class Imported(NamedTuple):
    """Result of one imported row."""

    gold_id: str
    is_new: bool


class Gold(GoldReview):
    """The gold and gold_revisions tables."""

    def offer(self, items: Iterable[int], *, now: str) -> int:
        """Make, change or withdraw the candidates of these items and flag their accepted entries; how many candidates are new.

        It follows from every change of their labels.
        """
        new = 0
        for item in sorted(items):
            item_id, is_current, forgotten_at, answer, reference = self._db.conn.execute(TEXTS, (item,)).fetchone()
            if forgotten_at is not None:
                continue
            label, before = self._labels.of_item(item), self.of_item(item)
            if before and before.status is GoldStatus.ACCEPTED:
                self._flag(before, label, standing(label, is_current=bool(is_current)), now)
                continue
            best = offered(label, from_column(answer), self._others(item, item_id, reference))
            is_back = before is not None and before.status is GoldStatus.RETIRED and self._was_withdrawn(before)
            if best and (before is None or is_back):
                self._offer_one(item, before, best, AGAIN if before else None, who=_voice(best), now=now)
                new += 1
            elif before and before.status is GoldStatus.CANDIDATE and before.source not in WRITTEN_HERE:
                self._follow(before, best, now)
        return new

    def sweep(self, *, now: str) -> int:
        """Offer what nobody has offered yet: corrections, references of the traffic if asked for, and superseded entries.

        Call it when the team asks for other things to be offered; the number of candidates that are new.
        """
        return self.offer(self._waiting(EVERY_ID), now=now)

    def follow_traffic(self, ids: Collection[str], *, now: str) -> int:
        """Do the same for the items with these ids; it follows from whatever traffic and feedback come in."""
        return self.offer(self._waiting(THESE_IDS, ids), now=now)

    def _waiting(self, among: str, ids: Collection[str] = ()) -> list[int]:
        query = f"{WAITING} UNION {WITH_TRAFFIC}" if self._policies.is_on(Policy.TRAFFIC_REFERENCES) else WAITING
        rows = self._db.conn.execute(query.format(among=among), {"ids": json.dumps(list(ids))})
        return [row[0] for row in rows.fetchall()]

    def recheck(self, *, now: str) -> None:
        """Compare every accepted entry with what stands behind it now."""
        self.sweep(now=now)
        accepted = self.entries(GoldStatus.ACCEPTED)
        self.offer([entry.item for entry in accepted if entry.item is not None], now=now)

    def _others(self, item: int, item_id: str, reference: str | bytes | None) -> Others:
        """Return what the item offers beside its label."""
        values = {"id": item_id, "key": item, "correction": GoldSource.CORRECTION.value}
        row = self._db.conn.execute(CORRECTION, values).fetchone()
        came = reference if self._policies.is_on(Policy.TRAFFIC_REFERENCES) else None
        return Others(
            reference=None if came is None else from_column(came),
            correction=None if row is None else from_column(row[0]),
            sender=None if row is None else row[1],
        )

    def _was_withdrawn(self, before: GoldEntry) -> bool:
        last = self.revisions(before.gold_id)[-1]
        return (last.status, last.who, last.why) == WITHDRAWN

    def _offer_one(
        self, item: int, before: GoldEntry | None, candidate: Candidate, why: str | None, *, who: str, now: str
    ) -> None:
        identity, item_id = self._identity(item)
        entry = before or GoldEntry(
            gold_id=identity,
            item=item,
            item_id=item_id,
            reference=candidate.reference,
            status=GoldStatus.CANDIDATE,
            source=candidate.source,
            annotator=candidate.annotator,
            updated_at=now,
        )
        changed = replace(entry, reference=candidate.reference, source=candidate.source, annotator=candidate.annotator)
        self.write(replace(changed, status=GoldStatus.CANDIDATE), who=who, why=why, now=now)

    def _follow(self, before: GoldEntry, candidate: Candidate | None, now: str) -> None:
        """Let a candidate follow its label; what a person accepted, retired or wrote here does not."""
        if candidate is None:
            status, who, why = WITHDRAWN
            self.write(replace(before, status=status), who=who, why=why, now=now)
        elif candidate != (before.reference, before.source, before.annotator):
            self._offer_one(before.item or 0, before, candidate, CHANGED, who=_voice(candidate), now=now)

    def _flag(self, entry: GoldEntry, label: Label | None, now_stands: Standing, now: str) -> None:
        """Say on an accepted entry what changed behind it, or that it changed back; the entry itself stays as it is."""
        since = ((label.at if label else None) or now)[:10]
        before = basis(entry, now_stands)
        flag = doubt(entry, before, now_stands, since)
        flagged = replace(entry, flag=flag, basis=before.kept())
        if (flag is None) != (entry.flag is None) or _kind(flag) != _kind(entry.flag):
            self.write(flagged, who=ASSAY, why=f"flagged: {flag}" if flag else MOOT, now=now)
        elif entry.basis is None:
            self._db.conn.execute("UPDATE gold SET basis = ? WHERE gold_id = ?", (flagged.basis, entry.gold_id))

    def take_in(self, row: GoldRow, item: int | None, same_question: Iterable[str], *, who: str, now: str) -> Imported:
        """Keep an imported reference as a candidate: of `item`, or as an entry of its own.

        `same_question` are the entries that ask the same. InputError where a person has written, accepted or retired another
        reference for the item.
        """
        text = row.reference.strip()
        before = self.of_item(item) if item is not None else None
        if item is not None and self._is_forgotten(item):
            raise InputError(f"item {row.item_id} was forgotten: no reference can be written for it any more")
        repeated = [
            gold_id
            for gold_id in (*same_question, *([before.gold_id] if before else []))
            if self._ever_said(gold_id, text)
        ]
        if repeated:
            return Imported(repeated[0], is_new=False)
        if before and not self._may_replace(before):
            raise InputError(
                f"item {before.item_id} has another reference, {before.gold_id} ({before.status}): change that one with "
                f"`assay gold edit {before.gold_id}`"
            )
        annotator = row.annotator or who
        if item is not None:
            self._offer_one(item, before, Candidate(text, GoldSource.IMPORT, annotator), None, who=who, now=now)
            return Imported(self._identity(item)[0], is_new=True)
        own = GoldEntry(
            gold_id=imported_id(row.question, text, row.history),
            item=None,
            item_id=None,
            reference=text,
            status=GoldStatus.CANDIDATE,
            source=GoldSource.IMPORT,
            annotator=annotator,
            updated_at=now,
            question=row.question,
            contexts=row.contexts,
            history=row.history,
        )
        self.write(own, who=who, why=None, now=now)
        return Imported(own.gold_id, is_new=True)

    def _may_replace(self, entry: GoldEntry) -> bool:
        """Return whether no person wrote, accepted or retired this."""
        if entry.status is GoldStatus.RETIRED:
            return self._was_withdrawn(entry)
        return entry.status is GoldStatus.CANDIDATE and entry.source not in (*WRITTEN_HERE, GoldSource.WRITTEN)

    def _ever_said(self, gold_id: str, reference: str) -> bool:
        """Return whether this was the reference of an entry at some time."""
        return any(revision.reference.strip() == reference for revision in self.revisions(gold_id))


def _voice(candidate: Candidate) -> str:
    """Return who offers a candidate; an end user's name is not ours, so corrections and references of the traffic have none."""
    return (candidate.annotator or "") if candidate.source in (GoldSource.WRITTEN, GoldSource.RIGHT_ANSWER) else ASSAY


def _kind(flag: str | None) -> str:
    """Return a flag without its day, which may be today's where a label has none."""
    return "" if flag is None else " ".join(flag.split(" since ")[0].split()) + ("+" if ";" in flag else "")
