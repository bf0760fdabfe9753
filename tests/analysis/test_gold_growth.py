"""The course of the gold set and what it covers: counted by hand on small stores, each count with its base."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date
from zoneinfo import ZoneInfo

import pytest

from annotate.analysis.gold import coverage as gold_coverage
from annotate.analysis.gold.coverage import ReferenceState, TrafficPart, course, coverage
from annotate.domain.gold import GoldRole, GoldSource, GoldStatus
from annotate.store import Store
from annotate.store.gold.statistics import RevisionStep, RoleCount
from annotate.workflow.gold import review as gold_review
from annotate.workflow.gold import writing
from annotate.workflow.gold.review import Actor
from proxy.records import Item, Judgement, Turn
from support.gold import busy, label
from support.store import LATER, NOW

CANDIDATE, ACCEPTED, RETIRED = GoldStatus
TEST = GoldRole.TEST
ANN = Actor("ann", NOW)


def test_the_course_counts_each_entry_where_it_stands_at_the_end_of_a_day() -> None:
    """Day 1: a and b come, a is accepted at once. Day 3: b is accepted under another role. Day 5: a is retired."""
    steps = [
        RevisionStep("a", "2026-01-01T08:00:00Z", CANDIDATE, TEST),
        RevisionStep("b", "2026-01-01T09:00:00Z", CANDIDATE, None),
        RevisionStep("a", "2026-01-01T10:00:00Z", ACCEPTED, TEST),
        RevisionStep("b", "2026-01-03T08:00:00Z", ACCEPTED, None),
        RevisionStep("a", "2026-01-04T08:00:00Z", ACCEPTED, TEST),
        RevisionStep("a", "2026-01-05T08:00:00Z", RETIRED, TEST),
    ]
    points = [
        (point.day.day, point.accepted.get(TEST, 0), point.accepted.get(None, 0), point.candidates)
        for point in course(steps, UTC)
    ]

    assert points == [(1, 1, 0, 1), (3, 1, 1, 0), (4, 1, 1, 0), (5, 0, 1, 0)]


def test_a_day_is_the_reader_s() -> None:
    """Half past ten at night in London is the next morning in Seoul; a time without a zone is in UTC."""
    steps = [RevisionStep("a", at, CANDIDATE, None) for at in ("2026-01-01T22:30:00Z", "2026-01-01T22:30:00")]

    assert [point.day for point in course(steps, UTC)] == [date(2026, 1, 1)]
    assert [point.day for point in course(steps, ZoneInfo("Asia/Seoul"))] == [date(2026, 1, 2)]


def test_a_clock_put_back_makes_no_day_twice() -> None:
    """Revisions stand in the order they were made: one dated before the last counts to the last day."""
    steps = [
        RevisionStep("a", "2026-01-05T08:00:00Z", CANDIDATE, None),
        RevisionStep("b", "2026-01-02T08:00:00Z", CANDIDATE, None),
    ]

    assert [(point.day.day, point.candidates) for point in course(steps, UTC)] == [(5, 2)]


def test_many_days_are_told_by_week() -> None:
    """Beyond the limit the last day of each week stands for it, and the end is kept."""
    days = [date.fromordinal(date(2026, 1, 1).toordinal() + n) for n in range(gold_coverage.MOST_DAYS + 1)]
    growth = course([RevisionStep(f"{day}", f"{day}T08:00:00Z", CANDIDATE, None) for day in days], UTC)

    assert len(growth) == 18  # 1 January is a Thursday, and 121 days reach into 18 calendar weeks
    assert (growth[-1].day, growth[-1].candidates) == (days[-1], len(days))
    assert all(point.day.isoweekday() == 7 for point in growth[:-1])


def asked(store: Store, *items: Item) -> None:
    with store.atomic():
        store.traffic.items.add(items, now=NOW)


def test_an_answer_is_covered_by_the_same_words_after_the_same_conversation(store: Store) -> None:
    """Of five answers two ask what the accepted entry asks; other case, another conversation and a candidate do not count."""
    before = (Turn(role="user", text="Hello."),)
    asked(
        store,
        Item(id="a", question="When?", answer="1", system="v1", language="en"),
        Item(id="b", question="When?", answer="2", system="v2", language="en"),
        Item(id="c", question="when?", answer="3", system="v2"),
        Item(id="d", question="When?", answer="4", system="v1", history=before),
        Item(id="e", question="Where?", answer="5", system="v1"),
    )
    for name in "ae":
        label(store, name, Judgement.RIGHT)
    entry = next(gold_entry for gold_entry in store.gold.entries() if gold_entry.item_id == "a")
    gold_review.set_status(store, {entry.gold_id: None}, ACCEPTED, ANN)
    parts = coverage(store)

    assert parts.questions == 1
    assert (parts.whole.items, parts.whole.covered) == (5, 2)
    assert {part.value: (part.items, part.covered) for part in parts.parts["system"]} == {"v1": (3, 1), "v2": (2, 1)}
    assert {part.value: (part.items, part.covered) for part in parts.parts["language"]} == {"en": (2, 2), None: (3, 0)}
    assert store.gold.statistics.covered() == {1, 2}


def test_a_count_is_kept_until_the_set_or_the_traffic_changes(store: Store) -> None:
    """A new candidate leaves it as it is; an acceptance, a retirement and a new item have it counted again."""
    asked(store, Item(id="a", question="When?", answer="1"))
    label(store, "a", Judgement.RIGHT)
    (entry,) = store.gold.entries()

    def counted() -> bool:
        was = store.gold.statistics.is_counted()
        store.gold.statistics.traffic()
        return was

    assert [counted(), counted()] == [False, True]
    gold_review.set_status(store, {entry.gold_id: None}, ACCEPTED, ANN)
    assert [counted(), coverage(store).whole.covered] == [False, 1]
    asked(store, Item(id="b", question="When?", answer="2"))
    assert [counted(), coverage(store).whole.covered] == [False, 2]
    label(store, "b", Judgement.RIGHT)
    assert counted()
    gold_review.set_status(store, {entry.gold_id: None}, RETIRED, ANN)
    assert [counted(), coverage(store).whole.covered] == [False, 0]


def test_every_wrong_answer_is_in_one_state(store: Store) -> None:
    """None written, one in review, one accepted, one retired; and a wrong answer that was accepted as right waits for a look."""
    asked(store, *(Item(id=name, question=f"{name}?", answer=name, system="v1") for name in "abcde"))
    label(store, "e", Judgement.RIGHT)
    gold_review.accept_all(store, ANN)
    label(store, "a", Judgement.WRONG, causes=("incomplete", "unfaithful"), harm="serious")
    for name in "bcd":
        label(store, name, Judgement.WRONG, reference="R", causes=("incomplete",))
    label(store, "e", Judgement.WRONG, reference="R")
    ids = {entry.item_id: entry.gold_id for entry in store.gold.entries()}
    gold_review.set_status(store, {ids["c"]: None}, ACCEPTED, ANN)
    gold_review.set_status(store, {ids["d"]: None}, RETIRED, ANN)
    parts = coverage(store)
    missing, review, accepted, aside = (
        ReferenceState.MISSING,
        ReferenceState.REVIEW,
        ReferenceState.ACCEPTED,
        ReferenceState.ASIDE,
    )

    assert parts.whole.wrong == 5
    assert parts.whole.states == {missing: 1, review: 2, accepted: 1, aside: 1}
    assert parts.parts["cause"] == [
        TrafficPart("incomplete", None, None, 4, Counter({missing: 1, review: 1, accepted: 1, aside: 1})),
        TrafficPart(None, None, None, 1, Counter({review: 1})),
        TrafficPart("unfaithful", None, None, 1, Counter({missing: 1})),
    ]
    assert {part.value: part.wrong for part in parts.parts["harm"]} == {None: 4, "serious": 1}
    assert parts.whole.states[missing] == len(store.gold.without_reference())


def test_slices_hold_what_the_whole_holds(store: Store) -> None:
    """Where a field has a value for every item, its parts add up to the whole, of the traffic and of the wrong answers."""
    busy(store)
    whole, slices = coverage(store).whole, gold_coverage.by_slices(store)
    kinds = slices["question kind"]

    assert sum(kind.items or 0 for kind in kinds) == whole.items
    assert sum(kind.covered or 0 for kind in kinds) == whole.covered
    assert sum(kind.wrong for kind in kinds) == whole.wrong
    assert sum((Counter(kind.states) for kind in kinds), Counter()) == whole.states


def test_roles_are_counted_with_their_clusters(store: Store) -> None:
    """Five accepted: a and b ask the same, c and d ask the same, e stands alone, so three clusters; candidates do not count."""
    busy(store)
    roles = gold_coverage.roles(store)

    assert sum(member.accepted for member in roles) == 5
    assert sum(member.clusters for member in roles) == 3
    label(store, "w0", Judgement.RIGHT)
    gold_review.accept_all(store, ANN)
    assert RoleCount(None, 2, 0) in gold_coverage.roles(store)


@pytest.mark.parametrize(("words", "names"), [("SYRUP", "ab"), ("nine", "cd"), ("e", "abcde"), ("nowhere", "")])
def test_an_entry_is_found_by_its_words(store: Store, words: str, names: str) -> None:
    """In the question or the reference, whatever the case; nothing else than what is accepted."""
    busy(store)
    matches = store.gold.statistics.find(ACCEPTED, words)

    assert sorted(str(entry.item_id) for entry in store.gold.entries() if entry.gold_id in matches) == list(names)


def test_a_forgotten_question_covers_nothing(store: Store) -> None:
    """What stands for forgotten texts is no question: else every forgotten item would be covered by any other."""
    asked(store, *(Item(id=name, question=f"{name}?", answer="A") for name in "ab"))
    label(store, "a", Judgement.RIGHT)
    gold_review.accept_all(store, ANN)
    with store.atomic():
        store._db.conn.execute("UPDATE texts SET question = '(forgotten)'")

    assert (coverage(store).questions, coverage(store).whole.covered) == (0, 0)


def test_a_note_is_kept_with_what_was_written(store: Store) -> None:
    """Where a reference comes from stands in its history."""
    asked(store, Item(id="a", question="When?", answer="1"))
    label(store, "a", Judgement.WRONG)
    (row,) = store.gold.without_reference()
    gold_id = writing.write(store, [row], "R", GoldSource.APP, Actor("ann", LATER), why="Guideline 7")

    assert [revision.why for revision in store.gold.revisions(gold_id)] == ["Guideline 7"]
