"""The fixture `assay_gold` in a run of pytest of its own: what passes, fails and is skipped, and what it costs others."""

from __future__ import annotations

import os
import subprocess
import sys
from xml.etree.ElementTree import Element, parse

import pytest

from support.gold_check import RIGHT, WRONG, answers, gold_set, known
from support.store import ROOT, Assay, label

pytestmark = pytest.mark.slow

TEST = """
def test_pipeline(assay_gold):
    answer = assay_gold({pipeline}{options})
    assert answer.result.check.comparisons
"""


def run(assay: Assay, test: str) -> tuple[str, str, str]:
    """What becomes of the one test of a file, why, and all that pytest prints."""
    assay.write("test_app.py", test)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "annotate.server.pytest_plugin",
        "--junitxml=run.xml",
        "test_app.py",
    ]
    ended = subprocess.run(
        command, cwd=assay.folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    [case] = parse(assay.folder / "run.xml").getroot().iter("testcase")
    outcome: Element | None = next(iter(case), None)
    if outcome is None:
        return "passed", "", ended.stdout
    return outcome.tag, str(outcome.text), ended.stdout


def asks(pipeline: str, options: str = "") -> str:
    """A test file that asks this pipeline."""
    return TEST.format(pipeline=f"lambda question, history: {pipeline}", options=options)


def all_right(assay: Assay, count: int = 12) -> Assay:
    """So many gold questions that were answered right, and labels that show what the judge can tell."""
    names = [f"m{n}" for n in range(count)]
    gold_set(assay, answers("old", dict.fromkeys(names, RIGHT)), [label(f"old-{name}") for name in names])
    known(assay)
    return assay


def test_a_pipeline_that_breaks_nothing_passes(six: Assay) -> None:
    """Three stay right and three are mended."""
    assert run(six, asks(repr(RIGHT)))[0] == "passed"


def test_a_worse_pipeline_fails_with_the_paired_interval(assay: Assay) -> None:
    """All twelve right answers are lost; the whole interval lies below 0, and no frame of ours is shown."""
    outcome, reason, printed = run(all_right(assay), asks(repr(WRONG)))

    assert outcome == "failure"
    assert "pipeline is worse than before: -100 points (" in reason
    assert "n = 12" in reason
    assert "the whole interval lies below 0" in reason
    assert "pytest_plugin.py" not in printed


def test_what_nobody_checked_is_skipped_and_says_what_is_missing(six: Assay) -> None:
    """Other words than any known answer, and no labels that show whether the judge tells right from wrong."""
    outcome, reason, _ = run(six, asks("'Ask the pharmacist.'"))

    assert outcome == "skipped"
    assert "not checked against annotators" in reason
    assert "it takes 20 right and 20 wrong answers" in reason


def test_the_gate_of_the_folder_holds(six: Assay) -> None:
    """What is skipped fails where assay.toml requires a judge that was checked."""
    six.write("assay.toml", "[gate.gold_check]\nrequire_checked_judge = true\n")

    assert run(six, asks("'Ask the pharmacist.'"))[0] == "failure"


def test_an_empty_answer_is_none(six: Assay) -> None:
    """The others are right: it is a failure all the same."""
    outcome, reason, _ = run(six, asks(f"'' if ' a ' in question else {RIGHT!r}"))

    assert outcome == "failure"
    assert "1 gold question has no answer" in reason


def test_entries_of_a_release_and_a_store_elsewhere(six: Assay) -> None:
    """Both are named in the test; a release that is not there fails in a line."""
    six("gold", "release", "v1", "--test", "1", "--calibration", "0", "--examples", "0")
    six.db.rename(six.folder / "other.db")

    assert run(six, asks(repr(RIGHT), ", release='v1', db='other.db'"))[0] == "passed"
    outcome, reason, _ = run(six, asks(repr(RIGHT), ", release='v2', db='other.db'"))
    assert outcome == "failure"
    assert "there is no release v2: the releases are v1" in reason
    outcome, reason, _ = run(six, asks(repr(RIGHT)))
    assert outcome == "failure"
    assert "there is no store at assay.db" in reason


def test_a_run_that_does_not_use_it_loads_nothing_of_ours(assay: Assay) -> None:
    """The package and the plugin itself, which need no other package than pytest."""
    loaded = "{name for name in sys.modules if name.split('.')[0] in ('annotate', 'proxy', 'pandas', 'numpy', 'click')}"
    test = f"import sys\ndef test_other():\n    assert {loaded} == {{'annotate', 'annotate.server', 'annotate.server.pytest_plugin'}}\n"

    assert run(assay, test)[0] == "passed"
