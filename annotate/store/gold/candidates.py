"""Keep the gold set in step with labels, traffic and feedback; what becomes of an entry is decided in `domain/gold/following`."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable

from annotate.domain.gold import GoldEntry, GoldSource, GoldStatus, Others, offered
from annotate.domain.gold.flags import ItemState, basis, standing
from annotate.domain.gold.following import EntryRevision, Identity, flagged, follow, is_withdrawn, voice
from annotate.store.audit.policies import Policies, Policy
from annotate.store.engine.database import from_column, of_traffic
from annotate.store.engine.sqlite import Database
from annotate.store.gold.entries import GoldRows
from annotate.store.labels.labels import LABEL_THAT_COUNTS

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
IDENTITY = "SELECT key, id, revision FROM items WHERE key = ?"
IS_CURRENT = "SELECT is_current FROM items WHERE key = ?"
CAN_WAIT = "SELECT EXISTS (SELECT 1 FROM gold) OR EXISTS (SELECT 1 FROM feedback)"
WITH_TRAFFIC = """
    SELECT i.key FROM items i JOIN texts t USING (key) WHERE i.is_current AND i.forgotten_at IS NULL
    AND t.reference IS NOT NULL AND NOT EXISTS (SELECT 1 FROM gold g WHERE g.item = i.key) AND i.id {among}
"""
RIGHT_ANSWERS = f"""
    SELECT l.item FROM labels l CROSS JOIN items i ON i.key = l.item WHERE {LABEL_THAT_COUNTS}
    AND l.judgement = 'right' AND i.forgotten_at IS NULL AND l.item != ?1
    AND i.question = (SELECT question FROM items WHERE key = ?1) ORDER BY l.at DESC, l.item DESC
"""
EVERY_ID, THESE_IDS = "IS NOT NULL", "IN (SELECT value FROM json_each(:ids))"


class Gold(GoldRows):
    """The gold and gold_revisions tables, in step with what stands behind them."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._policies = Policies(db)

    def offer(self, items: Iterable[int], *, now: str) -> int:
        """Make, change or withdraw the candidates of these items and flag their accepted entries; how many candidates are new.

        It follows from every change of their labels.
        """
        new = 0
        concerned = sorted(items)
        of_traffic(self._db).hold(concerned)
        for item in concerned:
            item_id, is_current, forgotten_at, answer, reference = self._db.conn.execute(TEXTS, (item,)).fetchone()
            if forgotten_at is not None:
                continue
            label, before = self._labels.of_item(item), self.of_item(item)
            if before and before.status is GoldStatus.ACCEPTED:
                stands = standing(label, is_current=bool(is_current))
                self._apply(flagged(before, label, stands, now, self.sources.changed(before.gold_id)), now)
                if before.basis is None:
                    query = "UPDATE gold SET basis = ? WHERE gold_id = ? AND basis IS NULL"
                    self._db.conn.execute(query, (basis(before, stands).kept(), before.gold_id))
                continue
            best = offered(label, from_column(answer), self._others(item, item_id, reference))
            if before is None:
                change = EntryRevision(self.identity(item).entry(best, now), voice(best), None) if best else None
            else:
                change = follow(before, best, was_withdrawn=self.was_withdrawn(before))
            self._apply(change, now)
            is_new = before is None or before.status is GoldStatus.RETIRED
            new += change is not None and is_new
        return new

    def _apply(self, change: EntryRevision | None, now: str) -> None:
        if change is not None:
            self.write(change.entry, who=change.who, why=change.why, now=now)

    def sweep(self, *, now: str) -> int:
        """Offer what nobody has offered yet: corrections, references of the traffic if asked for, and superseded entries.

        Call it when the team asks for other things to be offered; the number of candidates that are new.
        """
        return self.offer(self._waiting(EVERY_ID), now=now)

    def follow_traffic(self, ids: Collection[str], *, now: str) -> int:
        """Do the same for the items with these ids; it follows from whatever traffic and feedback come in."""
        return self.offer({*self._concerned(ids), *self.sources.see(ids, now=now)}, now=now)

    def _concerned(self, ids: Collection[str]) -> list[int]:
        """Return what waits among these ids; to look each of them up would be a part of every import."""
        can_wait = self._db.conn.execute(CAN_WAIT).fetchone()[0] or self._policies.is_on(Policy.TRAFFIC_REFERENCES)
        return self._waiting(THESE_IDS, ids) if can_wait else []

    def _waiting(self, among: str, ids: Collection[str] = ()) -> list[int]:
        query = f"{WAITING} UNION {WITH_TRAFFIC}" if self._policies.is_on(Policy.TRAFFIC_REFERENCES) else WAITING
        rows = of_traffic(self._db).execute(query.format(among=among), {"ids": json.dumps(list(ids))})
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

    def right_answers(self, item: int) -> list[int]:
        """Return the other items that ask the same question and whose answer is labelled right, the newest label first."""
        return [row[0] for row in self._db.conn.execute(RIGHT_ANSWERS, (item,))]

    def was_withdrawn(self, entry: GoldEntry) -> bool:
        """Return whether an entry was retired because its label no longer offered it, and not by a person."""
        if entry.status is not GoldStatus.RETIRED:
            return False
        last = self.revisions(entry.gold_id)[-1]
        return is_withdrawn(entry, EntryRevision(entry, last.who, last.why))

    def identity(self, item: int) -> Identity:
        """Return how a gold entry names an item."""
        row = of_traffic(self._db).about([item]).execute(IDENTITY, (item,)).fetchone()
        return Identity(*row)

    def standing(self, entry: GoldEntry) -> ItemState:
        """Return what stands behind an entry now."""
        if entry.item is None:
            return ItemState()
        row = of_traffic(self._db).about([entry.item]).execute(IS_CURRENT, (entry.item,)).fetchone()
        return standing(self._labels.of_item(entry.item), is_current=bool(row[0]))
