"""What went missing on the server, or between two steps of a pull: real store, Label Studio in memory."""

from __future__ import annotations

import pytest

from annotate.label_studio.errors import NotOnServer
from annotate.store import Store
from proxy.errors import LabelStudioError
from support.store import Assay
from support.studio import DRAWS, Studio, again, named, pulled, pushed, words


def test_a_deleted_project_takes_no_label_with_it_and_stops_nothing(drawn: Store, studio: Studio) -> None:
    """The pull says that it is gone, and goes on with the others; a new project gets what is open, and later pulls say nothing."""
    pushed(drawn, studio)
    studio.annotate(studio.task_of(studio.task_keys()[0]), "right")
    pulled(drawn, studio)
    studio.drop(1)

    counts = pulled(drawn, studio)
    assert (counts.lost, counts.gone, counts.deleted, words(drawn)) == (1, DRAWS, 0, {"right": 1})
    with pytest.raises(NotOnServer):
        pushed(drawn, studio)
    assert again(drawn, studio, is_fresh=True) == (DRAWS - 1, 0, 0)
    assert (pulled(drawn, studio).lost, pulled(drawn, studio, full=True).lost) == (0, 0)
    assert words(drawn) == {"right": 1}


def test_a_deleted_project_that_was_not_pulled_since_does_not_stop_a_new_one(drawn: Store, studio: Studio) -> None:
    """What cannot be taken back there counts as taken back."""
    pushed(drawn, studio)
    studio.drop(1)

    assert again(drawn, studio, is_fresh=True) == (DRAWS, 0, DRAWS)
    assert len(studio.task_keys(2)) == DRAWS


def test_another_server_at_the_address_deletes_no_label(drawn: Store, studio: Studio) -> None:
    """A project of the same number that holds other people's tasks is no word on ours, today and after a day."""
    pushed(drawn, studio)
    studio.annotate(studio.task_of(studio.task_keys()[0]), "right")
    pulled(drawn, studio)
    studio.tasks.clear()
    studio._add(1, {"text": "foreign"})

    assert [pulled(drawn, studio, full=full).deleted for full in (False, True)] == [0, 0]
    assert words(drawn) == {"right": 1}


def test_a_mistyped_project_is_not_kept(drawn: Store, studio: Studio) -> None:
    """One pull fails, and the next ones do not ask for it."""
    pushed(drawn, studio)
    with pytest.raises(NotOnServer):
        pulled(drawn, studio, project=99)

    assert [project.number for project in drawn.labels.outbox.projects(named(drawn, studio))] == [1]
    assert pulled(drawn, studio).lost == 0


@pytest.mark.parametrize("is_task", [False, True])
def test_a_deletion_that_could_not_be_asked_about_is_found_by_the_next_pull(
    drawn: Store, studio: Studio, monkeypatch: pytest.MonkeyPatch, *, is_task: bool
) -> None:
    """The server answers no more just when a missing annotation, or that of a missing task, is looked up."""
    pushed(drawn, studio)
    task = studio.task_of(studio.task_keys()[0])
    made = studio.annotate(task, "right")
    pulled(drawn, studio)
    if is_task:
        del studio.tasks[task]
    else:
        studio.delete(made)
    with monkeypatch.context() as patch:
        patch.setattr(studio, "has_annotation", silent)
        with pytest.raises(LabelStudioError):
            pulled(drawn, studio)

    assert words(drawn) == {"right": 1}
    assert pulled(drawn, studio).deleted == 1
    assert words(drawn) == {}


def silent(number: str) -> bool:
    """No answer."""
    raise LabelStudioError(f"no answer for {number}")


