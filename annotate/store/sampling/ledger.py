"""Sampling ledger as the estimators read it: drawings with their response, drawn items with every chance they had.

Only waves that count are read: up to the last with labels on half of its draws. All of it comes from the draws, so it costs
the same on a million items; what must be counted over all traffic is in `totals`.

Sampling ledger for users: the outcome of each stratum of each wave, outdated frames, and what no frame holds. Everything is
counted in SQL. Frames hold a row for each item of each wave, so what counts them is asked for by itself.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.domain.sampling.outcomes import Answered, last_begun, last_counted
from annotate.domain.selection import Selection
from annotate.store.engine.database import once
from annotate.store.engine.frame_blocks import NOT_FRAMED
from annotate.store.engine.frames import Frames
from annotate.store.engine.item_columns import GROUP, QUESTION, ItemColumns, sizes_of
from annotate.store.engine.item_fields import DATED, and_within
from annotate.store.engine.rollups import CountingRoom, Row
from annotate.store.engine.sqlite import Database
from annotate.store.labels.annotations import STANDING
from annotate.store.sampling.frame_paths import FramePaths, Framing
from proxy.evaluation.ledger import Drawing
from proxy.evaluation.nonresponse import responses
from proxy.records import Judgement

ANSWERED = """
    SELECT d.wave, count(*), count(l.item) FROM draws d CROSS JOIN items i ON i.key = d.item AND i.is_current
    LEFT JOIN labels l ON l.draw = d.key GROUP BY d.wave ORDER BY d.wave
"""
DRAWINGS = """
    SELECT s.wave, s.stratum, s.size, s.drawn, count(i.key), count(l.item), s.is_fixed, w.design = 'pairs',
        w.is_by_group FROM strata s
    JOIN waves w ON w.key = s.wave
    LEFT JOIN draws d ON d.wave = s.wave AND d.stratum = s.stratum
    LEFT JOIN items i ON i.key = d.item AND i.is_current
    LEFT JOIN labels l ON l.draw = d.key AND i.key IS NOT NULL
    WHERE s.wave <= ? GROUP BY s.wave, s.stratum ORDER BY s.wave, s.stratum
"""
DRAWN = """
    SELECT d.key, d.item, d.wave, d.stratum, l.judgement, i.question, i."group", coalesce(d.lot, i.question) FROM draws d
    CROSS JOIN items i ON i.key = d.item AND i.is_current LEFT JOIN labels l ON l.draw = d.key
    WHERE d.wave <= ? ORDER BY d.key
"""
SILENT = """
    SELECT d.wave, d.stratum, count(*), count(l.item) FROM draws d CROSS JOIN items i ON i.key = d.item AND i.is_current
    LEFT JOIN labels l ON l.draw = d.key WHERE d.key IN (SELECT value FROM json_each(?)) GROUP BY d.wave, d.stratum
"""
WAITING = f"""
    SELECT d.item FROM draws d JOIN items i ON i.key = d.item AND i.is_current AND i.forgotten_at IS NULL
    WHERE NOT EXISTS (SELECT 1 FROM labels WHERE draw = d.key)
    AND NOT EXISTS (SELECT 1 FROM annotations a WHERE a.item = d.item AND a.draw = d.key AND {STANDING})
"""
CLUSTERS = """
    SELECT sum(n) * 1.0 * sum(n) / sum(n * n)
    FROM (SELECT count(*) AS n FROM items i WHERE i.is_current{within} GROUP BY i."group")
    UNION ALL SELECT sum(n) * 1.0 * sum(n) / sum(n * n)
    FROM (SELECT count(*) AS n FROM items i WHERE i.is_current{within} GROUP BY i.question)
"""
WITHOUT_PASSAGES = (
    "SELECT {stretch}, count(*) FROM items i WHERE i.is_current AND i.contexts_chars = 0 AND {among} GROUP BY 1"
)
LABELLED_WITHOUT = """
    SELECT count(*) FROM labels l CROSS JOIN draws d ON d.key = l.draw CROSS JOIN items i ON i.key = d.item
    WHERE i.is_current AND i.contexts_chars = 0{within}
"""
ABSTAINED = """
    SELECT f.judge, count(*) FROM failures f JOIN items i ON i.key = f.item
    WHERE f.kind = 'not_applicable' AND i.is_current{within} GROUP BY f.judge
"""
DRAWN_ITEMS = "SELECT DISTINCT item FROM draws WHERE wave <= ? ORDER BY item"
CURRENT = "SELECT key FROM items WHERE is_current ORDER BY key"
ITEMS = """
    SELECT i.key, i.id, i.question, i."group", i.system, {dated}, i.language, d.key, l.judgement
    FROM items i LEFT JOIN draws d ON d.item = i.key AND d.wave <= ? LEFT JOIN labels l ON l.draw = d.key
    WHERE i.is_current ORDER BY i.key
