"""On a store that cannot be written every command that only looks answers; one that writes says in a line that it cannot."""

from __future__ import annotations

import json
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from annotate.cli import main
from support.read_only import IN_ONE_PLACE, bound, dump
from support.store import Assay

LOOKING = (
    *(("report",), ("report", "--gate"), ("diagnose",), ("slices",), ("compare", "old", "new"), ("drift",)),
    *(("calibrate",), ("plan",), ("events",), ("doctor",), ("quarantine",), ("rule", "list")),
    *(("gold", "list"), ("sample", "--labels", "6", "--dry-run", "--seed", "1")),
)


WRITING = (
    *(("ingest", "more.jsonl"), ("rule", "set", "faithfulness > 0.5"), ("sample", "--labels", "6")),
    *(("labels", "import", "labels.jsonl"), ("forget", "--item", "t0", "--yes"), ("gold", "accept", "--all")),
)


# What the commands that look answer, and how they end, where they may write: the same store whoever may not write it after.
WRITABLE: dict[tuple[str, ...], tuple[int, object]] = {}


@pytest.mark.slow
def test_every_command_that_looks_answers_as_it_does_where_it_may_write(locked: Assay) -> None:
    """The same object, and no byte of the file is another after it."""
    before = locked.db.read_bytes()
    answers = bound(locked, *((*args, "--json") for args in LOOKING))
    assert locked.db.read_bytes() == before

    locked.folder.chmod(0o755)
    locked.db.chmod(0o600)
    for args, (status, out, err) in zip(LOOKING, answers, strict=True):
        assert "Error" not in err, (args, err)
        if args != ("doctor",):  # it finds that others may read the file
            if args not in WRITABLE:
                WRITABLE[args] = status, locked.json(*args, status=status)
            assert (status, json.loads(out)) == WRITABLE[args], (args, err)
        assert status in (0, 1 if args == ("doctor",) else 3), (args, err)


ALSO_LOOKING = (
    *(
        ("metrics",),
        ("next",),
        ("show", "t0"),
        ("schema", "report"),
        ("ingest", "more.jsonl", "--dry-run"),
        ("quarantine", "--repaired"),
    ),
    *(("judge", "--backend", "openai", "--model", "m", "--dry-run"), ("rule", "learn", "--dry-run")),
    *(("align", "overall", "--model", "m", "--dry-run"), ("align", "--list")),
    *(("simulate", "--labels", "6", "--repetitions", "20"), ("calibrate", "--precision", "0.6", "--dry-run")),
    *(("compare", "old", "new", "--draw", "4", "--dry-run", "--seed", "1"), ("events", "--head")),
    *(("scores", "export", "-"), ("labels", "export", "-"), ("labels", "export", "-", "--annotations")),
    *(("labels", "disagreements"), ("labels", "opposite"), ("labels", "history", "t0"), ("labels", "annotators")),
    *(("gold", "export", "-"), ("gold", "duplicates"), ("gold", "review"), ("gold", "releases"), ("gold", "policy")),
    *(("gold", "history", "g"), ("gold", "diff", "a", "b")),
    *(("questions", "list"), ("questions", "export", "-"), ("questions", "score", "more.jsonl")),
    *(("forget", "--item", "t0", "--dry-run"), ("forget", "--annotator", "ann", "--references", "--dry-run")),
)


ABSENT = (
    *(("gold", "history", "g"), ("gold", "diff", "a", "b")),
    *(("questions", "export", "-"), ("questions", "score", "more.jsonl")),
)


# What is logged where the store can be written: an export of texts, and a copy.
LOGGED = (("draws", "export", "-"), ("draws", "export", "-", "--all", "--blind"))


# No entry is there, and every draw has its label.
EMPTY = (("gold", "export", "-"), ("draws", "export", "-"))


# Commands that change the store, or are no question to one.
CHANGING = {
    *(
        "init",
        "feedback",
        "scores import",
        "serve",
        "judge",
        "align",
        "rule set",
        "push",
        "pull",
        "server moved",
        "up",
        "labels adjudicate",
        "labels import",
    ),
    *("gold accept", "gold add", "gold check", "gold edit", "gold import", "gold keep", "gold mark", "gold release"),
    *("gold retire", "questions build", "run", "app", "mcp", "demo"),
}


@pytest.mark.slow
def test_no_command_that_looks_changes_the_store(half_labelled: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a row is another after it, although the store may be written: a rule, verdicts and totals are no part of an answer."""
    monkeypatch.chdir(half_labelled.folder)
    before = dump(half_labelled)

    for args in (*LOOKING, *ALSO_LOOKING, ("report", "--html", "report.html")):
        given = [*args, "--db", str(half_labelled.db)]
        ended = CliRunner().invoke(main, given, prog_name="assay")
        assert ended.exit_code in ((2,) if args in ABSENT else (0, 3)), (args, ended.output)
        assert dump(half_labelled) == before, args


@pytest.mark.slow
@IN_ONE_PLACE
def test_every_other_command_that_looks_answers_on_a_store_that_cannot_be_written(locked: Assay) -> None:
    """Exports and dry runs too: the same answer as where it may be written, and no byte of the file is another after it."""
    before = locked.db.read_bytes()
    asked = [*ALSO_LOOKING, *LOGGED]
    answers = bound(locked, *asked)
    assert locked.db.read_bytes() == before

    for args, (status, out, err) in zip(asked, answers, strict=True):
        assert status in ((2,) if args in ABSENT else (0, 3)), (args, err)
        assert "read-only" not in err, (args, err)
        assert out or status or args in EMPTY, args


def test_every_command_is_known_to_look_or_to_change() -> None:
    """A new one has to be named here, so that none that only looks writes unseen."""
    looking = {" ".join(args) for args in (*LOOKING, *ALSO_LOOKING, *LOGGED, ("backup",))}
    unknown = [
        name
        for name in commands(main)
        if name not in CHANGING and not any(asked == name or asked.startswith(f"{name} ") for asked in looking)
    ]
    assert not unknown, unknown


def commands(group: click.Group, before: tuple[str, ...] = ()) -> Iterator[str]:
    """The name of every command, as it is typed."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*before, name))
        else:
            yield " ".join((*before, name))


@pytest.mark.slow
def test_every_command_that_writes_says_in_one_line_that_it_cannot(locked: Assay) -> None:
    """Status 1, what is wrong and what to look at; nothing is changed."""
    for args, (status, out, err) in zip(WRITING, bound(locked, *WRITING), strict=True):
        assert status == 1, (args, out, err)
        assert "read-only" in err, (args, err)
        assert err.count("\n") == 1, (args, err)  # and the exit itself
    assert locked.sql("SELECT count(*) FROM items") == [(40,)]
    fresh = Assay(locked.folder, locked.folder / "fresh.db")
    [(status, _, err)] = bound(fresh, ("ingest", "more.jsonl"))
    assert fresh.db.exists() == (status == 0)
    if status:  # a new store, where the folder takes no file
        assert "may write there" in err or "permissions" in err
        assert err.count("\n") == 1