def test_two_copies_of_a_task_that_both_lost_an_answer_are_one_deletion(
    drawn: Store, studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the copies are read in different batches."""
    monkeypatch.setattr("annotate.workflow.labelling.pull.PULL_BATCH", 1)
    pushed(drawn, studio)
    task = studio.task_of(studio.task_keys()[0])
    twin = studio.copy(task)
    made = [studio.annotate(task, "right", 1), studio.annotate(twin, "right", 2)]
    pulled(drawn, studio)
    for annotation in made:
        studio.delete(annotation)

    assert pulled(drawn, studio).deleted == 2
    assert words(drawn) == {}


def test_a_task_id_that_the_server_gave_anew_is_not_taken_for_ours(drawn: Store, studio: Studio) -> None:
    """A server put back to a backup gives an id to something else: the draw is sent again."""
    pushed(drawn, studio)
    key = studio.task_keys()[0]
    pulled(drawn, studio)
    studio.tasks[studio.task_of(key)]["data"] = {"external_id": "w9-other"}

    assert pulled(drawn, studio, full=True).gone == 1
    assert again(drawn, studio) == (1, DRAWS - 1, 0)
    assert key in studio.task_keys()


def test_a_task_that_another_process_sent_meanwhile_is_not_noted_as_lost(drawn: Store, studio: Studio) -> None:
    """A pull that looked before a push took a task back and sent it anew leaves the new one alone."""
    pushed(drawn, studio)
    [draw, *_] = drawn.sampling.waves.all_draws()
    held = drawn.labels.outbox.confirmed_tasks(named(drawn, studio), 1)
    with drawn.atomic():
        drawn.labels.outbox.confirm({draw.key: 999}, named(drawn, studio), 1, now="2026-11-21T10:00:00.000Z")
        drawn.labels.outbox.lost(held, named(drawn, studio), 1)

    assert drawn.labels.outbox.confirmed_tasks(named(drawn, studio), 1) == {draw.key: 999}


def test_a_lost_task_that_is_there_after_all_is_not_sent_twice(drawn: Store, studio: Studio) -> None:
    """It counts as queued, so the push asks for its key although newer tasks were confirmed."""
    pushed(drawn, studio)
    first = min(drawn.labels.outbox.confirmed_tasks(named(drawn, studio), 1).items(), key=lambda held: held[1])
    with drawn.atomic():
        drawn.labels.outbox.lost(dict([first]), named(drawn, studio), 1)
    again(drawn, studio)

    assert len(studio.task_keys()) == DRAWS
    assert drawn.labels.outbox.confirmed_tasks(named(drawn, studio), 1)[first[0]] == first[1]


def test_a_restored_store_that_pulls_before_it_pushes_doubles_nothing(drawn: Store, studio: Studio) -> None:
    """The pull finds the newest task answered; the older ones, which the backup does not know, are looked up by their keys."""
    pushed(drawn, studio)
    pulled(drawn, studio)
    with drawn.atomic():
        drawn._db.conn.execute("DELETE FROM tasks")
    studio.annotate(max(studio.tasks), "right")
    pulled(drawn, studio)
    again(drawn, studio)

    assert len(studio.task_keys()) == DRAWS
    assert len(drawn.labels.outbox.confirmed_tasks(named(drawn, studio), 1)) == DRAWS


@pytest.mark.parametrize("form", ["2026-11-21T09:30:00", "2026-11-21T12:30:00+03:00", "2026-11-21T09:30:00.000000Z"])
def test_times_of_any_form_are_the_same_time(drawn: Store, studio: Studio, form: str) -> None:
    """Without a zone, with another one, and as SQLite's server writes it: the cursor is one."""
    pushed(drawn, studio)
    for raw in studio.tasks.values():
        raw["updated_at"] = form
    pulled(drawn, studio)

    assert drawn.labels.outbox.projects(named(drawn, studio))[0].cursor == "2026-11-21T09:30:00.000000Z"


def test_a_clock_of_ours_that_was_ahead_does_not_put_off_the_full_reading(drawn: Store, studio: Studio) -> None:
    """A look that lies in the future is no recent look."""
    pushed(drawn, studio)
    pulled(drawn, studio, now="2036-01-01T00:00:00.000Z")
    pulled(drawn, studio)

    assert studio.asked.count(None) == 2


def test_pull_says_what_is_gone_and_how_to_go_on(
    drawn: Store, studio: Studio, loaded: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line for people."""
    pushed(drawn, studio)
    studio.drop(1)
    monkeypatch.setattr("annotate.label_studio.address.connect", lambda *_: studio)

    result = loaded("pull")
    assert "1 project is gone or holds no task of this store any more" in result.stderr
    assert "assay push" in result.stdout
