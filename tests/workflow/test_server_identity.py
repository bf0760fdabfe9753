"""One Label Studio under any address is one source, and its copy is not: real store, Label Studio in memory."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from annotate.domain.labelling_form import Form
from annotate.store import Store
from annotate.workflow.labelling import sync
from proxy.errors import LabelStudioError, UsageError
from support.moved_servers import ADDRESSES, delivered, exchanged, moves
from support.store import NOW, Assay
from support.studio import DRAWS, SERVER, Studio, words


@pytest.fixture
def labelled(drawn: Store, studio: Studio) -> list[int]:
    """Three annotations, pulled."""
    delivered(drawn, studio)
    made = [studio.annotate(studio.task_of(key), "right") for key in studio.task_keys()[:3]]
    exchanged(drawn, studio)
    return made


def test_one_server_under_four_addresses_is_one_source(drawn: Store, studio: Studio, labelled: list[int]) -> None:
    """Nothing is copied, nothing is sent again, an edit and a deletion reach the label, and each move is an event."""
    before = SERVER
    for place, url in enumerate(ADDRESSES):
        studio.url = url
        studio.edit(labelled[0], "wrong" if place % 2 == 0 else "right")
        pulled = exchanged(drawn, studio)
        assert (pulled.moved_from, pulled.done.added, pulled.done.revised) == (before, 0, 1)
        assert delivered(drawn, studio).done.sent == 0
        before = url
    studio.url = SERVER
    studio.delete(labelled[1])
    assert exchanged(drawn, studio).done.deleted == 1

    assert words(drawn) == {"wrong": 1, "right": 1}
    assert len({revision.annotation.source for revision in drawn.labels.every(revisions=True)}) == 1
    assert len(studio.made_at) == 1
    assert len(studio.task_keys()) == DRAWS
    assert moves(drawn) == list(zip((SERVER, *ADDRESSES), (*ADDRESSES, SERVER), strict=True))
    assert exchanged(drawn, studio).moved_from is None
    assert drawn.check() == []


def test_an_address_is_kept_without_user_password_and_query(drawn: Store, studio: Studio) -> None:
    """A password in an address is in no row and no event."""
    studio.url = "https://ann:hunter2@labels.example.org/?token=hunter2"
    delivered(drawn, studio)
    exchanged(drawn, studio)

    assert [server.url for server in drawn.labels.servers.all()] == ["https://labels.example.org"]
    assert "hunter2" not in "\n".join(drawn._db.conn.iterdump())


@pytest.mark.parametrize("was_read_since", [False, True])
def test_a_mark_that_was_edited_away_is_put_back_and_not_missed(
    drawn: Store, studio: Studio, labelled: list[int], *, was_read_since: bool
) -> None:
    """The time at which the server made the project shows it meanwhile; a full reading writes the mark again."""
    studio.markers[1] = "Our own words"
    studio.url = ADDRESSES[0]
    if was_read_since:
        with drawn.atomic():
            drawn.labels.servers.move(drawn.labels.servers.all()[0].name, ADDRESSES[0])
    exchanged(drawn, studio)

    assert studio.markers[1].startswith("assay:")
    studio.delete(labelled[0])
    assert exchanged(drawn, studio).done.deleted == 1


@pytest.mark.parametrize("url", [SERVER, ADDRESSES[0]])
def test_a_time_of_making_that_is_written_otherwise_is_the_same(
    drawn: Store, studio: Studio, labelled: list[int], url: str
) -> None:
    """Another version of the server may write another zone or more digits."""
    assert studio.made_at[1] == "2026-11-21T09:00:00Z"
    studio.made_at[1], studio.markers[1], studio.url = "2026-11-21T10:00:00.000000+01:00", "", url
    studio.edit(labelled[0], "wrong")

    pulled = exchanged(drawn, studio)
    assert (pulled.moved_from, pulled.done.revised) == (None if url == SERVER else SERVER, 1)


def test_a_server_that_nothing_shows_is_moved_by_command(
    drawn: Store, studio: Studio, labelled: list[int], loaded: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without mark and time of making the pull says what to do; a dry run changes nothing; the move keeps all and reads anew."""
    studio.markers[1], studio.url = "", ADDRESSES[0]
    with drawn.atomic():
        drawn._db.conn.execute("UPDATE projects SET made_at = NULL")
    studio.delete(labelled[0])
    with pytest.raises(UsageError, match=f"assay server moved {SERVER} {ADDRESSES[0]}"):
        exchanged(drawn, studio)

    before = list(drawn._db.conn.iterdump())
    move = loaded.json("server", "moved", SERVER, ADDRESSES[0], "--dry-run")
    assert (move["dry_run"], move["annotations"], move["projects"]) == (True, 3, [1])
    assert list(drawn._db.conn.iterdump()) == before
    loaded("server", "moved", SERVER, f"{ADDRESSES[0]}/")
    monkeypatch.setattr("annotate.label_studio.address.connect", lambda *_: studio)
    assert loaded.json("pull")["deleted"] == 1
    assert words(drawn) == {"right": 2}
    [detail] = [json.loads(event.detail) for event in drawn.audit.events.all() if event.what == "server moved"]
    assert detail == {"from": SERVER, "to": ADDRESSES[0], "projects": [1], "recognised": False}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("http://nowhere", ADDRESSES[0], f"no Label Studio is known at http://nowhere; known are {SERVER}"),
        (SERVER, SERVER, "already"),
        (SERVER, "labels", "no web address"),
    ],
)
def test_a_move_that_cannot_be_meant_says_why(
    drawn: Store, labelled: list[int], loaded: Assay, old: str, new: str, message: str
) -> None:
    result = loaded("server", "moved", old, new, status=2)

    assert message in result.output
    assert moves(drawn) == []


