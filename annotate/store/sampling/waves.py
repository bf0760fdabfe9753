"""Sampling ledger: every wave's frame, strata and draws with their inclusion probabilities. Written once, never changed.

A frame holds every current item with its stratum at that moment, also those that an earlier wave drew, because an item's
path through the strata of all waves is what makes the labels of several waves add up.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.domain.sampling.designs import Draw, WaveDesign
from annotate.domain.sampling.frame_definition import definition_of
from annotate.domain.sampling.outcomes import DrawProgress
from annotate.domain.selection import Selection
from annotate.store.engine.database import Room
from annotate.store.engine.frame_blocks import Framed
from annotate.store.engine.frame_kinds import KINDS, NAMES, combination
from annotate.store.engine.frames import Frames
from annotate.store.engine.item_fields import and_within
from annotate.store.engine.rollups import changed
from annotate.store.engine.sqlite import Database
from annotate.store.scores.judge_row import judge_row
from annotate.store.scores.predicted import Predicted
from annotate.store.scores.stage_scores import Disputed
from proxy.evaluation.predictor import PredictorSource
from proxy.planning.allocation import StratumPlan
from proxy.planning.coded import Coded, looked_up
from proxy.planning.strata import SamplingFrame
from proxy.records import Judgement


class Wave(NamedTuple):
    """One drawing of items for labelling; `part` says of what, where it was not of all traffic.

    `predictor` is what strata and chances follow; None for a wave before the first labels.
    """

    number: int
    rule: str
    seed: int
    labels: int
    audit: float
    at: str
    strata: tuple[StratumPlan, ...]
    design: WaveDesign = WaveDesign.STRATIFIED
    part: str | None = None
    predictor: PredictorSource | None = None


class OpenDraw(NamedTuple):
    """A draw that no label has answered yet.

    `question` is the key of what it answers, `salt` that of its wave; `is_pair` where all answers to its question had one lot.
    """

    key: int
    wave: int
    item: int
    item_id: str
    stratum: str
    inclusion_probability: float
    task_key: str
    drawn_at: str
    question: str
    salt: str
    is_pair: bool


NEVER_DRAWN = "NOT EXISTS (SELECT 1 FROM draws WHERE item = i.key)"
FRAME = f"""
    SELECT i.key, {{combination}}, v.value,
        CASE l.judgement WHEN '{Judgement.RIGHT}' THEN 1.0 WHEN '{Judgement.WRONG}' THEN 0.0 END, {{never_drawn}}
    FROM items i LEFT JOIN verdicts v ON v.rule = ? AND v.item = i.key
    LEFT JOIN labels l ON l.item = i.key AND l.draw IS NOT NULL
    WHERE is_current {{condition}} ORDER BY i.key
"""
IDS = """
    SELECT i.key, i.id || CASE WHEN i.revision > 1 THEN '#' || i.revision ELSE '' END FROM items i
    WHERE i.key BETWEEN ? AND ? AND i.key IN (SELECT value FROM json_each(?))
"""
LABELLED_FAILED = """
    SELECT count(*) FROM labels l JOIN draws d ON d.key = l.draw JOIN items i ON i.key = d.item AND i.is_current
    JOIN verdicts v ON v.item = i.key AND v.rule = ? WHERE v.verdict = 'fail' AND l.judgement IN ('right', 'wrong')
"""
FAILED = """
    SELECT v.item FROM verdicts v JOIN items i ON i.key = v.item AND i.is_current WHERE v.rule = ? AND v.verdict = 'fail'
"""
AMONG = " AND i.key IN (SELECT value FROM json_each(?))"
BLOCK = 50_000
DRAWS = """
    SELECT d.key, d.wave, d.item, i.id, d.stratum, d.inclusion_probability, d.task_key, coalesce(d.at, w.at), i.question, w.salt,
        w.design = 'pairs' FROM draws d
    CROSS JOIN items i ON i.key = d.item CROSS JOIN waves w ON w.key = d.wave WHERE {condition} ORDER BY d.wave, d.task_key
