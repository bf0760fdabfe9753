"""The Label Studios that tasks were sent to: the name that each is kept under for good, and where it was last reached."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from annotate.domain.annotation import Annotation
from annotate.domain.server_identity import KnownAnnotation, KnownWork, shown_address
from annotate.store.engine.database import Room
from annotate.store.labels.annotations import NEWEST, OF_ITEMS, REVISION, revision
from annotate.store.labels.outbox import Outbox, TaskProject, TaskState

LATEST = f"SELECT a.item, a.draw, {REVISION} {OF_ITEMS} WHERE a.source = ? AND {NEWEST}"
FOLD_TASKS = """
    INSERT INTO tasks (draw, server, project, state, task_id, at, position, block, is_spread)
    SELECT draw, :into, project, state, task_id, at, position, block, is_spread FROM tasks WHERE server = :server
    ON CONFLICT (draw, server, project) DO UPDATE SET state = excluded.state, task_id = excluded.task_id, at = excluded.at,
        seen = NULL, position = excluded.position, block = excluded.block, is_spread = excluded.is_spread
        WHERE excluded.at > tasks.at
"""
FOLD_PROJECTS = """
    INSERT INTO projects (server, project, form_version, at, annotator, is_in_use, made_at, takes)
    SELECT :into, project, form_version, at, annotator, is_in_use, made_at, takes FROM projects WHERE server = :server
    ON CONFLICT (server, project) DO UPDATE SET is_in_use = max(is_in_use, excluded.is_in_use),
        made_at = coalesce(made_at, excluded.made_at), takes = coalesce(takes, excluded.takes)
"""
# Projects that are one row now: `Outbox.folded`, by which no mark is given twice.
MORE_FOLDED = "ON CONFLICT (name) DO UPDATE SET value = CAST(value AS INTEGER) + excluded.value"
COUNT_ANEW = f"INSERT INTO policies VALUES ('folded', :more) {MORE_FOLDED}"
COUNT_FOLDED = f"""
    INSERT INTO policies SELECT 'folded', count(*) FROM projects WHERE server = :server
        AND project IN (SELECT project FROM projects WHERE server = :into)
    {MORE_FOLDED}
"""
FOLD_POLICIES = """
    INSERT OR IGNORE INTO policies SELECT substr(name, 1, instr(name, ':')) || :into, value FROM policies
    WHERE name IN ('overlap:' || :server, 'passages:' || :server)
