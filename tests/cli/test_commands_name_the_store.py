"""Every command that is printed on a store that is not the default one names it, wherever it stands, and is runnable as printed.

Oracle: the words of a shell, and the commands as click knows them.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from annotate import Project
from annotate.cli import main
from proxy.errors import AssayError
from support.store import Assay, traffic_row

# A name that a shell, a template and a pattern could each stumble on.
STORE = "my {other} store.db"
IN_WORDS = re.compile(r"`(assay [a-z][^`]*)`")
ON_A_LINE = re.compile(r"^(?: {4})?(assay [a-z].*)$", re.MULTILINE)
READING = (
    ("next",),
    ("report",),
    ("report", "--gate"),
    ("report", "--noise"),
    ("diagnose",),
    ("diagnose", "--probe"),
    ("slices",),
    ("compare", "old", "new"),
    ("compare", "old", "new", "third"),
    ("compare", "old", "new", "--draw", "4", "--dry-run"),
    ("drift",),
    ("drift", "--gate"),
    ("calibrate",),
    ("calibrate", "--reliability"),
    ("calibrate", "--precision", "0.6", "--dry-run"),
    ("plan",),
    ("simulate", "--labels", "6", "--repetitions", "20"),
    ("sample", "--labels", "6", "--dry-run"),
    ("doctor",),
    ("metrics",),
    ("quarantine",),
    ("rule", "list"),
    ("rule", "learn", "--dry-run"),
    ("ingest", "more.jsonl", "--dry-run"),
    ("ingest", "scored.jsonl", "--dry-run"),
    ("labels", "disagreements"),
    ("labels", "opposite"),
    ("labels", "history", "a0"),
    ("labels", "annotators"),
    ("gold", "list"),
    ("gold", "review"),
    ("gold", "releases"),
    ("gold", "history", "none"),
    ("gold", "check", "--system", "new", "--gate"),
    ("questions", "list"),
    ("questions", "export", "-"),
    ("questions", "score", "more.jsonl"),
    ("push",),
    ("pull",),
    ("judge", "--judges", "no_such_judge"),
    ("gold", "release", "first"),
    ("scores", "import", "labels.jsonl"),
)


def traffic() -> list[dict[str, object]]:
    """Answers of two systems over some weeks."""
    return [
        traffic_row(
            f"{'ab'[n % 2]}{n // 2}",
            question=f"Where is room {n // 2}?",
            system=("old", "new")[n % 2],
            timestamp=f"2026-03-{1 + n % 28:02}T10:00:00Z",
        )
        for n in range(40)
    ]


def labels(count: int) -> list[dict[str, object]]:
    """The first of the answers as two annotators see them, who differ on one; one wrong answer has a reference."""
    rows: list[dict[str, object]] = []
    for n in range(count):
        label = "wrong" if n % 4 == 3 else "right"
        rows.append({"item_id": f"{'ab'[n % 2]}{n // 2}", "label": label, "annotator": "ann"})
    rows.append({"item_id": "a0", "label": "wrong", "annotator": "bob", "reference": "On the roof.", "harm": "serious"})
    return rows


class OtherStore:
    """The command on a store that is not the default one, in the folder of it."""

    def __init__(self, assay: Assay) -> None:
        self.assay = assay
        assay.write("traffic.jsonl", traffic())
        assay.write("more.jsonl", [traffic_row("z", thumbs_up=1)])
        assay.write("labels.jsonl", [{"id": f"a{n}", "label": n % 2} for n in range(4)])
        assay.write("scored.jsonl", [traffic_row("y", my_score=value, human=value) for value in (0, 1)])

    def __call__(self, *args: str) -> Result:
        """Run it; only an exit is no failure of the command."""
        ended = CliRunner().invoke(main, [*args, "--db", STORE], prog_name="assay")
        if ended.exception is not None and not isinstance(ended.exception, SystemExit):
            raise ended.exception
        return ended

    def in_words(self) -> Iterator[tuple[Sequence[str], str]]:
        """Every command that is printed by each command that reads."""
        for args in READING:
            has_full = "--full" in {name for option in command_of(list(args))[0].params for name in option.opts}
            ended = self(*args, *(["--full"] if has_full else []))
            yield from ((args, command) for text in (ended.stdout, ended.stderr) for command in commands_in(text))

    def as_json(self) -> Iterator[tuple[Sequence[str], str]]:
        """Every command that stands in the JSON of each command that reads, or beside it."""
        for args in READING:
            ended = self(*args, "--json")
            for text in (ended.stderr, *strings(json.loads(ended.stdout or "null"))):
                yield from ((args, command) for command in commands_in(text))


@pytest.fixture
def other(assay: Assay) -> OtherStore:
    return OtherStore(assay)


def command_of(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that these words name, and what follows its name."""
    here: click.Command = main
    while words and isinstance(here, click.Group) and words[0] in here.commands:
        here, words = here.commands[words[0]], words[1:]
    return here, words