def test_two_servers_that_share_nothing_are_joined_only_on_request(
    drawn: Store, studio: Studio, labelled: list[int], loaded: Assay
) -> None:
    """Both hold annotations, of projects with other numbers: a move would make two live servers one for good."""
    other = Studio()
    other.url = ADDRESSES[0]
    other.ensure_project("Theirs", Form(), marker="somebody's")
    other.made_at[1] = "2026-11-25T10:00:00Z"
    delivered(drawn, other)
    other.annotate(min(other._in(2)), "wrong")
    assert exchanged(drawn, other).done.added == 1

    refused = loaded("server", "moved", SERVER, ADDRESSES[0], status=2)
    assert "nothing shows that they are one" in refused.output
    assert (moves(drawn), len(drawn.labels.servers.all())) == ([], 2)
    loaded("server", "moved", SERVER, ADDRESSES[0], "--join")
    assert moves(drawn) == [(SERVER, ADDRESSES[0])]
    assert words(drawn) == {"right": 3, "wrong": 1}


def test_a_copy_of_a_server_that_went_on_is_refused(drawn: Store, studio: Studio, labelled: list[int]) -> None:
    """Both are alive: the copy lacks what was read since. Nothing is read from it or sent to it, and the error says what to do."""
    copied = studio.restored(ADDRESSES[0])
    studio.annotate(studio.task_of(studio.task_keys()[3]), "wrong")
    exchanged(drawn, studio)
    copied.annotate(copied.task_of(copied.task_keys()[4]), "wrong")

    for act in (exchanged, delivered):
        with pytest.raises(LabelStudioError, match=rf"is a copy or an older state.*assay server moved {SERVER}"):
            act(drawn, copied)
    assert words(drawn) == {"right": 3, "wrong": 1}
    assert exchanged(drawn, studio).moved_from is None


def test_a_copy_that_gave_a_number_to_another_annotation_is_refused(
    drawn: Store, studio: Studio, labelled: list[int]
) -> None:
    """Both got the next number on the same task, and the copy's is younger than what was read: no time went back."""
    copied = studio.restored(ADDRESSES[0])
    key = studio.task_keys()[3]
    studio.annotate(studio.task_of(key), "right")
    exchanged(drawn, studio)
    copied._touch(copied.task_of(copied.task_keys()[0]))
    copied._touch(copied.task_of(copied.task_keys()[0]))
    copied.annotate(copied.task_of(key), "wrong")

    with pytest.raises(LabelStudioError, match=r"its annotation \d+ is another"):
        exchanged(drawn, copied)


def test_the_original_is_refused_once_its_copy_was_read_on(drawn: Store, studio: Studio, labelled: list[int]) -> None:
    """While nothing differs the copy may be the server that moved; from then on the other is the copy."""
    copied = studio.restored(ADDRESSES[0])
    copied.edit(labelled[0], "wrong")
    assert exchanged(drawn, copied).moved_from == SERVER

    with pytest.raises(LabelStudioError, match="copy"):
        exchanged(drawn, studio)
    assert words(drawn) == {"right": 2, "wrong": 1}


