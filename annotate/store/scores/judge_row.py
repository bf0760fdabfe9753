"""Find the row of a judge and signature, as all tables of scores name it."""

from __future__ import annotations

from annotate.store.engine.sqlite import Database


def judge_row(db: Database, judge: str, signature: str) -> int | None:
    """Return the row; None for one that has never judged."""
    query = "SELECT key FROM judges WHERE judge = ? AND signature = ?"
    row = db.conn.execute(query, (judge, signature)).fetchone()
    return None if row is None else int(row[0])
