"""A second annotator for one answer: the next push sends it, blind, and nothing else changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotate.analysis.disagreements import second_reading
from annotate.analysis.disagreements.second_reading import ADJUDICATED, ENOUGH_LABELS, NOT_DRAWN
from annotate.domain.adjudication import Decision
from annotate.domain.assignment import SECOND, DrawPlace, Given, Outcome, assigned
from annotate.store import Store
from annotate.store.labels.resolution import PlacedAnnotation
from annotate.workflow.labelling import adjudicate
from annotate.workflow.labelling import second_reading as labelling_second_reading
from annotate.workflow.labelling.second_reading import EVENT
from proxy.errors import UsageError
from proxy.records import Judgement
from support.disagreements import NOW, differ, differing, labelled, told
from support.store import add, item
from support.studio import Studio, again, pulled, pushed, words
from support.wave_frames import with_frames

NAME = differ(told())[0]


def design(store: Store) -> list[tuple[object, ...]]:
    """All that a label's weight comes from."""
    execute = with_frames(store._db.conn).execute
    tables = ("waves", "strata", "frames", "draws")
    return [row for table in tables for row in execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3").fetchall()]


def events(store: Store) -> list[tuple[str, object]]:
    return [(event.who, event.read()) for event in store.audit.events.all() if event.what == EVENT]


def test_asking_is_kept_once_with_who_and_an_event(store: Store) -> None:
    """Twice is once; taking back is told too; the design is untouched."""
    differing(store)
    before = design(store)
    draw = store.labels.disagreements.draw_of_label(store.traffic.items.keys([NAME])[NAME])
    assert draw is not None
    key = store.labels.second_readings.task_key(draw)

    assert labelling_second_reading.ask(store, NAME, who=" eva ", now=NOW)
    assert not labelling_second_reading.ask(store, NAME, who="ben", now=NOW)
    asked = second_reading.standing(store, store.traffic.items.keys([NAME])[NAME]).asked
    assert asked == ("eva", NOW)
    assert labelling_second_reading.take_back(store, NAME, who="ben", now=NOW)
    assert not labelling_second_reading.take_back(store, NAME, who="ben", now=NOW)
    assert events(store) == [("eva", {"draw": key, "asked": True}), ("ben", {"draw": key, "asked": False})]
    assert design(store) == before
    assert store.check() == []


def test_what_cannot_be_read_again_is_refused_with_what_to_do(store: Store) -> None:
    """Without a name, without a draw, unread, read by two, adjudicated, unknown, and what has other content by now."""
    every = differing(store)
    others = differ(every)[1:]
    for who, name, why in (("", NAME, "name"), ("eva", "nothing", "no item")):
        with pytest.raises(UsageError, match=why):
            labelling_second_reading.ask(store, name, who=who, now=NOW)
    add(store, item("new"))
    with pytest.raises(UsageError, match=NOT_DRAWN[:20]):
        labelling_second_reading.ask(store, "new", who="eva", now=NOW)
    labelled(store, [{"item_id": "new", "label": "right", "annotator": "ann"}])
    with pytest.raises(UsageError, match=NOT_DRAWN[:20]):
        labelling_second_reading.ask(store, "new", who="eva", now=NOW)
    rows = store.traffic.items.keys(others[:2])
    adjudicate.adjudicate(
        store, rows[others[0]], Decision(judgement=Judgement.WRONG, why="so", harm="none"), who="eva", now=NOW
    )
    with pytest.raises(UsageError, match=ADJUDICATED[:20]):
        labelling_second_reading.ask(store, others[0], who="eva", now=NOW)
    assert events(store) == []


def test_read_by_two_is_enough(store: Store) -> None:
    """Two people may differ, and then somebody adjudicates it: no third is asked."""
    differing(store)
    row = store.traffic.items.keys([NAME])[NAME]
    draw = store.labels.disagreements.draw_of_label(row)
    annotation = store.labels.annotations(row, draw)[0]
    with store.atomic(durable=True):
        store.labels.keep([PlacedAnnotation(replace(annotation, id="x", annotator="eve"), row, draw)], now=NOW)
    with pytest.raises(UsageError, match=ENOUGH_LABELS[:20]):
        labelling_second_reading.ask(store, NAME, who="eva", now=NOW)


@pytest.mark.parametrize(("annotators", "expected"), [((), ("", SECOND)), (("ann", "ben"), ("ann", "ben"))])
def test_who_is_asked_for_gets_the_second_annotator_of_the_overlap(
    annotators: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    """The draw that is asked for goes to two, and its neighbour to one, whoever has read them."""
    places = [DrawPlace(1, 0, 2), DrawPlace(2, 1, 2)]
    first = annotators[0] if annotators else ""
    given = {1: [Given(first, Outcome.DECIDED)], 2: [Given(first, Outcome.DECIDED)]}

    assert assigned(places, given, annotators, 0.0, {1}) == {1: expected, 2: (first,)}


def test_the_next_push_sends_it_blind_and_the_reading_comes_back(drawn: Store, studio: Studio) -> None:
    """One answered draw of eight goes to a project of its own; its task is like any other; taken back, it is withdrawn."""
    again(drawn, studio)
    keys = studio.task_keys()
    for key in keys:
        studio.annotate(studio.task_of(key), "right", 1)
    pulled(drawn, studio)
    chosen = drawn.sampling.waves.all_draws()[3]
    plain = {key: value for key, value in studio.tasks[studio.task_of(chosen.task_key)].items() if key == "data"}
    before = design(drawn)

    assert again(drawn, studio)[0] == 0
    labelling_second_reading.ask(drawn, chosen.item_id, who="eva", now=NOW)
    assert again(drawn, studio)[0] == 1
    assert again(drawn, studio)[0] == 0
    [project] = [number for number in studio.markers if number != 1]
    assert studio.task_keys(project) == [chosen.task_key]
    task = studio.task_of(chosen.task_key, project)
    assert {key: value for key, value in studio.tasks[task].items() if key == "data"} == plain

    studio.annotate(task, "wrong", 2)
    pulled(drawn, studio)
    assert words(drawn) == {"right": len(keys) - 1, "unsure": 1}
    assert [case.item_id for case in drawn.labels.adjudication.waiting()] == [chosen.item_id]
    assert design(drawn) == before
    assert drawn.check() == []


def test_a_wish_that_is_taken_back_takes_the_task_back(drawn: Store, studio: Studio) -> None:
    """Nobody has worked on it, so the next push withdraws it."""
    projects = pushed(drawn, studio, annotators=("ann", "ben"))
    for annotator, number in projects.items():
        for key in studio.task_keys(number):
            studio.annotate(studio.task_of(key, number), "right", 1 if annotator == "ann" else 2)
    pulled(drawn, studio)
    name = drawn.sampling.waves.all_draws()[0].item_id

    labelling_second_reading.ask(drawn, name, who="eva", now=NOW)
    assert again(drawn, studio)[0] == 1
    labelling_second_reading.take_back(drawn, name, who="eva", now=NOW)
    assert again(drawn, studio) == (0, 0, 1)