"""
READABLE = "i.is_current AND i.forgotten_at IS NULL"
UNANSWERED = "NOT EXISTS (SELECT 1 FROM labels WHERE draw = d.key)"


class FailedKnown(NamedTuple):
    """Right and wrong labels on failed items, and the failed items that no wave could have drawn."""

    labels: int
    unreached: int


class Waves(Room):
    """The waves, strata and draws tables, and the frames."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._frames = Frames(db)

    def frame(self, rule: int, *, only_new: bool = False, rows: Sequence[int] | None = None) -> SamplingFrame:
        """Return every current item as the rule, the feedback and the labels have it now.

        With `only_new` what no wave framed yet, with `rows` the items in these.
        """
        query = FRAME.format(
            combination=combination(*Disputed(self._db).between(rule)),
            condition="" if rows is None else AMONG,
            never_drawn=NEVER_DRAWN,
        )
        cursor = self._traffic.execute(query, (rule,) if rows is None else (rule, json.dumps(list(rows))))
        most = int(self._traffic.execute("SELECT coalesce(max(key), 0) FROM items").fetchone()[0])
        # What is never filled takes no memory.
        keys, codes, values = np.empty(most, np.int64), np.empty(most, np.uint8), np.empty(most, np.float64)
        right, is_eligible, count = np.empty(most, np.float16), np.empty(most, np.bool_), 0
        columns: tuple[NDArray[Any], ...] = (keys, codes, values, right, is_eligible)
        while fetched := cursor.fetchmany(BLOCK):
            block = self._frames.unframed(fetched) if only_new else fetched
            if not block:
                continue
            rows_of_block = slice(count, count + len(block))
            for column, column_of_block in zip(columns, zip(*block, strict=True), strict=True):
                column[rows_of_block] = column_of_block
            count += len(block)
        return SamplingFrame(
            keys=keys[:count],
            kinds=Coded(NAMES, looked_up(KINDS, codes[:count])).in_order(),
            values=values[:count],
            right=right[:count],
            is_eligible=is_eligible[:count],
        )

    def defined(self, number: int, rule: int, frame: SamplingFrame, framed: Framed) -> Framed:
        """Return a frame of all traffic with what defines it, for a wave under the rule in this row."""
        predicting = frame.source.judges if frame.source else ()
        definition = definition_of(
            frame,
            Coded(tuple(framed.names), framed.codes),
            framed.chances,
            rule=rule,
            disputed_by=Disputed(self._db).between(rule),
            judges=[judge_row(self._db, *pair) or -1 for pair in predicting],
            is_by_question=Predicted(self._db).is_by_question(),
            excluded=range(1, number),
        )
        return framed._replace(definition=definition)

    def ids(self, keys: Sequence[int]) -> list[str]:
        """Return the id of each of these items, in their order, with the number of its revision: draws go by it."""
        bound = (min(keys, default=0), max(keys, default=0), json.dumps(list(keys)))
        names: dict[int, str] = dict(self._traffic.execute(IDS, bound).fetchall())
        return [names[key] for key in keys]

    def failed_known(self, rule: int) -> FailedKnown:
        """Return what the waves so far tell of the items that the rule in this row fails."""
        labels, unreached = self._traffic.execute(LABELLED_FAILED, (rule,)).fetchone()[0], 0
        failed = self._traffic.execute(FAILED, (rule,))
        while rows := failed.fetchmany(BLOCK):
            chances = self._frames.of_any(np.array([key for (key,) in rows], dtype=np.int64))
            unreached += int((~(chances > 0)).sum())
        return FailedKnown(int(labels), unreached)

    def has_new(self) -> bool:
        """Return whether any current item was in no wave's frame yet: a stream draws from these alone."""
        newest_first = self._traffic.execute("SELECT key FROM items WHERE is_current ORDER BY key DESC")
        while rows := newest_first.fetchmany(BLOCK):
            if self._frames.unframed(rows):
                return True
        return False

    def has_undrawn(self) -> bool:
        """Return whether any current item was never drawn: a wave draws from all of these."""
        query = f"SELECT EXISTS (SELECT 1 FROM items i WHERE {READABLE} AND {NEVER_DRAWN})"
        return bool(self._traffic.execute(query).fetchone()[0])

    def next_number(self) -> int:
        """Return the number of the next wave."""
        return int(self._db.conn.execute("SELECT coalesce(max(key), 0) + 1 FROM waves").fetchone()[0])

    def write(self, wave: Wave, rule: int, salt: str, framed: Framed | None, draws: Sequence[Draw]) -> None:
        """Write a whole wave; call inside one transaction."""
        self._db.conn.execute(
            "INSERT INTO waves (key, rule, seed, salt, labels, audit, at, design, part, predictor) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                wave.number,
                rule,
                wave.seed,
                salt,
                wave.labels,
                wave.audit,
                wave.at,
                wave.design.value,
                wave.part,
                None if wave.predictor is None else json.dumps(asdict(wave.predictor)),
            ),
        )
        self.extend(wave.number, wave.strata, framed, draws)

    def extend(
        self,
        number: int,
        strata: Iterable[StratumPlan],
        framed: Framed | None,
        draws: Sequence[Draw],
        *,
        at: str | None = None,
    ) -> None:
        """Add items to a wave's frame, with what was drawn of them; `at` where that was after the wave began."""
        run = self._db.conn.executemany
        run(
            "INSERT INTO strata (wave, stratum, size, drawn, is_fixed) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT DO UPDATE SET size = size + excluded.size, drawn = drawn + excluded.drawn",
            [(number, s.stratum, s.size, s.drawn, int(s.is_fixed)) for s in strata],
        )
        if framed is not None:
            self._frames.add(number, framed)
        self._traffic.hold([draw.item for draw in draws])
        run(
            "INSERT INTO draws (wave, item, stratum, inclusion_probability, task_key, at) VALUES (?, ?, ?, ?, ?, ?)",
            [(number, d.item, d.stratum, d.inclusion_probability, d.task_key, at) for d in draws],
        )
        changed(self._db, "waves", () if framed is None else framed.keys.tolist())

    def grows(self, number: int, rule: int, *, day: str, most: int) -> bool:
        """Return whether this wave is the last, began on this day under this rule, and holds less than so many items."""
        query = """
            SELECT key = (SELECT max(key) FROM waves) AND rule = ? AND substr(at, 1, 10) = ?
                AND (SELECT coalesce(sum(size), 0) FROM strata WHERE wave = w.key) < ? FROM waves w WHERE key = ?
        """
        row = self._db.conn.execute(query, (rule, day, most, number)).fetchone()
        return row is not None and bool(row[0])

    def all(self) -> list[Wave]:
        """Return every wave, oldest first."""
        query = (
            "SELECT w.key, r.name || ' v' || r.version || ': ' || r.expression, w.seed, w.labels, w.audit, w.at, w.design, "
            "w.part, w.predictor FROM waves w JOIN rules r ON r.key = w.rule ORDER BY w.key"
        )
        return [
            Wave(
                number,
                rule,
                seed,
                labels,
                audit,
                at,
                self._strata(number),
                WaveDesign(design),
                part,
                _source(predictor),
            )
            for number, rule, seed, labels, audit, at, design, part, predictor in self._db.conn.execute(
                query
            ).fetchall()
        ]

    def _strata(self, number: int) -> tuple[StratumPlan, ...]:
        rows = self._db.conn.execute("SELECT stratum, size, drawn, is_fixed FROM strata WHERE wave = ?", (number,))
        return tuple(
            StratumPlan(stratum=stratum, size=size, drawn=drawn, is_fixed=bool(fixed))
            for stratum, size, drawn, fixed in rows
        )

    def open_draws(self) -> list[OpenDraw]:
        """List the draws that wait for a label, in the order annotators see them; none of a superseded or forgotten item."""
        return self._draws(f"{UNANSWERED} AND {READABLE}")

    def readable_draws(self) -> set[int]:
        """Return the draws, answered or not, whose item can be shown: neither superseded nor forgotten."""
        query = f"SELECT d.key FROM draws d CROSS JOIN items i ON i.key = d.item WHERE {READABLE}"
        return {row[0] for row in self._db.conn.execute(query)}

    def forgotten_draws(self) -> set[int]:
        """Return the draws whose item was forgotten: their labels stay as they are."""
        query = "SELECT d.key FROM draws d CROSS JOIN items i ON i.key = d.item WHERE i.forgotten_at IS NOT NULL"
        return {row[0] for row in self._db.conn.execute(query)}

    def unanswered(self) -> list[OpenDraw]:
        """Return the draws without a label, also of items that were superseded after they went out."""
        return self._draws(UNANSWERED)

    def all_draws(self) -> list[OpenDraw]:
        """Return every draw, answered or not, in the order in which annotators see them."""
        return self._draws("1")

    def draw_of(self, item: int) -> OpenDraw | None:
        """Return the draw of the item in this row; None where no wave drew it."""
        return next(iter(self._draws(f"d.item = {item:d}")), None)

    def _draws(self, condition: str) -> list[OpenDraw]:
        rows = self._db.conn.execute(DRAWS.format(condition=condition))
        return [OpenDraw(*row)._replace(is_pair=bool(row[-1])) for row in rows]

    def outdated(self) -> int:
        """Count the labels of draws whose item has other content since: they no longer count."""
        query = (
            "SELECT count(*) FROM labels l CROSS JOIN draws d ON d.key = l.draw "
            "CROSS JOIN items i ON i.key = d.item AND NOT i.is_current"
        )
        return int(self._db.conn.execute(query).fetchone()[0])

    def progress(self, selection: Selection | None = None) -> DrawProgress:
        """Return what became of the draws of current items, of all or of a selection."""
        rows = self._db.conn.execute(
            "SELECT l.judgement, count(*) FROM draws d CROSS JOIN items i ON i.key = d.item AND i.is_current"
            f"{and_within(selection)} LEFT JOIN labels l ON l.draw = d.key GROUP BY 1"
        ).fetchall()
        labels = {Judgement(judgement): int(count) for judgement, count in rows if judgement}
        drawn = sum(count for _, count in rows)
        return DrawProgress(
            drawn, *(labels.get(judgement, 0) for judgement in (Judgement.RIGHT, Judgement.WRONG, Judgement.UNSURE))
        )


def _source(content: str | None) -> PredictorSource | None:
    """Read what a wave follows."""
    if content is None:
        return None
    kept = json.loads(content)
    return PredictorSource(**(kept | {"judges": tuple((judge, signature) for judge, signature in kept["judges"])}))
