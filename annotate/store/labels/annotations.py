"""Log of annotations: every revision of each is kept, with whose it is and who wrote it; nothing is ever changed.

The newest revision of an annotation is what its writer says now. Adjudications stand in the same log and are nobody's reading.

Whoever reads an item in a project where somebody else has read it before can see that one's answer, and a row without a name may
be a named annotator's own: neither is an independent reading, and agreement between annotators is measured without them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from annotate.domain.annotation import ADJUDICATION, FROM_FILE, UNNAMED, Annotation, Revision
from annotate.domain.annotator_activity import LogCounts, TimedJudgement
from annotate.domain.passage_relevance import from_json, to_json
from annotate.store.engine.database import Room, from_column, to_column
from proxy.evaluation.annotator_agreement import Reading
from proxy.records import Judgement

CONTENT = (
    "judgement, reference, causes, harm, rationale, form_version, seconds, at, edited_by, is_deleted, "
    "is_handed_on, passages"
)
NO_DRAW = -1
NEWEST = "a.sequence = (SELECT max(sequence) FROM annotations n WHERE n.source = a.source AND n.id = a.id)"
BY_ANNOTATORS = f"a.source != '{ADJUDICATION}'"
STANDING = f"NOT a.is_deleted AND {BY_ANNOTATORS} AND {NEWEST}"
LATER_IN_PROJECT = f"""
    SELECT item || ' ' || annotator FROM (
        SELECT p.item, p.annotator, row_number() OVER (
            PARTITION BY p.item, p.source ORDER BY min(coalesce(p.at, p.received_at)), min(p.sequence)) AS place
        FROM annotations p WHERE p.judgement IS NOT NULL AND p.source NOT IN ('{ADJUDICATION}', '{FROM_FILE}')
        GROUP BY p.item, p.source, p.annotator)
    WHERE place > 1
"""
# One text, as SQLite looks a pair of columns up without an index.
IS_LATER = f"a.item || ' ' || a.annotator IN ({LATER_IN_PROJECT})"
INDEPENDENT = f"a.annotator != '{UNNAMED}' AND NOT {IS_LATER}"
READINGS = f"""
    SELECT a.item, a.annotator, a.judgement FROM annotations a CROSS JOIN items i ON i.key = a.item AND i.is_current
    WHERE a.judgement IS NOT NULL AND {STANDING} AND {INDEPENDENT} AND a.item IN (
        SELECT item FROM annotations a WHERE {BY_ANNOTATORS} GROUP BY item HAVING count(DISTINCT annotator) > 1)
    ORDER BY coalesce(a.at, a.received_at), a.sequence
"""
UNCOUNTED = f"""
    SELECT coalesce(sum(named AND later), 0), coalesce(sum(named AND unnamed AND NOT later), 0) FROM (
        SELECT max(a.annotator != '{UNNAMED}') AS named, max(a.annotator = '{UNNAMED}') AS unnamed,
            max({IS_LATER}) AS later
        FROM annotations a CROSS JOIN items i ON i.key = a.item AND i.is_current
        WHERE a.judgement IN ('{Judgement.RIGHT}', '{Judgement.WRONG}') AND {STANDING}
        GROUP BY a.item HAVING count(DISTINCT a.annotator) > 1)
"""
# A block is named by the draw that comes first in it.
WITHIN_BLOCK = """
    EXISTS (SELECT 1 FROM tasks t WHERE t.draw = a.draw AND t.block != t.draw AND t.is_spread IS NOT 1
        AND a.source = 'label-studio:' || t.server || ':' || t.project)
"""
WORK = f"""
    SELECT a.item, a.annotator, a.judgement, a.seconds, {INDEPENDENT}, {WITHIN_BLOCK} FROM annotations a
    WHERE {STANDING} ORDER BY coalesce(a.at, a.received_at), a.sequence
"""
# Users know a server by its address.
SHOWN_SOURCE = """
    coalesce((SELECT 'label-studio:' || s.url || ':' || p.project FROM projects p JOIN servers s USING (server)
        WHERE source = 'label-studio:' || p.server || ':' || p.project), source)
"""
COUNTS = f"""
    SELECT {SHOWN_SOURCE}, count(*), sum(revisions - 1 - is_deleted), sum(is_deleted),
        sum(judgement IS NULL AND NOT is_deleted), sum(was_edited) FROM (
            SELECT a.source, a.judgement, a.is_deleted, r.revisions, r.was_edited FROM (
                SELECT source, id, count(*) AS revisions, max(sequence) AS newest, max(edited_by IS NOT NULL) AS was_edited
                FROM annotations GROUP BY source, id) r JOIN annotations a ON a.sequence = r.newest)
    GROUP BY source ORDER BY 1