"""


class LabelServer(NamedTuple):
    """A Label Studio: its name in the log, its address (None where another answers there now), and its projects."""

    name: str
    url: str | None
    projects: tuple[TaskProject, ...]

    @property
    def shown(self) -> str:
        """The address for users; the name where there is none, which of a server of before may be one with a password."""
        return self.url or shown_address(self.name)


class LatestRevision(NamedTuple):
    """The newest revision of an annotation, its place in the log, and the rows of its item and draw."""

    sequence: int
    annotation: Annotation
    item: int
    draw: int | None


class Servers(Room):
    """The servers table, and what hangs on a server."""

    def all(self) -> list[LabelServer]:
        """Return every server, the oldest first."""
        outbox = Outbox(self._db)
        rows = self._db.conn.execute("SELECT server, url FROM servers ORDER BY at, server").fetchall()
        return [LabelServer(name, url, tuple(outbox.projects(name))) for name, url in rows]

    def at(self, url: str) -> LabelServer | None:
        """Return the server that was last reached at this address."""
        return next((server for server in self.all() if server.url == url), None)

    def add(self, url: str, *, now: str) -> str:
        """Keep a server that was not known; return its name, which says nothing of where it is.

        Where another process has kept one at this address meanwhile, it is that.
        """
        if (known := self.at(url)) is not None:
            return known.name
        name = secrets.token_hex(4)
        self._db.conn.execute("INSERT INTO servers VALUES (?, ?, ?)", (name, url, now))
        return name

    def move(self, name: str, url: str) -> None:
        """Note where a server is now; all of it is read anew by the next pull."""
        self.leave(url)
        self._db.conn.execute("UPDATE servers SET url = ? WHERE server = ?", (url, name))
        self._db.conn.execute("UPDATE projects SET cursor = NULL WHERE server = ?", (name,))

    def leave(self, url: str) -> None:
        """Note that whatever was reached at this address is not there any more; what never had a project is forgotten."""
        unused = "DELETE FROM servers WHERE url = ? AND server NOT IN (SELECT server FROM projects)"
        self._db.conn.execute(unused, (url,))
        self._db.conn.execute("UPDATE servers SET url = NULL WHERE url = ?", (url,))

    def note_made(self, name: str, made: Mapping[int, str]) -> None:
        """Keep when the server made its projects, where that was not known."""
        self._db.conn.executemany(
            "UPDATE projects SET made_at = ? WHERE server = ? AND project = ? AND made_at IS NULL",
            [(at, name, number) for number, at in made.items()],
        )

    def begin_anew(self, name: str, project: int, form_version: str) -> None:
        """Forget what was known of a project, because the server has given its number to another one; annotations stay.

        Its tasks count as queued again. Nothing happens where the number was not known.
        """
        execute, outbox = self._db.conn.execute, Outbox(self._db)
        outbox.lost(outbox.confirmed_tasks(name, project), name, project)
        known = execute(
            "UPDATE projects SET made_at = NULL, cursor = NULL, swept_at = NULL, size = NULL, unread = NULL, form_version = ? "
            "WHERE server = ? AND project = ?",
            (form_version, name, project),
        )
        execute(COUNT_ANEW, {"more": known.rowcount})

    def known_work(self, project: TaskProject) -> KnownWork:
        """Return what is known of a project's tasks and annotations."""
        rows = self._db.conn.execute(
            "SELECT t.task_id, d.task_key, t.seen FROM tasks t JOIN draws d ON d.key = t.draw "
            "WHERE t.server = ? AND t.project = ? AND t.state = ? AND t.task_id IS NOT NULL",
            (project.server, project.number, TaskState.CONFIRMED),
        ).fetchall()
        annotations = {}
        for name, latest in self.latest(project.source).items():
            key, _, number = name.partition(":")
            if number.isdigit() and not latest.annotation.deleted:
                annotations[int(number)] = KnownAnnotation(key, latest.annotation.at)
        return KnownWork(
            keys={task: key for task, key, _ in rows},
            seen={task: seen for task, _, seen in rows if seen},
            annotations=annotations,
        )

    def latest(self, source: str) -> dict[str, LatestRevision]:
        """Return the newest revision of each annotation of a source, deleted ones included."""
        rows = self._db.conn.execute(LATEST, (source,))
        return {
            entry.annotation.id: LatestRevision(entry.sequence, entry.annotation, item, draw)
            for item, draw, *row in rows
            for entry in (revision(row),)
        }

    def times(self, source: str) -> dict[str, set[tuple[str, str]]]:
        """Return, for each annotation of a source, who wrote it with each time of change that was read."""
        times: dict[str, set[tuple[str, str]]] = defaultdict(set)
        query = "SELECT id, annotator, at FROM annotations WHERE source = ? AND at IS NOT NULL"
        for name, annotator, at in self._db.conn.execute(query, (source,)):
            times[name].add((annotator, at))
        return dict(times)

    def task_draws(self, project: TaskProject) -> dict[int, int]:
        """Return the draw of each task that the project is known to hold, by the server's number of it."""
        return {task: draw for draw, task in Outbox(self._db).confirmed_tasks(project.server, project.number).items()}

    def fold(self, name: str, into: str) -> None:
        """Put a server's projects, tasks and policies under another name, and forget the first; annotations stay as they are.

        Of a task that both know the later state holds. All is read anew by the next pull.
        """
        execute, values = self._db.conn.execute, {"server": name, "into": into}
        for statement in (COUNT_FOLDED, FOLD_TASKS, FOLD_PROJECTS, FOLD_POLICIES):
            execute(statement, values)
        execute("DELETE FROM policies WHERE name IN ('overlap:' || ?, 'passages:' || ?)", (name, name))
        for table in ("tasks", "projects", "servers"):
            execute(f"DELETE FROM {table} WHERE server = ?", (name,))
        execute("UPDATE projects SET cursor = NULL WHERE server = ?", (into,))
