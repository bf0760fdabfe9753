"""Count the items of each part of the traffic, by a field of the items, that share a stratum, a verdict and a level.

The fields are those that every item has (system, language, day, week, month) and any of the caller's own, as `metadata.NAME`;
a Selection is a field too, whose one part is WITHIN. The counts are kept until their source changes, those of a selection are
not, and the part of what has no such field is None.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from annotate.domain.selection import Selection
from annotate.store.engine.all_traffic import KeyRange
from annotate.store.engine.database import once
from annotate.store.engine.frames import Frames
from annotate.store.engine.item_cells import Blocks, Cell, ItemCells, Numbering, cached_cells, cells_of_items
from annotate.store.engine.item_fields import DATED, FIELDS, OWN, condition_of
from annotate.store.engine.rollups import CountingRoom, Row, text_of
from annotate.store.engine.stretches import all_items
from annotate.store.scores.predicted import PredictedLevels
from annotate.store.scores.stage_scores import Quartered
from proxy.errors import UsageError
from proxy.evaluation.ledger import Drawing, Total
from proxy.records import Verdict

BLOCK = 50_000
WITHIN = "within"
COUNTED = """
    SELECT i.key, {part}, coalesce(v.verdict, 'unscored') FROM items i {texts}
    LEFT JOIN verdicts v ON v.rule = ? AND v.item = i.key WHERE i.is_current AND {among} ORDER BY i.key
"""
DESCRIBED = f"""
    SELECT d.key, d.item, i.id, d.wave, i.question, i."group", i.system, {DATED}, i.language, i.question_chars, i.contexts,
        i.contexts_chars, i.answer_chars FROM draws d
    CROSS JOIN items i ON i.key = d.item AND i.is_current WHERE d.wave <= ? ORDER BY d.key
