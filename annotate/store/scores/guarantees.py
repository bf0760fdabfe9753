"""Guarantees of calibrated rules, and the draws whose labels chose their threshold or trained their value. Written once.

A rule that was set again to give the verdicts of a calibrated one has the record of the newest such rule. What trained a value
stays excluded under every threshold of it.
"""

from __future__ import annotations

import json
from collections.abc import Collection

from annotate.store.engine.database import Room
from proxy.evaluation.guarantee import Guarantee, Proof
from proxy.rule import Rule
from proxy.stats.calibration.threshold_tests import Claim

COLUMNS = "precision, confidence, threshold, n, errors, p_value, labels, last_wave, at"
NAMES = COLUMNS.split(", ")
RECORD = """
    SELECT g.rule FROM rules r CROSS JOIN rules o ON (o.expression, o.signatures, o.percentiles) =
        (r.expression, r.signatures, r.percentiles) JOIN guarantees g ON g.rule = o.key
    WHERE r.key = ? ORDER BY g.rule = r.key DESC, g.rule DESC LIMIT 1
"""
CLAIMS = "SELECT claim, n, errors, p_value, clusters FROM claims WHERE rule = ? ORDER BY claim DESC"
# Earlier versions parted the roles by group, so every draw of a group that chose is excluded.
SILENT_GROUPS = """
    SELECT d.key FROM draws d CROSS JOIN items i ON i.key = d.item WHERE i."group" IN (
        SELECT o."group" FROM choosers c CROSS JOIN draws e ON e.key = c.draw CROSS JOIN items o ON o.key = e.item
        WHERE c.rule = ?)
"""
# A learned rule has choosers and no guarantee; its value is what stands before the only ">" of its expression.
VALUE = "trim(substr(expression, 1, instr(expression, '>') - 1))"
TAUGHT = f"""
    SELECT c.draw FROM rules r CROSS JOIN choosers c ON c.rule = r.key WHERE ({VALUE}, signatures, percentiles) = (?, ?, ?)
    AND r.key NOT IN (SELECT rule FROM guarantees)
"""
READS = f"SELECT {VALUE}, signatures, percentiles FROM rules WHERE key = ?"
REPEATS = """
    SELECT count(*) > min(count(DISTINCT i.question), count(DISTINCT i."group")) FROM choosers c
    CROSS JOIN draws d ON d.key = c.draw CROSS JOIN items i ON i.key = d.item WHERE c.rule = ?
"""


class Guarantees(Room):
    """The guarantees, claims and choosers tables."""

    def write(self, rule: int, guarantee: Guarantee, choosers: Collection[int]) -> None:
        """Keep what the rule in this row is guaranteed, and the draws that chose its threshold; call inside a transaction."""
        values = [getattr(guarantee, name) for name in NAMES]
        run = self._db.conn
        run.execute(f"INSERT INTO guarantees (rule, {COLUMNS}) VALUES ({', '.join('?' * 10)})", [rule, *values])
        run.executemany(
            "INSERT INTO claims VALUES (?, ?, ?, ?, ?, ?)",
            [
                (rule, claim.claim.value, claim.n, claim.errors, claim.p_value, claim.clusters)
                for claim in guarantee.claims
            ],
        )
        self.exclude(rule, choosers)

    def exclude(self, rule: int, draws: Collection[int]) -> None:
        """Keep the draws whose labels must not measure the rule in this row; call inside a transaction."""
        self._db.conn.executemany("INSERT INTO choosers VALUES (?, ?)", [(rule, draw) for draw in sorted(draws)])

    def training_draws(self, rule: Rule) -> frozenset[int]:
        """List the draws whose labels trained the value of this rule, whatever its threshold."""
        value = rule.expression.partition(">")[0].strip()
        return self._training_draws((value, json.dumps(dict(rule.signatures)), json.dumps(dict(rule.percentiles))))

    def _training_draws(self, reads: tuple[str, str, str] | None) -> frozenset[int]:
        return frozenset(row[0] for row in self._db.conn.execute(TAUGHT, reads)) if reads else frozenset()

    def of(self, rule: int) -> Guarantee | None:
        """Return what the rule in this row is guaranteed; None for a rule that no labels chose."""
        record = self._record(rule)
        if record is None:
            return None
        run = self._db.conn
        row = run.execute(f"SELECT {COLUMNS} FROM guarantees WHERE rule = ?", (record,)).fetchone()
        claims = self._claims(record)
        repeats = not claims and bool(run.execute(REPEATS, (record,)).fetchone()[0])
        return Guarantee(**dict(zip(NAMES, row, strict=True)), claims=claims, repeats=repeats)

    def excluded_draws(self, rule: int) -> frozenset[int]:
        """List the draws that must not measure this rule: those that trained its value, and those that chose its threshold.

        Of a threshold that an earlier version chose, all of their groups.
        """
        training_draws = self._training_draws(self._db.conn.execute(READS, (rule,)).fetchone())
        record = self._record(rule)
        if record is None:
            return training_draws
        query = "SELECT draw FROM choosers WHERE rule = ?" if self._claims(record) else SILENT_GROUPS
        return training_draws | {row[0] for row in self._db.conn.execute(query, (record,))}

    def _record(self, rule: int) -> int | None:
        row = self._db.conn.execute(RECORD, (rule,)).fetchone()
        return int(row[0]) if row else None

    def _claims(self, record: int) -> tuple[Proof, ...]:
        rows = self._db.conn.execute(CLAIMS, (record,))
        return tuple(
            Proof(claim=Claim(name), n=n, errors=errors, p_value=p_value, clusters=clusters)
            for name, n, errors, p_value, clusters in rows
        )