def test_a_copy_from_before_a_project_was_made_is_refused(drawn: Store, studio: Studio, labelled: list[int]) -> None:
    """The project that holds the newest labels is beyond all that the copy has."""
    copied = studio.restored(ADDRESSES[0])
    delivered(drawn, studio, is_fresh=True)
    studio.annotate(studio.task_of(studio.task_keys(2)[0], 2), "right")
    exchanged(drawn, studio)

    with pytest.raises(LabelStudioError, match="project 2, which was labelled, is not there"):
        exchanged(drawn, copied)


@pytest.mark.parametrize("deletes_project", [False, True])
def test_newest_labels_that_were_deleted_do_not_make_a_copy(
    drawn: Store, studio: Studio, labelled: list[int], *, deletes_project: bool
) -> None:
    """A later answer shows that the newest task was there; it takes its label along, a project does not. Two differ: unsure."""
    number = 2 if deletes_project else 1
    delivered(drawn, studio, is_fresh=deletes_project)
    newest = studio.task_of(studio.task_keys(number)[-1], number)
    studio.annotate(newest, "wrong")
    exchanged(drawn, studio)
    del studio.tasks[newest]
    if deletes_project:
        studio.drop(2)
    studio.annotate(studio.task_of(studio.task_keys()[0]), "wrong", 2)
    studio.url = ADDRESSES[0]

    pulled = exchanged(drawn, studio)
    assert pulled.moved_from == SERVER
    assert words(drawn) == ({"right": 2, "unsure": 1, "wrong": 1} if deletes_project else {"right": 2, "unsure": 1})


def test_where_nothing_tells_a_deletion_from_an_older_state_both_are_said(
    drawn: Store, studio: Studio, labelled: list[int], loaded: Assay
) -> None:
    """The newest task was labelled last of all: no copy is announced, and the command that is named gives the server's labels."""
    newest = studio.task_of(studio.task_keys()[-1])
    studio.annotate(newest, "wrong")
    exchanged(drawn, studio)
    del studio.tasks[newest]
    studio.url = ADDRESSES[0]
    with pytest.raises(LabelStudioError) as refused:
        exchanged(drawn, studio)
    assert "is a copy" not in str(refused.value)
    assert f"project 1 lacks task {newest}, which was labelled, and all after it" in str(refused.value)
    assert words(drawn) == {"right": 3, "wrong": 1}

    loaded("server", "moved", SERVER, ADDRESSES[0])
    assert exchanged(drawn, studio).done.deleted == 1
    assert words(drawn) == {"right": 3}


def test_a_copy_that_went_on_elsewhere_is_refused(drawn: Store, studio: Studio, labelled: list[int]) -> None:
    """Taken before the newest task was made, it has given the number of that task's answer to one in somebody else's project."""
    copied = studio.restored(ADDRESSES[0])
    del copied.tasks[max(copied.tasks)]
    answer = studio.annotate(max(studio.tasks), "right")
    exchanged(drawn, studio)
    copied.tasks[99] = {**copied.tasks[1], "project": 9, "annotations": []}
    assert copied.annotate(99, "wrong") == answer
    copied.annotate(copied.task_of(copied.task_keys()[4]), "wrong")

    with pytest.raises(LabelStudioError, match=f"is a copy or an older state.*its annotation {answer} is another"):
        exchanged(drawn, copied)
    assert words(drawn) == {"right": 4}


def test_an_older_state_is_taken_on_by_command(
    drawn: Store, studio: Studio, labelled: list[int], loaded: Assay
) -> None:
    """A backup in place of the server: labels are the server's, what it lost stays in the log, and its draw is open again."""
    backup = studio.restored(ADDRESSES[0])
    studio.annotate(studio.task_of(studio.task_keys()[3]), "wrong")
    exchanged(drawn, studio)
    with pytest.raises(LabelStudioError, match="copy"):
        exchanged(drawn, backup)

    loaded("server", "moved", SERVER, ADDRESSES[0])
    assert exchanged(drawn, backup).done.deleted == 1
    assert words(drawn) == {"right": 3}
    assert sum(1 for revision in drawn.labels.every(revisions=True)) == 5
    assert delivered(drawn, backup).done.there == DRAWS - 3


