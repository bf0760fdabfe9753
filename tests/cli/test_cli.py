"""The command as people and machines meet it: statuses, one line, one object, help, and errors that say what to do."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from annotate.cli import SECTIONS, main
from annotate.present.terminal import BRIEF_LINES
from support.store import ROOT, Assay, kept, traffic_row

HEAVY = ("streamlit", "pandas", "sqlite_utils", "scipy", "label_studio_sdk", "numpy", "pyarrow", "altair", "httpx")


def every_command(
    command: click.Command = main, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Each command and subcommand with the words that call it."""
    yield path, command
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from every_command(inner, (*path, name))


@kept
def loaded(assay: Assay) -> Assay:
    """A store with judged items, all drawn, one labelled wrong."""
    assay("ingest", assay.write("traffic.jsonl", [traffic_row(name) for name in "abcdefgh"]))
    assay("judge")
    assay("sample", "--labels", "8", "--seed", "1")
    assay("labels", "import", assay.write("l.jsonl", [{"item_id": "a", "label": "wrong", "reference": "=R"}]))
    return assay


@pytest.mark.parametrize("path", [path for path, _ in every_command()], ids=" ".join)
def test_every_command_explains_itself_and_its_options(path: tuple[str, ...]) -> None:
    """--help works everywhere, and neither a command nor an option is without a word of help."""
    command = dict(every_command())[path]

    result = CliRunner().invoke(main, [*path, "--help"])

    assert result.exit_code == 0
    assert command.help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name
            assert parameter.opts[0] in result.stdout


@pytest.mark.parametrize(
    "path", [path for path, command in every_command() if isinstance(command, click.Group)], ids=" ".join
)
def test_a_list_of_commands_cuts_no_sentence(path: tuple[str, ...]) -> None:
    """In a terminal of 80 columns; click ends what it cuts with dots, as the line of usage ends too."""
    help_text = CliRunner().invoke(main, [*path, "--help"], terminal_width=80).stdout

    assert [line for line in help_text.splitlines() if line.endswith("...") and not line.startswith("Usage:")] == []


@pytest.mark.slow
def test_help_loads_nothing_heavy() -> None:
    """Help answers at once: what only some commands need is loaded by them."""
    script = (
        "import sys; from click.testing import CliRunner; from annotate.cli import main\n"
        "for path in sys.argv[1].split(';'): assert not CliRunner().invoke(main, [*path.split(), '--help']).exit_code\n"
        "print([name for name in sys.argv[2].split() if name in sys.modules])"
    )
    paths = ";".join(" ".join(path) for path, _ in every_command())
    command = [sys.executable, "-c", script, paths, " ".join(HEAVY)]

    ended = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True, timeout=60
    )

    assert ended.stdout.strip() == "[]"


@pytest.mark.slow
def test_a_command_loads_no_other_answer_and_checks_no_table_that_is_not_there(assay: Assay) -> None:
    """Without an assay.toml nothing checks one, and what comes after a draw needs no drift, gold set or comparison."""
    assay("ingest", assay.write("traffic.jsonl", [traffic_row(name) for name in "abcdefgh"]))
    assay("judge")
    others = [f"annotate.analysis.{name}" for name in ("drift", "gold", "comparison", "diagnosis")]
    script = (
        "import sys; from annotate.cli import main\n"
        "try: main(['sample', '--labels', '4', '--dry-run'], prog_name='assay')\n"
        "except SystemExit as ended: assert not ended.code\n"
        "print([name for name in sys.argv[1:] if name in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "ASSAY_DB": str(assay.db)}
    command = [sys.executable, "-c", script, "pydantic", *others]

    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)

    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    "args",
    [
        ("ingest", "traffic.jsonl"),
        ("feedback", "feedback.jsonl"),
        ("scores", "import", "scores.jsonl"),
        ("labels", "import", "l.jsonl"),
        ("quarantine",),
        ("judge",),
        ("rule", "set", "faithfulness > 0.5"),
        ("rule", "list"),
        ("draws", "export", "draws.csv"),
        pytest.param(("plan",), marks=pytest.mark.slow),
        ("simulate", "--labels", "5", "--repetitions", "2"),
        ("report",),
        ("gold", "list"),
        ("gold", "add", "b", "--reference", "R"),
        ("gold", "accept", "--all"),
        ("doctor",),
    ],
    ids=" ".join,
)
def test_done_is_status_0_with_a_line_for_people_or_an_object_for_machines(
    loaded: Assay, args: tuple[str, ...]
) -> None:
    """Without --json something to read and nothing on standard error; with it one JSON object and nothing else."""
    loaded.write("feedback.jsonl", '{"item_id": "a", "value": -1}\n')
    loaded.write("scores.jsonl", '{"item_id": "a", "judge": "j", "value": 1}\n')

    machine = loaded(*args, "--json")
    people = loaded(*args)

    assert isinstance(json.loads(machine.stdout), dict)
    assert people.stdout.strip()
    assert machine.stderr == people.stderr == ""
    assert people.stdout.count("\n") <= BRIEF_LINES
    if args[0] in ("ingest", "feedback", "scores", "labels", "judge", "draws", "doctor"):
        assert re.split(r"\n\n|\nnext: ", people.stdout)[0].rstrip().endswith(".")