"""

Field = str | Selection | Quartered
SqlValue = str | bytes | float | None


class Described(NamedTuple):
    """A drawn item with what is known of it before anyone reads it; lengths in characters, `contexts` a count."""

    draw: int
    item: int
    item_id: str
    wave: int
    question: str
    group: str
    system: str | None
    timestamp: str | None
    language: str | None
    question_chars: int
    contexts: int
    contexts_chars: int
    answer_chars: int


class Partitions(CountingRoom):
    """Read items, texts, frames and verdicts."""

    def totals(
        self,
        rule: int,
        field: Field,
        last: int,
        speaking: Sequence[Drawing] | None,
        levels: PredictedLevels,
        *,
        as_drawn: bool = False,
    ) -> dict[str | None, list[Total]]:
        """Return the totals of each part under the rule in this row; items that no frame holds are left out.

        Those `as_drawn`, which all draws reach, are kept beside those that labels reach.
        """

        def count() -> list[Row]:
            find = partial(self._cells, rule, field, last, speaking)
            known = cached_cells(self._db, f"cells {of}{levels.suffix}", question, find)
            return _counted(known, levels)

        rows: Sequence[Row]
        # Windows move on: what was counted of one would be kept for nothing.
        if isinstance(field, Selection) or (isinstance(field, Quartered) and field.within):
            rows = _counted(self._cells(rule, field, last, speaking, all_items(self._db)), levels)
        else:
            of = f"by {field if isinstance(field, str) else field.kind}"
            of += " as drawn" if as_drawn else ""
            drawings = None if speaking is None else [drawing[:2] for drawing in speaking]
            question = json.dumps([rule, last, drawings, None if isinstance(field, str) else _source(field)])
            rows = self._rollups.get(
                f"totals {of}{levels.suffix}", ("items", "scores", "waves"), f"{question} {levels.signature}", count
            )
        totals: dict[str | None, list[Total]] = {}
        for part, stratum, verdict, size, level, is_reachable in rows:
            name = None if part is None else str(part)
            total = Total(str(stratum), Verdict(str(verdict)), int(size or 0), int(level or 0), bool(is_reachable))
            totals.setdefault(name, []).append(total)
        return totals

    def sizes(self, field: str) -> dict[str | None, int]:
        """Return how many current items each part has."""
        expression, texts = _source(field)
        expression = expression.replace("{", "{{").replace("}", "}}")  # of a field of the caller's own
        query = f"SELECT {{stretch}}, {expression}, count(*) FROM items i {texts} WHERE i.is_current AND {{among}} GROUP BY 1, 2"
        # Names that differ in half characters alone are one.
        return {part: int(size) for part, size in self._rollups.counts("sizes by " + field, ("items",), "", query)}

    def of_items(self, items: Sequence[int], field: Field) -> dict[int, str | None]:
        """Return the part of each of these items."""
        expression, texts = _source(field)
        query = f"SELECT i.key, {expression} FROM items i {texts} WHERE i.key IN (SELECT value FROM json_each(?))"
        rows = self._traffic.about(items).execute(query, (json.dumps(list(items)),))
        return {key: _name_of(part) for key, part in rows}

    def described(self, last: int) -> Sequence[Described]:
        """Return every drawn item that is current, of waves up to `last`, in the order in which the ledger gives them."""
        return once(
            self._db,
            (DESCRIBED, last),
            lambda: [Described(*row) for row in self._db.conn.execute(DESCRIBED, (last,))],
        )

    def _cells(
        self, rule: int, field: Field, last: int, speaking: Sequence[Drawing] | None, among: KeyRange
    ) -> ItemCells:
        """Return the cell of each item in these rows: its part, its stratum, whether labels can speak for it, and its verdict."""
        numbering = Numbering[Cell]()

        def blocks() -> Blocks:
            for items, parts, strata, reach, verdicts in self._blocks(rule, field, last, speaking, among):
                yield items, numbering.of(list(zip(parts, strata, reach, verdicts, strict=True)))

        return cells_of_items(numbering, blocks(), among)

    def _blocks(
        self, rule: int, field: Field, last: int, speaking: Sequence[Drawing] | None, among: KeyRange
    ) -> Iterator[tuple[Sequence[int], Sequence[str | None], Sequence[str | None], Sequence[int], Sequence[str]]]:
        expression, texts = _source(field)
        query = COUNTED.format(part=expression, texts=texts, among=among.among)
        frames, cursor = Frames(self._db), self._traffic.execute_among(among, query, (rule,))
        while rows := cursor.fetchmany(BLOCK):
            items, values, verdicts = zip(*rows, strict=True)
            parts = list(map(_name_of, values))
            keys = np.array(items, dtype=np.int64)
            strata = frames.latest(keys, last)
            names = [strata.names[code] for code in strata.codes.tolist()]
            yield items, parts, names, frames.reachable(keys, last, speaking).astype(np.intp).tolist(), verdicts


def _counted(known: ItemCells, levels: PredictedLevels) -> list[Row]:
    """Count the items of each cell at each level, without those that no frame holds."""
    sizes = known.sizes(levels.by_item)
    return [
        (
            None if part is None else str(part),
            stratum,
            verdict,
            int(sizes[place, level]),
            int(level),
            int(bool(reached)),
        )
        for place, (part, stratum, reached, verdict) in enumerate(known.cells)
        if stratum is not None
        for level in np.flatnonzero(sizes[place])
    ]


def _name_of(part: SqlValue) -> str | None:
    """Return the name of a part."""
    return None if part is None else str(text_of(part))


def _source(field: Field) -> tuple[str, str]:
    """Return the SQL of a field, and the join that it needs; UsageError for a field that there is not."""
    if isinstance(field, Quartered):
        return field.source()
    if isinstance(field, Selection):
        return f"CASE WHEN {condition_of(field)} THEN '{WITHIN}' END", ""
    if field in FIELDS:
        return FIELDS[field], ""
    name = field.removeprefix(OWN)
    if field == name or not name or '"' in name or "'" in name or "\\" in name:
        raise UsageError(f"there is no field {field!r}: give {', '.join(FIELDS)}, or {OWN}NAME for a field of your own")
    # As bytes, because SQLite hands out half characters, which cannot be read as text.
    return f"""CAST(t.metadata ->> '$."{name}"' AS BLOB)""", "JOIN texts t ON t.key = i.key"
