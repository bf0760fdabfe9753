"""Count the items of each stratum by verdict, under any number of rules: one pass over all traffic, then kept.

Rules are evaluated in blocks of rows, so memory stays flat whatever the number of items.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.domain.selection import Selection
from annotate.store.engine.all_traffic import KeyRange
from annotate.store.engine.frames import Frames, Strata
from annotate.store.engine.item_cells import (
    Blocks,
    Cell,
    CellNumbers,
    ItemCells,
    Numbering,
    cached_cells,
    cells_of_items,
)
from annotate.store.engine.item_columns import GROUP, QUESTION, Names, joined, sizes_of
from annotate.store.engine.item_fields import and_within
from annotate.store.engine.rollups import CountingRoom, Row
from annotate.store.engine.sqlite import Database
from annotate.store.scores.predicted import PredictedLevels
from annotate.store.scores.score_columns import ScoreColumns
from proxy.evaluation.ledger import Drawing, Total
from proxy.evaluation.levels import LEVELS, Levels
from proxy.records import Verdict
from proxy.rule import VERDICTS, Rule, evaluate

BLOCK = 50_000
MOST_MIXED = 2**56
GROUPING = """
    SELECT sum(n * n) * 1.0 / sum(n) FROM (SELECT count(*) AS n FROM items i WHERE i.is_current{within} GROUP BY {by})
