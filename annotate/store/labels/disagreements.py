"""Query answers on which the proxy and annotators differ: filtered, counted, a page at a time, and what they have in common.

A miss was passed and is wrong, a false fail was failed and is right, by the labels that count and the rule in this row. The
order is that of need: serious harm first, then where the proxy was surest.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import NamedTuple

from annotate.domain.selection import Selection
from annotate.store.engine.database import Room, from_column
from annotate.store.engine.item_fields import DATED, and_within
from annotate.store.labels.annotations import NEWEST, NO_DRAW
from annotate.store.labels.labels import DRAW_OF_LABEL, LABEL_THAT_COUNTS
from proxy.records import Judgement, Verdict


class DisagreementKind(StrEnum):
    """Kind of disagreement between the proxy and annotators."""

    MISS = "miss"
    FALSE_FAIL = "false_fail"


@dataclass(frozen=True, kw_only=True, slots=True)
class DisagreementFilter:
    """Filter on disagreements; None is all, and an empty text those without one.

    `text` stands in the question or the answer, `words` in the reason of one of the judges in these rows. Times are ISO
    8601 in UTC, `since` is in and `until` is out: of the item, and of the label. `items` are the rows of a slice. With
    `has_agreements` every labelled answer is asked for, whatever the proxy says of it.
    """

    kind: DisagreementKind | None = None
    system: str | None = None
    language: str | None = None
    annotator: str | None = None
    cause: str | None = None
    harm: str | None = None
    text: str | None = None
    words: str | None = None
    judges: tuple[int, ...] = ()
    since: str | None = None
    until: str | None = None
    labelled_since: str | None = None
    labelled_until: str | None = None
    items: tuple[int, ...] | None = None
    has_agreements: bool = False


class Row(NamedTuple):
    """Labelled answer as a list shows it; `kind` None where the proxy and annotators do not differ."""

    item: int
    item_id: str
    draw: int | None
    kind: DisagreementKind | None
    verdict: Verdict
    judgement: Judgement
    value: float | None
    system: str | None
    language: str | None
    timestamp: str | None
    annotator: str | None
    causes: tuple[str, ...]
    harm: str | None
    labelled_at: str | None
    question: str


class ListPlace(NamedTuple):
    """Place of a disagreement in the list, from 1, and the ids beside it."""

    number: int
    before: str | None
    after: str | None


class Shared(NamedTuple):
    """Numbers of misses and false fails with a value; empty: none was given."""

    value: str
    misses: int
    false_fails: int


KINDS = {
    (Verdict.PASS, Judgement.WRONG): DisagreementKind.MISS,
    (Verdict.FAIL, Judgement.RIGHT): DisagreementKind.FALSE_FAIL,
}
MISS = "(l.judgement = 'wrong' AND v.verdict = 'pass')"
FALSE_FAIL = "(l.judgement = 'right' AND v.verdict = 'fail')"
DIFFER = f"AND ({MISS} OR {FALSE_FAIL})"
FROM = f"""
    FROM labels l CROSS JOIN items i ON i.key = l.item LEFT JOIN verdicts v ON v.rule = :rule AND v.item = l.item {{joins}}
    WHERE {LABEL_THAT_COUNTS} AND l.judgement IS NOT NULL {{condition}}
"""
LABELLED = f"""
    SELECT count(*) FROM labels l CROSS JOIN items i ON i.key = l.item CROSS JOIN verdicts v ON v.rule = ? AND v.item = l.item
    WHERE {LABEL_THAT_COUNTS} AND l.judgement IN ('right', 'wrong') AND v.verdict IN ('pass', 'fail') {{within}}
"""
ORDER = "l.harm IS 'serious' DESC, CASE v.verdict WHEN 'pass' THEN v.value ELSE -v.value END DESC, l.item"
THEIRS = f"""
    a.item = l.item AND coalesce(a.draw, {NO_DRAW}) = coalesce(l.draw, {NO_DRAW}) AND a.judgement IS NOT NULL
    AND NOT a.is_deleted AND {NEWEST}
