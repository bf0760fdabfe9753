"""Files from the app are the files of the command: the same bytes, for every tool, of what stands and of any release."""

from __future__ import annotations

import io
import zipfile
from contextlib import closing

import pytest

from annotate.cli.gold import export
from annotate.domain.gold import GoldStatus
from annotate.pages.gold import exports
from annotate.store import Store
from annotate.workflow.gold import export as gold_export
from annotate.workflow.gold.export import TARGETS, Target
from support.gold import busy
from support.store import Assay


@pytest.mark.parametrize("release", [None, "v1"])
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_the_app_gives_what_the_command_writes(assay: Assay, target: Target, release: str | None) -> None:
    """Byte for byte; of a folder, each file in the zip."""
    with closing(Store(assay.db)) as store:
        busy(store)
    path = assay.folder / ("folder" if target.is_folder else f"file{target.ending}")
    form = [] if target.name in {"jsonl", "csv"} else ["--to", target.name]
    assay("gold", "export", str(path), *form, *(["--release", release] if release else []))
    content = exports.content(assay.db, target, release)

    if target.is_folder:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            held = {name.removeprefix("gold/"): archive.read(name) for name in archive.namelist()}
        assert held == {file.name: file.read_bytes() for file in path.iterdir()}
    else:
        assert content == path.read_bytes()


def test_every_form_of_the_command_is_offered() -> None:
    """A new target of `--to` must be named here too."""
    (option,) = [parameter for parameter in export.params if parameter.name == "target"]

    assert {target.name for target in TARGETS} - {"csv"} == set(option.type.choices)  # type: ignore[attr-defined]


def test_rows_are_those_of_a_status(store: Store) -> None:
    """Only what is accepted, or everything."""
    busy(store)

    assert len(list(gold_export.rows(store, GoldStatus.ACCEPTED))) == 5
    assert len(list(gold_export.rows(store, None))) == 6
