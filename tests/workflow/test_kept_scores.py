"""Scores from elsewhere are kept once, in the order in which they come, at a cost that grows with their number alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import pytest

from annotate.domain.tool_score import ToolScore
from annotate.store import Store
from annotate.workflow.ingest import tool_scores
from annotate.workflow.ingest.kept_scores import keep_scores
from proxy.records import FailureKind, Item, JudgeFailure, Score
from support.store import NOW

REFUSED = "this signature has scored the item 0.5 before: give a new signature"


def add(store: Store, items: int) -> dict[str, int]:
    """Items with ids of numbers; their rows."""
    names = [str(number) for number in range(items)]
    with store.atomic():
        store.traffic.items.add([Item(id=name, question="?", answer=".") for name in names], now=NOW)
    return store.traffic.items.keys(names)


def score(item: str, value: float) -> Score:
    return Score(item_id=item, judge="j", signature="s", value=value)


def failure(item: str, kind: FailureKind = FailureKind.NOT_APPLICABLE) -> JudgeFailure:
    return JudgeFailure(item_id=item, judge="j", signature="s", kind=kind, reason="no words")


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize(
    ("scores", "expected", "kept"),
    [
        ([score("0", 0.5), score("0", 0.5), score("0", 0.6)], [("", True), ("", False), (REFUSED, False)], 0.5),
        ([failure("0"), failure("0"), score("0", 0.5)], [("", True), ("", False), ("", True)], 0.5),
        ([score("0", 0.5), failure("0")], [("", True), ("", False)], 0.5),
        ([failure("0", FailureKind.ERROR), score("0", 0.5)], [("", True), ("", True)], 0.5),
        (
            [score("x", 0.1), score("0", 0.5)],
            [("there is no item x: ingest its traffic first", False), ("", True)],
            0.5,
        ),
    ],
)
def test_the_first_word_counts_within_a_batch_as_between_two(
    store: Store, together: bool, scores: Sequence[Score | JudgeFailure], expected: list[tuple[str, bool]], kept: float
) -> None:
    """The same said again is nothing new, another value is refused, a score takes the place of a failure."""
    known = add(store, 1)
    batches = [scores] if together else [[each] for each in scores]
    results: list[tuple[str, bool]] = []
    for batch in batches:
        with store.atomic():
            results += map(tuple, keep_scores(store, batch, known, NOW))  # type: ignore[arg-type]

    assert results == expected
    assert store._db.conn.execute("SELECT value FROM scores").fetchall() == [(kept,)]
    assert store._db.conn.execute("SELECT count(*) FROM failures").fetchone() == (0,)


def steps(scores: int) -> int:
    """How many thousand steps SQLite takes to settle so many scores, by its own count."""
    store, taken = Store(":memory:"), count(1)
    add(store, scores)
    waiting = [ToolScore(item_id=str(n), judge="j", signature="s", value=0.5) for n in range(scores)]
    with store.atomic():
        tool_scores.keep(store, waiting, now=NOW)
    store._db.conn.set_progress_handler(lambda: next(taken) * 0, 1000)
    assert tool_scores.settle(store, now=NOW).new == scores
    assert not store.scores.of_tools.has_open()
    return next(taken)


def test_what_waits_is_read_once() -> None:
    """Twelve times as many scores take 13 times the steps; looking at all that is left for each batch took 19 times."""
    assert steps(12_000) < 15 * steps(1_000)
