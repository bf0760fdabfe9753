"""What is counted once of all items is what is counted of the items as they are now, also after more came in."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta

from annotate.domain.feedback import Feedback
from annotate.domain.feedback_channel import RatedWeek
from annotate.domain.selection import WITHOUT_SYSTEM, Selection
from annotate.store import Store
from proxy.records import Context, Item
from support.store import NOW

MONDAY = date(2026, 9, 7)


def monday(item: Item) -> str | None:
    """The Monday on or before the item's day."""
    if item.timestamp is None:
        return None
    day = date.fromisoformat(item.timestamp[:10])
    return (day - timedelta(days=day.weekday())).isoformat()


def some_items(rng: random.Random, first: int, count: int) -> list[Item]:
    """Items of two systems or none, from six weeks or without a time."""
    return [
        Item(
            id=f"i{number}",
            question="q",
            answer="a",
            system=rng.choice(("old", "new", None)),
            timestamp=rng.choice((None, f"{MONDAY + timedelta(days=rng.randrange(42))}T10:00:00.000Z")),
        )
        for number in range(first, first + count)
    ]


def counted(items: Sequence[Item], rated: Sequence[str]) -> set[RatedWeek]:
    """The weeks, counted one item after the other."""
    sizes = Counter((item.system, monday(item)) for item in items)
    with_feedback = Counter((item.system, monday(item)) for item in items if item.id in rated)
    return {RatedWeek(*place, size, with_feedback[place]) for place, size in sizes.items()}


def test_weeks_count_items_and_feedback_as_they_are_now() -> None:
    """Feedback on nobody's answer, twice on one, and more of both after the first count."""
    rng, store = random.Random(5), Store(":memory:")
    items: list[Item] = []
    votes: list[str] = []
    for turn in range(3):
        new = some_items(rng, 40 * turn, 40)
        with store.atomic():
            store.traffic.items.add(new, now=NOW)
        items += new
        assert set(store.traffic.thumbs.weeks()) == counted(items, votes)
        again = [*rng.choices([item.id for item in items], k=15), "nobody", f"i{40 * turn}", f"i{40 * turn}"]
        with store.atomic():
            store.traffic.feedback.keep(
                [
                    Feedback(item_id=name, sign=rng.choice((-1, 0, 1)), value=str(number), source=f"s{turn}")
                    for number, name in enumerate(again)
                ],
                now=NOW,
            )
        votes += again
        assert set(store.traffic.thumbs.weeks()) == counted(items, votes)
    assert any(week.rated for week in store.traffic.thumbs.weeks())


def test_answers_are_counted_as_they_are_now() -> None:
    """Those of all, of each system and of none, with the first and the last day, also after more came in."""
    rng, store = random.Random(6), Store(":memory:")
    items: list[Item] = []
    assert store.traffic.selections.counted(Selection()) == (0, 0, 0, None, None)
    for turn in range(3):
        new = some_items(rng, 40 * turn, 40)
        with store.atomic():
            store.traffic.items.add(new, now=NOW)
        items += new
        for system, those in (
            (None, items),
            ("old", [item for item in items if item.system == "old"]),
            (WITHOUT_SYSTEM, [item for item in items if item.system is None]),
        ):
            days = sorted(item.timestamp for item in those if item.timestamp is not None)
            numbers = store.traffic.selections.counted(Selection(system=system))
            assert numbers == (len(those), 1, len(those) - len(days), days[0], days[-1])


def answer(name: str, system: str, passage: str) -> Item:
    return Item(id=name, question="Where?", answer="Here.", contexts=(Context(text=passage),), system=system)


def test_shared_passages_follow_a_revision_and_the_labels_asked_about() -> None:
    """The same passages until one of the answers comes in again with others; without an item asked about there are none."""
    store = Store(":memory:")
    with store.atomic():
        store.traffic.items.add([answer("a", "old", "p"), answer("b", "new", "p")], now=NOW)
    keys = list(store.traffic.items.keys(["a", "b"]).values())
    both = {("old", "new"), ("new", "old")}
    for _ in range(2):  # counted, and kept
        assert store.scores.stage_scores.same_passages(keys) == both
        assert store.scores.stage_scores.same_passages([]) == set()
    with store.atomic():
        store.traffic.items.add([answer("b", "new", "other")], now=NOW)
    keys = list(store.traffic.items.keys(["a", "b"]).values())
    assert store.scores.stage_scores.same_passages(keys) == set()
