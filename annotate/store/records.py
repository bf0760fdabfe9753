"""The small tables: feedback, quarantine, the outbox of tasks, and the chain of events."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b, sha256
from typing import NamedTuple, cast

from annotate.feedback import Feedback
from annotate.store.database import from_column, to_column
from annotate.store.sqlite import Database


class Quarantined(NamedTuple):
    """What could not be read: where it came from and why."""

    stage: str
    source: str
    line: int
    reason: str
    raw: bytes


class Quarantine:
    """The quarantine table: nothing that came in is lost."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def keep(self, rows: Iterable[Quarantined], *, now: str) -> int:
        """Keep what is new and return how many that was; the same fault of the same line again is one row."""
        before = self._db.conn.total_changes
        self._db.conn.executemany(
            "INSERT OR IGNORE INTO quarantine VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (_digest(row), row.stage, to_column(row.source), row.line, to_column(row.reason), row.raw, now)
                for row in rows
            ],
        )
        return self._db.conn.total_changes - before

    def count(self) -> int:
        """How many rows are in quarantine."""
        return int(self._db.conn.execute("SELECT count(*) FROM quarantine").fetchone()[0])

    def all(self) -> list[tuple[str, str, int, str, str]]:
        """(stage, source, line, reason, at) of each row, in the order they came."""
        query = "SELECT stage, source, line, reason, at FROM quarantine ORDER BY rowid"
        return [
            (stage, from_column(source), line, from_column(reason), at)
            for stage, source, line, reason, at in self._db.conn.execute(query)
        ]

    def rows(self) -> Iterator[dict[str, object]]:
        """Each row with the bytes that came, as text; what is no UTF-8 is escaped."""
        query = "SELECT stage, source, line, reason, at, raw FROM quarantine ORDER BY rowid"
        for stage, source, line, reason, at, raw in self._db.conn.execute(query):
            kept = raw.decode("utf-8", "backslashreplace")
            yield {"stage": stage, "source": source, "line": line, "reason": reason, "at": at, "raw": kept}


def _digest(row: Quarantined) -> bytes:
    head = f"{row.stage}|{row.source}|{row.line}|{row.reason}|".encode("utf-8", "surrogatepass")
    return blake2b(head + row.raw, digest_size=16).digest()


class FeedbackTable:
    """The feedback table; it meets its items by id, whichever came first."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def keep(self, rows: Sequence[Feedback], *, now: str) -> int:
        """Keep what is new and return how many that was."""
        before = self._db.conn.total_changes
        self._db.conn.executemany(
            "INSERT OR IGNORE INTO feedback VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    *(_feedback_digest(one), one.item_id, one.value, one.sign),
                    *(to_column(one.comment), to_column(one.correction), one.source, one.at, now),
                )
                for one in rows
            ],
        )
        return self._db.conn.total_changes - before

    def counts(self) -> tuple[int, int, int]:
        """(thumbs down, thumbs up, feedback whose item is not here) by item."""
        query = (
            "SELECT count(DISTINCT CASE WHEN sign = -1 THEN item_id END), count(DISTINCT CASE WHEN sign = 1 THEN item_id END), "
            "count(DISTINCT CASE WHEN NOT EXISTS (SELECT 1 FROM items WHERE id = item_id) THEN item_id END) FROM feedback"
        )
        down, up, unmatched = self._db.conn.execute(query).fetchone()
        return int(down), int(up), int(unmatched)


def _feedback_digest(one: Feedback) -> bytes:
    parts = json.dumps([one.item_id, one.value, one.comment, one.correction, one.source, one.at])
    return blake2b(parts.encode(), digest_size=16).digest()


class Tasks:
    """The outbox: which draws were given to which Label Studio project, and what is known of it."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def project(self, server: str) -> int | None:
        """The project last used on this server."""
        query = "SELECT project FROM projects WHERE server = ? ORDER BY at DESC, project DESC LIMIT 1"
        row = self._db.conn.execute(query, (server,)).fetchone()
        return None if row is None else int(row[0])

    def remember_project(self, server: str, project: int, form_version: str, *, now: str) -> None:
        """Note that this project holds our tasks; the one noted last is the one in use."""
        self._db.conn.execute(
            "INSERT OR REPLACE INTO projects VALUES (?, ?, ?, ?)", (server, project, form_version, now)
        )

    def queue(self, draws: Iterable[int], server: str, project: int, *, now: str) -> None:
        """Write down what is about to be sent, before it is."""
        self._db.conn.executemany(
            "INSERT INTO tasks VALUES (?, ?, ?, 'queued', NULL, ?) ON CONFLICT (draw) DO UPDATE SET "
            "server = excluded.server, project = excluded.project, state = 'queued', task_id = NULL, at = excluded.at "
            "WHERE (server, project) != (excluded.server, excluded.project)",
            [(draw, server, project, now) for draw in draws],
        )

    def confirm(self, tasks: Mapping[int, int], *, now: str) -> None:
        """Note the task id under which the server holds each draw."""
        self._db.conn.executemany(
            "UPDATE tasks SET state = 'confirmed', task_id = ?, at = ? WHERE draw = ?",
            [(task, now, draw) for draw, task in tasks.items()],
        )

    def forget(self, draws: Iterable[int]) -> None:
        """Note that the server does not hold these draws any more."""
        self._db.conn.executemany("DELETE FROM tasks WHERE draw = ?", [(draw,) for draw in draws])

    def confirmed(self, server: str, project: int) -> set[int]:
        """The draws that this project is known to hold."""
        query = "SELECT draw FROM tasks WHERE server = ? AND project = ? AND state = 'confirmed'"
        return {row[0] for row in self._db.conn.execute(query, (server, project))}


class Events:
    """Who did what and when: append-only, each row with the hash of the one before, so that a change shows."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def append(self, what: str, detail: Mapping[str, object], *, who: str, now: str) -> None:
        """Add one event to the chain; call inside the transaction of what it tells."""
        row = self._db.conn.execute("SELECT hash FROM events ORDER BY sequence DESC LIMIT 1").fetchone()
        body = json.dumps(detail, sort_keys=True)
        digest = _chain(row[0] if row else "", now, who, what, body)
        self._db.conn.execute(
            "INSERT INTO events (at, who, what, detail, hash) VALUES (?, ?, ?, ?, ?)", (now, who, what, body, digest)
        )

    def first_with_digest(self, what: str, digest: str) -> str | None:
        """When an event of this kind first told of a file with this content."""
        query = "SELECT min(at) FROM events WHERE what = ? AND json_extract(detail, '$.digest') = ?"
        return cast("str | None", self._db.conn.execute(query, (what, digest)).fetchone()[0])

    def first_broken(self) -> int | None:
        """The sequence number of the first event that does not fit the chain, or None."""
        before = ""
        for number, at, who, what, detail, digest in self._db.conn.execute(
            "SELECT sequence, at, who, what, detail, hash FROM events ORDER BY sequence"
        ):
            if digest != _chain(before, at, who, what, detail):
                return int(number)
            before = digest
        return None


def _chain(before: str, *parts: str) -> str:
    return sha256(json.dumps([before, *parts]).encode()).hexdigest()