@pytest.mark.parametrize(
    ("args", "status", "advice"),
    [
        (("report",), 1, "assay ingest FILE"),
        (("judge",), 1, "assay ingest FILE"),
        (("labels", "import", "l.jsonl"), 1, "assay ingest FILE"),
        (("ingest", "nowhere.jsonl"), 2, "no file nowhere.jsonl"),
        (("ingest", "l.jsonl", "--map", "qestion=a"), 2, "question"),
        (("ingest", "l.jsonl", "--format", "xml"), 2, "jsonl"),
        (("ingest",), 2, "FILE"),
        (("frobnicate",), 2, "No such command"),
        (("rule", "show"), 2, "`assay rule` has: learn, list, set."),
        (("scores", "list"), 2, "`assay scores` has: export, import."),
        (("scores", "exprot"), 2, "Did you mean"),
        (("sample",), 2, "--labels"),
    ],
    ids=repr,
)
def test_an_error_is_a_line_that_says_what_to_do(assay: Assay, args: tuple[str, ...], status: int, advice: str) -> None:
    """Without a store, without the file, with a typing mistake: a status of its kind, and never a traceback."""
    assay.write("l.jsonl", "{}\n")

    result = assay(*args, status=status, db=args[0] not in {"frobnicate", "rule", "scores"})

    assert advice in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert result.stderr.startswith(("assay: ", "Usage: "))
    assert not assay.db.exists()


@pytest.mark.parametrize(
    ("args", "status", "advice"),
    [
        (("rule", "set", "faithfulness >= 0.5"), 1, "write it like"),
        (("rule", "set", "nobody > 0.5"), 1, "the judges are"),
        (("judge", "--judges", "nobody"), 2, "the judges are"),
        (("sample", "--labels", "5"), 2, "every item has been drawn"),
        (("gold", "accept"), 2, "--all"),
        (("gold", "accept", "nothing"), 2, "assay gold list"),
        (("gold", "add", "lost", "--reference", "R"), 2, "no item lost"),
        (("gold", "export", "gold.xlsx"), 2, ".jsonl or .csv"),
        (("draws", "export", "nowhere/draws.csv"), 2, "no folder nowhere"),
    ],
    ids=repr,
)
def test_a_request_that_cannot_be_met_is_a_line_too(
    loaded: Assay, args: tuple[str, ...], status: int, advice: str
) -> None:
    """The line names what there is instead."""
    result = loaded(*args, status=status)

    assert advice in result.stderr
    assert result.stderr.startswith("assay: ")
    assert result.stderr.count("\n") == 1


def test_refused_rows_are_status_4_and_say_where_to_look(assay: Assay) -> None:
    """The summary counts them, standard error names the command that lists them, and --json stays one object."""
    file = assay.write("t.jsonl", [{}, traffic_row("a")])

    people = assay("ingest", file, status=4)
    machine = assay("ingest", file, "--json", status=4)

    assert "1 quarantined" in people.stdout
    assert "assay quarantine" in people.stderr
    assert json.loads(machine.stdout)["quarantined"] == 1
    assert [(row["source"], row["line"]) for row in assay.quarantine()] == [(file, 1)]


