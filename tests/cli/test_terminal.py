"""Nothing that anybody wrote steers a terminal: names, reasons, files and errors come out with signs in place of controls."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from annotate.files import write_rows
from annotate.terminal import shown_safely
from proxy.text.controls import as_json, safe
from support.files import good
from support.store import Assay, kept, label, traffic_row

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\u202e\u2066\b\r"
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
PASTED = f"a{EVIL}b"


@kept
def poisoned(assay: Assay) -> Assay:
    """Labelled items whose every name holds controls, and a rule of such a name."""
    rows = [
        traffic_row(
            f"{PASTED}{k}",
            system=f"{PASTED}{k % 2}",
            language=PASTED,
            metadata={PASTED: f"{PASTED}{k % 3}", "plain": f"{PASTED}{k % 3}"},
            contexts=[f"Room {PASTED} is on the ground floor."],
        )
        for k in range(40)
    ]
    assay("ingest", assay.write(f"{PASTED[:-2]}.jsonl", rows))
    assay("judge")
    assay("rule", "set", "faithfulness > 0.5", "--name", PASTED)
    assay("sample", "--labels", "40", "--seed", "1")
    words = [
        label(f"{PASTED}{k}", ("right", "wrong")[k % 3 == 0], PASTED, rationale=PASTED, reference=PASTED)
        for k in range(40)
    ]
    assay("labels", "import", assay.write("labels.jsonl", words))
    assay("scores", "import", assay.write("scores.jsonl", [{"item_id": f"{PASTED}1", "judge": PASTED, "value": 0.5}]))
    return assay


SAYING = (
    *(("report",), ("diagnose",), ("slices",), ("compare", f"{PASTED}0", f"{PASTED}1"), ("drift",), ("calibrate",)),
    *(
        ("events",),
        ("quarantine",),
        ("rule", "list"),
        ("gold", "list"),
        ("labels", "annotators"),
        ("draws", "export", "-"),
    ),
    *(
        ("labels", "history", f"{PASTED}1"),
        ("scores", "export", "-"),
        ("labels", "export", "-"),
        ("gold", "export", "-"),
    ),
)


@pytest.mark.slow
@pytest.mark.parametrize("as_object", [False, True])
def test_no_command_says_what_steers_a_terminal(poisoned: Assay, as_object: bool) -> None:
    """Lines and objects, standard output and error."""
    from click.testing import CliRunner

    from annotate.cli import main

    more = ["--json"] if as_object else []
    for args in SAYING:
        ended = CliRunner().invoke(main, [*args, *more, "--db", str(poisoned.db)], prog_name="assay")
        assert not STEERS.search(ended.stdout + ended.stderr), (args, ended.output)
        assert ended.exception is None or isinstance(ended.exception, SystemExit), args


def test_an_error_that_quotes_what_was_typed_is_safe_too(poisoned: Assay) -> None:
    """A file that is not there, an option, a command and a value that click itself refuses."""
    for args in (
        ("ingest", PASTED),
        (f"--{PASTED}",),
        (PASTED,),
        ("sample", "--labels", PASTED),
        ("slices", "--by", PASTED),
    ):
        said = poisoned(*args, status=1 if args[0] == "x" else 2)
        assert not STEERS.search(said.output), args
    name = poisoned.folder / f"{PASTED[:-2]}.db"
    name.write_text("no store")
    ended = poisoned("report", "--db", str(name), status=1, db=False)
    assert not STEERS.search(ended.output)


def test_progress_and_warnings_pass_the_same_door(capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever writes to the standard streams while a command runs; line ends and tabs stay."""
    with shown_safely():
        sys.stderr.write(f"{PASTED}\t\n")
        print(PASTED, "\ud800")
    out, err = capsys.readouterr()

    assert not STEERS.search(out.replace("\n", "") + err.replace("\t\n", ""))
    assert "␛]0;owned␇␛[2J⟨U+009B⟩31m␡⟨U+202E⟩⟨U+2066⟩␈␍" in out
    assert err.endswith("b\t\n")


def test_json_reads_back_as_it_was(tmp_path: Path) -> None:
    """What is escaped is escaped as JSON has it, on a line of the command and in an exported file."""
    every = "".join(map(chr, (*range(0xA1), *range(0x2000, 0x2070))))
    for is_ascii in (True, False):
        line = as_json({every: every}, is_ascii=is_ascii)
        assert json.loads(line) == {every: every}
        assert not STEERS.search(line)
        assert safe(line) == line
    write_rows(str(tmp_path / "x.jsonl"), [], [{"a": every}])
    assert good(str(tmp_path / "x.jsonl")) == [{"a": every}]
    assert not STEERS.search((tmp_path / "x.jsonl").read_text(encoding="utf-8").replace("\n", ""))


@pytest.mark.slow
def test_a_process_of_its_own_is_no_other(assay: Assay) -> None:
    """Through real pipes."""
    assay("ingest", assay.write("traffic.jsonl", [traffic_row(PASTED)]))
    out, err = assay.process("report")
    assert not STEERS.search(out + err)
    process = assay.start("ingest", PASTED)
    out_bytes, err_bytes = process.communicate(timeout=60)
    assert b"\x1b" not in out_bytes + err_bytes
    assert b"owned" in err_bytes
