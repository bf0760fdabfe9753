"""Read the answers of a selection, with the questions they answered and their scores."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.domain.sampling.outcomes import ToLabel
from annotate.domain.selection import WITHOUT_SYSTEM, Selection
from annotate.store.engine.frames import Frames
from annotate.store.engine.item_fields import DATED, as_text, condition_of
from annotate.store.engine.rollups import CountingRoom, Row
from proxy.comparison.given_answers import GivenAnswers
from proxy.evaluation.ledger import Drawing
from proxy.records import Judgement, Verdict
from proxy.rule import VERDICTS

OF_SELECTION = """
    SELECT i.key, i.question, i."group", CASE v.verdict {words} ELSE {unscored} END, v.value FROM items i
    LEFT JOIN verdicts v ON v.rule = {rule:d} AND v.item = i.key WHERE i.is_current AND {selection} ORDER BY i.key
"""
BLOCK = 50_000
VERDICT_PLACES = " ".join(f"WHEN '{verdict.value}' THEN {place}" for place, verdict in enumerate(VERDICTS))
COUNTED = f"""
    SELECT {{system}}, count(*), count(DISTINCT i.question), sum(({DATED}) IS NULL), min({DATED}), max({DATED})
    FROM items i WHERE i.is_current {{selection}}
"""
OF_EACH_SYSTEM = COUNTED.format(system="max(i.system)", selection="AND typeof(i.system) = 'text' GROUP BY i.system")
UNSCORED = """
    SELECT count(*) FROM items i WHERE i.is_current AND {selection}
    AND NOT EXISTS (SELECT 1 FROM verdicts v WHERE v.rule = ? AND v.item = i.key)
"""
SCORED = """
    SELECT i.key, i.question, i."group", s.value FROM scores s JOIN items i ON i.key = s.item
    WHERE s.judge = ? AND i.is_current AND {selection} ORDER BY i.key
"""
UNDRAWN = """
    SELECT sum(undrawn) FROM (
        SELECT sum(i.forgotten_at IS NULL AND NOT EXISTS (SELECT 1 FROM draws WHERE item = i.key)) AS undrawn
        FROM items i WHERE i.is_current AND ({selections}) {shared})
"""
SHARED = "GROUP BY i.question HAVING max({first}) AND max({second})"
WAITING = """
    SELECT count(*) FROM draws d CROSS JOIN items i ON i.key = d.item
    WHERE i.is_current AND i.forgotten_at IS NULL AND ({selections}) AND NOT EXISTS (SELECT 1 FROM labels WHERE draw = d.key)
"""
# A question by the systems that answered it, one digit each: few ways to answer, however many questions.
WHO_ANSWERED = """
    SELECT who, count(*) FROM (SELECT {who} AS who FROM items i WHERE i.is_current
        AND i.system IN (SELECT value FROM json_each(?)) GROUP BY i.question) GROUP BY who
"""
SIGNATURES = "SELECT key, signature, settings FROM judges WHERE judge = ? ORDER BY key"
SIGNED = """
    SELECT j.key, max(i.system), count(*) FROM judges j CROSS JOIN scores s ON s.judge = j.key
    JOIN items i ON i.key = s.item WHERE j.judge = ? AND i.is_current {selection}
"""


class SelectionCounts(NamedTuple):
    """A selection in numbers: answers, questions, answers without a timestamp, and the first and last timestamp."""

    items: int
    questions: int
    undated: int
    first: str | None
    last: str | None


class HandLabel(NamedTuple):
    """The label of an answer that no wave drew."""

    item: int
    judgement: Judgement


class Signed(NamedTuple):
    """A signature of a judge with what it stands for, and how many answers of a selection it scored."""

    key: int
    signature: str
    settings: str
    scored: int


class Graded(NamedTuple):
    """A judge's score on an answer."""

    item: int
    question: str
    group: str
    value: float


