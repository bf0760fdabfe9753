"""The pages that answer a question run as they stand: every command is carried out, every line of output shown is printed.

A ```console block is `$ command` lines with what they print below; `…` stands for text that is left out. The blocks of a page run
in order in one empty folder, where examples/ of the repository can be reached. A block ```toml or ```python with the name of a file
in its first line, `# assay.toml`, is written to that file. A command that must not end with 0 says so in a comment: `$ assay report --gate    # exit status 3`.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from annotate.cli import main

ROOT = Path(__file__).parents[2]
PAGES = [
    path
    for name in ("trust", "threshold", "compare", "next", "report", "questions", "ci", "agents")
    if (path := ROOT / "docs" / f"{name}.md").exists()
]
BLOCK = re.compile(r"^```(console|toml|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# (\S+\.(?:toml|py))\n")
STATUS = re.compile(r"\s+# exit status (\d+)$")
PROGRAMS = {"python": [sys.executable], "cat": ["cat"]}


class Step(NamedTuple):
    """A command of a page, the exit status it must have, and what the page says it prints."""

    command: str
    status: int
    shown: str


class Written(NamedTuple):
    """A file that the page shows, written before the next command."""

    name: str
    text: str


def steps(page: str) -> Iterator[Step | Written]:
    """The commands and files of a page, in order."""
    for kind, body in BLOCK.findall(page):
        if kind != "console":
            if named := FILE.match(body):
                yield Written(named[1], body)
            continue
        first, *rest = re.split(r"^\$ ", body, flags=re.MULTILINE)
        assert not first.strip(), f"a console block begins with a command: {first}"
        for block in rest:
            command, _, shown = re.sub(r" \\\n\s*", " ", block).partition("\n")
            wanted = STATUS.search(command)
            yield Step(STATUS.sub("", command), int(wanted[1]) if wanted else 0, shown)


def run(command: str) -> tuple[int, str]:
    """The exit status of a command in the working folder, and all that it printed; `assay` runs in this process."""
    program, *words = shlex.split(command, comments=True)
    assert program in (*PROGRAMS, "assay"), f"pages use assay, {', '.join(PROGRAMS)}, not {program}"
    if program == "assay":
        result = CliRunner().invoke(main, words, prog_name="assay")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.output
    done = subprocess.run(
        [*PROGRAMS[program], *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False
    )
    return done.returncode, done.stdout


def missing(shown: str, printed: str) -> str | None:
    """The first part of what is shown that is not printed, in order; spaces and line ends do not count."""
    text, at = " ".join(printed.split()), 0
    for part in (" ".join(piece.split()) for piece in shown.split("…")):
        place = text.find(part, at)
        if place < 0:
            return part
        at = place + len(part)
    return None


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_prints_what_it_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command of the page ends as it says, and prints the lines below it in their order."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("ASSAY_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYTHONUTF8", "1")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    count = 0
    for step in steps(page.read_text(encoding="utf-8")):
        if isinstance(step, Written):
            (tmp_path / step.name).write_text(step.text, encoding="utf-8")
            continue
        count += 1
        status, printed = run(step.command)

        assert status == step.status, f"$ {step.command}\n{printed}"
        assert missing(step.shown, printed) is None, f"$ {step.command}\n{missing(step.shown, printed)}\n---\n{printed}"
    assert count, "the page has no command"


def test_what_a_page_shows_is_looked_for_in_order() -> None:
    """Left-out text may be anything; a word that is not there, or stands earlier, is missing."""
    assert missing("a b\n…\nd", "a  b c\nd e") is None
    assert missing("", "anything") is None
    assert missing("d\n…\na b", "a b c d") == "a b"
    assert missing("a b", "a c b") == "a b"


def test_a_page_is_read_as_commands_files_and_output() -> None:
    """A continued line is one command; a status is taken from its comment; a TOML block without a name is for reading only."""
    page = (
        "```console\n$ assay report \\\n    --gate    # exit status 3\nno\n\nyes\n$ cat f\n```\n"
        "```toml\n# assay.toml\n[gate]\n```\n```toml\n[else]\n```\n"
    )

    assert list(steps(page)) == [
        Step("assay report --gate", 3, "no\n\nyes\n"),
        Step("cat f", 0, ""),
        Written("assay.toml", "# assay.toml\n[gate]\n"),
    ]
