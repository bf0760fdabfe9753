"""What is kept of what annotators said and did: real store, Label Studio in memory."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from annotate.store import Store
from proxy.errors import UsageError
from support.store import Assay
from support.studio import DRAWS, Studio, again, pulled, pushed, words


def test_a_pull_reads_only_what_changed_since(drawn: Store, studio: Studio) -> None:
    """The first pull reads all; the next asks from shortly before the newest change, by the server's clock."""
    pushed(drawn, studio)
    first, second, *_ = (studio.task_of(key) for key in studio.task_keys())
    studio.annotate(first, "right")
    newest = studio.now()
    assert pulled(drawn, studio).added == 1
    studio.annotate(second, "wrong")

    counts = pulled(drawn, studio)
    since = studio.asked[-1]
    assert studio.asked[0] is None
    assert since is not None
    assert datetime.fromisoformat(newest) - datetime.fromisoformat(since) == timedelta(seconds=2)
    assert (counts.added, counts.unchanged, counts.deleted) == (1, 0, 0)
    assert studio.given[DRAWS:] == [second]
    assert pulled(drawn, studio, full=True).unchanged == 2
    assert studio.asked[-1] is None


def test_a_pull_that_is_killed_reads_it_again(drawn: Store, studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cursor moves only after what it passed was kept."""
    pushed(drawn, studio)
    studio.annotate(studio.task_of(studio.task_keys()[0]), "right")
    with monkeypatch.context() as patch:
        patch.setattr(drawn.labels, "_follow", stop)
        with pytest.raises(KeyboardInterrupt):
            pulled(drawn, studio)

    assert words(drawn) == {}
    assert pulled(drawn, studio).added == 1
    assert studio.asked == [None, None]


def stop(*_: object, **__: object) -> None:
    """A kill in the middle of a transaction."""
    raise KeyboardInterrupt


def test_edits_deletions_and_skips_are_revisions_in_the_log(drawn: Store, studio: Studio, loaded: Assay) -> None:
    """Right, edited to wrong, deleted: three rows in the log, and no label in the end."""
    pushed(drawn, studio)
    task = studio.task_of(studio.task_keys()[0])
    made = studio.annotate(task, "right")
    pulled(drawn, studio)
    studio.edit(made, "wrong")
    pulled(drawn, studio)
    studio.delete(made)
    counts = pulled(drawn, studio)
    studio.annotate(task, None)
    pulled(drawn, studio)

    assert (counts.deleted, words(drawn)) == (1, {})
    log = loaded.sql("SELECT judgement, is_deleted FROM annotations ORDER BY sequence")
    assert log == [("right", 0), ("wrong", 0), (None, 1), (None, 0)]


def test_deleted_tasks_are_found_by_a_sweep_when_their_number_changed(drawn: Store, studio: Studio) -> None:
    """No sweep while the number is what it was; after a deletion the label is gone, kept in the log, and the task sent anew."""
    pushed(drawn, studio)
    task = studio.task_of(studio.task_keys()[0])
    studio.annotate(task, "right")
    pulled(drawn, studio)
    before = studio.sweeps
    pulled(drawn, studio)
    assert studio.sweeps == before
    del studio.tasks[task]

    counts = pulled(drawn, studio)
    assert (counts.gone, counts.deleted, words(drawn)) == (1, 1, {})
    assert again(drawn, studio) == (1, DRAWS - 1, 0)


def test_once_a_day_everything_is_read_anew(drawn: Store, studio: Studio) -> None:
    """A deleted task that hid behind a foreign one, since neither number changed, is found the next day."""
    pushed(drawn, studio)
    pulled(drawn, studio)
    del studio.tasks[studio.task_of(studio.task_keys()[0])]
    studio._add(1, {"text": "foreign"})

    assert pulled(drawn, studio).gone == 0
    counts = pulled(drawn, studio, now="2026-11-23T08:00:00.000Z")
    assert (counts.gone, counts.deleted, counts.foreign) == (1, 0, 1)


def test_what_the_server_wrote_slowly_is_found_by_counting(drawn: Store, studio: Studio) -> None:
    """An annotation whose time lies long before what was read is not passed over, nor is one that vanished like that."""
    pushed(drawn, studio)
    late, second, *_ = (studio.task_of(key) for key in studio.task_keys())
    before = studio.tasks[late]["updated_at"]
    studio.annotate(second, "right")
    pulled(drawn, studio)
    made = studio.annotate(late, "wrong", updated_at=before)
    studio.tasks[late]["updated_at"] = before.replace(":00Z", ":01Z")
    assert pulled(drawn, studio).added == 1
    assert words(drawn) == {"right": 1, "wrong": 1}

    studio.delete(made)
    studio.tasks[late]["updated_at"] = before.replace(":00Z", ":02Z")
    assert pulled(drawn, studio).deleted == 1
    sweeps = studio.sweeps
    assert not pulled(drawn, studio).is_news
    assert studio.sweeps == sweeps


def test_an_answer_on_the_twin_of_a_task_is_not_taken_for_deleted(drawn: Store, studio: Studio) -> None:
    """Where a task stands twice and both copies are answered, each pull sees one without the other's answer."""
    pushed(drawn, studio)
    task = studio.task_of(studio.task_keys()[0])
    twin = studio.copy(task)
    studio.annotate(task, "right", 1)
    studio.annotate(twin, "right", 2)
    assert pulled(drawn, studio).added == 2
    studio.annotate(task, "unsure", 3)

    assert pulled(drawn, studio).deleted == 0
    del studio.tasks[task]
    assert pulled(drawn, studio).deleted == 2
    assert words(drawn) == {"right": 1}


def test_what_cannot_be_read_is_quarantined_and_spoils_nothing(drawn: Store, studio: Studio) -> None:
    """An unknown verdict beside a good one."""
    pushed(drawn, studio)
    first, second, *_ = (studio.task_of(key) for key in studio.task_keys())
    studio.annotate(first, "perhaps")
    studio.annotate(second, "right")

    counts = pulled(drawn, studio)
    assert (counts.added, counts.odd, len(drawn.traffic.quarantine.all())) == (1, 1, 1)


def test_nothing_pushed_is_nothing_to_pull(drawn: Store, studio: Studio) -> None:
    """The next command is named."""
    with pytest.raises(UsageError, match="assay push"):
        pulled(drawn, studio)