def test_a_restored_copy_that_lacks_nothing_is_the_server_moved(
    drawn: Store, studio: Studio, labelled: list[int]
) -> None:
    """Also where somebody deleted an annotation and a whole task meanwhile: both labels go."""
    moved = studio.restored(ADDRESSES[2])
    moved.delete(labelled[0])
    del moved.tasks[moved.task_of(moved.task_keys()[1])]

    assert exchanged(drawn, moved).done.deleted == 2
    assert words(drawn) == {"right": 1}


def test_a_project_that_was_deleted_and_made_anew_keeps_its_labels(
    drawn: Store, studio: Studio, labelled: list[int]
) -> None:
    """The new one is another source, with what is open; under another address both are still the same server's."""
    studio.drop(1)
    assert exchanged(drawn, studio).done.lost == 1
    assert delivered(drawn, studio).is_replaced
    studio.annotate(studio.task_of(studio.task_keys(2)[0], 2), "wrong")
    studio.url = ADDRESSES[0]

    assert exchanged(drawn, studio).done.added == 1
    assert words(drawn) == {"right": 3, "wrong": 1}
    assert len(studio.task_keys(2)) == DRAWS - 3


def test_another_server_at_the_address_is_another_source(drawn: Store, studio: Studio, labelled: list[int]) -> None:
    """A port is used again; the known server is found where it went, and the new one starts with projects of its own."""
    other = Studio()
    other.made_at[1], other.markers[1] = "2026-11-25T10:00:00Z", "somebody's"
    studio.url = ADDRESSES[0]

    assert exchanged(drawn, studio).moved_from == SERVER
    with pytest.raises(UsageError, match="nothing was pushed"):
        exchanged(drawn, other)
    assert delivered(drawn, other).done.sent == DRAWS - 3
    assert len(drawn.labels.servers.all()) == 2
    assert exchanged(drawn, studio).done.deleted == 0
    assert words(drawn) == {"right": 3}


def test_another_server_that_answers_first_at_the_address_is_not_taken_for_ours(
    drawn: Store, studio: Studio, labelled: list[int]
) -> None:
    """Its project 1 was made at another time: nothing is read from it, no task goes into its project, and ours is found again."""
    other = Studio()
    other.ensure_project("Theirs", Form(), marker="assay:0123456789abcdef:everybody:labelling.v2.en:1")
    other.made_at[1] = "2026-11-25T10:00:00Z"
    theirs = [other._add(1, {"external_id": f"theirs {number}"}) for number in range(DRAWS + 4)]

    with pytest.raises(UsageError, match=f"another Label Studio is at {SERVER}"):
        exchanged(drawn, other)
    assert words(drawn) == {"right": 3}
    assert delivered(drawn, other).done.sent == DRAWS - 3
    assert sorted(other._in(1)) == theirs
    assert len(other.task_keys(2)) == DRAWS - 3
    assert len(drawn.labels.servers.all()) == 2
    studio.url = ADDRESSES[0]
    studio.edit(labelled[0], "wrong")
    assert exchanged(drawn, studio).done.revised == 1
    assert words(drawn) == {"right": 2, "wrong": 1}
    assert exchanged(drawn, other).moved_from is None


@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_new_project_on_a_server_that_was_set_up_anew_gets_what_is_open(
    drawn: Store, studio: Studio, labelled: list[int], language: str
) -> None:
    """Nobody has pulled since: it gives the number 1 again, to a project that holds nothing of what was sent to the first."""
    anew = Studio()
    anew._clock = studio._clock + timedelta(days=1)
    done = delivered(drawn, anew, is_fresh=True, language=language).done
    assert [(delivery.project, delivery.sent) for delivery in done.deliveries] == [(1, DRAWS - 3)]
    assert len(anew.task_keys()) == DRAWS - 3
    assert [known.form_version for known in drawn.labels.servers.all()[0].projects] == [f"labelling.v3.{language}"]

    anew.annotate(anew.task_of(anew.task_keys()[0]), "wrong")
    assert exchanged(drawn, anew).done.added == 1
    assert words(drawn) == {"right": 3, "wrong": 1}
    assert delivered(drawn, anew).done.sent == 0
    assert [delivery.project for delivery in delivered(drawn, anew, is_fresh=True).done.deliveries] == [2]


