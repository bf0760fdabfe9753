"""A batch of items and judges gives one result for each pair, whatever breaks."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.judges import Judge, offline
from proxy.records import Context, FailureKind, Item, JudgeFailure, Score
from proxy.scoring import score_batch


@dataclass(frozen=True)
class Fixed:
    """A judge that gives 0.25 to every item, and breaks on the item `bad`."""

    name: str = "fixed"
    signature: str = "fixed|test|v1"

    def judge(self, item: Item) -> Score | JudgeFailure:
        """0.25, or KeyError."""
        if item.id == "bad":
            raise KeyError("lost\ud800")
        return Score(item_id=item.id, judge=self.name, signature=self.signature, value=0.25)


def _item(name: str) -> Item:
    context = Context(text="Paris is the capital of France.")
    return Item(id=name, question="What is the capital of France?", answer="Paris.", contexts=(context,))


def test_results_keep_the_order_of_items_and_judges() -> None:
    """Row i is item i, entry j is judge j."""
    judges: tuple[Judge, ...] = (*offline(), Fixed())

    rows = score_batch([_item("b"), _item("a")], judges)

    assert [[("b", judge.name) for judge in judges], [("a", judge.name) for judge in judges]] == [
        [(result.item_id, result.judge) for result in row] for row in rows
    ]


def test_a_broken_item_leaves_a_failure_and_the_others_go_on() -> None:
    """An unexpected exception is recorded with its type, under the judge's signature, and is showable."""
    first, second = score_batch([_item("bad"), _item("good")], [Fixed()])

    assert isinstance(first[0], JudgeFailure)
    assert (first[0].kind, first[0].signature) == (FailureKind.ERROR, "fixed|test|v1")
    assert first[0].reason.startswith("KeyError: 'lost")
    first[0].reason.encode()
    assert isinstance(second[0], Score)
    assert second[0].value == 0.25


def test_seconds_are_measured_for_scores_and_failures() -> None:
    """Every result says how long its judge took."""
    rows = score_batch([_item("bad"), _item("good")], [Fixed()])

    assert all(row[0].seconds is not None and 0 <= row[0].seconds < 1 for row in rows)


def test_nothing_in_nothing_out() -> None:
    """No items give no rows; no judges give empty rows."""
    assert score_batch([], offline()) == []
    assert score_batch([_item("a")], []) == [[]]
