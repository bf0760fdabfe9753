"""The outbox: which draws were given to which project of a Label Studio, and how far each project has been read.

A draw is written down as queued before it is sent and confirmed with the server's task id after; a task that was taken back
is withdrawn. With several annotators a draw may be in the projects of more than one. A project is one annotator's, or everybody's
where `annotator` is empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from annotate.domain.annotator_rules import Taker, TakerRule
from annotate.domain.reading_order import ReadingPlace
from annotate.store.engine.database import Room
from annotate.store.labels.annotations import NEWEST, STANDING

PROJECT = "server, project, annotator, form_version, is_in_use, cursor, swept_at, size, unread, made_at, takes"

# Whoever answers a task twice says what was said last.
READ_IN_ORDER = f"""
    SELECT a.source, t.block, a.annotator, i.question, t.is_spread, a.judgement, max(a.sequence) FROM tasks t
    CROSS JOIN draws d ON d.key = t.draw CROSS JOIN items i ON i.key = d.item AND i.is_current
    CROSS JOIN annotations a ON a.item = d.item AND a.draw = t.draw AND a.source = 'label-studio:' || t.server || ':' || t.project
    WHERE t.is_spread IS NOT NULL AND t.position IS NOT NULL AND a.judgement IS NOT NULL AND {STANDING}
    GROUP BY a.source, t.block, a.annotator, i.question, t.position
    ORDER BY a.source, t.block, a.annotator, i.question, t.position
"""
# What was read keeps its place; what was not is read where it stands once it is sent again.
READ_THERE = """
    EXISTS (SELECT 1 FROM annotations a WHERE a.item = (SELECT item FROM draws WHERE key = tasks.draw) AND a.draw = tasks.draw
        AND a.source = 'label-studio:' || tasks.server || ':' || tasks.project)
"""


class TaskState(StrEnum):
    """Progress of a draw on its way to a project."""

    QUEUED = "queued"
    CONFIRMED = "confirmed"
    WITHDRAWN = "withdrawn"


class TaskProject(NamedTuple):
    """A project that holds tasks of ours; `cursor` is the server's newest time that a pull has read.

    When all tasks were last looked over there were `size` of them, and `unread` more annotations than could be read here.
    `server` is the name of its server, `made_at` the server's own time of making it, once that is known. `taker` says which draws
    its annotator takes.
    """

    server: str
    number: int
    annotator: str
    form_version: str
    is_in_use: bool
    cursor: str | None
    swept_at: str | None
    size: int | None
    unread: int | None
    made_at: str | None = None
    taker: Taker = Taker("")

    @property
    def source(self) -> str:
        """Name that its annotations are kept under."""
        return f"label-studio:{self.server}:{self.number}"


class SentDraw(NamedTuple):
    """A draw in a project, with the server's id of its task once that is known."""

    draw: int
    project: int
    state: TaskState
    task_id: int | None


class DrawOutcome(NamedTuple):
    """What an annotation of a draw says: its judgement, None for a skip, `is_handed_on` where it is not the annotator's field."""

    draw: int
    source: str
    judgement: str | None
    is_handed_on: bool


class ReadInOrder(NamedTuple):
    """An annotator's judgement on an answer of a block, the answers of each annotator and block in the order of their tasks."""

    project: str
    block: int
    annotator: str
    question: str
    is_spread: bool
    judgement: str


