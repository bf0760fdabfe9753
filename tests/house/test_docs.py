"""The documents say what is: commands, options, dependencies and the numbers of the demo."""

from __future__ import annotations

import re
import shlex
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import click
import pytest
from click.testing import CliRunner

from annotate.cli import main
from proxy.records import FailureKind, Item, JudgeFailure, Score

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PAGES = {path.stem: path.read_text() for path in sorted((ROOT / "docs").glob("*.md"))}


def commands(group: click.Group, prefix: tuple[str, ...] = ()) -> dict[tuple[str, ...], click.Command]:
    """Every command by its words."""
    by_name: dict[tuple[str, ...], click.Command] = {}
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            by_name |= commands(command, (*prefix, name))
        else:
            by_name[*prefix, name] = command
    return by_name


def shown() -> list[list[str]]:
    """The `assay …` lines of the blocks in the README and the docs, without their comments."""
    lines = re.findall(r"^ {4}assay (.*)$", "\n".join([README, *PAGES.values()]), re.MULTILINE)
    return [list(words) for words in dict.fromkeys(tuple(shlex.split(line, comments=True)) for line in lines)]


@pytest.mark.parametrize("words", shown(), ids=" ".join)
def test_every_line_of_the_documents_parses(words: list[str]) -> None:
    """A command line of the documents is one that the command understands."""
    listed = commands(main)
    name = next(key for key in (tuple(words[:2]), tuple(words[:1])) if key in listed)

    listed[name].make_context(" ".join(name), words[len(name) :], resilient_parsing=False)


def test_the_glossary_names_modules_that_are_there() -> None:
    """The last column of each row."""
    rows = [line.split("|") for line in PAGES["glossary"].splitlines() if line.startswith("| ")][2:]
    paths = [path for row in rows for path in re.findall(r"`([^`]+)`", row[-2])]

    assert len(paths) >= len(rows) > 10
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.slow
def test_the_readme_shows_what_the_demo_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first screen of the README is the demo's own output, with lines left out but none made up."""
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["demo"])
    printed = " ".join(result.output.split())
    block = README.split("$ make demo\n")[1].split("\n\nWhy not enough")[0]
    quoted = [" ".join(part.split()) for part in re.split(r"…|\n\s*\n|\n(?=    \S)", block) if part.strip()]

    assert result.exit_code == 0, result.output
    missing = [part for part in quoted if part not in printed]
    assert not missing


def test_every_dependency_has_its_reason() -> None:
    """CONTRIBUTING gives one line to each runtime dependency and to no other package."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    names = {re.split(r"[<>=\[]", option)[0] for option in declared}
    table = (ROOT / "CONTRIBUTING.md").read_text()
    reasons = set(re.findall(r"^\| ([a-z][a-z0-9-]+)(?:\[[a-z]+\])? \| \S.+\|$", table, re.MULTILINE)) - {"package"}

    assert names == reasons


def test_locks_hold_hashes_and_no_addresses() -> None:
    """A lock file names versions and hashes, and no server."""
    for name in ("requirements.lock", "requirements-dev.lock"):
        text = (ROOT / name).read_text()

        assert "://" not in text
        assert text.count("==") <= text.count("--hash=sha256:")


def test_the_readme_names_every_stage() -> None:
    """Each top-level command a user needs in the loop is told of in the README."""
    for name in (
        "ingest",
        "judge",
        "rule",
        "plan",
        "simulate",
        "sample",
        "push",
        "pull",
        "labels",
        "report",
        "gold",
        "app",
        "up",
        "doctor",
    ):
        assert f"assay {name}" in README, name


def test_the_readme_is_short() -> None:
    """A newcomer reads it whole: marks of tables and lists are no words."""
    assert len([word for word in README.split() if re.search(r"\w", word)]) <= 900


def test_every_link_leads_to_a_file() -> None:
    """What the README and the docs point at in this repository is there."""
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def blocks(page: str) -> list[str]:
    """The Python blocks of a page."""
    return re.findall(r"```python\n(.*?)```", PAGES[page], re.DOTALL)


def test_the_reflection_of_the_docs_finds_the_sentence_without_support(capsys: pytest.CaptureFixture[str]) -> None:
    """The block on answers that are not given yet runs as it stands."""
    exec(next(block for block in blocks("judges") if "judge_one" in block), {})

    assert "not in the passages: It was painted by Monet." in capsys.readouterr().out


def test_the_docs_judge_of_ones_own_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ten lines are a judge: 60 words score 1, 120 score 0.5, none abstains."""
    module = ModuleType("my_judges")
    monkeypatch.setitem(sys.modules, "my_judges", module)
    exec(next(block for block in blocks("judges") if "Brevity" in block), vars(module))
    brevity = module.Brevity()
    results = [brevity.judge(Item(id="i", question="?", answer=" ".join(["word"] * n))) for n in (60, 120, 0)]

    assert [result.value for result in results if isinstance(result, Score)] == [1.0, 0.5]
    assert isinstance(results[2], JudgeFailure)
    assert results[2].kind is FailureKind.NOT_APPLICABLE
