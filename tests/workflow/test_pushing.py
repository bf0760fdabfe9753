"""What is sent to whom, and what is taken back: real store, Label Studio in memory."""

from __future__ import annotations

from collections import Counter

import pytest

from annotate.domain.assignment import SECOND
from annotate.store import Store
from annotate.workflow.labelling.push import PushRequest, push
from proxy.errors import LabelStudioError, UsageError
from support.store import NOW, Assay, label, traffic_row
from support.studio import DRAWS, Studio, again, named, pulled, pushed, words


def test_each_draw_is_one_task_and_pushing_again_adds_nothing(drawn: Store, studio: Studio) -> None:
    """Eight draws, eight tasks, one project; the second push finds them confirmed."""
    assert again(drawn, studio) == (DRAWS, 0, 0)
    assert again(drawn, studio) == (0, DRAWS, 0)
    assert sorted(studio.task_keys()) == sorted(draw.task_key for draw in drawn.sampling.waves.all_draws())
    assert len(studio.markers) == 1


def fail() -> None:
    """The answer is lost on its way."""
    raise LabelStudioError("lost")


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_an_answer_that_was_lost_doubles_nothing(drawn: Store, studio: Studio, lost: int) -> None:
    """Whether the answer to making the project or to an import is lost: after another push each draw is one task."""
    studio.before_answer = [*[lambda: None] * lost, fail]
    try:
        push(drawn, studio, named(drawn, studio), PushRequest(), now=NOW)
    except LabelStudioError:
        assert lost < 2
    again(drawn, studio)

    assert Counter(studio.task_keys()) == {draw.task_key: 1 for draw in drawn.sampling.waves.all_draws()}
    assert len(studio.markers) == 1


def test_a_store_restored_from_a_backup_finds_its_project_and_tasks(drawn: Store, studio: Studio) -> None:
    """A store that has forgotten what it sent recognises it by the keys."""
    with drawn.atomic():
        drawn.labels.outbox.store_id()
    again(drawn, studio)
    with drawn.atomic():
        drawn._db.conn.execute("DELETE FROM tasks")
        drawn._db.conn.execute("DELETE FROM projects")

    again(drawn, studio)
    assert len(studio.tasks) == DRAWS
    assert len(studio.markers) == 1


def test_annotators_have_projects_of_their_own_and_the_overlap_is_in_two(drawn: Store, studio: Studio) -> None:
    """Half of eight draws go to both annotators: four and four alone, four more in common; the next push remembers it."""
    projects = pushed(drawn, studio, annotators=("ann", "ben"), overlap=0.5)
    keys = {annotator: set(studio.task_keys(number)) for annotator, number in projects.items()}

    assert len(keys["ann"] & keys["ben"]) == 4
    assert len(keys["ann"] | keys["ben"]) == DRAWS
    assert len(keys["ann"]) == len(keys["ben"]) == 6
    assert again(drawn, studio) == (0, 12, 0)
    assert studio.titles == {1: "Assay: ann", 2: "Assay: ben"}


def test_two_readings_come_to_one_label(drawn: Store, studio: Studio) -> None:
    """Both annotators of an item are kept; where they differ the label is unsure, and the others are right."""
    projects = pushed(drawn, studio, annotators=("ann", "ben"), overlap=1.0)
    keys = studio.task_keys(projects["ann"])
    for key in keys:
        studio.annotate(studio.task_of(key, projects["ann"]), "right", 1)
        studio.annotate(studio.task_of(key, projects["ben"]), "wrong" if key == keys[0] else "right", 2)

    assert pulled(drawn, studio).added == 2 * DRAWS
    assert words(drawn) == {"right": DRAWS - 1, "unsure": 1}
    assert len(drawn.labels.readings()) == 2 * DRAWS
    assert again(drawn, studio) == (0, 0, 0)


def test_unsure_goes_to_a_second_annotator(drawn: Store, studio: Studio) -> None:
    """In a project of its own where one project serves everybody; its answer adjudicates the label."""
    pushed(drawn, studio)
    first, *_ = studio.task_keys()
    studio.annotate(studio.task_of(first), "unsure", 1)
    pulled(drawn, studio)
    assert words(drawn) == {"unsure": 1}

    projects = pushed(drawn, studio)
    assert studio.task_keys(projects[SECOND]) == [first]
    studio.annotate(studio.task_of(first, projects[SECOND]), "wrong", 2)
    pulled(drawn, studio)
    assert words(drawn) == {"wrong": 1}
    assert again(drawn, studio) == (0, DRAWS - 1, 0)


def test_a_named_annotator_who_skips_or_is_unsure_hands_on(drawn: Store, studio: Studio) -> None:
    """Of ann's four draws one is skipped and one unsure: both are ben's then, who had four."""
    projects = pushed(drawn, studio, annotators=("ann", "ben"))
    skipped, unsure, *_ = studio.task_keys(projects["ann"])
    studio.annotate(studio.task_of(skipped, projects["ann"]), None, 1)
    studio.annotate(studio.task_of(unsure, projects["ann"]), "unsure", 1)
    pulled(drawn, studio)

    assert again(drawn, studio)[0] == 2
    assert set(studio.task_keys(projects["ben"])) >= {skipped, unsure}
    assert len(studio.task_keys(projects["ben"])) == 6


def test_what_is_not_wanted_any_more_is_taken_back(drawn: Store, studio: Studio, loaded: Assay) -> None:
    """A superseded item and one that a file has labelled go; the one that somebody has answered meanwhile stays."""
    pushed(drawn, studio)
    by_item = {draw.item_id: draw.task_key for draw in drawn.sampling.waves.all_draws()}
    answered = studio.annotate(studio.task_of(by_item["c"]), "right")
    changed = [traffic_row(name, answer="It has moved.") for name in ("a", "c")]
    loaded("ingest", loaded.write("changed.jsonl", changed))
    loaded("labels", "import", loaded.write("labels.jsonl", [label("b", "wrong")]))

    assert again(drawn, studio) == (0, DRAWS - 3, 2)
    assert set(studio.task_keys()) == set(by_item.values()) - {by_item["a"], by_item["b"]}
    assert pulled(drawn, studio).added == 1
    assert studio.has_annotation(str(answered))
    assert again(drawn, studio) == (0, DRAWS - 3, 0)


def test_a_new_form_is_a_new_project_and_the_old_one_is_still_pulled(drawn: Store, studio: Studio) -> None:
    """Open tasks move to the project in the other language; what was answered in the old one counts."""
    pushed(drawn, studio)
    done, *_ = studio.task_keys()
    edited = studio.annotate(studio.task_of(done), "right")
    pulled(drawn, studio)

    assert again(drawn, studio, language="ko") == (DRAWS - 1, 0, DRAWS - 1)
    assert studio.task_keys(1) == [done]
    assert len(studio.task_keys(2)) == DRAWS - 1
    assert again(drawn, studio) == (0, DRAWS - 1, 0)
    studio.edit(edited, "wrong")
    assert pulled(drawn, studio).revised == 1
    assert words(drawn) == {"wrong": 1}


def test_annotators_and_a_project_of_ones_own_exclude_each_other(drawn: Store, studio: Studio) -> None:
    """Wrong usage sends nothing."""
    with pytest.raises(UsageError, match="--project"):
        pushed(drawn, studio, annotators=("ann", "ben"), project=3)
    assert not studio.markers