class Outbox(Room):
    """The tasks and projects tables."""

    def projects(self, server: str, *, in_use: bool = False) -> list[TaskProject]:
        """Return the projects of a server, all or those that new tasks go to, oldest first."""
        condition = "AND is_in_use" if in_use else ""
        rows = self._db.conn.execute(
            f"SELECT {PROJECT} FROM projects WHERE server = ? {condition} ORDER BY at, project", (server,)
        )
        return [_project(row) for row in rows]

    def all_projects(self) -> list[TaskProject]:
        """Return the projects of all servers, oldest first."""
        rows = self._db.conn.execute(f"SELECT {PROJECT} FROM projects ORDER BY at, server, project")
        return [_project(row) for row in rows]

    def has_projects(self) -> bool:
        """Return whether any server has ever had tasks of this store."""
        return self._db.conn.execute("SELECT 1 FROM projects LIMIT 1").fetchone() is not None

    def use(
        self, server: str, chosen: Mapping[str, int], form_version: str, takers: Sequence[Taker] = (), *, now: str
    ) -> None:
        """Send tasks to these projects from now on, by annotator; those used before are still pulled."""
        takes = {taker.annotator: _to_column(taker) for taker in takers}
        execute = self._db.conn.execute
        execute("UPDATE projects SET is_in_use = 0 WHERE server = ?", (server,))
        for annotator, number in chosen.items():
            execute(
                "INSERT INTO projects (server, project, form_version, at, annotator, takes, is_in_use) "
                "VALUES (?, ?, ?, ?, ?, ?, 1) ON CONFLICT (server, project) DO UPDATE SET is_in_use = 1, "
                "annotator = excluded.annotator, takes = excluded.takes",
                (server, number, form_version, now, annotator, takes.get(annotator)),
            )

    def adopt(self, server: str, number: int, form_version: str, *, now: str) -> None:
        """Pull a project from now on that was not known here; tasks go where they went."""
        self._db.conn.execute(
            "INSERT OR IGNORE INTO projects (server, project, form_version, at, is_in_use) VALUES (?, ?, ?, ?, 0)",
            (server, number, form_version, now),
        )

    def read_up_to(self, project: TaskProject, cursor: str) -> None:
        """Note how far a pull has read a project, by the server's clock."""
        self._db.conn.execute(
            "UPDATE projects SET cursor = max(?, coalesce(cursor, '')) WHERE server = ? AND project = ?",
            (cursor, project.server, project.number),
        )

    def swept(self, project: TaskProject, *, size: int, unread: int, at: str | None) -> None:
        """Note that all of a project's tasks were looked over, and with `at` that they were read, too."""
        self._db.conn.execute(
            "UPDATE projects SET swept_at = coalesce(?, swept_at), size = ?, unread = ? WHERE server = ? AND project = ?",
            (at, size, unread, project.server, project.number),
        )

    def overlap(self, server: str) -> float:
        """Return the share of each wave's draws that two annotators get."""
        row = self._db.conn.execute("SELECT value FROM policies WHERE name = ?", (f"overlap:{server}",)).fetchone()
        return float(row[0]) if row else 0.0

    def set_overlap(self, server: str, share: float) -> None:
        """Keep the share of draws that two annotators get."""
        self._db.conn.execute("INSERT OR REPLACE INTO policies VALUES (?, ?)", (f"overlap:{server}", repr(share)))

    def passage_share(self, server: str) -> float:
        """Return the share of the draws that are asked about passages; all of them at first."""
        row = self._db.conn.execute("SELECT value FROM policies WHERE name = ?", (f"passages:{server}",)).fetchone()
        return float(row[0]) if row else 1.0

    def set_passage_share(self, server: str, share: float) -> None:
        """Keep the share of the draws that are asked about passages."""
        self._db.conn.execute("INSERT OR REPLACE INTO policies VALUES (?, ?)", (f"passages:{server}", repr(share)))

    def store_id(self) -> str:
        """Return a name for this store that no other has, by which projects are recognised as ours."""
        execute = self._db.conn.execute
        execute("INSERT OR IGNORE INTO policies VALUES ('store', lower(hex(randomblob(8))))")
        return str(execute("SELECT value FROM policies WHERE name = 'store'").fetchone()[0])

    def folded(self) -> int:
        """Return how many projects are known no more by a row of their own: of two names of a server, of a number given twice."""
        row = self._db.conn.execute("SELECT value FROM policies WHERE name = 'folded'").fetchone()
        return int(row[0]) if row else 0

    def outcomes(self) -> list[DrawOutcome]:
        """Return what each annotation of a draw says now."""
        query = (
            "SELECT draw, source, judgement, is_handed_on FROM annotations a "
            f"WHERE draw IS NOT NULL AND NOT is_deleted AND {NEWEST} ORDER BY draw, sequence"
        )
        rows = self._db.conn.execute(query)
        return [DrawOutcome(draw, source, judgement, bool(handed_on)) for draw, source, judgement, handed_on in rows]

    def read_in_order(self) -> list[ReadInOrder]:
        """Return what annotators say now of answers that a lot had read together or apart, by annotator and block."""
        return [
            ReadInOrder(source, block, annotator, question, bool(is_spread), judgement)
            for source, block, annotator, question, is_spread, judgement, _ in self._db.conn.execute(READ_IN_ORDER)
        ]

    def sent(self, server: str) -> list[SentDraw]:
        """Return every draw that was ever given to a project of this server."""
        rows = self._db.conn.execute(
            "SELECT draw, project, state, task_id FROM tasks WHERE server = ? ORDER BY draw, at, project", (server,)
        )
        return [SentDraw(draw, project, TaskState(state), task) for draw, project, state, task in rows]

    def confirmed_tasks(self, server: str, project: int) -> dict[int, int]:
        """Return the task id of each draw that this project is known to hold."""
        query = "SELECT draw, task_id FROM tasks WHERE server = ? AND project = ? AND state = 'confirmed'"
        return dict(self._db.conn.execute(query, (server, project)).fetchall())

    def queue(self, placed: Iterable[ReadingPlace], server: str, project: int, *, now: str) -> None:
        """Write down what is about to be sent, and in which order, before it is."""
        self._db.conn.executemany(
            "INSERT INTO tasks (draw, server, project, state, at, position, block, is_spread) "
            "VALUES (:draw, :server, :project, 'queued', :now, :position, :block, :is_spread) "
            "ON CONFLICT (draw, server, project) DO UPDATE SET state = 'queued', task_id = NULL, at = excluded.at, seen = NULL, "
            "position = excluded.position, block = excluded.block, is_spread = excluded.is_spread",
            [draw._asdict() | {"server": server, "project": project, "now": now} for draw in placed],
        )

    def order(self, server: str, project: int) -> dict[int, ReadingPlace]:
        """Return the places that a project's draws have, also of those that it does not hold yet, or any more."""
        query = "SELECT draw, block, position, is_spread FROM tasks WHERE server = ? AND project = ? AND position IS NOT NULL"
        rows = self._db.conn.execute(query, (server, project))
        return {
            draw: ReadingPlace(draw, block, position, None if is_spread is None else bool(is_spread))
            for draw, block, position, is_spread in rows
        }

    def confirm(self, tasks: Mapping[int, int], server: str, project: int, *, now: str) -> None:
        """Note the task id under which the project holds each draw."""
        self._db.conn.executemany(
            "UPDATE tasks SET state = 'confirmed', task_id = ?, at = ? WHERE draw = ? AND server = ? AND project = ?",
            [(task, now, draw, server, project) for draw, task in tasks.items()],
        )

    def seen(self, server: str, project: int) -> dict[int, str]:
        """Return when the server last changed each task, by its id, as far as a pull has read it."""
        query = "SELECT task_id, seen FROM tasks WHERE server = ? AND project = ? AND seen IS NOT NULL"
        return dict(self._db.conn.execute(query, (server, project)).fetchall())

    def read(self, tasks: Iterable[tuple[int, int, str]], server: str, project: int, *, now: str) -> None:
        """Note (draw, task id, the server's time of it) as read; a draw that was not known to be there is confirmed by it."""
        self._db.conn.executemany(
            "INSERT INTO tasks (draw, server, project, state, task_id, at, seen) "
            "VALUES (:draw, :server, :project, 'confirmed', :task, :now, :seen) "
            "ON CONFLICT (draw, server, project) DO UPDATE SET seen = excluded.seen, at = CASE state WHEN 'confirmed' "
            "THEN at ELSE excluded.at END, state = 'confirmed', task_id = excluded.task_id "
            "WHERE task_id IS NULL OR task_id = excluded.task_id",
            [
                {"draw": draw, "server": server, "project": project, "task": task, "now": now, "seen": at}
                for draw, task, at in tasks
            ],
        )

    def withdrawn(self, draws: Iterable[int], server: str, project: int, *, now: str) -> None:
        """Note that the project does not hold these draws any more, because we took them back."""
        self._db.conn.executemany(
            "UPDATE tasks SET state = 'withdrawn', at = ? WHERE draw = ? AND server = ? AND project = ?",
            [(now, draw, server, project) for draw in draws],
        )

    def lost(self, tasks: Mapping[int, int], server: str, project: int) -> None:
        """Note that the project does not hold these tasks, by draw, any more, though nobody here took them back.

        They count as queued again, so that the next push looks for them before it sends them, behind all others. What another
        process has written down meanwhile stays.
        """
        self._db.conn.executemany(
            f"UPDATE tasks SET state = 'queued', task_id = NULL, seen = NULL, position = iif({READ_THERE}, position, NULL) "
            "WHERE draw = ? AND task_id = ? AND state = 'confirmed' AND server = ? AND project = ?",
            [(draw, task, server, project) for draw, task in tasks.items()],
        )


def _project(row: Sequence[object]) -> TaskProject:
    """Return the project that a row of PROJECT describes."""
    server, number, annotator, form_version, is_in_use, *rest, takes = row
    taker = _from_column(str(annotator), takes)
    return TaskProject(server, number, annotator, form_version, bool(is_in_use), *rest)._replace(taker=taker)  # type: ignore[arg-type]


def _to_column(taker: Taker) -> str | None:
    return json.dumps([taker.rules, taker.shares_rest]) if taker.rules else None


def _from_column(annotator: str, takes: object) -> Taker:
    if not isinstance(takes, str):
        return Taker(annotator)
    rules, shares_rest = json.loads(takes)
    return Taker(annotator, tuple(TakerRule(field, value) for field, value in rules), shares_rest)