"""
CONDITIONS = {
    "kind": f"CASE WHEN {MISS} THEN '{DisagreementKind.MISS}' WHEN {FALSE_FAIL} THEN '{DisagreementKind.FALSE_FAIL}' END = :kind",
    "system": "coalesce(i.system, '') = :system",
    "language": "coalesce(i.language, '') = :language",
    "annotator": f"EXISTS (SELECT 1 FROM annotations a WHERE {THEIRS} AND a.annotator = :annotator)",
    "cause": "CASE :cause WHEN '' THEN json_array_length(l.causes) = 0 "
    "ELSE EXISTS (SELECT 1 FROM json_each(l.causes) WHERE value = :cause) END",
    "harm": "coalesce(l.harm, '') = :harm",
    "text": "EXISTS (SELECT 1 FROM texts t WHERE t.key = l.item "
    "AND (instr(lower(t.question), lower(:text)) OR instr(lower(t.answer), lower(:text))))",
    "words": "EXISTS (SELECT 1 FROM json_each(:judges) j CROSS JOIN scores s ON s.judge = j.value AND s.item = l.item "
    "WHERE instr(lower(s.reason), lower(:words)))",
    "since": f"datetime({DATED}) >= datetime(:since)",
    "until": f"datetime({DATED}) < datetime(:until)",
    "labelled_since": "datetime(l.at) >= datetime(:labelled_since)",
    "labelled_until": "datetime(l.at) < datetime(:labelled_until)",
    "items": "l.item IN (SELECT value FROM json_each(:items))",
}
LISTED = f"""
    SELECT l.item, i.id, l.draw, coalesce(v.verdict, 'unscored'), l.judgement, v.value, i.system, i.language, {DATED},
        l.annotator, l.causes, l.harm, l.at
"""
VALUES = {
    "system": ("coalesce(i.system, '')", ""),
    "language": ("coalesce(i.language, '')", ""),
    "cause": ("coalesce(c.value, '')", "LEFT JOIN json_each(l.causes) c"),
    "harm": ("coalesce(l.harm, '')", ""),
    "annotator": ("a.annotator", f"CROSS JOIN annotations a ON {THEIRS}"),
}


class Disagreements(Room):
    """Read labels, items, verdicts, texts, annotations and scores."""

    def count(self, rule: int, asked: DisagreementFilter) -> dict[DisagreementKind, int]:
        """Count the disagreements of each kind."""
        columns = f"SELECT coalesce(sum({MISS}), 0), coalesce(sum({FALSE_FAIL}), 0)"
        misses, fails = self._db.conn.execute(*_query(rule, asked, columns, "")).fetchone()
        return {DisagreementKind.MISS: int(misses), DisagreementKind.FALSE_FAIL: int(fails)}

    def total(self, rule: int, asked: DisagreementFilter) -> int:
        """Count what is asked for."""
        return int(self._db.conn.execute(*_query(rule, asked, "SELECT count(*)", "")).fetchone()[0])

    def labelled(self, rule: int, selection: Selection | None = None) -> int:
        """Count the answers, all or of a selection, that the rule passes or fails and annotators call right or wrong."""
        query = LABELLED.format(within=and_within(selection))
        return int(self._db.conn.execute(query, (rule,)).fetchone()[0])

    def page(self, rule: int, asked: DisagreementFilter, *, start: int, size: int) -> list[Row]:
        """Return a page of the list, from place `start` on, counted from 0."""
        order = f"ORDER BY {ORDER} LIMIT {size:d} OFFSET {start:d}"
        question = ", (SELECT question FROM texts WHERE key = l.item)"
        return [_row(row) for row in self._db.conn.execute(*_query(rule, asked, LISTED + question, order))]

    def place(self, rule: int, asked: DisagreementFilter, item: int) -> ListPlace | None:
        """Return where the item in this row stands in the list; None where it does not."""
        columns = "SELECT l.item AS item, row_number() OVER o AS place, lag(i.id) OVER o AS before, lead(i.id) OVER o AS after"
        query, values = _query(rule, asked, columns, f"WINDOW o AS (ORDER BY {ORDER})")
        query_of_place = f"SELECT place, before, after FROM ({query}) WHERE item = :item"
        row = self._db.conn.execute(query_of_place, {**values, "item": item}).fetchone()
        return None if row is None else ListPlace(*row)

    def items(self, rule: int, asked: DisagreementFilter) -> list[int]:
        """Return the rows of the items, in the order of the list."""
        return [row[0] for row in self._db.conn.execute(*_query(rule, asked, "SELECT l.item", f"ORDER BY {ORDER}"))]

    def options(self, rule: int, name: str) -> list[str]:
        """Return the values of a field that any of them has: system, language, cause, harm or annotator."""
        value, join = VALUES[name]
        columns = f"SELECT DISTINCT {value}"
        rows = self._db.conn.execute(*_query(rule, DisagreementFilter(), columns, "ORDER BY 1", join))
        return [_text(value) for (value,) in rows]

    def shared(self, rule: int, asked: DisagreementFilter, name: str) -> list[Shared]:
        """Count those asked for by the value of a field, the commonest first; an item counts for each of its causes."""
        value, join = VALUES[name]
        columns = f"SELECT {value}, coalesce(sum({MISS}), 0), coalesce(sum({FALSE_FAIL}), 0)"
        rows = self._db.conn.execute(*_query(rule, asked, columns, "GROUP BY 1 ORDER BY count(*) DESC, 1", join))
        return [Shared(str(value), int(misses), int(fails)) for value, misses, fails in rows]

    def sided(self, rule: int, asked: DisagreementFilter, judge: int, threshold: float) -> tuple[int, int]:
        """Count those asked for that this judge calls as the proxy does, above the threshold or not: misses, false fails."""
        join = "CROSS JOIN scores s ON s.judge = :judge AND s.item = l.item"
        misses_at, fails_at = f"{MISS} AND s.value > :threshold", f"{FALSE_FAIL} AND s.value <= :threshold"
        columns = f"SELECT coalesce(sum({misses_at}), 0), coalesce(sum({fails_at}), 0)"
        query, values = _query(rule, asked, columns, "", join)
        misses, fails = self._db.conn.execute(query, {**values, "judge": judge, "threshold": threshold}).fetchone()
        return int(misses), int(fails)

    def standing(self, rule: int, item: int) -> tuple[Verdict, float | None]:
        """Return the rule's verdict on an item, and the value that it rests on."""
        row = self._db.conn.execute("SELECT verdict, value FROM verdicts WHERE rule = ? AND item = ?", (rule, item))
        verdict_row = row.fetchone()
        return (Verdict.UNSCORED, None) if verdict_row is None else (Verdict(verdict_row[0]), float(verdict_row[1]))

    def draw_of_label(self, item: int) -> int | None:
        """Return the draw of the label that counts; None where it has none, or the item no label."""
        row = self._db.conn.execute(DRAW_OF_LABEL, (item,)).fetchone()
        return None if row is None else row[0]

    def detailed(self, item: int) -> list[tuple[str, str]]:
        """Return (judge, signature) of each judge of whose work on the item details are kept, oldest judge first."""
        query = "SELECT j.judge, j.signature FROM judges j CROSS JOIN details d ON d.judge = j.key AND d.item = ? ORDER BY j.key"
        return [tuple(row) for row in self._db.conn.execute(query, (item,))]


