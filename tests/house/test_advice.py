"""Every command that a sentence of the product advises exists with its options.

All texts of the source are read, with `x` for what is filled in; oracle: the commands as click knows them.
"""

from __future__ import annotations

import ast
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from annotate.cli import main

ROOT = Path(__file__).resolve().parents[2]
FILLED = "\x00"
# A command in backticks, or a text that is one command, as "next" lines hold them.
QUOTED = re.compile(r"`(assay(?: [^`]*)?)`")
WHOLE = re.compile(r"assay [a-z][^`.;:]*")


def texts() -> Iterator[tuple[str, str]]:
    """(file, text) of every string in the source but docstrings, and of every message of the pages."""
    for folder in ("annotate", "proxy"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            if "assay" not in (source := file.read_text()):  # then no command either
                continue
            tree = ast.parse(source)
            docs = {
                node.body[0].value
                for node in ast.walk(tree)
                if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
                and node.body
                and isinstance(node.body[0], ast.Expr)
            }
            inner = {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
            for node in ast.walk(tree):
                if isinstance(node, ast.JoinedStr):
                    parts = [p.value if isinstance(p, ast.Constant) else FILLED for p in node.values]
                    yield file.name, "".join(map(str, parts))
                elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not {node} & (docs | inner):
                    yield file.name, node.value
    for file in sorted((ROOT / "annotate/present/strings").glob("*.toml")):
        for section in tomllib.loads(file.read_text()).values():
            for row in section.values():
                for text in row.values():
                    yield file.name, re.sub(r"\{[^}]*\}", FILLED, text)


def advised() -> list[tuple[str, str]]:
    """Each command once, with a file that advises it."""
    file_of: dict[str, str] = {}
    for file, text in texts():
        commands = QUOTED.findall(text) + ([text] if WHOLE.fullmatch(text) else [])
        file_of.update(dict.fromkeys(commands, file))
    return sorted((file, command) for command, file in file_of.items())


@pytest.mark.slow
def test_every_command_that_is_advised_exists() -> None:
    """Its name is known, and so is each option."""
    commands = advised()

    assert commands
    assert [wrong for file, command in commands if (wrong := unknown(file, command))] == []


def unknown(file: str, command: str) -> str | None:
    """What is wrong with a command, None where it can be carried out."""
    words = shlex.split(command.replace(FILLED, "x").replace("…", "x"))[1:]
    here: click.Command = main
    while words and isinstance(here, click.Group) and words[0] in here.commands:
        here = here.commands[words.pop(0)]
    if isinstance(here, click.Group) and words and words[0] != "x" and not words[0].startswith("-"):
        return f"{file}: {here.name} has no {words[0]}"
    known = {name for option in here.params for name in (*option.opts, *option.secondary_opts)}
    used = {word.split("=")[0] for word in words if word.startswith("--")}
    missing = used - known - {"--help", "--version"}
    return f"{file}: {here.name} has no {missing}" if missing else None
