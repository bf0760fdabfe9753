"""Who reads which draw, against what each rule says by hand."""

from __future__ import annotations

from collections import Counter

import pytest

from annotate.domain.assignment import EVERYBODY, SECOND, DrawPlace, Given, Outcome, assigned, check, combined
from proxy.errors import UsageError

TWO = ("ann", "ben")
THREE = ("ann", "ben", "cem")


def places(count: int) -> list[DrawPlace]:
    """All draws of one wave."""
    return [DrawPlace(number, number - 1, count) for number in range(1, count + 1)]


def annotators(
    given: list[tuple[str, Outcome]], names: tuple[str, ...] = TWO, overlap: float = 0.0, rank: int = 0, size: int = 10
) -> tuple[str, ...]:
    """The annotators of one draw."""
    answers = [Given(name, outcome) for name, outcome in given]
    return assigned([DrawPlace(1, rank, size)], {1: answers}, names, overlap)[1]


def test_without_names_one_project_serves_everybody() -> None:
    """Each draw goes there, and nowhere else."""
    assert set(assigned(places(5), {}, (), 0.0).values()) == {(EVERYBODY,)}


def test_annotators_get_draws_in_turn() -> None:
    """Of ten draws three annotators get four, three and three."""
    counts = Counter(name for names in assigned(places(10), {}, THREE, 0.0).values() for name in names)

    assert counts == {"ann": 4, "ben": 3, "cem": 3}


def test_the_overlap_goes_to_two_annotators_and_is_shared_out_evenly() -> None:
    """A fifth of thirty draws is six, two annotators each: every annotator has twelve draws, and every pair two in common."""
    assignment = assigned(places(30), {}, THREE, 0.2)
    twice = [names for names in assignment.values() if len(names) == 2]

    assert len(twice) == 6
    assert Counter(frozenset(names) for names in twice) == {
        frozenset(pair): 2 for pair in (("ann", "ben"), ("ben", "cem"), ("cem", "ann"))
    }
    assert Counter(name for names in assignment.values() for name in names) == dict.fromkeys(THREE, 12)


def test_all_answers_to_a_question_go_to_one_annotator_and_everybody_has_as_much_to_do() -> None:
    """Ten questions with three answers each: five a head, and the second annotator of a question is one, too."""
    asked = [place._replace(question=f"q{place.draw % 10}") for place in places(30)]
    alone, twice = assigned(asked, {}, TWO, 0.0), assigned(asked, {}, THREE, 0.5)

    by_question = {
        place.question: {alone[other.draw] for other in asked if other.question == place.question} for place in asked
    }
    assert all(len(names) == 1 for names in by_question.values())
    assert Counter(alone.values()) == {("ann",): 15, ("ben",): 15}
    pairs = {(place.question, names) for place in asked if len(names := twice[place.draw]) == 2}
    assert len(pairs) == 10
    assert max(load := Counter(name for names in twice.values() for name in names).values()) - min(load) <= 3


def test_who_has_read_a_question_gets_its_later_answers() -> None:
    """Ben has read one answer to it, and has more to do than ann."""
    first, later = (DrawPlace(n, n, 10, question="q") for n in (1, 2))
    others = [DrawPlace(n, n, 10, question=f"q{n}") for n in (3, 4)]
    given = {1: [Given("ben", Outcome.DECIDED)], **{n: [Given("ben", Outcome.WAITING)] for n in (3, 4)}}

    assert assigned([first, later, *others], given, TWO, 0.0)[2] == ("ben",)


