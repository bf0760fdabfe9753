"""Which systems are compared first, and what a judge's grades come to in pairs."""

from __future__ import annotations

from annotate.analysis.comparison.selections import MOST, rivals
from annotate.store import Store
from proxy.comparison.grade_pairs import tally
from proxy.comparison.graded import ScoredAnswers, compared, scale_of
from support.store import add, item


def answered(store: Store, system: str | None, questions: range, at: str | None = None) -> None:
    add(
        store,
        *(item(f"{system}-{n}", question=f"Q{n}?", group=f"g{n}", system=system, timestamp=at) for n in questions),
    )


def test_the_two_with_most_questions_in_common_come_first(store: Store) -> None:
    """B and c share eight questions, a shares two with either; the one that began earlier is the old one."""
    answered(store, "a", range(10))
    answered(store, "c", range(8, 18), "2026-01-01T00:00:00.000Z")
    answered(store, "b", range(8, 16), "2026-02-01T00:00:00.000Z")
    listed = rivals(store)

    assert listed.pair == ("c", "b")
    assert store.traffic.selections.in_common(("a", "b", "c"))["b", "c"] == 8
    assert dict(listed.systems) == {"a": 10, "b": 8, "c": 10}
    assert set(listed.shown) == {"a", "b", "c"}


def test_the_newest_two_with_enough_in_common_come_first(store: Store) -> None:
    """Old and middle share ten questions, middle and new six, which is enough; a trial of two questions is newer, and too small."""
    answered(store, "old", range(10), "2026-01-01T00:00:00.000Z")
    answered(store, "middle", range(10), "2026-02-01T00:00:00.000Z")
    answered(store, "new", range(4, 10), "2026-03-01T00:00:00.000Z")
    answered(store, "trial", range(2), "2026-04-01T00:00:00.000Z")

    assert rivals(store).pair == ("middle", "new")


def test_what_people_wrote_is_no_system_to_begin_with(store: Store) -> None:
    """It answered every question and came last; it can still be named, and is compared where there is nothing else."""
    answered(store, "human_reference", range(10), "2026-03-01T00:00:00.000Z")
    answered(store, "a", range(10), "2026-01-01T00:00:00.000Z")
    assert rivals(store).pair == ("a", "human_reference")
    answered(store, "b", range(5), "2026-02-01T00:00:00.000Z")

    assert rivals(store).pair == ("a", "b")
    assert "human_reference" in rivals(store).shown


def test_several_answers_to_a_question_are_one_question(store: Store) -> None:
    """Three answers of a and two of b to one question are one in common, whatever conversations they lie in."""
    for name, system in (("1", "a"), ("2", "a"), ("3", "a"), ("4", "b"), ("5", "b")):
        add(store, item(name, question="Q", group=f"g{name}", system=system))

    assert store.traffic.selections.in_common(("a", "b")) == {("a", "b"): 1}


def test_nothing_in_common_is_a_pair_all_the_same(store: Store) -> None:
    """The two with most answers; they can be compared by their rates."""
    answered(store, "a", range(5))
    answered(store, "b", range(5, 9))
    listed = rivals(store)

    assert set(listed.pair or ()) == {"a", "b"}
    assert not store.traffic.selections.in_common(("a", "b"))


def test_one_system_or_none_is_no_pair(store: Store) -> None:
    """Items without a system are no system."""
    answered(store, None, range(3))
    assert (rivals(store).pair, dict(rivals(store).systems)) == (None, {})
    answered(store, "a", range(3))
    assert (rivals(store).pair, rivals(store).shown) == (None, ("a",))


def test_of_many_systems_the_largest_are_shown(store: Store) -> None:
    """Fourteen systems: the two smallest are left out of the ranking, not out of the choice."""
    for n in range(MOST + 2):
        answered(store, f"s{n:02}", range(n + 1))
    listed = rivals(store)

    assert len(listed.systems) == MOST + 2
    assert listed.shown == tuple(f"s{n:02}" for n in range(2, MOST + 2))


def test_grades_are_counted_in_pairs() -> None:
    """Three questions: 5 to 4, 1 to 3, 2 to 2 (of 0.75, 0, 0.25 and so on); nearest levels, each question once."""
    scale = scale_of("correctness", None, [0.0, 0.25, 0.5, 0.75, 1.0])
    given = ({"a": [1.0], "b": [0.0], "c": [0.25]}, {"a": [0.75], "b": [0.5], "c": [0.25, 0.25]})
    sides = tuple({name: ScoredAnswers(values, frozenset({name})) for name, values in side.items()} for side in given)
    grades = tally(compared("correctness", "s", scale, sides))

    assert grades.levels == (1, 2, 3, 4, 5)
    assert {(pair.first, pair.second): pair.questions for pair in grades.pairs if pair.questions} == {
        (5, 4): 1,
        (1, 3): 1,
        (2, 2): 1,
    }
    assert (grades.higher, grades.lower, grades.equal) == (1, 1, 1)
