"""Context relevance and faithfulness of items, the two stages from passages to answer, in rows and as a field.

In come rows of items and judges, out come scores, what else is known of the question, and a field of `parts`. The rule: a
score that a judge did not give is None, never 0.

Find answers that a model calls faithful and the lexical judge does not, and those that the lexical judge has yet to score.
The rule: only a model's faithfulness that the rule in question reads counts. A rule on other judges has no disputed answer.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

from annotate.domain.selection import Selection
from annotate.store.engine.database import Room, once
from annotate.store.engine.frame_kinds import SUPPORTED
from annotate.store.engine.item_fields import condition_of
from annotate.store.engine.rollups import CountingRoom
from annotate.store.engine.sqlite import Database
from annotate.store.scores.judge_row import judge_row
from annotate.store.scores.scores import Scores
from proxy.diagnosis import ReachedScore
from proxy.judges import OfflineFaithfulness
from proxy.judges.base import MODEL

RELEVANCE, FAITHFULNESS = "context_relevance", "faithfulness"
SCORES = """
    LEFT JOIN scores c ON c.judge = {relevance:d} AND c.item = i.key
    LEFT JOIN scores f ON f.judge = {faithfulness:d} AND f.item = i.key
"""
STANDING = """
    SELECT i.key, i.system, c.value, f.value, i.contexts_chars > 0 FROM items i {scores}
    WHERE i.key IN (SELECT value FROM json_each(?))
"""
SCORED = """
    SELECT i.system, c.value, coalesce(l.judgement IN ('right', 'wrong'), 0), l.item IS NULL AND i.forgotten_at IS NULL
    FROM scores c JOIN items i ON i.key = c.item LEFT JOIN labels l ON l.item = i.key AND l.draw IS NOT NULL
    WHERE c.judge = ? AND c.value IS NOT NULL AND i.is_current AND i.contexts_chars > 0
"""
# One pass over the items: no index serves questions, and looking each question up would take a pass for each.
SAME_QUESTION = """
    WITH asked AS MATERIALIZED (SELECT i.key, i.question AS theirs, i.system, t.contexts FROM items i
        JOIN texts t ON t.key = i.key WHERE i.key IN (SELECT value FROM json_each(?)))
    SELECT a.key, o.contexts FROM items o CROSS JOIN asked a ON a.theirs = o.question AND a.system IS NOT o.system
    CROSS JOIN scores s ON s.judge = ? AND s.item = o.key AND s.value > ?
    CROSS JOIN texts u ON u.key = o.key AND u.contexts <> a.contexts
    WHERE o.is_current ORDER BY a.key, o.key
"""
SAME_PASSAGES = """
    WITH asked AS MATERIALIZED (SELECT i.key, i.question AS theirs, i.system, t.contexts FROM items i
        JOIN texts t ON t.key = i.key WHERE i.contexts AND i.key IN (SELECT value FROM json_each(?)))
    SELECT a.system, o.system, min(u.contexts = a.contexts) FROM items o
    CROSS JOIN asked a ON a.theirs = o.question AND a.system IS NOT o.system
    CROSS JOIN texts u ON u.key = o.key WHERE o.is_current GROUP BY a.system, o.system
"""
CRITERIA = ("faithfulness", "faithfulness_yes_no")
WORDS = OfflineFaithfulness()
UNREAD = """
    SELECT DISTINCT s.item FROM scores s CROSS JOIN items i ON i.key = s.item AND is_current AND forgotten_at IS NULL
    WHERE s.judge IN ({models}) AND s.value > {supported}
    AND NOT EXISTS (SELECT 1 FROM scores WHERE judge = {words:d} AND item = s.item)
    AND NOT EXISTS (SELECT 1 FROM failures WHERE judge = {words:d} AND item = s.item) ORDER BY 1
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Quartered:
    """A field of `parts`: system, relevant, faithful and with passages as JSON; judges by row, scores pass above their cuts.

    What is not `within` the selection, where there is one, has no such field. `kind` names what is counted by it: counts of
    another kind are kept beside.
    """

    relevance: int
    faithfulness: int
    relevance_threshold: float
    faithfulness_threshold: float
    within: Selection | None = None
    kind: str = "quarters"

    def source(self) -> tuple[str, str]:
        """Return the SQL of the field, and the joins that it needs."""
        relevant, faithful = f"c.value > {self.relevance_threshold!r}", f"f.value > {self.faithfulness_threshold!r}"
        place = (
            f"json_array(i.system, CAST({relevant} AS INTEGER), CAST({faithful} AS INTEGER), "
            "CAST(i.contexts_chars > 0 AS INTEGER))"
        )
        return (
            place if self.within is None else f"CASE WHEN {condition_of(self.within)} THEN {place} END",
            self.scores(),
        )

    def scores(self) -> str:
        """Return the joins that bring the two scores, c and f."""
        return SCORES.format(relevance=self.relevance, faithfulness=self.faithfulness)