"""
REVISION = f"a.sequence, a.received_at, a.source, a.id, i.id, a.annotator, {CONTENT}"
OF_ITEMS = "FROM annotations a JOIN items i ON i.key = a.item"
REVISIONS = f"SELECT {REVISION} {OF_ITEMS}"


class Uncounted(NamedTuple):
    """Items that two have called right or wrong and that do not count as read twice.

    In one project the later annotator could see the other's answer; a label without a name may be the other annotator's own.
    """

    in_one_project: int
    without_name: int


class Annotations(Room):
    """The annotations table."""

    def knows(self, annotation: Annotation) -> bool:
        """Return whether there is any revision of this annotation."""
        return self._latest(annotation.source, annotation.id) is not None

    def _latest(self, source: str, annotation_id: str) -> tuple[tuple[object, ...], str | None, int | None] | None:
        """Return the content, time and draw of the newest revision of an annotation."""
        row = self._db.conn.execute(
            f"SELECT {CONTENT}, draw FROM annotations WHERE source = ? AND id = ? ORDER BY sequence DESC LIMIT 1",
            (source, annotation_id),
        ).fetchone()
        return None if row is None else (tuple(row[:-1]), row[7], row[-1])

    def _append(
        self, annotation: Annotation, item: int, draw: int | None, content: tuple[object, ...], now: str
    ) -> None:
        self._traffic.hold([item])
        self._db.conn.execute(
            f"INSERT INTO annotations (source, id, item, draw, annotator, {CONTENT}, received_at) "
            f"VALUES ({', '.join('?' * 18)})",
            (annotation.source, annotation.id, item, draw, annotation.annotator, *content, now),
        )

    def annotations(self, item: int, draw: int | None) -> list[Annotation]:
        """Return the newest revision of each annotation on an item, for its draw or hand-picked, oldest first."""
        rows = self._db.conn.execute(
            f"{REVISIONS} WHERE a.item = ? AND coalesce(a.draw, ?) = coalesce(?, ?) AND {NEWEST} "
            "ORDER BY coalesce(a.at, a.received_at), a.sequence",
            (item, NO_DRAW, draw, NO_DRAW),
        )
        return [revision(row).annotation for row in rows]

    def known_ids(self, source: str) -> dict[str, tuple[int, int | None, str]]:
        """Return (item, draw, annotator) of each annotation of a source that is not deleted."""
        rows = self._db.conn.execute(
            f"SELECT a.id, a.item, a.draw, a.annotator FROM annotations a WHERE a.source = ? AND NOT a.is_deleted AND {NEWEST}",
            (source,),
        )
        return {row[0]: (row[1], row[2], row[3]) for row in rows}

    def history(self, item_id: str) -> list[Revision]:
        """List every revision of every annotation on an item, also on content that it had before, in order of arrival."""
        return [
            revision(row)
            for row in self._db.conn.execute(f"{REVISIONS} WHERE i.id = ? ORDER BY a.sequence", (item_id,))
        ]

    def every(self, *, revisions: bool) -> Iterator[Revision]:
        """Yield the annotations of all items in the order in which they came: every revision, or each as it is now."""
        condition = "" if revisions else f"WHERE {NEWEST}"
        for row in self._db.conn.execute(f"{REVISIONS} {condition} ORDER BY a.sequence"):
            yield revision(row)

    def readings(self) -> list[Reading]:
        """Return the latest reading of each annotator on the current items that two or more have read, oldest first.

        Only independent readings are among them.
        """
        rows = self._db.conn.execute(READINGS)
        return [Reading(item, annotator, Judgement(judgement)) for item, annotator, judgement in rows]

    def uncounted(self) -> Uncounted:
        """Return how many items have a second reading that is not independent."""
        return Uncounted(*self._db.conn.execute(UNCOUNTED).fetchone())

    def work(self) -> list[TimedJudgement]:
        """Return the latest work of each annotator on the items they read or skipped, oldest first; no deleted annotations."""
        return [
            TimedJudgement(
                item=item,
                annotator=annotator,
                judgement=Judgement(judgement_text) if judgement_text else None,
                seconds=seconds if seconds and seconds > 0 else None,
                is_independent=bool(independent),
                knows_question=bool(within_block),
            )
            for item, annotator, judgement_text, seconds, independent, within_block in self._db.conn.execute(WORK)
        ]

    def log_counts(self) -> list[LogCounts]:
        """Return what happened to the annotations of each source."""
        return [LogCounts(*row) for row in self._db.conn.execute(COUNTS)]


def content(annotation: Annotation) -> tuple[object, ...]:
    """Return what makes a revision of an annotation differ from another, as columns."""
    return (
        annotation.judgement.value if annotation.judgement else None,
        to_column(annotation.reference),
        json.dumps(annotation.causes),
        annotation.harm,
        to_column(annotation.rationale),
        annotation.form_version,
        annotation.seconds,
        annotation.at,
        annotation.edited_by,
        int(annotation.deleted),
        int(annotation.is_handed_on),
        to_json(annotation.passages),
    )


def revision(row: Sequence[object]) -> Revision:
    """Return the entry of the log that a row of REVISIONS describes."""
    sequence, received_at, source, identity, item_id, annotator, judgement, reference, causes, harm, *rest = row
    rationale, form, seconds, at, editor, deleted, handed_on, passages = rest
    annotation = Annotation(
        source=str(source),
        id=str(identity),
        item_id=str(item_id),
        annotator=str(annotator),
        judgement=None if judgement is None else Judgement(str(judgement)),
        reference=text(reference),
        causes=tuple(json.loads(str(causes))),
        harm=text(harm),
        rationale=text(rationale),
        form_version=text(form),
        seconds=seconds if isinstance(seconds, float) else None,
        at=text(at),
        edited_by=text(editor),
        deleted=bool(deleted),
        passages=from_json(passages),
        is_handed_on=bool(handed_on),
    )
    return Revision(int(str(sequence)), str(received_at), annotation)


def text(value: object) -> str | None:
    """Return a column's text, None where there is none."""
    return from_column(value) if isinstance(value, (str, bytes)) else None
