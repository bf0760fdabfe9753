"""Scores and failures by (item, judge, signature), each kept once and never changed.

Details of a judge's score, as the details table keeps them: verdicts on sentences, values of passages, a raw reply. The
rule: an outcome without details has no row.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from annotate.domain.reasons import RefusalReason
from annotate.domain.selection import Selection
from annotate.store.engine.database import Room, from_column, once, to_column
from annotate.store.engine.item_fields import and_within
from annotate.store.engine.rollups import changed
from annotate.store.scores import outdated
from annotate.store.scores.judge_row import judge_row
from annotate.store.scores.judge_totals import JudgedItems, JudgeTotals
from proxy.records import JudgeFailure, Score, SentenceVerdict, Support
from proxy.text.controls import displayable

OF_DRAWN = """
    SELECT s.item, s.value FROM draws d CROSS JOIN scores s ON s.item = d.item
    AND s.judge = (SELECT key FROM judges WHERE judge = ? AND signature = ?)
"""


class Failed(NamedTuple):
    """On how many items a judge gave no score for this reason."""

    items: int
    reason: str


class Scores(Room):
    """The judges, scores and failures tables."""

    def judge_key(self, judge: str, signature: str) -> int:
        """Return the row of this judge and signature, made if new; call inside a transaction."""
        if (row := judge_row(self._db, judge, signature)) is not None:
            return row
        cursor = self._db.conn.execute("INSERT INTO judges (judge, signature) VALUES (?, ?)", (judge, signature))
        return int(cursor.lastrowid or 0)

    def known_keys(self, judges: Sequence[tuple[str, str]]) -> dict[tuple[str, str], int]:
        """Return the row of each (judge, signature); one that has never judged gets a number that no row has."""
        return {pair: judge_row(self._db, *pair) or -1 - place for place, pair in enumerate(judges)}

    def pairs(self, first: tuple[str, str], other: tuple[str, str]) -> dict[int, tuple[float, float]]:
        """Return the scores of the current items that both judges have scored, by item."""
        keys = self.known_keys([first, other])
        query = (
            "SELECT a.item, a.value, b.value FROM scores a JOIN scores b ON b.item = a.item JOIN items i ON i.key = a.item "
            "WHERE a.judge = ? AND b.judge = ? AND is_current ORDER BY a.item"
        )
        return {item: (float(a), float(b)) for item, a, b in self._traffic.execute(query, (keys[first], keys[other]))}

    def scored(self, judge: int) -> list[int]:
        """Return the current items that this judge has scored."""
        query = "SELECT item FROM scores s JOIN items i ON i.key = s.item WHERE judge = ? AND is_current ORDER BY item"
        return [item for (item,) in self._traffic.execute(query, (judge,))]

    def describe(self, judge: str, signature: str, settings: Mapping[str, object]) -> int:
        """Return the row of this judge and signature, with what its signature stands for."""
        key = self.judge_key(judge, signature)
        self._db.conn.execute("UPDATE judges SET settings = ? WHERE key = ?", (json.dumps(dict(settings)), key))
        return key

    def keep(self, outcomes: Mapping[int, Sequence[Score | JudgeFailure]], *, now: str, retries: bool = False) -> None:
        """Keep what judges said of the items in these rows; what is there stays, but for failures that are no last word."""
        keys: dict[tuple[str, str], int] = {}
        scores: list[tuple[object, ...]] = []
        failures: list[tuple[object, ...]] = []
        details: dict[str, list[tuple[object, ...]]] = {"scores": [], "failures": []}
        for item, results in outcomes.items():
            for outcome in results:
                identity = (outcome.judge, outcome.signature)
                judge = keys.get(identity) or keys.setdefault(identity, self.judge_key(*identity))
                if isinstance(outcome, Score):
                    scores.append((judge, item, outcome.value, to_column(outcome.reason), outcome.seconds, now))
                else:
                    failures.append((judge, item, outcome.kind, to_column(outcome.reason), outcome.seconds, now))
                if content := to_content(outcome):
                    details["scores" if isinstance(outcome, Score) else "failures"].append((judge, item, content))
        decided = [row[:2] for row in (*scores, *failures)]
        # First what stood there for want of a word: its raw text is no detail of what is said now.
        where = f"judge = ? AND item = ? AND NOT {final(retries=retries)}"
        for table in ("details", "failures"):
            query = f"DELETE FROM {table} WHERE (judge, item) IN (SELECT judge, item FROM failures WHERE {where})"
            self._db.conn.executemany(query, decided)
        self._traffic.add_scores(scores, details["scores"])
        self._traffic.add_failures(failures, details["failures"])
        if decided:
            changed(self._db, "scores", outcomes)

    def failures(self, judge: int) -> dict[str, int]:
        """Return how many current items this judge failed on, by kind."""
        query = "SELECT kind, count(*) FROM failures f JOIN items i ON i.key = f.item WHERE judge = ? AND is_current GROUP BY 1"
        return dict(self._traffic.execute(query, (judge,)).fetchall())

    def failure_reasons(self, judge: int, selection: Selection | None = None) -> list[RefusalReason]:
        """Return why this judge gave no score on current items, of all or of a selection; the commonest reasons with counts."""
        query = (
            "SELECT reason, count(*) FROM failures f JOIN items i ON i.key = f.item WHERE judge = ? AND is_current"
            f"{and_within(selection)} GROUP BY reason ORDER BY 2 DESC, 1 LIMIT 1000"
        )
        return [RefusalReason(from_column(reason), count) for reason, count in self._traffic.execute(query, (judge,))]

    def given_up(self, judge: int) -> Failed:
        """Return how many current items this judge will never score, and the commonest reason."""
        query = (
            "SELECT count(*), reason FROM failures f JOIN items i ON i.key = f.item "
            f"WHERE judge = ? AND is_current AND {final(retries=True)} GROUP BY reason ORDER BY 1 DESC, 2"
        )
        rows = self._traffic.execute(query, (judge,)).fetchall()
        return Failed(sum(row[0] for row in rows), from_column(rows[0][1]) if rows else "")

    def commonest_failure(self, judges: Collection[str], items: Collection[int]) -> Failed | None:
        """Return why judges of these names gave up on most of these items; None where `assay judge` may still score all."""
        query = (
            "SELECT count(DISTINCT item), reason FROM failures f JOIN judges j ON j.key = f.judge "
            "WHERE j.judge IN (SELECT value FROM json_each(?)) AND f.item IN (SELECT value FROM json_each(?)) "
            f"AND {final(retries=False)} GROUP BY reason ORDER BY 1 DESC, 2 LIMIT 1"
        )
        row = self._db.conn.execute(query, (json.dumps(sorted(judges)), json.dumps(sorted(items)))).fetchone()
        return None if row is None else Failed(int(row[0]), from_column(row[1]))

    def detail(self, item: int, judge: str, signature: str) -> ScoreDetail:
        """Return what this judge said of the item's sentences and passages, and the reply where it failed."""
        query = "SELECT content FROM details d JOIN judges j ON j.key = d.judge WHERE item = ? AND j.judge = ? AND signature = ?"
        row = self._traffic.about([item]).execute(query, (item, judge, signature)).fetchone()
        return from_content(None if row is None else row[0])

    def sentences(self, items: Sequence[int], judge: str, signature: str) -> dict[int, tuple[SentenceVerdict, ...]]:
        """Return what this judge said of the sentences of these items, where it judges sentences."""
        return {item: detail.sentences for item, detail in self._details(items, judge, signature) if detail.sentences}

    def passage_scores(self, items: Sequence[int], judge: str, signature: str) -> dict[int, tuple[float | None, ...]]:
        """Return the scores by rank that this judge gave to the passages of these items, where it scores passages."""
        return {item: detail.passages for item, detail in self._details(items, judge, signature) if detail.passages}

    def _details(self, items: Sequence[int], judge: str, signature: str) -> Iterator[tuple[int, ScoreDetail]]:
        query = (
            "SELECT item, content FROM details d JOIN judges j ON j.key = d.judge WHERE j.judge = ? AND signature = ? "
            "AND item IN (SELECT value FROM json_each(?))"
        )
        rows = self._traffic.about(items).execute(query, (judge, signature, json.dumps(list(items))))
        return ((item, from_content(content)) for item, content in rows)

    def done(self, items: Sequence[int], judges: Sequence[int], *, retries: bool = False) -> set[tuple[int, int]]:
        """Return the (judge, item) pairs among these that have a last word."""
        done = {(judge, item) for judge in judges for item in self._traffic.scored(judge, items)}
        query = (
            "SELECT judge, item FROM failures WHERE judge IN (SELECT value FROM json_each(?)) "
            f"AND item IN (SELECT value FROM json_each(?)) AND {final(retries=retries)}"
        )
        bound = (json.dumps(list(judges)), json.dumps(list(items)))
        return done | {(judge, item) for judge, item in self._db.conn.execute(query, bound)}

    def value(self, item: int, judge: int) -> float | None:
        """Return the score that this judge has given, if any."""
        row = (
            self._traffic.about([item])
            .execute("SELECT value FROM scores WHERE judge = ? AND item = ?", (judge, item))
            .fetchone()
        )
        return None if row is None else float(row[0])

    def values_among(self, items: Sequence[int], judge: int) -> dict[int, float]:
        """Return the scores that this judge has given to these items."""
        query = "SELECT item, value FROM scores WHERE judge = ? AND item IN (SELECT value FROM json_each(?))"
        return {
            item: float(value)
            for item, value in self._traffic.about(items).execute(query, (judge, json.dumps(list(items))))
        }

    def forget_older(self, judges: Collection[int], changes: Mapping[int, str]) -> int:
        """Remove what these judges made of items before their reference in the gold set changed; call inside a transaction."""
        return outdated.forget_older(self._db, judges, changes)

    def forget_failure(self, item: int, judge: int) -> None:
        """Make room for the score that this judge gave at last: an item has one outcome of a judge."""
        self._db.conn.execute("DELETE FROM failures WHERE judge = ? AND item = ?", (judge, item))
        changed(self._db, "scores", [item])

    def judges(self) -> list[str]:
        """Return the name of each judge that ever had an outcome."""
        return [judge for (judge,) in self._db.conn.execute("SELECT DISTINCT judge FROM judges ORDER BY judge")]

    def signatures(self) -> dict[str, list[str]]:
        """Return the signatures under which each judge has scores, oldest first."""
        by_judge: dict[str, list[str]] = {}
        query = (
            "SELECT judge, signature FROM judges j WHERE EXISTS (SELECT 1 FROM scores WHERE judge = j.key) ORDER BY key"
        )
        for judge, signature in self._traffic.execute(query):
            by_judge.setdefault(judge, []).append(signature)
        return by_judge

    def count_without(self, judge: str, other: str) -> int:
        """Return how many current items have a score of the judge `other` and none of `judge`, under any signature."""
        scored = "SELECT s.item FROM scores s JOIN judges j ON j.key = s.judge WHERE j.judge = ?"
        query = f"SELECT count(*) FROM items WHERE is_current AND key IN ({scored}) AND key NOT IN ({scored})"
        (count,) = self._traffic.execute(query, (other, judge)).fetchone()
        return int(count)

    def value_of_items(self, judge: str, signature: str) -> dict[int, float]:
        """Return the score of every current item that has one under this signature."""
        query = (
            "SELECT s.item, value FROM scores s JOIN judges j ON j.key = s.judge JOIN items i ON i.key = s.item "
            "WHERE j.judge = ? AND j.signature = ? AND is_current"
        )
        return {item: float(value) for item, value in self._traffic.execute(query, (judge, signature))}

    def quantiles(
        self, judge: str, signature: str, shares: Sequence[float], selection: Selection | None = None
    ) -> tuple[int, list[float]]:
        """Return how many current items, of all or of a selection, have a score, and the least that so many do not exceed."""
        source = (
            "FROM scores s JOIN judges j ON j.key = s.judge JOIN items i ON i.key = s.item "
            f"WHERE j.judge = ? AND j.signature = ? AND is_current{and_within(selection)}"
        )
        count = int(self._traffic.execute(f"SELECT count(*) {source}", (judge, signature)).fetchone()[0])
        query = f"SELECT s.value {source} ORDER BY s.value LIMIT 1 OFFSET ?"
        places = [max(0, math.ceil(share * count) - 1) for share in shares] if count else []
        values = [self._traffic.execute(query, (judge, signature, place)).fetchone()[0] for place in places]
        return count, [float(value) for value in values]

    def crossed(
        self, first: tuple[str, str], other: tuple[str, str], threshold: float, selection: Selection | None = None
    ) -> tuple[int, int, int, int]:
        """Count current items by two judges that scored them: above the threshold by both, the first, the other, neither."""
        keys = self.known_keys([first, other])
        query = (
            "SELECT a.value > ?, b.value > ?, count(*) FROM scores a JOIN scores b ON b.item = a.item "
            "JOIN items i ON i.key = a.item WHERE a.judge = ? AND b.judge = ? AND is_current"
            f"{and_within(selection)} GROUP BY 1, 2"
        )
        rows = self._traffic.execute(query, (threshold, threshold, keys[first], keys[other]))
        counts = {(bool(by_first), bool(by_other)): int(count) for by_first, by_other, count in rows}
        by_both, alone, by_other, neither = (
            counts.get(above, 0) for above in ((True, True), (True, False), (False, True), (False, False))
        )
        return by_both, alone, by_other, neither

    def by_judge(self, selection: Selection | None = None) -> list[JudgeTotals]:
        """Return how many current items, of all or of a selection, each judge has scored and failed on."""
        if selection is None:
            return JudgedItems(self._db).totals()
        items = f"JOIN items i ON i.key = s.item WHERE s.judge = j.key AND is_current{and_within(selection)}"
        query = (
            f"SELECT key, judge, signature, (SELECT count(*) FROM scores s {items}), "
            f"(SELECT count(*) FROM failures s {items}), (SELECT round(avg(value), 12) FROM scores s {items}) "
            "FROM judges j ORDER BY key"
        )
        return [JudgeTotals(*row) for row in self._traffic.execute(query)]

    def of_drawn(
        self, items: Sequence[int], signatures: Sequence[tuple[str, str]]
    ) -> Mapping[tuple[str, str], NDArray[np.float64]]:
        """Return the scores of these drawn items under each (judge, signature), in their order; nan where there is none."""
        values = {pair: once(self._db, (OF_DRAWN, pair), partial(self._of_drawn, pair)) for pair in signatures}
        return {
            pair: np.array([known.get(item, np.nan) for item in items], dtype=np.float64)
            for pair, known in values.items()
        }

    def _of_drawn(self, pair: tuple[str, str]) -> Mapping[int, float]:
        return dict(self._db.conn.execute(OF_DRAWN, pair).fetchall())

    def rows(self) -> Iterator[dict[str, object]]:
        """Yield every score and failure of the current items, as the scores file holds it; failures with the reply concerned."""
        query = (
            "SELECT i.id, j.judge, s.value, s.reason, j.signature, content FROM (SELECT item, judge, value, reason, NULL AS "
            "content FROM scores UNION ALL SELECT f.item, f.judge, NULL, reason, content FROM failures f "
            "LEFT JOIN details d ON d.judge = f.judge AND d.item = f.item) s "
            "JOIN judges j ON j.key = s.judge JOIN items i ON i.key = s.item WHERE is_current ORDER BY i.key, j.key"
        )
        columns = ("item_id", "judge", "value", "reason", "signature", "reply")
        return (
            dict(zip(columns, (*row[:3], from_column(row[3]), row[4], from_content(row[5]).raw), strict=True))
            for row in self._traffic.execute(query)
        )

    def of_item(self, item: int, signatures: Iterable[str]) -> list[tuple[str, float | None, str]]:
        """Return (judge, value or None, reason) of one item under these signatures."""
        names = list(signatures)
        marks = ", ".join("?" * len(names))
        query = (
            # CROSS JOIN keeps the order: the few judges first, then one row of each by its key.
            f"SELECT judge, value, reason FROM (SELECT j.key, j.judge, s.value, s.reason FROM judges j "
            f"CROSS JOIN scores s ON s.judge = j.key AND s.item = ? WHERE j.signature IN ({marks}) UNION ALL "
            f"SELECT j.key, j.judge, NULL, f.reason FROM judges j "
            f"CROSS JOIN failures f ON f.judge = j.key AND f.item = ? WHERE j.signature IN ({marks})) ORDER BY key"
        )
        rows = self._traffic.about([item]).execute(query, [item, *names, item, *names])
        return [(judge, value, from_column(reason)) for judge, value, reason in rows]