class ItemStageScores(NamedTuple):
    """An item with its two scores, and whether it has any passage."""

    item: int
    system: str | None
    relevance: float | None
    faithfulness: float | None
    has_passages: bool


class StageScores(CountingRoom):
    """Read items, texts, scores and gold."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._scores = Scores(db)

    def field(
        self, signatures: Mapping[str, str], relevance_threshold: float, faithfulness_threshold: float
    ) -> Quartered:
        """Return the field under these signatures by judge; a judge without one has no scores."""
        keys = self._scores.known_keys([(name, signatures.get(name, "")) for name in (RELEVANCE, FAITHFULNESS)])
        return Quartered(
            relevance=keys[RELEVANCE, signatures.get(RELEVANCE, "")],
            faithfulness=keys[FAITHFULNESS, signatures.get(FAITHFULNESS, "")],
            relevance_threshold=relevance_threshold,
            faithfulness_threshold=faithfulness_threshold,
        )

    def standings(self, items: Sequence[int], field: Quartered) -> Mapping[int, ItemStageScores]:
        """Return the standing of each of these items."""
        return once(self._db, (STANDING, tuple(items), field), lambda: self._standings(items, field))

    def _standings(self, items: Sequence[int], field: Quartered) -> dict[int, ItemStageScores]:
        rows = self._traffic.about(items).execute(STANDING.format(scores=field.scores()), (json.dumps(list(items)),))
        return {
            key: ItemStageScores(key, system, relevance, faithfulness, bool(has))
            for key, system, relevance, faithfulness, has in rows
        }

    def relevance(self, field: Quartered) -> Mapping[str | None, Sequence[ReachedScore]]:
        """Return the context relevance of every current answer that has passages, by system."""
        by_system = defaultdict[str | None, list[ReachedScore]](list)
        for system, value, is_decided, is_open in self._traffic.execute(SCORED, (field.relevance,)):
            by_system[system].append(ReachedScore(value, bool(is_decided), bool(is_open)))
        return by_system

    def found_elsewhere(self, items: Sequence[int], field: Quartered) -> Mapping[int, Sequence[int]]:
        """Find items whose question has other, relevant passages under another system, and how many passages each.

        The same passages under another score tell of the judge, not of the search.
        """
        by_item = defaultdict[int, list[int]](list)
        bound = (json.dumps(list(items)), field.relevance, field.relevance_threshold)
        for item, contexts in self._traffic.execute(SAME_QUESTION, bound):
            by_item[item].append(int(contexts))
        return by_item

    def same_passages(self, items: Sequence[int]) -> set[tuple[str | None, str | None]]:
        """Return each two systems whose answers to the questions of these items rest on the same passages, word for word."""
        named = json.dumps(list(items))
        rows = self._rollups.get(
            "same passages",
            ("items",),
            blake2b(named.encode(), digest_size=16).hexdigest(),
            lambda: self._traffic.execute(SAME_PASSAGES, (named,)).fetchall(),
        )
        pairs = {(first, second): bool(is_same) for first, second, is_same in rows}
        return {
            (first, second)
            for (first, second), is_same in pairs.items()
            if is_same and pairs.get((second, first), True)
        }

    def lacking_knowledge(self, items: Sequence[int]) -> set[int]:
        """Return those of these items whose gold entry carries the mark that the knowledge base lacks this."""
        query = "SELECT item FROM gold WHERE lacks_knowledge AND item IN (SELECT value FROM json_each(?))"
        return {item for (item,) in self._db.conn.execute(query, (json.dumps(list(items)),))}


class Disputed(Room):
    """Read rules, judges, scores and failures."""

    def between(self, rule: int) -> tuple[int, list[int]]:
        """Return the judge of words and the models' that it disputes under this rule, by their rows; -1 for words never used.

        The rule passes a disputed item, a model's faithfulness that the rule reads is above 0.5, and that of the words below 0.3.
        """
        return self._words(), self._models(rule)

    def unread(self, rule: int) -> list[int]:
        """Return the current items that such a model calls supported and on which the words have no score and no failure."""
        models = self._models(rule)
        if not models:
            return []
        listed = ", ".join(map(str, models))
        query = UNREAD.format(words=self._words(), models=listed, supported=SUPPORTED)
        return [row[0] for row in self._traffic.execute(query)]

    def _models(self, rule: int) -> list[int]:
        """Return the judges in the rule's signatures that are a model's faithfulness."""
        row = self._db.conn.execute("SELECT signatures FROM rules WHERE key = ?", (rule,)).fetchone()
        read = [(judge, signature) for judge, signature in json.loads(row[0] if row else "{}").items()]
        keys = [judge_row(self._db, *pair) for pair in read if pair[0] in CRITERIA and MODEL in pair[1]]
        return [key for key in keys if key is not None]

    def _words(self) -> int:
        return judge_row(self._db, WORDS.name, WORDS.signature) or -1
