"""What waits to be adjudicated, who may adjudicate it, and that a decision is one label, one revision and one event."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from annotate.domain.adjudication import AdjudicationCase, Decision, Waits, case, check, name_of
from annotate.domain.annotation import ADJUDICATION, Annotation, Revision
from annotate.domain.annotator_activity import Pace
from annotate.store import Store
from annotate.store.labels.resolution import PlacedAnnotation
from annotate.workflow.labelling import adjudicate
from proxy.errors import UsageError
from proxy.records import Judgement, LabelBasis
from support.store import LATER, NOW, add, item

RIGHT, WRONG, UNSURE = Judgement
BECAUSE = Decision(judgement=WRONG, why="The floor is another.", harm="minor")


def said(who: str, judgement: Judgement | None, **changes: Any) -> Annotation:
    return Annotation(source="test", id=who, item_id="a", annotator=who, judgement=judgement, **changes)


def adjudicates(judgement: Judgement | None, **changes: Any) -> Annotation:
    annotation = said("judge", judgement, **changes)
    return replace(annotation, source=ADJUDICATION, id="a")


def case_of(*annotations: Annotation) -> AdjudicationCase:
    """The case of annotations that came in this order."""
    return case(1, None, [Revision(k, NOW, annotation) for k, annotation in enumerate(annotations, start=1)])


@pytest.mark.parametrize(
    ("annotations", "why"),
    [
        ([said("x", RIGHT)], None),
        ([said("x", RIGHT), said("y", RIGHT)], None),
        ([said("x", RIGHT), said("y", WRONG)], Waits.DISAGREEMENT),
        ([said("x", RIGHT), said("y", WRONG), said("z", WRONG)], None),
        ([said("x", UNSURE)], Waits.UNSURE),
        ([said("x", UNSURE), said("y", UNSURE)], Waits.UNSURE),
        ([said("x", UNSURE), said("y", RIGHT)], None),
        ([said("x", None)], None),
        ([said("x", RIGHT), said("y", RIGHT), said("z", WRONG, harm="serious")], Waits.OUTVOTED_HARM),
        ([said("x", WRONG), said("y", WRONG, harm="serious")], None),
        ([said("x", RIGHT), said("y", WRONG), adjudicates(RIGHT)], None),
        ([said("x", RIGHT), said("y", WRONG), adjudicates(UNSURE)], Waits.DISAGREEMENT),
        ([said("x", RIGHT), adjudicates(UNSURE)], Waits.LEFT_OPEN),
        ([said("x", RIGHT), said("y", WRONG), adjudicates(RIGHT), adjudicates(None, deleted=True)], Waits.DISAGREEMENT),
        ([said("x", RIGHT), said("y", WRONG), adjudicates(RIGHT), said("y", UNSURE)], Waits.CHANGED),
        ([said("x", RIGHT), said("y", WRONG), adjudicates(RIGHT), said("y", None, deleted=True)], Waits.CHANGED),
        ([said("x", RIGHT), said("y", WRONG), adjudicates(RIGHT), said("y", WRONG, seconds=9.0)], None),
        ([said("x", RIGHT), said("y", WRONG), adjudicates(RIGHT), said("z", RIGHT)], None),
        ([said("x", RIGHT), said("y", WRONG), adjudicates(RIGHT), said("z", WRONG)], Waits.CHANGED),
        ([said("x", RIGHT), said("y", WRONG), adjudicates(RIGHT), said("z", None)], None),
        ([said("x", RIGHT), adjudicates(WRONG), said("x", WRONG), adjudicates(WRONG)], None),
    ],
)
def test_what_waits_and_why(annotations: Sequence[Annotation], why: Waits | None) -> None:
    """The rule of the module, a case each; a skip, and seconds alone, change nothing."""
    assert case_of(*annotations).why is why


def test_an_adjudicated_label_stays_while_a_reading_changes() -> None:
    """It comes back into the queue, and what was adjudicated counts meanwhile."""
    changed = case_of(said("x", RIGHT), said("y", WRONG), adjudicates(WRONG), said("y", RIGHT))

    assert (changed.why, changed.label.judgement, changed.label.basis) == (
        Waits.CHANGED,
        WRONG,
        LabelBasis.ADJUDICATION,
    )


def test_serious_harm_comes_first_and_what_was_looked_at_last() -> None:
    """By harm, then by why, then by whether somebody has looked at it."""
    unsure = case_of(said("x", UNSURE))
    tied = case_of(said("x", RIGHT), said("y", WRONG))
    seen = case_of(said("x", RIGHT), said("y", WRONG), adjudicates(UNSURE))
    harm = case_of(said("x", UNSURE, harm="serious"))

    assert sorted([unsure, seen, tied, harm], key=lambda waiting: waiting.urgency) == [harm, tied, seen, unsure]


def test_the_order_of_annotators_says_nothing_of_who() -> None:
    """Over 400 items each of two annotators stands first in about half (within 4 standard deviations of 10), always the same."""
    firsts = 0
    for k in range(400):
        pair = [replace(said(who, word), item_id=f"i{k}") for who, word in (("x", RIGHT), ("y", WRONG))]
        there, back = case_of(*pair), case_of(*pair[::-1])
        assert there.readings == back.readings
        firsts += there.readings[0].annotator == "x"

    assert 160 <= firsts <= 240
    assert [name_of(place) for place in (0, 1, 25, 26)] == ["Annotator A", "Annotator B", "Annotator Z", "Annotator 27"]


@pytest.mark.parametrize(
    ("annotations", "decision", "who", "why"),
    [
        ([said("x", RIGHT), said("y", WRONG)], BECAUSE, " ", "name"),
        ([said("x", RIGHT), said("x", RIGHT, deleted=True), said("y", WRONG)], BECAUSE, "x", "read this one yourself"),
        ([said("x", None)], BECAUSE, "judge", "nothing to adjudicate"),
        ([said("x", RIGHT), said("y", WRONG)], replace(BECAUSE, judgement=RIGHT), "judge", "with a wrong answer only"),
    ],
)
def test_who_may_adjudicate_what(annotations: Sequence[Annotation], decision: Decision, who: str, why: str) -> None:
    """A refusal says what is missing; who read it once has read it, also where that was deleted."""
    with pytest.raises(UsageError, match=why):
        check(case_of(*annotations), decision, who)

    check(case_of(said("x", None), said("y", RIGHT)), BECAUSE, "x")


def keep(store: Store, *annotations: Annotation, now: str = NOW) -> int:
    """These annotations on item a, hand-picked; its row."""
    if not store.traffic.items.keys(["a"]):
        add(store, item("a"))
    row = store.traffic.items.keys(["a"])["a"]
    with store.atomic(durable=True):
        store.labels.keep([PlacedAnnotation(annotation, row, None) for annotation in annotations], now=now)
    return row


def tied(store: Store) -> int:
    return keep(store, said("x", RIGHT), said("y", WRONG, reference="On the first floor."))


def test_a_decision_is_the_label_a_candidate_and_an_event_of_ids(store: Store) -> None:
    """All of it in one transaction; the event holds neither the reason nor a name."""
    row = tied(store)
    assert adjudicate.adjudicate(store, row, replace(BECAUSE, reference="On the first floor."), who="judge", now=LATER)

    label = store.labels.of_item(row)
    assert (label.judgement, label.basis, label.annotator) == (WRONG, LabelBasis.ADJUDICATION, "judge")
    assert (label.reference, label.rationale, label.harm) == ("On the first floor.", BECAUSE.why, "minor")
    assert [entry.reference for entry in store.gold.entries()] == ["On the first floor."]
    event = store.audit.events.all()[-1]
    assert (event.what, event.who) == (adjudicate.EVENT, "judge")
    assert BECAUSE.why not in event.detail
    assert "judge" not in event.detail
    assert store.labels.adjudication.waiting() == []
    assert store.check() == []


def test_the_same_decision_twice_adds_one(store: Store) -> None:
    """From the form, with what it had seen, and from the command line, without."""
    row = tied(store)
    seen = store.labels.adjudication.waiting()[0].seen
    assert adjudicate.adjudicate(store, row, BECAUSE, who="judge", now=LATER, seen=seen)
    assert not adjudicate.adjudicate(store, row, BECAUSE, who="judge", now=LATER, seen=seen)
    assert not adjudicate.adjudicate(store, row, BECAUSE, who="judge", now=LATER)

    assert len(store.labels.history("a")) == 3
    assert len([event for event in store.audit.events.all() if event.what == adjudicate.EVENT]) == 1


def test_who_was_overtaken_is_told(store: Store) -> None:
    """By another decision, or by a reading that changed; theirs is not kept."""
    row = tied(store)
    seen = store.labels.adjudication.waiting()[0].seen
    adjudicate.adjudicate(store, row, BECAUSE, who="judge", now=LATER)
    with pytest.raises(UsageError, match="someone else has just adjudicated"):
        adjudicate.adjudicate(store, row, replace(BECAUSE, why="Other."), who="other", now=LATER, seen=seen)
    keep(store, said("y", UNSURE), now=LATER)
    with pytest.raises(UsageError, match="a reading changed"):
        adjudicate.adjudicate(store, row, replace(BECAUSE, why="Other."), who="other", now=LATER, seen=seen)

    label = store.labels.of_item(row)
    assert label.rationale == BECAUSE.why
    assert [disagreement.why for disagreement in store.labels.adjudication.waiting()] == [Waits.CHANGED]


def test_an_adjudicated_item_that_changed_is_confirmed_by_the_same_words(store: Store) -> None:
    """What would be a repetition otherwise is a revision then, and takes the item out of the queue."""
    row = tied(store)
    adjudicate.adjudicate(store, row, BECAUSE, who="judge", now=LATER)
    keep(store, said("x", UNSURE), now=LATER)

    assert adjudicate.adjudicate(store, row, BECAUSE, who="judge", now=NOW), "a clock that was set back loses nothing"
    assert store.labels.adjudication.waiting() == []
    assert [item.item_id for item in store.labels.adjudication.adjudicated()] == ["a"]


def test_taken_back_the_annotators_decide_again(store: Store) -> None:
    """Every revision is kept, with who took it back and why."""
    row = tied(store)
    adjudicate.adjudicate(store, row, BECAUSE, who="judge", now=NOW)
    with pytest.raises(UsageError, match="reason"):
        adjudicate.take_back(store, row, " ", who="other", now=LATER)
    with pytest.raises(UsageError, match="you have read this one yourself"):
        adjudicate.take_back(store, row, "Mine was better.", who="X", now=LATER)
    adjudicate.take_back(store, row, "Too hasty.", who="other", now=LATER)

    label = store.labels.of_item(row)
    assert (label.judgement, label.basis) == (UNSURE, LabelBasis.DISAGREEMENT)
    assert [disagreement.why for disagreement in store.labels.adjudication.waiting()] == [Waits.DISAGREEMENT]
    last = store.labels.history("a")[-1].annotation
    assert (last.deleted, last.annotator, last.edited_by, last.rationale) == (True, "judge", "other", "Too hasty.")
    with pytest.raises(UsageError, match="nothing to take back"):
        adjudicate.take_back(store, row, "Again.", who="other", now=LATER)


def test_who_adjudicates_is_no_annotator(store: Store) -> None:
    """Neither in the agreement, nor in the times, nor among the annotators."""
    second = replace(
        said("y", WRONG, seconds=7.0), source="another project"
    )  # in one project it would not be independent
    row = keep(store, said("x", RIGHT, seconds=5.0), second)
    adjudicate.adjudicate(store, row, BECAUSE, who="judge", now=LATER)

    assert {reading.annotator for reading in store.labels.readings()} == {"x", "y"}
    assert {work.annotator for work in store.labels.work()} == {"x", "y"}
    assert Pace.of(store.labels.seconds()) == (6.0, 2, 6.0)
    assert store.labels.annotators() == {(row, False): 2}


def test_killed_in_the_middle_nothing_is_half_adjudicated(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The event is the last write; without it there is no label either."""
    row = tied(store)

    def fail(*given: object, **named: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(store.audit.events, "append", fail)
    with pytest.raises(Exception, match="disk"):
        adjudicate.adjudicate(store, row, BECAUSE, who="judge", now=LATER)

    assert [disagreement.why for disagreement in store.labels.adjudication.waiting()] == [Waits.DISAGREEMENT]
    assert len(store.labels.history("a")) == 2


def test_a_superseded_item_waits_for_nobody(store: Store) -> None:
    """Other content under the same id is another item to label."""
    row = tied(store)
    keep(store, said("y", WRONG, harm="serious"))
    adjudicate.adjudicate(store, row, BECAUSE, who="judge", now=LATER)
    keep(store, said("x", UNSURE), now=LATER)
    assert len(store.labels.adjudication.waiting()) == 1
    add(store, item("a", answer="Another."), now=LATER)

    assert store.labels.adjudication.waiting() == store.labels.adjudication.adjudicated() == []
    assert len(store.labels.history("a")) == 5


def test_what_was_taken_back_can_be_adjudicated_again_whatever_the_clock_says(store: Store) -> None:
    """A decision that looks older than the one before is kept as the later one."""
    row = tied(store)
    adjudicate.adjudicate(store, row, BECAUSE, who="judge", now=LATER)
    adjudicate.take_back(store, row, "Too hasty.", who="judge", now=LATER)
    assert adjudicate.adjudicate(store, row, BECAUSE, who="judge", now=NOW)

    times = [revision.annotation.at or "" for revision in store.labels.history("a")][2:]
    assert times == sorted(set(times))
    assert store.labels.adjudication.waiting() == []


def test_who_rewrote_a_reading_has_read_it(store: Store) -> None:
    """Y's answer was changed by boss: neither adjudicates the item."""
    row = keep(store, said("x", RIGHT), said("y", WRONG), said("y", WRONG, rationale="Other.", edited_by="boss"))
    for who in ("y", "Boss"):
        with pytest.raises(UsageError, match="you have read this one yourself"):
            adjudicate.adjudicate(store, row, BECAUSE, who=who, now=LATER)

    assert adjudicate.adjudicate(store, row, BECAUSE, who="judge", now=LATER)