class ScoreDetail(NamedTuple):
    """All that is kept of one judge on one item beside value and reason."""

    sentences: tuple[SentenceVerdict, ...] = ()
    passages: tuple[float | None, ...] = ()
    raw: str | None = None


def to_content(outcome: Score | JudgeFailure) -> str | None:
    """Return the details as JSON text, None where there are none; lone surrogates are shown as replaced."""
    if isinstance(outcome, JudgeFailure):
        return None if outcome.raw is None else orjson.dumps({"raw": displayable(outcome.raw)}).decode()
    if not outcome.sentences and not outcome.passages:
        return None
    rows = [
        [
            displayable(verdict.sentence),
            verdict.support.value,
            _short(verdict.value),
            verdict.passage,
            displayable(verdict.quote),
            *map(displayable, verdict.notes),
        ]
        for verdict in outcome.sentences
    ]
    return orjson.dumps({"sentences": rows, "passages": [_short(value) for value in outcome.passages]}).decode()


def from_content(text: str | None) -> ScoreDetail:
    """Return the details that `to_content` made."""
    if text is None:
        return ScoreDetail()
    content = orjson.loads(text)
    sentences = tuple(
        SentenceVerdict(
            sentence=sentence, support=Support(support), value=value, passage=passage, quote=quote, notes=tuple(notes)
        )
        for sentence, support, value, passage, quote, *notes in content.get("sentences", ())
    )
    return ScoreDetail(sentences, tuple(content.get("passages", ())), content.get("raw"))


def _short(value: float | None) -> float | None:
    """Round to four digits, which are enough to look at."""
    return None if value is None else round(value, 4)


def final(*, retries: bool) -> str:
    """Return the condition of final failures: all but requests never answered; with retries, only what does not apply."""
    return "kind = 'not_applicable'" if retries else "kind != 'unanswered'"


def lacking(judges: Sequence[int], *, retries: bool) -> str:
    """Return the condition that item `i` lacks the last word of some of these judges."""
    conditions = (
        f"(NOT EXISTS (SELECT 1 FROM scores WHERE judge = {judge:d} AND item = i.key) AND NOT EXISTS "
        f"(SELECT 1 FROM failures WHERE judge = {judge:d} AND item = i.key AND {final(retries=retries)}))"
        for judge in judges
    )
    return " OR ".join(conditions) or "0"