def test_a_server_that_was_set_up_anew_in_its_place_is_recognised_when_it_moves(
    drawn: Store, studio: Studio, labelled: list[int]
) -> None:
    """It gives the number 1 again, to a project of ours that it made at another time than the first."""
    anew = Studio()
    anew._clock = studio._clock + timedelta(days=1)
    assert exchanged(drawn, anew).done.lost == 1
    assert delivered(drawn, anew).done.sent == DRAWS - 3
    first = anew.annotate(anew.task_of(anew.task_keys()[0]), "wrong")
    assert exchanged(drawn, anew).done.added == 1

    anew.url = ADDRESSES[0]
    anew.edit(first, "right")
    pulled = exchanged(drawn, anew)
    assert (pulled.moved_from, pulled.done.revised) == (SERVER, 1)
    assert words(drawn) == {"right": 4}


def test_a_server_of_before_is_shown_and_moved_without_the_password_in_its_name(
    drawn: Store, studio: Studio, labelled: list[int], loaded: Assay
) -> None:
    """Its name in the log holds one; once another server answers at its address, the name is all that is left to show."""
    with drawn.atomic():
        drawn.labels.servers.fold(drawn.labels.servers.all()[0].name, "http://ann:secret@studio.test")
        drawn._db.conn.execute("INSERT INTO servers VALUES ('http://ann:secret@studio.test', NULL, ?)", (NOW,))

    assert [server.shown for server in drawn.labels.servers.all()] == [SERVER]
    loaded("server", "moved", "http://ann:secret@studio.test", ADDRESSES[0])
    assert "secret" not in json.dumps([event.detail for event in drawn.audit.events.all()])


def test_two_servers_that_changed_addresses_are_told_apart(drawn: Store, studio: Studio, labelled: list[int]) -> None:
    """Each answers where the other was."""
    other = Studio(ADDRESSES[0])
    other._touch(other._add(9, {"text": "foreign"}))
    delivered(drawn, other)
    exchanged(drawn, other)
    other.annotate(other.task_of(other.task_keys()[0]), "wrong")
    studio.url, other.url = ADDRESSES[0], SERVER

    assert exchanged(drawn, studio).moved_from == SERVER
    assert exchanged(drawn, other).done.added == 1
    assert words(drawn) == {"right": 3, "wrong": 1}


@pytest.mark.parametrize("is_ours", [True, False])
def test_a_project_that_is_named_is_taken_for_ours_only_where_it_holds_our_tasks(
    drawn: Store, studio: Studio, labelled: list[int], *, is_ours: bool
) -> None:
    """`pull --project 1` at another address, without mark and time: the tasks say whether it is the project 1 that is known."""
    studio.markers[1] = ""
    with drawn.atomic():
        drawn._db.conn.execute("UPDATE projects SET made_at = NULL")
    other = studio.restored(ADDRESSES[0])
    if not is_ours:
        other.tasks = {number: {**raw, "data": {"text": "theirs"}} for number, raw in other.tasks.items()}
    identified = sync.identify(drawn, other, takes_new=True, project=1, who="ann", now=NOW)  # type: ignore[arg-type]

    assert identified.moved_from == (SERVER if is_ours else None)
    assert len(drawn.labels.servers.all()) == (1 if is_ours else 2)


def test_two_stores_on_one_server_do_not_meet(
    drawn: Store, studio: Studio, labelled: list[int], tmp_path: Path
) -> None:
    """Each finds its own project under another address, and the second is no second source of the first."""
    other = Assay(tmp_path, tmp_path / "other.db")
    other("ingest", other.write("o.jsonl", [{"id": "z", "question": "Who?", "answer": "Me.", "contexts": []}]))
    other("sample", "--labels", "1", "--seed", "1")
    second = Store(other.db)
    delivered(second, studio)
    studio.annotate(studio.task_of(studio.task_keys(2)[0], 2), "wrong")
    studio.url = ADDRESSES[0]

    assert exchanged(second, studio).done.added == 1
    assert exchanged(drawn, studio).done.added == 0
    assert (words(drawn), words(second)) == ({"right": 3}, {"wrong": 1})
    second.close()


def test_the_page_counts_what_is_there_at_the_address_of_today(
    drawn: Store, studio: Studio, labelled: list[int]
) -> None:
    """What waits is counted for the server that the address leads to, without asking it."""
    studio.url = ADDRESSES[0]
    exchanged(drawn, studio)

    there = sync.outgoing(drawn, sync.Server(f"{ADDRESSES[0]}/", "t", is_own=False))
    assert (there.open, there.there) == (DRAWS - 3, DRAWS - 3)
    assert sync.outgoing(drawn, sync.Server("http://unknown", "t", is_own=False)).there == 0