def _query(
    rule: int, asked: DisagreementFilter, select: str, rest: str, joins: str = ""
) -> tuple[str, dict[str, object]]:
    """Return a query on those asked for, with its values."""
    conditions = {field.name: getattr(asked, field.name) for field in fields(asked) if field.name in CONDITIONS}
    conditions = {name: value for name, value in conditions.items() if value is not None}
    condition = "".join(
        [*([] if asked.has_agreements else [DIFFER]), *(f" AND {CONDITIONS[name]}" for name in conditions)]
    )
    values: dict[str, object] = {
        name: json.dumps(value) if isinstance(value, tuple) else value for name, value in conditions.items()
    }
    return select + FROM.format(joins=joins, condition=condition) + rest, {
        **values,
        "rule": rule,
        "judges": json.dumps(asked.judges),
    }


def _row(row: Sequence[object]) -> Row:
    (
        item,
        item_id,
        draw,
        verdict,
        judgement,
        value,
        system,
        language,
        at,
        annotator,
        causes,
        harm,
        labelled_at,
        question,
    ) = row
    known, label = Verdict(str(verdict)), Judgement(str(judgement))
    return Row(
        item=int(str(item)),
        item_id=str(item_id),
        draw=None if draw is None else int(str(draw)),
        kind=KINDS.get((known, label)),
        verdict=known,
        judgement=label,
        value=None if value is None else float(str(value)),
        **{
            name: None if value is None else _text(value)
            for name, value in (("system", system), ("language", language), ("timestamp", at), ("annotator", annotator))
        },
        causes=tuple(json.loads(str(causes))),
        harm=None if harm is None else str(harm),
        labelled_at=None if labelled_at is None else str(labelled_at),
        question=_text(question),
    )


def _text(value: object) -> str:
    return from_column(value) if isinstance(value, (str, bytes)) else str(value)
