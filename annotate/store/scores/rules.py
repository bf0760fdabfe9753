"""Rules and the verdicts they give: every version is kept, one is in force, verdicts follow the scores."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.domain.selection import Selection
from annotate.store.engine.database import Room
from annotate.store.engine.frames import Frames
from annotate.store.engine.item_fields import and_within
from annotate.store.engine.rollups import changed
from annotate.store.scores.judge_row import judge_row
from annotate.store.scores.totals import BLOCK
from proxy.errors import RuleError
from proxy.evaluation.ledger import Drawing
from proxy.records import Verdict
from proxy.rule import VERDICTS, Rule, evaluate, judges_of, needed_by

RULE_COLUMNS = "name, version, expression, signatures, percentiles, is_calibrated"
PLACED = """
    SELECT i.key, v.value FROM verdicts v JOIN items i ON i.key = v.item AND i.is_current
    WHERE v.rule = ? ORDER BY i.key
"""


class Placed(NamedTuple):
    """Every current item that a rule gave a value, as arrays of one length ordered by the item's row.

    `is_framed` says whether a wave could draw it, `is_reachable` whether labels can speak for it.
    """

    items: NDArray[np.int64]
    values: NDArray[np.float64]
    is_framed: NDArray[np.bool_]
    is_reachable: NDArray[np.bool_]


class Rules(Room):
    """The rules and verdicts tables."""

    def in_force(self) -> tuple[int, Rule] | None:
        """Return the rule in force with its row, if there is one."""
        exists = self._db.conn.execute("SELECT 1 FROM rules WHERE is_in_force").fetchone()
        return self._current() if exists else None

    def _current(self) -> tuple[int, Rule]:
        row = self._db.conn.execute(f"SELECT key, {RULE_COLUMNS} FROM rules WHERE is_in_force").fetchone()
        return row[0], _rule(row[1:])

    def history(self) -> list[tuple[Rule, str, bool]]:
        """Return every version, oldest first: the rule, when it was set, whether it is in force."""
        query = f"SELECT {RULE_COLUMNS}, at, is_in_force FROM rules ORDER BY key"
        return [(_rule(row[:6]), row[6], bool(row[7])) for row in self._db.conn.execute(query)]

    def put_in_force(self, rule: Rule, *, now: str, anew: bool = False) -> tuple[int, Rule]:
        """Make this the rule in force, as the next version of its name; the same rule again changes nothing unless `anew`.

        A rule that gives the verdicts of a calibrated one is calibrated, whoever sets it.
        """
        rule, current = replace(rule, is_calibrated=rule.is_calibrated or self._is_chosen(rule)), self.in_force()
        if current and _same(current[1], rule) and not anew:
            return current
        query = "SELECT coalesce(max(version), 0) + 1 FROM rules WHERE name = ?"
        version = self._db.conn.execute(query, (rule.name,)).fetchone()[0]
        self._db.conn.execute("UPDATE rules SET is_in_force = 0")
        self._db.conn.execute(
            "INSERT INTO rules (name, version, expression, signatures, percentiles, is_calibrated, is_in_force, at) "
            "VALUES (?, ?, ?, ?, ?, ?, 1, ?)",
            (
                rule.name,
                version,
                rule.expression,
                json.dumps(dict(rule.signatures)),
                json.dumps(dict(rule.percentiles)),
                int(rule.is_calibrated),
                now,
            ),
        )
        return self._current()

    def row_of(self, rule: Rule) -> int | None:
        """Find the newest row with the same scores in the same expression, whatever its name; None if there never was one."""
        query = (
            "SELECT key FROM rules WHERE (expression, signatures, percentiles) = (?, ?, ?) ORDER BY key DESC LIMIT 1"
        )
        parts = (rule.expression, json.dumps(dict(rule.signatures)), json.dumps(dict(rule.percentiles)))
        row = self._db.conn.execute(query, parts).fetchone()
        return int(row[0]) if row else None

    def _is_chosen(self, rule: Rule) -> bool:
        """Return whether labels have chosen a rule with these verdicts."""
        chosen = replace(rule, is_calibrated=True)
        return any(_same(replace(earlier, name=rule.name), chosen) for earlier, _, _ in self.history())

    def has_unjudged(self, key: int, rule: Rule) -> bool:
        """Return whether some item may lack its verdict: it has the scores that the rule needs, or the rule allows gaps."""
        return _allows_gaps(rule) or bool(self._unjudged(key, rule, 1))

    def judge_items(self, key: int, rule: Rule, batch: int = 50_000) -> int:
        """Give a verdict to each item that has the rule's scores and no verdict yet; return how many.

        A rule that allows gaps gives some items another verdict once a missing score has come.
        """
        return self._judge_with_gaps(key, rule, batch) if _allows_gaps(rule) else self._judge_whole(key, rule, batch)

    def _put(self, verdicts: Sequence[tuple[int, int, float, str]]) -> int:
        """Write verdicts, and return how many."""
        self._traffic.put_verdicts(verdicts)
        if verdicts:
            # Totals count verdicts, and may have been kept before these were given.
            changed(self._db, "scores", [item for _, item, *_ in verdicts])
        return len(verdicts)

    def _judge_with_gaps(self, key: int, rule: Rule, batch: int) -> int:
        """Compare the verdicts of all items with what their scores give now, and write those that differ."""
        pairs, last, count = sorted(rule.signatures.items()), -1, 0
        query = self._with_gaps(pairs)
        while rows := self._traffic.execute(query, (key, last, batch)).fetchall():
            table, last = np.array(rows, dtype=np.float64), rows[-1][0]
            verdict_codes, values = evaluate(rule, {pair: table[:, n + 2] for n, pair in enumerate(pairs)}, len(rows))
            is_new = ~np.isnan(values) & (values != table[:, 1])
            verdicts = [
                (key, int(item), float(value), VERDICTS[verdict].value)
                for item, value, verdict in zip(table[is_new, 0], values[is_new], verdict_codes[is_new], strict=True)
            ]
            count += self._put(verdicts)
        return count

    def _with_gaps(self, pairs: Sequence[tuple[str, str]]) -> str:
        """Return the query for the items after a row: item, value so far, the score of each judge where there is one."""
        keys = [judge_row(self._db, *pair) or -1 for pair in pairs]
        columns = "".join(f", s{n}.value" for n in range(len(keys)))
        joins = " ".join(
            f"LEFT JOIN scores s{n} ON s{n}.judge = {judge:d} AND s{n}.item = i.key" for n, judge in enumerate(keys)
        )
        return (
            f"SELECT i.key, v.value {columns} FROM items i LEFT JOIN verdicts v ON v.rule = ? AND v.item = i.key {joins} "
            "WHERE i.key > ? ORDER BY i.key LIMIT ?"
        )

    def _judge_whole(self, key: int, rule: Rule, batch: int) -> int:
        """Judge the items that have all scores and no verdict."""
        judges, count = judges_of(rule.expression)[0], 0
        while rows := self._unjudged(key, rule, batch):
            table = np.array(rows, dtype=np.float64)
            values = rule.values({judge: table[:, n + 1] for n, judge in enumerate(judges)})
            if not np.isfinite(values).all():
                raise RuleError(f"{rule.expression!r} gives no finite number for some items: use smaller factors")
            verdicts = np.where(rule.passes(values), Verdict.PASS.value, Verdict.FAIL.value)
            triples = zip(rows, values, verdicts, strict=True)
            count += self._put([(key, int(row[0]), float(value), str(verdict)) for row, value, verdict in triples])
        return count

    def _unjudged(self, key: int, rule: Rule, limit: int) -> list[tuple[float, ...]]:
        """Return (item, score of each of the rule's judges) for items without a verdict."""
        judges = judges_of(rule.expression)[0]
        rows = [judge_row(self._db, judge, rule.signatures[judge]) or -1 for judge in judges]
        joins = " ".join(f"JOIN scores s{n} ON s{n}.item = s0.item AND s{n}.judge = ?" for n in range(1, len(judges)))
        columns = ", ".join(f"s{n}.value" for n in range(len(judges)))
        query = (
            f"SELECT s0.item, {columns} FROM scores s0 {joins} WHERE s0.judge = ? AND NOT EXISTS "
            "(SELECT 1 FROM verdicts v WHERE v.rule = ? AND v.item = s0.item) LIMIT ?"
        )
        return self._traffic.execute(query, [*rows[1:], rows[0], key, limit]).fetchall()

    def placed(self, key: int, last: int, speaking: Sequence[Drawing] | None) -> Placed:
        """Return what the rule gave to all traffic, framed up to wave `last`; `speaking` drawings have labels, None: all."""
        cursor, frames = self._traffic.execute(PLACED, (key,)), Frames(self._db)
        blocks = [_placed([], [], frames, last, speaking)]
        while rows := cursor.fetchmany(BLOCK):
            items, values = zip(*rows, strict=True)
            blocks.append(_placed(items, values, frames, last, speaking))
        return Placed(
            np.concatenate([block.items for block in blocks]),
            np.concatenate([block.values for block in blocks]),
            np.concatenate([block.is_framed for block in blocks]),
            np.concatenate([block.is_reachable for block in blocks]),
        )

    def highest(self, key: int) -> float | None:
        """Return the highest value that the rule gave to a current item; None where it gave none."""
        query = "SELECT max(v.value) FROM verdicts v JOIN items i ON i.key = v.item WHERE v.rule = ? AND i.is_current"
        highest = self._traffic.execute(query, (key,)).fetchone()[0]
        return None if highest is None else float(highest)

    def lowest(self, key: int, most: int, selection: Selection | None = None) -> dict[int, float]:
        """Return the current items with the lowest values under the rule, lowest first, those of one value by their row."""
        query = (
            "SELECT v.item, v.value FROM verdicts v JOIN items i ON i.key = v.item WHERE v.rule = ? AND i.is_current "
            f"AND i.forgotten_at IS NULL{and_within(selection)} ORDER BY v.value, v.item LIMIT ?"
        )
        return {item: float(value) for item, value in self._traffic.execute(query, (key, most))}

    def counts(self, key: int) -> dict[Verdict, int]:
        """Return how many current items have each verdict under the rule."""
        query = (
            "SELECT coalesce(v.verdict, 'unscored'), count(*) FROM items i "
            "LEFT JOIN verdicts v ON v.rule = ? AND v.item = i.key WHERE is_current GROUP BY 1"
        )
        counts = {Verdict(verdict): int(count) for verdict, count in self._traffic.execute(query, (key,))}
        return {verdict: counts.get(verdict, 0) for verdict in Verdict}


def _allows_gaps(rule: Rule) -> bool:
    """Return whether the rule gives a verdict where some score is missing."""
    return len(needed_by(rule.expression)) < len(judges_of(rule.expression)[0])


def _rule(row: tuple[object, ...]) -> Rule:
    name, version, expression, signatures, percentiles, is_calibrated = row
    knots = json.loads(str(percentiles))
    return Rule(
        name=str(name),
        version=int(str(version)),
        expression=str(expression),
        signatures=json.loads(str(signatures)),
        percentiles={judge: tuple((float(v), float(r)) for v, r in pairs) for judge, pairs in knots.items()},
        is_calibrated=bool(is_calibrated),
    )


def _placed(
    items: Sequence[int], values: Sequence[float], frames: Frames, last: int, speaking: Sequence[Drawing] | None
) -> Placed:
    keys = np.array(items, dtype=np.int64)
    return Placed(
        keys,
        np.array(values, dtype=np.float64),
        frames.is_framed(keys, last),
        frames.reachable(keys, last, speaking),
    )


def _same(rule: Rule, other: Rule) -> bool:
    """Return whether two rules would give the same verdicts."""
    return (rule.name, rule.expression, dict(rule.signatures), dict(rule.percentiles), rule.is_calibrated) == (
        other.name,
        other.expression,
        dict(other.signatures),
        dict(other.percentiles),
        other.is_calibrated,
    )
