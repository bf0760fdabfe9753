"""The action of examples/ci: it is what GitHub takes, its scripts are sound, and its steps do on a real store what it says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import parse

import pytest
import yaml

from support.gold_check import RIGHT, answers
from support.store import ROOT, Assay

FOLDER = ROOT / "examples" / "ci"
ACTION: dict[str, Any] = yaml.safe_load((FOLDER / "action.yml").read_text())
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
INPUT = re.compile(r"\$\{\{ inputs\.(\w+) \}\}")


@pytest.mark.slow
def test_github_takes_the_action() -> None:
    """By GitHub's schema of actions, as the checker brings it; a step without a shell is refused."""
    pytest.importorskip("check_jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions"]
    content = (FOLDER / "action.yml").read_text()
    broken = content.replace("      shell: bash\n", "", 1)

    for text, status in ((content, 0), (broken, 1)):
        ended = subprocess.run(
            [*command, "--default-filetype", "yaml", "-"], input=text, capture_output=True, text=True, check=False
        )
        assert ended.returncode == status, ended.stdout + ended.stderr


def test_inputs_reach_the_scripts_through_the_environment_alone() -> None:
    """An expression within a script would run what a branch's name or a title holds; every input is used and in the docs."""
    used = [name for step in STEPS for value in step["env"].values() for name in INPUT.findall(value)]
    page = (ROOT / "docs" / "ci.md").read_text()

    assert not [step for step in STEPS if "${{" in step["run"]]
    assert sorted(used) == sorted(ACTION["inputs"])
    assert [name for name in (*ACTION["inputs"], *ACTION["outputs"]) if f"| `{name}` |" not in page] == []


def scripts(folder: Path) -> list[Path]:
    """The script of the action, and each step as GitHub writes it to a file."""
    files = [FOLDER / "gate.sh"]
    for place, step in enumerate(STEPS):
        file = folder / f"step{place}.sh"
        file.write_text(f"#!/usr/bin/env bash\n{step['run']}\n")
        files.append(file)
    return files


def test_the_scripts_are_sound(tmp_path: Path) -> None:
    """ShellCheck finds nothing, and finds the fault in a script that has one."""
    program = shutil.which("shellcheck", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if program is None:
        pytest.skip("shellcheck is not installed")
    faulty = tmp_path / "faulty"
    faulty.write_text("#!/usr/bin/env bash\ncat $1\n")

    def faults(*files: Path) -> str:
        return subprocess.run([program, *files], capture_output=True, text=True, check=False).stdout

    assert faults(*scripts(tmp_path)) == ""
    assert "SC2086" in faults(faulty)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the first step has installed this checkout, without what it depends on."""
    folder = tmp_path_factory.mktemp("installed")
    pip = {"PIP_TARGET": str(folder), "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_INDEX": "1"}
    run_step(0, ROOT, {}, {**os.environ, **pip})
    return folder


def run_step(place: int, folder: Path, given: dict[str, str], environment: dict[str, str], status: int = 0) -> str:
    """Run a step as a runner does, with these inputs and the defaults of the others; what it prints."""
    values = {name: str(declared["default"]) for name, declared in ACTION["inputs"].items()} | given
    step = STEPS[place]
    inputs = {name: INPUT.sub(lambda match: values[match[1]], value) for name, value in step["env"].items()}
    python = str(Path(sys.executable).parent)
    path = os.pathsep.join([environment.get("BIN", python), python, os.environ["PATH"]])
    ended = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={**environment, **inputs, "PATH": path, "GITHUB_ACTION_PATH": str(FOLDER)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert ended.returncode == status, ended.stdout
    return ended.stdout


def hold(assay: Assay, installed: Path, given: dict[str, str], status: int) -> tuple[str, str]:
    """Run the second step with the installed copy: the summary and the outputs that the runner gets."""
    files = {name: assay.folder / name for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    for file in files.values():
        file.write_text("")
    own = {name: str(file) for name, file in files.items()}
    environment = {**os.environ, **own, "PYTHONPATH": str(installed), "BIN": str(installed / "bin")}
    run_step(1, assay.folder, given, environment, status)
    return files["GITHUB_STEP_SUMMARY"].read_text(), files["GITHUB_OUTPUT"].read_text()


@pytest.mark.slow
def test_the_steps_report_check_and_hold_the_gate(six: Assay, installed: Path) -> None:
    """No wave was drawn, so the report's gate fails; the check that came before it is kept, and passes."""
    six("judge")
    six.write("new answers.jsonl", answers("new", dict.fromkeys("abcdef", RIGHT)))
    given = {"answers": "new answers.jsonl", "system": "new", "results": "out put"}

    summary, outputs = hold(six, installed, given, 3)

    assert outputs == "status=3\nresults=out put\n"
    assert "new is not shown better or worse" in summary.splitlines()[0]
    assert summary.count("### Gate: ") == 2
    suites = {file.stem: parse(file).getroot() for file in (six.folder / "out put").glob("*.xml")}
    assert {name: root.get("failures") for name, root in suites.items()} == {"gold_check": "0", "report": "0"}
    assert int(str(suites["report"].get("skipped"))) > 0

    assert hold(six, installed, {"gate": "false"}, 0)[1] == "status=0\nresults=assay-results\n"
    assert [file.name for file in sorted((six.folder / "assay-results").iterdir())] == ["report.md", "report.xml"]


@pytest.mark.slow
def test_what_cannot_be_done_fails_the_step(six: Assay, installed: Path) -> None:
    """A release that is not there is a usage error, whatever the report says after it; no store is an error."""
    given = {"system": "old", "release": "v9", "gate": "false"}

    assert hold(six, installed, given, 2)[1].startswith("status=2\n")
    assert hold(six, installed, {"db": "none.db", "gate": "false"}, 1)[1].startswith("status=1\n")
