"""A number that nothing can be done with is wrong usage, whatever option it is given to and wherever it comes from."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from annotate.cli import main
from support.store import Assay

ODD = ("nan", "-nan", "inf", "-inf", "1e999", str(2**70), str(-(2**70)), "1.5e3x", "", "0x10", "１．５x")
WORDS = {"gold edit": ("x", "--reference", "r"), "simulate": ("--labels", "5"), "compare": ("a", "b")}


def numeric(
    command: click.Command = main, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Option]]:
    """Every option that takes a number, with the words that call its command."""
    for name, inner in command.commands.items() if isinstance(command, click.Group) else ():
        yield from numeric(inner, (*path, name))
    for parameter in command.params:
        if isinstance(parameter, click.Option) and isinstance(
            parameter.type, (click.types.IntParamType, click.types.FloatParamType)
        ):
            yield path, parameter


OPTIONS = list(numeric())


@pytest.mark.parametrize(("path", "option"), OPTIONS, ids=lambda value: getattr(value, "name", None) or " ".join(value))
def test_odd_numbers_are_wrong_usage_that_names_the_option(
    assay: Assay, path: tuple[str, ...], option: click.Option
) -> None:
    """Status 2, and no store is made."""
    flag = option.opts[0]
    for value in ODD:
        result = assay(*path, *arguments(path), flag, value, status=2)
        assert flag in result.stderr.splitlines()[-1], (value, result.stderr)
    assert not assay.db.exists()


def arguments(path: tuple[str, ...]) -> list[str]:
    """What the command cannot do without."""
    command: click.Command = main
    for name in path:
        assert isinstance(command, click.Group)
        command = command.commands[name]
    words: list[str] = []
    for parameter in command.params:
        if not parameter.required:
            continue
        value = parameter.type.choices[0] if isinstance(parameter.type, click.Choice) else "5"
        words += (
            [parameter.opts[0], value] if isinstance(parameter, click.Option) else [value] * max(1, parameter.nargs)
        )
    return words


def test_no_seed_is_negative() -> None:
    """A generator of random numbers takes none."""
    seeds = [option for _, option in OPTIONS if option.name == "seed"]
    assert len(seeds) >= 4
    assert all(isinstance(option.type, click.IntRange) and option.type.min == 0 for option in seeds)


@pytest.mark.parametrize(
    ("text", "args", "names"),
    [
        ("db = 5", ("report",), "db"),
        ("db = true", ("report",), "db"),
        ("db = ['a']", ("events",), "db"),
        ("[report]\nlimit = nan", ("report",), "--limit"),
        ("[report]\nlimit = inf", ("report",), "--limit"),
        ("[report]\nlimit = '0.9'", ("report",), "limit"),
        ("[report]\nlimit = true", ("report",), "limit"),
        ("[report]\nlimit = [0.9]", ("report",), "limit"),
        ("[report]\ngate = 'no'", ("report",), "gate"),
        ("[sample]\nlabels = 1.5", ("sample",), "labels"),
        ("[sample]\nlabels = true", ("sample",), "labels"),
        ("[sample]\nseed = -1\nlabels = 5", ("sample",), "--seed"),
        ("[sample]\naudit = nan\nlabels = 5", ("sample",), "--audit"),
        ("[sample]\nslice = 3", ("sample",), "slice"),
        ("[judge]\njudges = [1]", ("judge",), "judges"),
        ("[judge]\nmodel = 5", ("judge",), "model"),
        ("[judge]\nbackend = 5", ("judge",), "backend"),
        ("[slices]\nby = [['a']]", ("slices",), "by"),
        ("[drift]\nby = {a = 1}", ("report",), "by"),
        ("[gold.check]\ncut = 'x'", ("report",), "cut"),
        ("prices = 5", ("report",), "prices"),
        ("gate = true", ("report",), "gate"),
        ("redaction = 'a'", ("report",), "redaction"),
        ("[run]\ntraffic = 3", ("report",), "traffic"),
        ("[app]\nport = '8501'", ("app",), "port"),
    ],
)
def test_a_setting_of_the_wrong_type_is_wrong_usage_that_names_the_key(
    assay: Assay, text: str, args: tuple[str, ...], names: str
) -> None:
    """One line and status 2, before anything is done."""
    assay.write("assay.toml", text)
    result = assay(*args, status=2, db=False)

    assert names in result.stderr.splitlines()[-1]
    assert "Traceback" not in result.stderr
    assert not assay.db.exists()


def test_settings_of_the_right_type_are_taken(assay: Assay) -> None:
    """Whole numbers for shares, one text for a list, dates as TOML has them."""
    assay.write(
        "assay.toml",
        'db = "other.db"\n[report]\nlimit = 1\ngate = false\n[slices]\nby = "system"\n[judge]\njudges = ["faithfulness,refusal"]\n',
    )
    assay("ingest", assay.write("traffic.jsonl", [{"question": "q?", "answer": "a", "contexts": ["a"]}]), db=False)
    assay("judge", db=False)
    assay("report", db=False)
    assert (assay.folder / "other.db").exists()


def test_judges_that_are_named_twice_add_up(assay: Assay) -> None:
    """Repeated, with commas, and the same one again."""
    assay("ingest", assay.write("traffic.jsonl", [{"question": "q?", "answer": "a", "contexts": ["a"]}]))
    run = assay.json(
        "judge", "--judges", "faithfulness", "--judges", "refusal, answer_relevance", "--judges", "refusal"
    )
    assert [judge["judge"] for judge in run["judges"]] == ["faithfulness", "refusal", "answer_relevance"]