def test_the_overlap_stays_where_it_was_while_labels_come_in() -> None:
    """Who has a draw keeps it, whatever the others have answered."""
    first = assigned(places(20), {}, TWO, 0.5)
    given = {draw: [Given(name, Outcome.WAITING) for name in names] for draw, names in first.items()}
    given[1] = [Given("ann", Outcome.DECIDED), Given("ben", Outcome.WAITING)]
    given[20] = [Given(first[20][0], Outcome.DECIDED)]

    again = assigned(places(20), given, TWO, 0.5)
    assert {draw: set(names) for draw, names in again.items()} == {draw: set(names) for draw, names in first.items()}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([("ann", Outcome.WAITING)], {"ann"}),
        ([("ann", Outcome.DECIDED)], {"ann"}),
        ([("ann", Outcome.UNSURE)], {"ann", "ben"}),
        ([("ann", Outcome.SKIPPED)], {"ben"}),
        ([("ann", Outcome.HANDED_ON)], {"ben"}),
        ([("ann", Outcome.UNSURE), ("ben", Outcome.WAITING)], {"ann", "ben"}),
        ([("ann", Outcome.UNSURE), ("ben", Outcome.UNSURE)], {"ann", "ben"}),
        ([("ann", Outcome.SKIPPED), ("ben", Outcome.SKIPPED)], set()),
        ([("ann", Outcome.WAITING), ("file", Outcome.DECIDED)], {"file"}),
        ([("ann", Outcome.DECIDED), ("ben", Outcome.WAITING)], {"ann"}),
        ([("ann", Outcome.UNSURE), ("adjudication", Outcome.ADJUDICATED), ("ben", Outcome.WAITING)], {"ann"}),
    ],
)
def test_unsure_and_skipped_go_on_and_enough_is_enough(given: list[tuple[str, Outcome]], expected: set[str]) -> None:
    """One reading that decides is enough; who waits for nothing is left out, which takes the task back."""
    assert set(annotators(given)) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([("ann", Outcome.DECIDED)], {"ann", "ben"}),
        ([("ann", Outcome.DECIDED), ("ben", Outcome.UNSURE)], {"ann", "ben"}),
        ([("ann", Outcome.UNSURE), ("ben", Outcome.UNSURE)], {"ann", "ben", "cem"}),
        ([("ann", Outcome.SKIPPED)], {"ben", "cem"}),
        ([("ann", Outcome.DECIDED), ("adjudication", Outcome.ADJUDICATED)], {"ann", "ben"}),
        ([("ann", Outcome.DECIDED), ("file", Outcome.DECIDED), ("ben", Outcome.WAITING)], {"ann", "file"}),
    ],
)
def test_two_readings_are_waited_for_in_the_overlap(given: list[tuple[str, Outcome]], expected: set[str]) -> None:
    """A draw of the overlap wants two readings that were not skipped, and one of them that decides."""
    assert set(annotators(given, THREE, overlap=1.0)) == expected


def test_without_names_an_unsure_answer_goes_to_the_second_annotators_project() -> None:
    """What everybody's project leaves unsure is read once more elsewhere; what is decided or waits there is not."""
    assert annotators([(EVERYBODY, Outcome.UNSURE)], ()) == (EVERYBODY, SECOND)
    assert annotators([(EVERYBODY, Outcome.WAITING)], ()) == (EVERYBODY,)
    assert annotators([(EVERYBODY, Outcome.DECIDED), (SECOND, Outcome.WAITING)], ()) == (EVERYBODY,)


def test_a_skip_leaves_the_task_to_the_others_of_the_same_project() -> None:
    """In everybody's project a skipped task still waits; with one's own project it goes on."""
    assert combined([Outcome.SKIPPED], is_everybodys=True) is Outcome.WAITING
    assert combined([Outcome.SKIPPED], is_everybodys=False) is Outcome.SKIPPED
    assert combined([Outcome.SKIPPED, Outcome.DECIDED, Outcome.UNSURE], is_everybodys=False) is Outcome.DECIDED
    assert combined([Outcome.UNSURE, Outcome.SKIPPED], is_everybodys=True) is Outcome.UNSURE
    assert combined([], is_everybodys=False) is Outcome.WAITING


def test_what_is_not_an_annotators_field_goes_to_the_second_project() -> None:
    """For the server it is answered, so nobody in everybody's project gets it any more."""
    assert combined([Outcome.SKIPPED, Outcome.HANDED_ON], is_everybodys=True) is Outcome.HANDED_ON
    assert combined([Outcome.HANDED_ON, Outcome.DECIDED], is_everybodys=True) is Outcome.DECIDED
    assert annotators([(EVERYBODY, Outcome.HANDED_ON)], ()) == (SECOND,)
    assert annotators([(EVERYBODY, Outcome.HANDED_ON), (SECOND, Outcome.HANDED_ON)], ()) == ()


@pytest.mark.parametrize(
    ("names", "overlap"), [(("ann", "Ann "), 0.0), (("ann", " "), 0.0), (("ann",), 0.5), ((), 0.1)]
)
def test_names_must_differ_and_an_overlap_needs_two(names: tuple[str, ...], overlap: float) -> None:
    """Wrong usage is said before anything is sent."""
    with pytest.raises(UsageError):
        check(names, overlap)
