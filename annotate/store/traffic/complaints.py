"""Inbox of thumbs-down, read from feedback, items, draws and labels; only which of them were set aside is written.

A thumb speaks of an id, so it meets the content that this id has now. What was set aside waits again as soon as it has other
content or one thumb more.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence

from annotate.domain.complaints import Aside, Complaint, ComplaintState, ComplaintTally
from annotate.domain.feedback import Feedback
from annotate.store.audit.events import Events
from annotate.store.engine.database import Room, to_column
from annotate.store.labels.annotations import text
from proxy.records import Judgement

SHOWN_THUMBS = 5
COMPLAINTS = """
    SELECT f.item_id, i.key AS item, f.thumbs, f.newest, d.wave, l.judgement, p.name AS who, t.at, t.why,
        CASE WHEN i.forgotten_at IS NOT NULL THEN 'forgotten' WHEN l.judgement IS NOT NULL THEN 'labelled'
        WHEN d.key IS NOT NULL THEN 'open' WHEN t.item_id IS NOT NULL THEN 'seen'
        WHEN i.key IS NULL THEN 'unknown' ELSE 'waiting' END AS state
    FROM (
        SELECT item_id, count(*) AS thumbs, max(coalesce(at, received_at)) AS newest FROM feedback
        WHERE sign = -1 GROUP BY item_id) f
    LEFT JOIN items i ON i.id = f.item_id AND i.is_current LEFT JOIN draws d ON d.item = i.key
    LEFT JOIN labels l ON l.item = i.key AND (l.draw IS NOT NULL OR NOT EXISTS (
        SELECT 1 FROM labels o WHERE o.item = i.key AND o.draw IS NOT NULL))
    LEFT JOIN asides t ON t.item_id = f.item_id AND t.item IS i.key AND t.thumbs = f.thumbs LEFT JOIN people p ON p.key = t.who
"""
PAGE = f"SELECT item_id, item, thumbs, wave, judgement, state, who, at, why FROM ({COMPLAINTS}) {{condition}} "
PAGE += "ORDER BY newest DESC, item_id LIMIT ? OFFSET ?"
TALLY = f"SELECT state, judgement, count(*) FROM ({COMPLAINTS}) GROUP BY state, judgement"
THUMBS = """
    SELECT item_id, value, comment, correction, source, coalesce(at, received_at) FROM feedback
    WHERE sign = -1 AND item_id IN (SELECT value FROM json_each(?)) ORDER BY coalesce(at, received_at) DESC, hash
"""


class Complaints(Room):
    """Read the thumbs-down; the asides table."""

    def tally(self) -> ComplaintTally:
        """Return how many answers have thumbs down, and what became of them."""
        counts: dict[str, int] = defaultdict(int)
        for state, judgement, count in self._db.conn.execute(TALLY):
            counts[state] += count
            if state == ComplaintState.LABELLED.value:
                counts[judgement] += count
        return ComplaintTally(**counts)

    def page(self, state: ComplaintState | None, *, start: int, size: int) -> list[Complaint]:
        """Return the answers in this state, None for all, with the newest thumb first."""
        condition, bound = ("", ()) if state is None else ("WHERE state = ?", (state.value,))
        return self._complaints(PAGE.format(condition=condition), (*bound, size, start))

    def of(self, item_id: str) -> Complaint | None:
        """Return the complaint on one answer; None where nobody complained of it."""
        complaints = self._complaints(PAGE.format(condition="WHERE item_id = ?"), (item_id, 1, 0))
        return complaints[0] if complaints else None

    def set_aside(self, complaint: Complaint, why: str, *, who: str, now: str) -> None:
        """Note that somebody has looked at a complaint, as it is; call inside a transaction."""
        row = (complaint.item_id, complaint.item, complaint.thumbs, to_column(why), Events(self._db).person(who), now)
        self._db.conn.execute("INSERT OR REPLACE INTO asides VALUES (?, ?, ?, ?, ?, ?)", row)

    def take_back(self, item_id: str) -> None:
        """Remove that note; call inside a transaction."""
        self._db.conn.execute("DELETE FROM asides WHERE item_id = ?", (item_id,))

    def _complaints(self, query: str, bound: Sequence[object]) -> list[Complaint]:
        """Return the answers with their newest thumbs."""
        rows = self._db.conn.execute(query, bound).fetchall()
        thumbs = self._thumbs([row[0] for row in rows])
        return [
            Complaint(
                item_id=item_id,
                item=item,
                state=ComplaintState(state),
                thumbs=count,
                newest=tuple(thumbs[item_id][:SHOWN_THUMBS]),
                wave=wave,
                judgement=Judgement(judgement) if judgement else None,
                aside=Aside(text(who) or "", at, text(why) or "") if state == ComplaintState.SEEN.value else None,
            )
            for item_id, item, count, wave, judgement, state, who, at, why in rows
        ]

    def _thumbs(self, ids: Sequence[str]) -> dict[str, list[Feedback]]:
        """Return every thumb down on these answers, the newest first."""
        thumbs: dict[str, list[Feedback]] = defaultdict(list)
        for item_id, value, comment, correction, source, at in self._db.conn.execute(THUMBS, (json.dumps(ids),)):
            words = {"comment": text(comment), "correction": text(correction)}
            thumbs[item_id].append(Feedback(item_id=item_id, value=value, sign=-1, source=source, at=at, **words))
        return thumbs