def commands_in(text: str) -> list[str]:
    """Every command in backquotes, and every one that has a line of its own."""
    return IN_WORDS.findall(" ".join(text.split())) + ON_A_LINE.findall(text)


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from strings(list(value.values()))
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)


def wrong(command: str) -> bool:
    """Whether a command does not run on the store as it is printed: it is another command, or names no store or another."""
    found, words = command_of(shlex.split(command)[1:])
    if isinstance(found, click.Group):
        return True
    named = [after for word, after in pairwise(words) if word == "--db"]
    return named != [STORE] or not any("--db" in option.opts for option in found.params)


def lacks_an_argument(command: str) -> bool:
    """Whether a command is refused as it is printed, for an argument that it was not given."""
    found, words = command_of(shlex.split(command)[1:])
    try:
        found.make_context(found.name, words)
    except click.MissingParameter:
        return True
    except click.UsageError:
        pass  # a place to fill in, such as N
    return False


@pytest.mark.slow
def test_every_command_that_is_printed_names_the_store(other: OtherStore) -> None:
    """Without a store, with traffic, judged, drawn, with few labels and with many that differ: in words, errors, notes, steps.

    As JSON without a store, where nothing is labelled, and where all is there.
    """
    total = 0
    in_json = ((), ("judge",), ("run",))
    for step in (
        (),
        ("ingest", "traffic.jsonl"),
        ("judge",),
        ("sample", "--labels", "24", "--seed", "1"),
        ("labels", "import", other.assay.write("few.jsonl", labels(6))),
        ("labels", "import", other.assay.write("many.jsonl", labels(24))),
        ("rule", "set", "answer_relevance > 0.5"),
        ("run",),
    ):
        written = other(*step).output if step else ""
        printed = [*((step, command) for command in commands_in(written)), *other.in_words()]
        printed += other.as_json() if step in in_json else ()
        refused = [(args, command) for args, command in printed if wrong(command) or lacks_an_argument(command)]
        assert refused == [], step
        total += len(printed)
    assert total > 300


def test_every_language_of_a_page_names_the_store(other: OtherStore) -> None:
    """The rows of the tables as they are written for a store, each command with its arguments; the default one is not named."""
    from annotate.present.commands import for_store, typed_within
    from annotate.present.messages import whole_table

    rows = [text for row in whole_table().values() for text in row.values()]
    with for_store(other.assay.folder / STORE):
        commands = [command for row in rows for command in IN_WORDS.findall(typed_within(row))]
    with for_store(other.assay.folder / "assay.db"):
        assert [typed_within(row) for row in rows] == rows

    assert len(commands) > 100
    assert [command for command in commands if wrong(command) or lacks_an_argument(command)] == []


def test_what_python_is_given_names_the_store(other: OtherStore) -> None:
    """Steps as records, as text, as JSON and as Markdown, and errors."""
    project = Project.open(STORE)
    with pytest.raises(AssayError) as missing:
        project.report()
    assert IN_WORDS.findall(str(missing.value)) == [f"assay ingest FILE --db '{STORE}'"]

    project.ingest("traffic.jsonl")
    steps = project.next()
    report = project.report()

    assert [step.commands for step in steps.result][:1] == [(f"assay judge --db '{STORE}'",)]
    assert steps.to_dict()["next"][0]["commands"] == [f"assay judge --db '{STORE}'"]  # type: ignore[index]
    for text in (steps.to_text(), report.to_text(full=True), report.to_markdown(), report._repr_html_()):
        assert "assay judge --db" in text
        assert "assay judge`" not in text
    assert Path(STORE).exists()


def test_the_default_store_is_not_named(assay: Assay) -> None:
    """Nor is the one of ASSAY_DB or assay.toml, and what others wrote stays as it is."""
    question = "Which rows does `assay quarantine` list?"
    assay.write("t.jsonl", [traffic_row("a", question=question)])
    assert "--db" not in assay("report", status=1, db=False).stderr
    assay("ingest", "t.jsonl", db=False)
    assert "--db" not in assay("report", "--full", db=False).output

    assay.write("assay.toml", 'db = "of settings.db"\n')
    assay("ingest", "t.jsonl", db=False)
    assert "`assay judge`" in assay("report", "--full", db=False).output
    assert "`assay judge --db assay.db`" in assay("report", "--full", "--db", "assay.db", db=False).output
    shown = assay("questions", "list", "--db", "assay.db", status=0, db=False)
    assert question not in shown.output