class Selections(CountingRoom):
    """Read items, frames, verdicts and scores."""

    def counted(self, selection: Selection) -> SelectionCounts:
        """Count the answers of a selection; the count of a system, and of all answers, is kept until the items change."""
        of_these = COUNTED.format(system="NULL", selection=f"AND {condition_of(selection)}")
        if selection == Selection():
            rows = self._counted_once("answers", of_these)
        elif selection.system and not selection.is_window:
            rows = [row for row in self._counted_once("systems", OF_EACH_SYSTEM) if row[0] == selection.system]
        else:
            rows = self._traffic.execute(of_these).fetchall()
        _, items, questions, undated, first, last = rows[0] if rows else (None, 0, 0, 0, None, None)
        first, last = (None if day is None else str(day) for day in (first, last))
        return SelectionCounts(int(items or 0), int(questions or 0), int(undated or 0), first, last)

    def _counted_once(self, name: str, query: str) -> Sequence[Row]:
        """Return the rows of a query over items, kept under this name until the items change."""
        return self._rollups.get(name, ("items",), "", lambda: self._traffic.execute(query).fetchall())

    def keys(self, selection: Selection) -> NDArray[np.int64]:
        """Return the rows of the current answers of a selection, ascending."""
        query = f"SELECT i.key FROM items i WHERE i.is_current AND {condition_of(selection)} ORDER BY i.key"
        return np.fromiter((key for (key,) in self._traffic.execute(query)), dtype=np.int64)

    def unscored(self, rule: int, selection: Selection) -> int:
        """Count the current answers of the selection to which the rule in this row gives no verdict."""
        return int(self._traffic.execute(UNSCORED.format(selection=condition_of(selection)), (rule,)).fetchone()[0])

    def in_common(self, systems: Sequence[str]) -> dict[tuple[str, str], int]:
        """Return how many questions each two of these systems both answered; two without one are left out."""
        names = sorted(systems)
        who, named = (
            " || ".join(f"CAST(max(CAST(i.system = {as_text(system)} AS INTEGER)) AS TEXT)" for system in names)
            or "''",
            json.dumps(names),
        )
        rows = self._rollups.get(
            "questions in common",
            ("items",),
            named,
            lambda: self._traffic.execute(WHO_ANSWERED.format(who=who), (named,)).fetchall(),
        )
        common = Counter[tuple[str, str]]()
        for digits, count in rows:
            common.update(dict.fromkeys(combinations(compress(names, map(int, str(digits))), 2), int(count or 0)))
        return dict(common)

    def to_label(self, selections: Sequence[Selection], *, shared: bool = False) -> ToLabel:
        """Count what is left to label; `shared`: undrawn answers count only to questions that the first two answered."""
        only = SHARED.format(first=condition_of(selections[0]), second=condition_of(selections[1])) if shared else ""
        every = " OR ".join(f"({condition_of(selection)})" for selection in selections)
        undrawn = self._traffic.execute(UNDRAWN.format(selections=every, shared=only)).fetchone()[0]
        waiting = self._traffic.execute(WAITING.format(selections=every)).fetchone()[0]
        return ToLabel(int(undrawn or 0), int(waiting))

    def on_shared_questions(
        self, rule: int, selections: tuple[Selection, Selection], last: int, speaking: Sequence[Drawing] | None
    ) -> tuple[GivenAnswers, GivenAnswers]:
        """Return the answers of either side to what both have answered."""
        names = dict[str, str]()
        first, second = (self.given(rule, selection, last, speaking, names) for selection in selections)
        shared = set(first.questions).intersection(second.questions)
        in_both = [
            np.array([question in shared for question in answers.questions], dtype=np.bool_)
            for answers in (first, second)
        ]
        return first.only(in_both[0]), second.only(in_both[1])

    def given(
        self,
        rule: int,
        selection: Selection,
        last: int,
        speaking: Sequence[Drawing] | None,
        names: dict[str, str] | None = None,
    ) -> GivenAnswers:
        """Return the answers of the selection; `names` are those that were read before, each under itself."""
        names = {} if names is None else names
        unscored = VERDICTS.index(Verdict.UNSCORED)
        query = OF_SELECTION.format(
            rule=rule, selection=condition_of(selection), words=VERDICT_PLACES, unscored=unscored
        )
        cursor, frames = self._traffic.execute(query), Frames(self._db)
        blocks = [_given([], frames, last, speaking, names)]
        while rows := cursor.fetchmany(BLOCK):
            blocks.append(_given(rows, frames, last, speaking, names))
        return GivenAnswers(
            items=np.concatenate([block.items for block in blocks]),
            questions=[name for block in blocks for name in block.questions],
            groups=[name for block in blocks for name in block.groups],
            verdicts=np.concatenate([block.verdicts for block in blocks]),
            values=np.concatenate([block.values for block in blocks]),
            is_reachable=np.concatenate([block.is_reachable for block in blocks]),
        )

    def hand_labelled(self, items: NDArray[np.int64]) -> list[HandLabel]:
        """Return what annotators said of those of these items that have a label without a draw, and none with one."""
        query = (
            "SELECT l.item, l.judgement FROM labels l WHERE l.draw IS NULL "
            "AND NOT EXISTS (SELECT 1 FROM labels o WHERE o.item = l.item AND o.draw IS NOT NULL)"
        )
        hand_labels = self._db.conn.execute(query).fetchall()
        asked_for = {*items.tolist()} if hand_labels else set[int]()
        return [HandLabel(item, Judgement(judgement)) for item, judgement in hand_labels if item in asked_for]

    def signatures(self, judge: str, selection: Selection) -> list[Signed]:
        """Return the signatures under which this judge scored answers of the selection, oldest first."""
        if selection.is_window:
            query = SIGNED.format(selection=f"AND {condition_of(selection)} GROUP BY j.key")
            rows: Sequence[Row] = self._traffic.execute(query, (judge,)).fetchall()
        else:
            query = SIGNED.format(selection="GROUP BY j.key, CASE typeof(i.system) WHEN 'text' THEN i.system END")
            rows = self._rollups.get(
                f"signatures of {judge}",
                ("items", "scores"),
                "",
                lambda: [_named(row) for row in self._traffic.execute(query, (judge,))],
            )
        counts = Counter[int]()
        for key, system, count in rows:
            counts[int(key or 0)] += int(count or 0) * (
                selection.is_window or selection.system in (None, system or WITHOUT_SYSTEM)
            )
        known = self._traffic.execute(SIGNATURES, (judge,))
        return [Signed(key, signature, settings, counts[key]) for key, signature, settings in known if counts[key]]

    def scored(self, judge: int, selection: Selection) -> list[Graded]:
        """Return the scores of the judge in this row on the answers of the selection."""
        return [
            Graded(*row) for row in self._traffic.execute(SCORED.format(selection=condition_of(selection)), (judge,))
        ]


def _given(
    rows: Sequence[Row], frames: Frames, last: int, speaking: Sequence[Drawing] | None, names: dict[str, str]
) -> GivenAnswers:
    """Return a block of rows as columns, with one object for equal names: several answers have one question or group."""
    items, questions, groups, verdicts, values = zip(*rows, strict=True) if rows else ((),) * 5
    keys = np.array(items, dtype=np.int64)
    return GivenAnswers(
        items=keys,
        questions=[names.setdefault(name, name) for name in questions],
        groups=[names.setdefault(name, name) for name in groups],
        verdicts=np.array(verdicts, dtype=np.intp),
        values=np.array(values, dtype=np.float64),
        is_reachable=frames.reachable(keys, last, speaking),
    )


def _named(row: Sequence[object]) -> Row:
    """Return a row whose system is a text; one that no text can hold is nobody's."""
    key, system, count = row
    return (int(str(key)), system if isinstance(system, str) else None, int(str(count)))