def test_a_bug_keeps_its_traceback(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only known errors become a line: anything else must not be hidden."""
    from annotate.workflow.ingest import ingest

    def broken(*given: object, **named: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(ingest, "ingest", broken)
    with pytest.raises(ZeroDivisionError):
        assay("ingest", assay.write("t.jsonl", [traffic_row("a")]))


@pytest.mark.slow
def test_files_for_spreadsheets_run_no_formula_and_jsonl_stays_exact(assay: Assay) -> None:
    """What production wrote goes out as text, also where it begins like a formula."""
    nasty = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0"]
    rows = [traffic_row(f"{n}", answer=text, question=text) for n, text in enumerate(nasty)]
    assay("ingest", assay.write("t.jsonl", rows))
    assay("sample", "--labels", "7", "--seed", "1")

    assay("draws", "export", "draws.csv")
    assay("draws", "export", "draws.jsonl")

    with (assay.folder / "draws.csv").open(encoding="utf-8", newline="") as stream:
        cells = sorted((row["item_id"], row["question"], row["answer"]) for row in csv.DictReader(stream))
    assert cells == [(f"{n}", "'" + text, "'" + text) for n, text in enumerate(nasty)]
    lines = [json.loads(line) for line in (assay.folder / "draws.jsonl").read_text().split("\n") if line]
    assert sorted(row["item_id"] + row["answer"] for row in lines) == [f"{n}{text}" for n, text in enumerate(nasty)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "args", [("draws", "export"), ("scores", "export"), ("labels", "export"), ("gold", "export")], ids=" ".join
)
def test_an_export_to_standard_output_is_nothing_but_rows(loaded: Assay, args: tuple[str, ...]) -> None:
    """The summary goes to standard error, so that a pipe gets JSONL alone."""
    loaded("gold", "accept", "--all")

    result = loaded(*args, "-")

    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert rows
    assert all(isinstance(row, dict) for row in rows)
    assert result.stderr.splitlines()[0].endswith(" written to -.")


def test_settings_come_from_a_file_and_the_environment(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """assay.toml gives options by command, ASSAY_DB the store; what is typed wins."""
    assay.write("t.jsonl", [traffic_row("a")])
    monkeypatch.setenv("ASSAY_DB", "named.db")
    assay("ingest", "t.jsonl", db=False)
    assert (assay.folder / "named.db").exists()
    monkeypatch.delenv("ASSAY_DB")

    assay.write("assay.toml", 'db = "set.db"\n[sample]\nlabels = 5\nseed = 7\n')
    assay("ingest", assay.write("t.jsonl", [traffic_row(name) for name in "abcdefgh"]), db=False)
    assert (assay.folder / "set.db").exists()
    assert not assay.db.exists()
    assert (
        "would draw 5 of 8 answers (0 failed by the proxy; seed 7)"
        in assay("sample", "--dry-run", "--audit", "0", db=False).stdout
    )
    assert "would draw 8 of 8 answers" in assay("sample", "--dry-run", "--labels", "8", db=False).stdout

    assay.write("assay.toml", "db = \n")
    assert "assay.toml" in assay("doctor", status=2).stderr


@pytest.mark.slow
def test_next_steps_name_the_store_that_was_given(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """In words and in JSON, of `next` and of what did something; a store that is found without --db is not named."""
    assay.write("t.jsonl", [traffic_row("a")])
    other = ("--db", "my other.db")
    sampling = "assay sample --labels 1"

    assay("ingest", "t.jsonl", *other, db=False)
    assay("judge", *other, db=False)
    as_json = json.loads(assay("next", "--json", *other, db=False).stdout)

    assert f"    {sampling} --db 'my other.db'\n" in assay("next", *other, db=False).stdout
    assert as_json["next"][0]["commands"] == [f"{sampling} --db 'my other.db'"]
    drawn = json.loads(assay(*sampling.split()[1:], "--audit", "0", "--json", *other, db=False).stdout)
    commands = [command for step in drawn["next"] for command in step["commands"]]
    assert commands
    assert all(command.endswith(" --db 'my other.db'") for command in commands)
    monkeypatch.setenv("ASSAY_DB", "my other.db")
    assert "--db" not in assay("next", db=False).stdout
    assay("ingest", "t.jsonl")
    assert "    assay judge --db assay.db\n" in assay("next").stdout


@pytest.mark.slow
def test_the_same_commands_again_add_nothing(loaded: Assay, tmp_path: Path) -> None:
    """The whole loop a second time: every count of what is kept stays, but for the events that tell of it."""
    tables = [
        name for (name,) in loaded.sql("SELECT name FROM sqlite_master WHERE type = 'table' AND name != 'events'")
    ]
    before = {name: loaded.sql(f"SELECT count(*) FROM {name}") for name in tables}

    loaded("ingest", "traffic.jsonl")
    loaded("judge")
    loaded("labels", "import", "l.jsonl")
    loaded("report")

    assert {name: loaded.sql(f"SELECT count(*) FROM {name}") for name in tables} == before


def test_an_error_cannot_steer_the_terminal(loaded: Assay) -> None:
    """What was typed comes back without control and direction characters."""
    said = loaded("compare", "a\x1b[31m\u202eb", "c", status=2).stderr

    assert "\x1b" not in said
    assert "\u202e" not in said
    assert said.count("\n") == 1


@pytest.mark.slow
def test_the_demo_keeps_out_of_a_store_in_use(loaded: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that the environment names is not the demo's, and one named by hand must not hold other items."""
    monkeypatch.setenv("ASSAY_DB", str(loaded.db))
    loaded("demo", db=False)
    refused = loaded("demo", status=2)

    assert (loaded.folder / "assay-demo.db").exists()
    assert "assay-demo.db" in loaded("demo", "--help").stdout
    assert "not the demo's" in refused.stderr
    assert loaded.json("report")["items"] == 8


def test_the_help_lists_every_command_once_under_what_it_is_for() -> None:
    """Whoever adds a command says where it belongs."""
    listed = [command for commands in SECTIONS.values() for command in commands]
    shown = CliRunner().invoke(main, ["--help"]).stdout

    assert sorted(str(command.name) for command in listed) == sorted(main.commands)
    assert all(f"\n{title}:\n" in shown for title in SECTIONS)
    assert all(shown.count(f"\n  {name} ") == 1 for name in main.commands)