"""
BY_STRATUM = f"""
    SELECT d.wave, d.stratum, coalesce(sum(i.is_current AND l.judgement = 'right'), 0),
        coalesce(sum(i.is_current AND l.judgement = 'wrong'), 0), coalesce(sum(i.is_current AND l.judgement = 'unsure'), 0),
        sum(i.is_current AND l.item IS NULL),
        sum(i.is_current AND l.item IS NULL AND EXISTS (
            SELECT 1 FROM annotations a WHERE a.item = d.item AND a.draw = d.key AND {STANDING})),
        sum(NOT i.is_current)
    FROM draws d JOIN items i ON i.key = d.item LEFT JOIN labels l ON l.draw = d.key
    GROUP BY d.wave, d.stratum ORDER BY d.wave, d.stratum
"""
LABELLED = """
    SELECT d.item FROM draws d JOIN items i ON i.key = d.item AND i.is_current JOIN labels l ON l.draw = d.key
    WHERE d.wave = ?1 AND l.judgement = ?2 AND (?3 IS NULL OR d.stratum = ?3) ORDER BY d.item
"""
KEPT_UNTIL = ("items", "waves")
JUDGEMENTS = {judgement.value: judgement for judgement in Judgement}
EVERY_ITEM = "SELECT key, is_current FROM items ORDER BY key"
ROWS = 50_000


class Chances(NamedTuple):
    """The items that some wave framed, ascending, and the chance of each to be drawn in any of them."""

    keys: NDArray[np.int64]
    of_any: NDArray[np.float64]


class FramedItem(NamedTuple):
    """A current item with its stratum in the last wave that framed it, its chance in any of them, and its draw with the label.

    `question` is the key of what it answers. Stratum and chance are None for an item that no wave framed.
    """

    item: int
    item_id: str
    question: str
    group: str
    system: str | None
    timestamp: str | None
    language: str | None
    stratum: str | None
    chance: float | None
    draw: int | None
    label: str | None


class Drawn(NamedTuple):
    """A drawn item: its latest stratum, its label, its chances in the waves that framed it, and which of them drew it.

    `joint` has one of `chances` again where that wave drew all answers to a question with one lot, `by_group` where it drew all
    answers of a group so; both have 0 where it did not. `lot` names what was drawn together with the item.
    """

    item: int
    stratum: str
    judgement: Judgement | None
    question: str
    group: str
    lot: str
    drawing: int
    chances: tuple[float, ...]
    own: int
    joint: tuple[float, ...]
    by_group: tuple[float, ...]


class Ledger(CountingRoom):
    """Read waves, strata, frames, draws and labels."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._frames = Frames(db)

    def answered(self) -> list[Answered]:
        """Return what came back of each wave, oldest first."""
        return [Answered(*row) for row in self._rows(ANSWERED)]

    def last_counted(self) -> int:
        """Return the last wave that estimates speak of."""
        return last_counted(self.answered())

    def last_begun(self) -> int:
        """Return the last wave of which any draw has a label, or the last that counts where that is later."""
        return last_begun(self.answered())

    def waiting(self) -> set[int]:
        """Return the drawn items that can still be answered and that nobody has seen: neither labelled nor passed over."""
        return {item for (item,) in self._db.conn.execute(WAITING)}

    def clusters(self, selection: Selection | None = None) -> float:
        """Return how many equally large groups, or questions where they are fewer, the current items amount to (Kish).

        Of all items, or of those of a selection.
        """
        if selection is not None:
            rows = self._traffic.execute(CLUSTERS.format(within=and_within(selection)))
            return min(float(size or 0.0) for (size,) in rows)
        ((size,),) = self._rollups.get("groups and questions", ("items",), "", lambda: [(self._clusters(),)])
        return float(size)

    def _clusters(self) -> float:
        columns = ItemColumns(self._db)
        sizes = [sizes_of(columns.names(field)) for field in (GROUP, QUESTION)]
        return min(float(int(size.sum())) ** 2 / int((size * size).sum()) if len(size) else 0.0 for size in sizes)

    def drawn_by(self, at: str) -> frozenset[int]:
        """Return the draws of the waves that were drawn at this time or before."""
        query = "SELECT d.key FROM draws d JOIN waves w ON w.key = d.wave WHERE coalesce(d.at, w.at) <= ?"
        return frozenset(row[0] for row in self._db.conn.execute(query, (at,)))

    def without_passages(self, selection: Selection | None = None) -> tuple[int, int]:
        """Return how many current items have no passages, of all (or of a selection) and of the labelled draws in it."""
        labelled = self._db.conn.execute(LABELLED_WITHOUT.format(within=and_within(selection)))
        return self._without_passages(selection), int(labelled.fetchone()[0])

    def _without_passages(self, selection: Selection | None) -> int:
        if selection is not None:
            query = WITHOUT_PASSAGES.format(stretch="0", among=f"1 {and_within(selection)}")
            rows: Sequence[Row] = [row[1:] for row in self._traffic.execute(query)]
        else:
            rows = self._rollups.counts("without passages", ("items",), "", WITHOUT_PASSAGES, names=0)
        return int(rows[0][0]) if rows else 0

    def abstained(self, selection: Selection | None = None) -> dict[int, int]:
        """Count by judge, by its row, the current items (all, or a selection) to which it said that it does not apply."""
        rows = self._counted("abstained", ("items", "scores"), ABSTAINED, selection)
        return {int(judge or 0): int(count or 0) for judge, count in rows}

    def chances(self, last: int) -> Chances:
        """Return the chance that the waves up to `last` together gave each current item that they could draw."""
        keys, chances = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
        for current in self._blocks_of(CURRENT):
            items = np.array([key for (key,) in current], dtype=np.int64)
            of_any = self._frames.of_any(items, last)
            keys.append(items[~np.isnan(of_any)])
            chances.append(of_any[~np.isnan(of_any)])
        return Chances(np.concatenate(keys), np.concatenate(chances))

    def framed_items(self, last: int) -> list[FramedItem]:
        """Return the current items that the waves up to `last` framed; all of them where `last` is 0."""
        framed: list[FramedItem] = []
        for rows in self._blocks_of(ITEMS.format(dated=DATED), last):
            items = np.array([key for key, *_ in rows], dtype=np.int64)
            strata = self._frames.latest(items, last)
            of_any = [None if np.isnan(chance) else chance for chance in self._frames.of_any(items, last).tolist()]
            for row, code, chance in zip(rows, strata.codes.tolist(), of_any, strict=True):
                key, item_id, question, group, system, timestamp, language, draw, label = row
                if last and not code:
                    continue
                framed.append(
                    FramedItem(
                        key,
                        item_id,
                        question,
                        group,
                        system,
                        timestamp,
                        language,
                        strata.names[code],
                        chance,
                        draw,
                        label,
                    )
                )
        return framed

    def _blocks_of(self, query: str, *bound: int) -> Iterator[Sequence[tuple[Any, ...]]]:
        """Yield the rows of a query, a block at a time."""
        cursor = self._traffic.execute(query, bound)
        while rows := cursor.fetchmany(ROWS):
            yield rows

    def drawings(self, last: int, excluded_draws: Collection[int] = (), *, as_drawn: bool = False) -> list[Drawing]:
        """List the strata of each wave up to `last`; `excluded_draws` count as unanswered; `as_drawn`: all others as answered."""
        drawings = [Drawing(*row) for row in self._rows(DRAWINGS, last)]
        if as_drawn:
            drawings = [drawing._replace(returned=drawing.asked) for drawing in drawings]
        if not excluded_draws:
            return drawings
        rows = self._db.conn.execute(SILENT, (json.dumps(sorted(excluded_draws)),))
        fewer = {(wave, stratum): asked if as_drawn else answered for wave, stratum, asked, answered in rows}
        return [
            drawing._replace(returned=drawing.returned - fewer.get((drawing.wave, drawing.stratum), 0))
            for drawing in drawings
        ]

    def drawn(
        self,
        last: int,
        drawings: Sequence[Drawing],
        excluded_draws: Collection[int] = (),
        *,
        as_drawn: bool = False,
        shares: Sequence[float] | None = None,
    ) -> Sequence[Drawn]:
        """Return every drawn item that is current, with its chances as the drawings' response leaves them.

        `excluded_draws`, the same that drawings left out, are as if no label had come back; with `as_drawn` they are
        left out, so that a draw without a label is one that is missing. `shares` are those of each drawing's labelled draws that
        are kept by chance: the chances are then to be drawn, labelled and kept.
        """
        response = [share * kept for share, kept in zip(responses(drawings), shares or repeat(1.0), strict=False)]
        question = ("drawn", last, tuple(drawings), frozenset(excluded_draws), as_drawn, tuple(response))
        return once(
            self._db, question, lambda: self._drawn(last, drawings, excluded_draws, response, as_drawn=as_drawn)
        )

    def _drawn(
        self,
        last: int,
        drawings: Sequence[Drawing],
        excluded_draws: Collection[int],
        response: Sequence[float],
        *,
        as_drawn: bool,
    ) -> Sequence[Drawn]:
        paths = FramePaths(drawings, response)
        framed = once(self._db, ("framed", last), lambda: self._framed(last))
        drawn = []
        for key, item, wave, stratum, judgement, question, group, lot in self._rows(DRAWN, last):
            if as_drawn and key in excluded_draws:
                continue
            path = paths.path(framed[item])
            drawn.append(
                Drawn(
                    item=item,
                    stratum=path.stratum,
                    judgement=JUDGEMENTS[judgement] if judgement and key not in excluded_draws else None,
                    question=question,
                    group=group,
                    lot=lot,
                    drawing=paths.number[wave, stratum],
                    chances=path.chances,
                    own=path.waves.index(wave),
                    joint=path.joint,
                    by_group=path.by_group,
                )
            )
        return drawn

    def _framed(self, last: int) -> dict[int, tuple[Framing, ...]]:
        """Return the waves up to `last` that framed each drawn item, oldest first."""
        items = np.array([item for (item,) in self._rows(DRAWN_ITEMS, last)], dtype=np.int64)
        framed: dict[int, tuple[Framing, ...]] = {}
        for item, wave, stratum, own in self._frames.rows(items, last):
            framed[item] = (*framed.get(item, ()), Framing(wave, stratum, own))
        return framed

    def _counted(
        self, name: str, sources: Sequence[str], query: str, selection: Selection | None
    ) -> Sequence[Sequence[Any]]:
        """Return what is counted of all items, which is kept under its name, or of those of a selection, which is not."""

        def count() -> list[Sequence[Any]]:
            return self._traffic.execute(query.format(within=and_within(selection))).fetchall()

        return self._rollups.get(name, sources, "", count) if selection is None else count()

    def _rows(self, query: str, *bound: int) -> Sequence[tuple[Any, ...]]:
        """Return the rows of a query, read once in a snapshot."""
        return once(self._db, (query, bound), lambda: self._db.conn.execute(query, bound).fetchall())


