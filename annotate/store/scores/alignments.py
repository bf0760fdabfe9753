"""Versions of judges that labels guided and measured, which of them is in force, and the share of questions that tune a judge."""

from __future__ import annotations

import json

from annotate.domain.alignment import Alignment, AlignmentFigures, ChosenExample
from annotate.store.engine.database import Room
from annotate.store.scores.estimates import to_estimate, to_numbers
from proxy.evaluation.alignment import GuidanceKind

COLUMNS = "key, judge, bare, base, signature, kind, guidelines, examples, figures, at, is_in_force"


class Alignments(Room):
    """The tables of alignments and of tuning shares."""

    def share(self, judge: str) -> float | None:
        """Return the share of questions that tune this judge; None where that was never decided."""
        row = self._db.conn.execute("SELECT share FROM tuning_shares WHERE judge = ?", (judge,)).fetchone()
        return None if row is None else float(row[0])

    def decide_share(self, judge: str, share: float, *, now: str) -> None:
        """Keep the share of questions that tune this judge, for ever."""
        self._db.conn.execute("INSERT OR IGNORE INTO tuning_shares VALUES (?, ?, ?)", (judge, share, now))

    def keep(self, alignment: Alignment) -> Alignment:
        """Keep a version that was measured; where it is in force, no other of its judge is. Call inside a transaction."""
        if alignment.is_in_force:
            self.withdraw(alignment.judge, alignment.bare)
        row = (
            alignment.judge,
            alignment.bare,
            alignment.base,
            alignment.signature,
            alignment.kind.value,
            json.dumps(alignment.guidelines),
            json.dumps(alignment.examples),
            _written(alignment.figures),
            alignment.at,
            int(alignment.is_in_force),
        )
        cursor = self._db.conn.execute("INSERT INTO alignments VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        return self.get(int(cursor.lastrowid or 0))

    def withdraw(self, judge: str, bare: str) -> None:
        """Put the judge in force as it is without guidance."""
        self._db.conn.execute("UPDATE alignments SET is_in_force = 0 WHERE judge = ? AND bare = ?", (judge, bare))

    def put_back(self, key: int) -> None:
        """Put a version in force again."""
        self._db.conn.execute("UPDATE alignments SET is_in_force = 1 WHERE key = ?", (key,))

    def get(self, key: int) -> Alignment:
        """Return the version in this row."""
        return next(alignment for alignment in self.every() if alignment.key == key)

    def every(self, judge: str | None = None) -> list[Alignment]:
        """Return all versions that were measured, of one judge where it is named, the oldest first."""
        query = f"SELECT {COLUMNS} FROM alignments WHERE ?1 IS NULL OR judge = ?1 ORDER BY key"
        return [_alignment(row) for row in self._db.conn.execute(query, (judge,))]

    def in_force(self, judge: str, bare: str) -> Alignment | None:
        """Return the version of this judge that is in force, None where it is asked without guidance."""
        return next(
            (version for version in reversed(self.every(judge)) if version.is_in_force and version.bare == bare), None
        )


def _alignment(row: tuple[int, str, str, str, str, str, str, str, str, str, int]) -> Alignment:
    key, judge, bare, base, signature, kind, guidelines, examples, figures, at, is_in_force = row
    return Alignment(
        key=key,
        judge=judge,
        bare=bare,
        base=base,
        signature=signature,
        kind=GuidanceKind(kind),
        guidelines=tuple(json.loads(guidelines)),
        examples=tuple(ChosenExample(*pair) for pair in json.loads(examples)),
        figures=_read(figures),
        at=at,
        is_in_force=bool(is_in_force),
    )


def _written(figures: AlignmentFigures) -> str:
    estimates = {name: to_numbers(getattr(figures, name)) for name in ("base", "aligned", "difference")}
    return json.dumps({**estimates, "lowest": figures.lowest, "right": figures.right, "wrong": figures.wrong})


def _read(column: str) -> AlignmentFigures:
    figures = json.loads(column)
    return AlignmentFigures(
        base=to_estimate(*figures["base"]),
        aligned=to_estimate(*figures["aligned"]),
        difference=to_estimate(*figures["difference"]),
        lowest=figures["lowest"],
        right=figures["right"],
        wrong=figures["wrong"],
    )
