"""A store that cannot be written opens for reading: every command that only looks answers, and one that writes says so in a line."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from runpy import run_path
from typing import NamedTuple

import click
import pytest
from click.testing import CliRunner

from annotate import Project
from annotate.cli import main
from annotate.pages.kit.server import app_file
from annotate.store import Store
from proxy.errors import StoreError
from proxy.records import Item
from support.store import ROOT, Assay, label, once, traffic_row
from support.tiers import shortly

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


@pytest.fixture
def judged(assay: Assay) -> Assay:
    """Forty judged items of two systems, half of them labelled, with a rule in force."""

    def make() -> None:
        rows = [
            traffic_row(
                f"t{k}",
                question=f"Where is room {k // 2}?",
                system=("old", "new")[k % 2],
                timestamp=f"2026-0{1 + k % 9}-11T08:00:00Z",
            )
            for k in range(40)
        ]
        assay("ingest", assay.write("traffic.jsonl", rows))
        assay("judge")
        assay("sample", "--labels", "20", "--seed", "1")
        words = [label(f"t{k}", ("right", "wrong")[k % 3 == 0]) for k in range(40)]
        assay("labels", "import", assay.write("labels.jsonl", words))
        assay.write("more.jsonl", [traffic_row("more")])
        # Whoever closes the store last writes its log back and takes it away.
        sqlite3.connect(assay.db).execute("PRAGMA wal_checkpoint(TRUNCATE)").connection.close()

    return once(assay, "read-only", make)


PLACES = ("folder", "file", "both")
# The store is opened for reading in one way wherever it cannot be written: what commands answer and what they refuse is asked in
# two places, the rest in one.
IN_ONE_PLACE = pytest.mark.parametrize("locked", shortly(PLACES, "both"), indirect=True)


@pytest.fixture(params=shortly(PLACES, "folder", "both"))
def locked(judged: Assay, request: pytest.FixtureRequest) -> Iterator[Assay]:
    """The store where nobody may write to its folder, to the file, or to either."""
    everything = [judged.folder, *judged.folder.iterdir()]
    for path in everything:
        path.chmod(0o777 if path.is_dir() else 0o666)
    if request.param != "file":
        judged.folder.chmod(0o555)
    if request.param != "folder":
        judged.db.chmod(0o444)
    yield judged
    judged.folder.chmod(0o755)


class Ended(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str


def bound(assay: Assay, *commands: tuple[str, ...]) -> list[Ended]:
    """The commands by somebody whom permissions bind, which root is only without its capabilities."""
    script = (
        "import json, sys; from click.testing import CliRunner; from annotate.cli import main\n"
        "ended = [CliRunner().invoke(main, args, prog_name='assay') for args in json.loads(sys.argv[1])]\n"
        "print(json.dumps([[end.exit_code, end.stdout, end.stderr + repr(end.exception or '')] for end in ended]))"
    )
    given = json.dumps([[*args, "--db", str(assay.db)] for args in commands])
    return [Ended(*end) for end in json.loads(bound_script(assay, script, given))]


def bound_script(assay: Assay, script: str, *given: str) -> str:
    """What a script prints that permissions bind."""
    is_root = os.geteuid() == 0
    if is_root and shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere, and there is no setpriv")
    drop = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if is_root else []
    ended = subprocess.run(
        [*drop, sys.executable, "-c", script, *given],
        cwd=assay.folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return ended.stdout


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
    *(("next",), ("schema", "report"), ("ingest", "more.jsonl", "--dry-run"), ("quarantine", "--repaired")),
    *(("judge", "--backend", "openai", "--model", "m", "--dry-run"), ("rule", "learn", "--dry-run")),
    *(("simulate", "--labels", "6", "--repetitions", "20"), ("calibrate", "--precision", "0.6", "--dry-run")),
    *(("compare", "old", "new", "--draw", "4", "--dry-run", "--seed", "1"), ("events", "--head")),
    *(("scores", "export", "-"), ("labels", "export", "-"), ("labels", "export", "-", "--annotations")),
    *(("labels", "disagreements"), ("labels", "opposite"), ("labels", "history", "t0"), ("labels", "annotators")),
    *(("gold", "export", "-"), ("gold", "duplicates"), ("gold", "review"), ("gold", "releases"), ("gold", "policy")),
    *(("gold", "history", "g"), ("gold", "diff", "a", "b")),
    *(("forget", "--item", "t0", "--dry-run"), ("forget", "--annotator", "ann", "--references", "--dry-run")),
)
ABSENT = (("gold", "history", "g"), ("gold", "diff", "a", "b"))
# What is logged where the store can be written: an export of texts, and a copy.
LOGGED = (("draws", "export", "-"), ("draws", "export", "-", "--all", "--blind"))
# No entry is there, and every draw has its label.
EMPTY = (("gold", "export", "-"), ("draws", "export", "-"))
# Commands that change the store, or are no question to one.
CHANGING = {
    *(
        "feedback",
        "scores import",
        "serve",
        "judge",
        "rule set",
        "push",
        "pull",
        "up",
        "labels adjudicate",
        "labels import",
    ),
    *("gold accept", "gold add", "gold check", "gold edit", "gold import", "gold keep", "gold mark", "gold release"),
    *("gold retire", "run", "app", "demo"),
}


@pytest.mark.slow
def test_no_command_that_looks_changes_the_store(judged: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a row is another after it, although the store may be written: a rule, verdicts and totals are no part of an answer."""
    monkeypatch.chdir(judged.folder)
    before = dump(judged)

    for args in (*LOOKING, *ALSO_LOOKING, ("report", "--html", "report.html")):
        given = [*args, "--db", str(judged.db)]
        ended = CliRunner().invoke(main, given, prog_name="assay")
        assert ended.exit_code in ((2,) if args in ABSENT else (0, 3)), (args, ended.output)
        assert dump(judged) == before, args