class StratumProgress(NamedTuple):
    """Progress of a stratum's draws: labels of current items, draws without one (`skipped` of them were passed over).

    The items of `gone` draws have other content by now, so their labels count no more.
    """

    wave: int
    stratum: str
    right: int
    wrong: int
    unsure: int
    open: int
    skipped: int
    gone: int


class FrameState(NamedTuple):
    """A wave's frame: the items that it held, and how many of them have other content by now."""

    wave: int
    items: int
    gone: int


class Covered(NamedTuple):
    """Current items, those that any wave has framed, and those that a wave which counts has framed."""

    items: int
    framed: int
    counted: int


class WaveLedger(CountingRoom):
    """Read draws, labels, frames and items."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._frames = Frames(db)

    def by_stratum(self) -> list[StratumProgress]:
        """Return each stratum that was drawn from, the oldest wave first."""
        return [StratumProgress(*row) for row in self._db.conn.execute(BY_STRATUM)]

    def labelled(self, wave: int, judgement: Judgement, stratum: str | None = None) -> list[int]:
        """Return the current items of a wave, or of a stratum of it, whose draw has this label."""
        return [row[0] for row in self._db.conn.execute(LABELLED, (wave, judgement.value, stratum))]

    def frames(self) -> list[FrameState]:
        """Return each wave's frame."""
        rows = self._rollups.get("frames", KEPT_UNTIL, "", self._frame_states)
        return [FrameState(*row) for row in rows]

    def covered(self, last: int) -> Covered:
        """Return how much of the traffic the waves have framed; those up to `last` count."""
        return Covered(*self._rollups.get("covered", KEPT_UNTIL, str(last), lambda: [self._covered(last)])[0])

    def _frame_states(self) -> list[tuple[int, int, int]]:
        items, gone = Counter[int](), Counter[int]()
        for keys, is_current in self._every_item():
            states = self._frames.states(keys)
            for wave in self._frames.waves():
                framed = self._frames.codes(wave, keys, states) != NOT_FRAMED
                items[wave] += int(framed.sum())
                gone[wave] += int((framed & ~is_current).sum())
        return [(wave, items[wave], gone[wave]) for wave in sorted(items) if items[wave]]

    def _covered(self, last: int) -> tuple[int, int, int]:
        items = framed = counted = 0
        for keys, is_current in self._every_item():
            current = keys[is_current]
            items += len(current)
            framed += int(self._frames.is_framed(current).sum())
            counted += int(self._frames.is_framed(current, last).sum())
        return items, framed, counted

    def _every_item(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
        """Yield the rows of all items, a block at a time, and which of them are current."""
        cursor = self._traffic.execute(EVERY_ITEM)
        while rows := cursor.fetchmany(ROWS):
            keys, is_current = zip(*rows, strict=True)
            yield np.array(keys, dtype=np.int64), np.array(is_current, dtype=np.bool_)
