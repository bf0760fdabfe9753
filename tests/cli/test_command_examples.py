"""Every command's help ends with examples, and each of them is a command line that the command takes."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from annotate.cli import main
from annotate.cli.examples import EXAMPLES


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[str]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name))


def test_every_command_has_one_and_no_other() -> None:
    assert sorted(EXAMPLES) == sorted(commands(main))


@pytest.mark.parametrize("path", sorted(EXAMPLES))
def test_each_is_understood_and_shown_whole(path: str) -> None:
    """The line is parsed by the command itself, without being run; help shows it in one line."""
    shown = CliRunner().invoke(main, [*path.split(), "--help"]).output.splitlines()
    for line in EXAMPLES[path]:
        program, *words = shlex.split(line)
        assert (program, words[: len(path.split())]) == ("assay", path.split())
        assert f"    {line}" in shown or f"  {line}" in shown, shown
        command: click.Command = main
        for name in path.split():
            assert isinstance(command, click.Group)
            command = command.commands[name]
        command.make_context(path, words[len(path.split()) :])


@pytest.mark.parametrize(
    ("line", "completed"), [("assay rep", "report"), ("assay gold rel", "release"), ("assay show --js", "--json")]
)
def test_a_shell_completes_commands_and_options(line: str, completed: str) -> None:
    """Bash sources the script that the command gives, and asks as it does where Tab is pressed."""
    assay = str(Path(sys.executable).parent / "assay")
    script = subprocess.run(
        [assay], env=os.environ | {"_ASSAY_COMPLETE": "bash_source"}, capture_output=True, text=True, check=True
    )
    words = line.split()
    asked = f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _assay_completion assay; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    path = f"{Path(assay).parent}:{os.environ['PATH']}"
    reply = subprocess.run(
        ["bash", "-c", f"{script.stdout}\n{asked}"],
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert completed in reply.stdout.split(), reply
