"""What doctor finds: any byte of an event that is not as it was, guards taken away, files that others can read."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from click.testing import CliRunner

from annotate.cli import main
from support.doctor import EVENTS, problems_of, unguarded, written
from support.store import NOW, Assay


def cell(content: bytes, number: int) -> tuple[int, int]:
    """(start, end) of the record of an event in the file: its header and its columns, found by what it says."""
    marker = f"n\\u00fameros-{number}.jsonl".encode()
    assert content.count(marker) == 1
    inside = content.index(marker)
    start = content.rindex(NOW.encode(), 0, inside)
    end = content.index(b'"}', inside) + 2 + 64
    return start, end


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 7, EVENTS])
def test_a_flipped_byte_of_an_event_is_named(assay: Assay, number: int) -> None:
    """Every byte of the time, the person, the kind, the detail and the hash, each flipped to something else: the event is named."""
    written(assay.db)
    sound = assay.db.read_bytes()
    start, end = cell(sound, number)
    rng = random.Random(number)
    places = {*rng.sample(range(start, end), 60), start, end - 1}

    for place in sorted(places):
        damaged = bytearray(sound)
        damaged[place] ^= rng.randrange(1, 256)
        assay.db.write_bytes(damaged)
        assert any(f"event {number} " in problem for problem in problems_of(assay)), (place - start, problems_of(assay))


@pytest.mark.slow
def test_what_is_not_the_text_of_an_event_is_named_too(assay: Assay) -> None:
    """Its number, its length, the kinds of its columns, invalid UTF-8 in it: whether SQLite finds the page malformed or not."""
    written(assay.db)
    sound = assay.db.read_bytes()
    start, _ = cell(sound, 7)
    middle = sound.index("números-7".encode("unicode_escape").replace(rb"\xfa", rb"\u00fa"), start)

    for place, value in [
        *((start - number, value) for number in (1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12) for value in (0x00, 0x7F, 0xFF)),
        *((middle, value) for value in (0x00, 0x80, 0xC0, 0xED, 0xFF)),
    ]:
        if sound[place] == value:
            continue
        damaged = bytearray(sound)
        damaged[place] = value
        assay.db.write_bytes(damaged)
        assert any("event 7 " in problem for problem in problems_of(assay)), (place - start, value, problems_of(assay))


def test_the_last_event_that_can_be_read_is_named_where_the_page_is_malformed(assay: Assay) -> None:
    """The kind of a column made longer than the page: the file is damaged, events 1 to 6 are still read."""
    written(assay.db)
    damaged = bytearray(assay.db.read_bytes())
    damaged[cell(bytes(damaged), 7)[0] - 9] = 0xFF
    assay.db.write_bytes(damaged)

    problems = problems_of(assay)

    assert any(
        problem.startswith("event 7 cannot be read") and "that can be read is 6: " in problem for problem in problems
    )
    assert any(problem.startswith("the file: ") for problem in problems)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("DELETE FROM events WHERE sequence = 12", "event 12 is not there: there were 12; events were cut off the end"),
        ("DELETE FROM events WHERE sequence > 3", "event 4 is not there: there were 12; events were cut off the end"),
        ("DELETE FROM events", "event 1 is not there: there were 12"),
        ("DELETE FROM events WHERE sequence = 1", "event 1 is not there"),
        ("UPDATE events SET sequence = 40 WHERE sequence = 5", "event 5 is not there"),
        ("UPDATE events SET hash = CAST(hash AS BLOB) WHERE sequence = 5", "event 5 does not fit"),
        (
            "UPDATE events SET who = (SELECT key FROM people WHERE name = 'person 2') WHERE sequence = 4",
            "event 4 does not",
        ),
        ("DELETE FROM event_head", "event 12 is not where the chain ends"),
        ("UPDATE event_head SET sequence = 11", "event 12 is not where the chain ends"),
    ],
)
def test_events_that_are_gone_or_moved_are_named(assay: Assay, change: str, named: str) -> None:
    """Somebody who takes the guards off and puts them back is found out by the chain and by its end, kept beside it."""
    written(assay.db)
    unguarded(assay.db, change)

    problem = next(estimate for estimate in problems_of(assay) if "guard" not in estimate)
    assert problem.startswith(named)
    assert problem.endswith(": put this file aside as it is, and restore a backup (docs/operations.md)")


def test_a_guard_that_was_taken_away_is_missed(assay: Assay) -> None:
    """Without its trigger a table of events or releases could be changed: doctor says which, also where nothing was."""
    written(assay.db)
    told = {
        "problems": [],
        "events": EVENTS,
        "head": assay.sql("SELECT hash FROM event_head")[0][0],
        "covered_since": None,
    }
    health = assay.json("doctor")
    assert {name: health[name] for name in told} == told

    assay.sql("DROP TRIGGER events_update")
    assay.sql("DROP TRIGGER releases_delete")
    assay.sql("CREATE TRIGGER releases_delete BEFORE DELETE ON releases WHEN 0 BEGIN SELECT RAISE(ABORT, 'x'); END")

    assert [problem.split(":")[0] for problem in problems_of(assay)] == [
        "the guard that forbids DELETE on releases is gone",
        "the guard that forbids UPDATE on events is gone",
    ]


def test_rows_that_point_nowhere_are_counted(assay: Assay) -> None:
    """A text without its item."""
    written(assay.db)
    unguarded(assay.db, "INSERT INTO texts SELECT key + 7, 'q', '[]', '[]', 'a', '[]', NULL, '{}' FROM texts")

    assert problems_of(assay) == ["rows that point to rows that are not there: 1 (in texts): restore a backup"]


@pytest.mark.parametrize(
    "name", ["assay.db", "assay.db.backup-20261121T080000Z.db", "assay.db.before-0004_several_readers.db"]
)
def test_a_file_that_others_can_read_is_named(assay: Assay, name: str) -> None:
    """The store and the copies beside it; not another file of the folder."""
    written(assay.db)
    for copy_name in ("assay.db.backup-20261121T080000Z.db", "assay.db.before-0004_several_readers.db", "notes.db"):
        (assay.folder / copy_name).touch(0o600)
    (assay.folder / "notes.db").chmod(0o644)
    assert assay.json("doctor")["problems"] == []

    (assay.folder / name).chmod(0o640)

    path = assay.folder / name
    # SQLite gives -wal and -shm the mode of the file itself.
    beside = [path.with_name(path.name + end) for end in ("-wal", "-shm")] if path == assay.db else []
    assert problems_of(assay) == [
        f"others on this machine can read {file}: chmod 600 {file}" for file in (path, *beside)
    ]


def test_folders_that_others_can_use_are_named(assay: Assay) -> None:
    """The data folder of a local Label Studio that others can read, and a folder in which everybody can replace the store."""
    written(assay.db)
    data = assay.folder / ".assay" / "label-studio-assay"
    data.mkdir(parents=True, mode=0o700)
    assert assay.json("doctor")["problems"] == []

    data.chmod(0o750)
    assert problems_of(assay) == [f"others on this machine can read {data}: chmod 700 {data}"]
    data.chmod(0o700)
    assay.folder.chmod(0o777)
    assert problems_of(assay) == [
        f"everybody on this machine can replace files in {assay.folder}: chmod o-w {assay.folder}"
    ]


def test_a_copy_that_was_cut_short_is_named(assay: Assay) -> None:
    """What a killed backup left is no backup: doctor says to delete it."""
    written(assay.db)
    partial = assay.folder / "assay.db.backup-20261121T080000Z.db.unfinished"
    partial.touch(0o600)

    assert problems_of(assay) == [
        f"{partial} is a copy that was cut short: delete it, unless a backup is being made now"
    ]


def damage_header(content: bytearray) -> None:
    """No page count, no text encoding, no format that SQLite knows."""
    content[16:100] = b"\xa5" * 84


def damage_schema(content: bytearray) -> None:
    """Pages of the schema overwritten."""
    content[100:4096] = b"\xa5" * 3996


def damage_word(content: bytearray) -> None:
    """A byte of the schema that is no UTF-8, which SQLite quotes in what it says."""
    place = content.index(b"REFERENCES")
    content[place + 3] = 0xF2


@pytest.mark.parametrize("damage", [damage_header, damage_schema, damage_word, bytearray.clear])
def test_a_file_that_cannot_be_opened_is_one_line(assay: Assay, damage: Callable[[bytearray], None]) -> None:
    """Doctor says that the file is damaged, or starts with an empty one; never a traceback."""
    written(assay.db)
    content = bytearray(assay.db.read_bytes())
    damage(content)
    assay.db.write_bytes(content)

    result = assay("doctor", status=1 if content else 0)

    assert result.stderr.count("\n") == (1 if content else 0)
    assert "Traceback" not in result.output


@pytest.mark.slow
def test_no_flipped_byte_is_a_traceback(assay: Assay) -> None:
    """Anywhere in the file, schema and pages alike: doctor finds it or nothing, and says so in words."""
    written(assay.db)
    sound = assay.db.read_bytes()
    rng = random.Random(20261121)

    for _ in range(60):
        damaged = bytearray(sound)
        damaged[rng.randrange(min(len(damaged), 40_000))] ^= rng.randrange(1, 256)
        assay.db.write_bytes(damaged)
        result = CliRunner().invoke(main, ["doctor", "--db", str(assay.db)])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert result.exit_code == bool(result.stderr)