# Prints, by page, how often opening it ended in an exception that the app shows.
OPENS_PAGES = """
import json, sys
from runpy import run_path
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash
from annotate.pages.kit.server import FIRST_PAGE, app_file

shown = {}
for name in run_path(str(app_file()))["PAGES"]:
    page = AppTest.from_file(str(app_file()), default_timeout=60)
    page._page_hash = calc_hash(name) if name != FIRST_PAGE else ""
    page.run()
    shown[name] = [len(page.title), *(error.message for error in page.exception)]
print()
print(json.dumps(shown))
"""


@pytest.mark.slow
@IN_ONE_PLACE
def test_what_a_page_shows_is_read_from_a_store_that_cannot_be_written(
    locked: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every page of the app has its title and no exception, and no byte of the file is another after it."""
    monkeypatch.setenv("ASSAY_DB", str(locked.db))
    before = locked.db.read_bytes()
    shown = json.loads(bound_script(locked, OPENS_PAGES).splitlines()[-1])

    pages = run_path(str(app_file()))["PAGES"]
    assert shown == {name: [1] for name in pages}
    assert locked.db.read_bytes() == before


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


@pytest.mark.slow
@IN_ONE_PLACE
def test_a_store_that_cannot_be_written_is_copied(locked: Assay, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The copy holds every row and is sound; older backups beside a store that cannot be written are no business of it."""
    there = tmp_path_factory.mktemp("copies")
    there.chmod(0o777)
    [(status, _, err), (kept, _, why)] = bound(
        locked, ("backup", str(there / "copy.db")), ("backup", str(there / "other.db"), "--keep", "1")
    )
    assert (status, err) == (0, "''")
    assert (kept, "--keep" in why) == (1, True)
    assert dump(Assay(there, there / "copy.db")) == dump(locked)


@pytest.mark.slow
def test_an_export_of_texts_is_logged_where_the_store_can_be_written(judged: Assay) -> None:
    """And so is a copy, which holds them all."""
    judged("draws", "export", str(judged.folder / "draws.csv"))
    judged("backup", str(judged.folder / "copy.db"))
    assert judged.sql("SELECT what FROM events ORDER BY sequence DESC LIMIT 2") == [("backup",), ("draws export",)]


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


METHODS = (
    *(
        "items()",
        "frame()",
        "design",
        "scores()",
        "labels()",
        "draws()",
        "gold()",
        "quarantine()",
        "report()",
        "next()",
    ),
    *(
        "plan(width=0.2)",
        "sample(labels=6, dry_run=True)",
        "sample_pairs(['old', 'new'], 4, dry_run=True)",
        "reliability()",
    ),
    *(
        "calibrate(0.6, dry_run=True)",
        "compare('old', 'new')",
        "rank('old', 'new')",
        "systems()",
        "alone('old')",
        "slices()",
    ),
    *("diagnose()", "drift()", "print_report()", "rules.history()", "rules.learn(dry_run=True)"),
    *(
        "labels.export('-')",
        "labels.history('t0')",
        "labels.annotators()",
        "labels.disagreements()",
        "labels.opposite()",
    ),
    *("scores.export('-')", "draws.export('-')", "gold.entries()", "gold.review()"),
    *("gold.duplicates()", "gold.releases()", "gold.export('-')", "gold.policy()", "export_quarantine('-')"),
    *("gold.history('g')", "gold.diff('a', 'b')", "way", "write_report(f'{there}/report.html')"),
    *(
        "maintenance.doctor()",
        "maintenance.events()",
        "maintenance.head()",
        "maintenance.backup(Path(there, 'copy.db'))",
    ),
    *(
        "simulate(Simulation(labels=6, repetitions=20))",
        "estimate_calls(ModelRequest(model='m', url='http://127.0.0.1:9/v1'))",
    ),
    *("maintenance.forget_items(['t0'], dry_run=True)", "maintenance.forget_annotator('ann', dry_run=True)"),
)


# Prints, by method, the error that it ends with; `there` is a folder that may be written.
CALLS_METHODS = """
import json, sys, tempfile
from pathlib import Path
from annotate import Project
from annotate.analysis.planning.simulate import Simulation
from annotate.workflow.judging.model_request import ModelRequest

project, faults = Project.open(sys.argv[1]), {}
with tempfile.TemporaryDirectory() as there:
    for method in json.loads(sys.argv[2]):
        try:
            eval(f"project.{method}")
        except Exception as error:
            faults[method] = repr(error)
print()
print(json.dumps(faults))
"""


@pytest.mark.slow
@IN_ONE_PLACE
def test_every_method_that_looks_answers_on_a_store_that_cannot_be_written(locked: Assay) -> None:
    """From Python as from the command; not a row is another after it."""
    before = locked.db.read_bytes()
    ended = bound_script(locked, CALLS_METHODS, str(locked.db), json.dumps(METHODS))
    faults = json.loads(ended.splitlines()[-1])
    assert faults.keys() == {"gold.history('g')", "gold.diff('a', 'b')"}  # nothing of these names is there
    assert "read-only" not in str(faults)
    assert locked.db.read_bytes() == before


# Methods that change the store, or are no question to one.
CHANGING_METHODS = {
    *(
        "ingest",
        "fetch",
        "import_scores",
        "import_feedback",
        "import_labels",
        "judge",
        "judge_with_model",
        "run",
        "demo",
    ),
    *("open_stream", "close_stream", "push", "pull", "deliver", "exchange", "open", "reading", "writing"),
    *("who", "now", "folder", "rules.set", "scores.send", "labels.adjudicate", "labels.take_back"),
    *("gold.import_references", "gold.add", "gold.accept", "gold.accept_all", "gold.retire", "gold.retire_all"),
    *("gold.edit", "gold.keep", "gold.mark", "gold.release", "gold.check"),
    *("maintenance.set_masking", "maintenance.renew_key", "maintenance.remove_keys"),
}


def test_every_method_is_known_to_look_or_to_change() -> None:
    """A new one of Project, or of a part of it, has to be named here; a name that is gone has to go."""
    looking = {method.partition("(")[0] for method in METHODS}
    assert looking.isdisjoint(CHANGING_METHODS)
    assert looking | CHANGING_METHODS == set(methods())


def methods() -> Iterator[str]:
    """What stands behind `project.`: each public method and property, each part that can be called, and each method of a part."""
    yield from public(Project)
    for name, part in vars(Project("assay.db")).items():
        if type(part).__module__.startswith("annotate."):
            yield from (f"{name}.{own}" for own in public(type(part)))
            if callable(part):
                yield name


def public(kind: type) -> list[str]:
    """The public names of a class."""
    return [name for name in dir(kind) if not name.startswith("_")]


def test_a_store_that_is_open_for_reading_refuses_to_write(judged: Assay) -> None:
    """Whoever answers a question by mistake through a write hears of it at once."""
    with closing(Store(judged.db, reads_only=True)) as store:
        with pytest.raises(StoreError, match="read-only"), store.atomic():
            store.traffic.items.add([Item(id="new", question="q", answer="a")], now="2026-11-21T00:00:00.000Z")
        assert store.traffic.items.count() == 40


def dump(assay: Assay) -> str:
    """Every row and table of the store, as SQL."""
    with closing(sqlite3.connect(assay.db)) as connection:
        return "\n".join(connection.iterdump())


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


@pytest.mark.slow
def test_a_store_without_a_rule_in_force_is_looked_at_without_one(assay: Assay) -> None:
    """A run that was killed left scores and no rule: the report is of the rule that `assay judge` would set, and sets none."""
    assay("ingest", assay.write("traffic.jsonl", [traffic_row(f"t{k}") for k in range(8)]))
    assay("judge")
    assay.sql("DELETE FROM verdicts")
    assay.sql("DELETE FROM rules")
    assay.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    assay.folder.chmod(0o555)
    assay.db.chmod(0o444)
    try:
        [ended] = bound(assay, ("report", "--json"))
    finally:
        assay.folder.chmod(0o755)

    assert ended.status == 0, ended.err
    found = json.loads(ended.out)
    assert (found["items"], found["judged"], found["rule"]["name"]) == (8, 8, "default")
    assert assay.sql("SELECT count(*) FROM rules") == [(0,)]


@pytest.mark.slow
def test_a_log_that_cannot_be_read_is_said_and_never_left_out(judged: Assay) -> None:
    """Changes that lie in the log beside the file are changes; without its index, which cannot be made, none would be seen."""
    writer = sqlite3.connect(judged.db)
    writer.execute("PRAGMA wal_autocheckpoint = 0")
    writer.execute("UPDATE items SET language = 'xx'")
    writer.commit()
    copy = judged.folder / "there"
    copy.mkdir()
    for ending in ("", "-wal"):
        shutil.copy(f"{judged.db}{ending}", copy / f"assay.db{ending}")
    writer.close()
    for path in copy.iterdir():
        path.chmod(0o444)
    copy.chmod(0o555)
    try:
        [ended] = bound(Assay(copy, copy / "assay.db"), ("report",))
    finally:
        copy.chmod(0o755)

    assert ended.status == 1
    assert "assay.db-wal" in ended.err
    assert ended.err.count("\n") == 1