"""
HAS_GROUPS = 'SELECT EXISTS (SELECT 1 FROM items WHERE is_current AND "group" <> question)'

SPAN = "SELECT min(value), max(value) FROM verdicts v JOIN items i ON i.key = v.item WHERE rule = ? AND is_current"


class ItemCount(NamedTuple):
    """Number of current items that share all of these; `stratum` is None for items that no frame holds.

    `level` is that of what is predicted of them.
    """

    stratum: str | None
    is_reachable: bool
    verdict: Verdict
    in_force: Verdict
    level: int
    size: int


class MarkCount(NamedTuple):
    """Number of current items that share all of these; `stratum` is None for items that no frame holds."""

    stratum: str | None
    is_reachable: bool
    mark: int
    level: int
    size: int


class ItemArrays(NamedTuple):
    """Every current item as arrays of one length: the number of its stratum in `names`, its reach, its value and its level.

    `names` has None for what no frame holds; labels can speak for what is reachable; what is unscored has the value nan.
    """

    names: Sequence[str | None]
    stratum: NDArray[np.intp]
    is_reachable: NDArray[np.bool_]
    values: NDArray[np.float64]
    levels: Levels


class Totals(CountingRoom):
    """Read items, frames and scores."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._frames, self._columns = Frames(db), ScoreColumns(db)

    def of_rules(
        self,
        rules: Sequence[Rule],
        last: int,
        speaking: Sequence[Drawing] | None,
        levels: PredictedLevels,
        *,
        as_drawn: bool = False,
    ) -> list[list[ItemCount]]:
        """Return the slices of each rule; the first is the one in force.

        What is counted for draws taken `as_drawn` is kept by itself: it alternates with what is counted for the labels.
        """
        sources, kind = ("items", "scores", "waves"), f"{', as drawn' if as_drawn else ''}{levels.suffix}"

        def count() -> list[Row]:
            name = f"cells of {len(rules)} rules{kind}"
            question = _described(rules, last, speaking)
            rows = _counted(cached_cells(self._db, name, question, partial(self._cells, rules, last, speaking)), levels)
            if (
                len(rules) > 1
            ):  # the report counts many, most others ask of the first alone: its count is kept by itself
                self._rollups.get(*asked(rules[:1]), lambda: [row for row in rows if row[0] == 0])
            return rows

        def asked(of: Sequence[Rule]) -> tuple[str, tuple[str, ...], str]:
            # A roll-up keeps one answer a name: who asks of one rule alone must not drop the report's count of all rules.
            question = f"{_described(of, last, speaking)} {levels.signature}"
            return f"totals of {len(of)} rules{kind}", sources, question

        return _slices(self._rollups.get(*asked(rules), count), len(rules))

    def of_rules_among(
        self,
        rules: Sequence[Rule],
        last: int,
        speaking: Sequence[Drawing] | None,
        levels: PredictedLevels,
        among: NDArray[np.int64],
        *,
        as_drawn: bool = False,
    ) -> list[list[ItemCount]]:
        """Return the slices of each rule among the items in these rows, from the cells that `of_rules` has cached."""
        name = f"cells of {len(rules)} rules{', as drawn' if as_drawn else ''}{levels.suffix}"
        question = _described(rules, last, speaking)
        known = cached_cells(self._db, name, question, partial(self._cells, rules, last, speaking))
        return _slices(_counted(known, levels, among), len(rules))

    def by_mark(
        self,
        rules: Sequence[Rule],
        last: int,
        speaking: Sequence[Drawing] | None,
        levels: PredictedLevels,
        marks: NDArray[np.uint8],
    ) -> list[MarkCount]:
        """Count the items that share a mark, whatever a rule says of them; `marks` has one for each item, by its row.

        `rules` are those that `of_rules` was asked for, so that what is cached for them serves here too.
        """
        described = _described(rules, last, speaking)
        name = f"cells of {len(rules)} rules{levels.suffix}"
        known = cached_cells(self._db, name, described, partial(self._cells, rules, last, speaking))
        counts: Counter[tuple[str | None, bool, int, int]] = Counter()
        for mark in np.unique(marks):
            sizes = known._replace(by_item=np.where(marks == mark, known.by_item, 0)).sizes(levels.by_item)
            for (stratum, reach, *_), row in zip(known.cells, sizes, strict=True):
                for level in np.flatnonzero(row):
                    counts[stratum, bool(reach), int(mark), int(level)] += int(row[level])  # type: ignore[index] # a name
        return [MarkCount(*cell, size) for cell, size in counts.items()]

    def spread(self, rule: Rule, last: int, speaking: Sequence[Drawing] | None, levels: PredictedLevels) -> ItemArrays:
        """Return what `of_rules` counts under one rule, item by item, so that any threshold of its value can be counted."""
        numbering = Numbering[str | None]()
        blocks: list[tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64], Levels]] = []
        for items, scores in self._columns.blocks(sorted(rule.signatures.items())):
            values = evaluate(rule, scores, len(items))[1]
            strata = _numbers(self._frames.latest(items, last), numbering) - 1
            reach = self._frames.reachable(items, last, speaking).astype(np.intp)
            blocks.append((strata, reach, values, levels.of(items)))
        return ItemArrays(
            list(numbering.places),
            np.concatenate([np.zeros(0, dtype=np.intp), *(places for places, *_ in blocks)]),
            np.concatenate([np.zeros(0), *(reach for _, reach, *_ in blocks)]) > 0,
            np.concatenate([np.zeros(0), *(values for _, _, values, _ in blocks)]),
            np.concatenate([np.zeros(0, dtype=np.uint8), *(level for *_, level in blocks)]),
        )

    def parted(
        self,
        rule: Rule,
        last: int,
        speaking: Sequence[Drawing] | None,
        levels: PredictedLevels,
        parts: Iterable[NDArray[np.int64]],
    ) -> Iterator[tuple[list[Total], list[Total]]]:
        """Yield the totals in each part, given by the rows of its items, and outside of it; without what no frame holds."""
        question = _described([rule], last, speaking)
        name = f"cells of 1 rules{levels.suffix}"
        known = cached_cells(self._db, name, question, partial(self._cells, [rule], last, speaking))
        whole = known.sizes(levels.by_item)
        for rows in parts:
            inside = known.sizes(levels.by_item, rows)
            yield _totals(known, inside), _totals(known, whole - inside)

    def grouping(self) -> float:
        """Return sum m^2 / sum m over the sizes m of the groups of current items; 1 where every item stands alone.

        The largest of that by group, by question, and by both: group + question - intersection.
        """
        ((size,),) = self._rollups.get("grouping", ("items",), "", lambda: [(self._grouping(),)])
        return float(size or 1.0)

    def _grouping(self) -> float:
        questions, groups = (self._columns.names(field) for field in (QUESTION, GROUP))
        by_question, by_group, by_both = map(_mean_size, (questions, groups, joined(questions, groups)))
        if np.array_equal(questions, groups):
            return by_question
        return max(by_group, by_question, by_group + by_question - by_both)

    def grouping_within(self, selection: Selection | None) -> float:
        """Return the `grouping` of the items of a selection, counted anew."""

        def by(columns: str) -> float:
            query = GROUPING.format(by=columns, within=and_within(selection))
            return float(self._traffic.execute(query).fetchone()[0] or 1.0)

        question = by("question")
        if not self._traffic.execute(HAS_GROUPS).fetchone()[0]:
            return question
        group = by('"group"')
        return max(group, question, group + question - by('"group", question'))

    def span(self, rule: int) -> tuple[float, float] | None:
        """Return the lowest and the highest value that the rule gave to the current items; None without any."""
        rows = self._rollups.get(
            f"span {rule}", ("items", "scores"), "", lambda: self._traffic.execute(SPAN, (rule,)).fetchall()
        )
        low, high = rows[0]
        return None if low is None or high is None else (float(low), float(high))

    def _cells(
        self, rules: Sequence[Rule], last: int, speaking: Sequence[Drawing] | None, among: KeyRange
    ) -> ItemCells:
        """Return the cell of each item in these rows: stratum, whether labels can speak for it, and verdict by each rule."""
        signatures = sorted({pair for rule in rules for pair in rule.signatures.items()})
        strata, numbering = self._strata(last, speaking), Numbering[Cell]()

        def blocks() -> Blocks:
            for items, scores in self._columns.blocks(signatures, among):
                if not len(items):
                    continue
                of_items = strata.by_item[items]
                verdicts = [evaluate(rule, scores, len(items))[0] for rule in rules]
                _, places, shared = np.unique(_mixed(of_items, verdicts), return_index=True, return_inverse=True)
                cells: list[Cell] = [
                    (*strata.cells[of_items[place] - 1], *(int(verdict[place]) for verdict in verdicts))
                    for place in places.tolist()
                ]
                yield items, np.array(numbering.of(cells))[shared]

        return cells_of_items(numbering, blocks(), among)

    def _strata(self, last: int, speaking: Sequence[Drawing] | None) -> ItemCells:
        """Return the stratum of each item, and whether labels can speak for it."""
        name = f"strata{', as drawn' if speaking is None else ''}"
        drawings = None if speaking is None else [drawing[:2] for drawing in speaking]

        def find(among: KeyRange) -> ItemCells:
            numbering = Numbering[Cell]()

            def blocks() -> Blocks:
                for items, _ in self._columns.blocks((), among):
                    strata, reach = self._frames.latest(items, last), self._frames.reachable(items, last, speaking)
                    present, shared = np.unique(2 * strata.codes + reach, return_inverse=True)
                    cells: list[Cell] = [(strata.names[code // 2], int(code % 2)) for code in present.tolist()]
                    yield items, np.array(numbering.of(cells), dtype=np.intp)[shared]

            return cells_of_items(numbering, blocks(), among)

        return cached_cells(self._db, name, json.dumps([last, drawings]), find)


def _mixed(strata: CellNumbers, verdicts: Sequence[NDArray[np.intp]]) -> NDArray[np.int64]:
    """Return a number for each item that is another wherever its stratum or a verdict is another."""
    mixed = strata.astype(np.int64)
    for verdict in verdicts:
        if mixed.max(initial=0) > MOST_MIXED:
            mixed = np.unique(mixed, return_inverse=True)[1]
        mixed = mixed * len(VERDICTS) + verdict
    return mixed


def _mean_size(names: Names) -> float:
    """Return sum m^2 / sum m over how many items each name has."""
    sizes = sizes_of(names)
    return int((sizes * sizes).sum()) / int(sizes.sum()) if len(sizes) else 1.0


def _numbers(strata: Strata, numbering: Numbering[str | None]) -> NDArray[np.intp]:
    """Return the number of each item's stratum, numbered in the order in which they first come."""
    codes, first = np.unique(strata.codes, return_index=True)
    in_order = codes[np.argsort(first)]
    number_of = np.zeros(len(strata.names), dtype=np.intp)
    number_of[in_order] = numbering.of([strata.names[code] for code in in_order])
    return number_of[strata.codes]


def _described(rules: Sequence[Rule], last: int, speaking: Sequence[Drawing] | None) -> str:
    """Say what is counted, whatever is predicted."""
    drawings = None if speaking is None else [drawing[:2] for drawing in speaking]
    return json.dumps(
        [[[rule.expression, dict(rule.signatures), dict(rule.percentiles)] for rule in rules], last, drawings]
    )


def _totals(known: ItemCells, sizes: NDArray[np.int64]) -> list[Total]:
    """Return what the cells of one rule hold; those of no frame are left out."""
    return [
        Total(str(stratum), VERDICTS[int(verdict or 0)], int(sizes[place, level]), int(level), bool(reach))
        for place, (stratum, reach, verdict) in enumerate(known.cells)
        if stratum is not None
        for level in np.flatnonzero(sizes[place])
    ]


def _slices(rows: Iterable[Row], rules: int) -> list[list[ItemCount]]:
    """Return the slices of each rule from rows as `_counted` gives them."""
    slices: list[list[ItemCount]] = [[] for _ in range(rules)]
    for rule, stratum, reach, verdict, in_force, level, size in rows:
        slices[int(rule or 0)].append(ItemCount(stratum, bool(reach), Verdict(verdict), Verdict(in_force), level, size))
    return slices


def _counted(known: ItemCells, levels: PredictedLevels, among: NDArray[np.int64] | None = None) -> list[Row]:
    """Count the items of each rule's slices at each level, of all or of those in these rows."""
    sizes = known.sizes(levels.by_item, among)
    rows: list[Row] = []
    for number in range(len(known.cells[0]) - 2 if known.cells else 0):
        numbering = Numbering[Cell]()
        slice_of = np.array(numbering.of([(*cell[:2], cell[2 + number], cell[2]) for cell in known.cells]))
        counts = np.zeros((len(numbering.places), LEVELS), dtype=np.int64)
        np.add.at(counts, slice_of - 1, sizes)
        for (stratum, reach, *verdicts), count in zip(numbering.places, counts, strict=True):
            words = [VERDICTS[int(verdict or 0)].value for verdict in verdicts]
            rows += [(number, stratum, reach, *words, int(level), int(count[level])) for level in np.flatnonzero(count)]
    return rows
