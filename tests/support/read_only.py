"""A store that somebody may read and not write."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

import pytest

from support.store import ROOT, Assay, label, once, traffic_row
from support.tiers import shortly


@pytest.fixture
def half_labelled(assay: Assay) -> Assay:
    """Forty judged items of two systems, half of them labelled, with a rule in force."""

    def make() -> None:
        rows = [
            traffic_row(
                f"t{k}",
                question=f"Where is room {k // 2}?",
                system=("old", "new")[k % 2],
                timestamp=f"2026-0{1 + k % 9}-11T08:00:00Z",
            )
            for k in range(40)
        ]
        assay("ingest", assay.write("traffic.jsonl", rows))
        assay("judge")
        assay("sample", "--labels", "20", "--seed", "1")
        words = [label(f"t{k}", ("right", "wrong")[k % 3 == 0]) for k in range(40)]
        assay("labels", "import", assay.write("labels.jsonl", words))
        assay.write("more.jsonl", [traffic_row("more")])
        # Whoever closes the store last writes its log back and takes it away.
        sqlite3.connect(assay.db).execute("PRAGMA wal_checkpoint(TRUNCATE)").connection.close()

    return once(assay, "read-only", make)


PLACES = ("folder", "file", "both")
# The store is opened for reading in one way wherever it cannot be written: what commands answer and what they refuse is asked in
# two places, the rest in one.
IN_ONE_PLACE = pytest.mark.parametrize("locked", shortly(PLACES, "both"), indirect=True)


@pytest.fixture(params=shortly(PLACES, "folder", "both"))
def locked(half_labelled: Assay, request: pytest.FixtureRequest) -> Iterator[Assay]:
    """The store where nobody may write to its folder, to the file, or to either."""
    everything = [half_labelled.folder, *half_labelled.folder.iterdir()]
    for path in everything:
        path.chmod(0o777 if path.is_dir() else 0o666)
    if request.param != "file":
        half_labelled.folder.chmod(0o555)
    if request.param != "folder":
        half_labelled.db.chmod(0o444)
    yield half_labelled
    half_labelled.folder.chmod(0o755)


class Ended(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str


def bound(assay: Assay, *commands: tuple[str, ...]) -> list[Ended]:
    """The commands by somebody whom permissions bind, which root is only without its capabilities."""
    script = (
        "import json, sys; from click.testing import CliRunner; from annotate.cli import main\n"
        "ended = [CliRunner().invoke(main, args, prog_name='assay') for args in json.loads(sys.argv[1])]\n"
        "print(json.dumps([[end.exit_code, end.stdout, end.stderr + repr(end.exception or '')] for end in ended]))"
    )
    given = json.dumps([[*args, "--db", str(assay.db)] for args in commands])
    return [Ended(*end) for end in json.loads(bound_script(assay, script, given))]


def bound_script(assay: Assay, script: str, *given: str) -> str:
    """What a script prints that permissions bind."""
    is_root = os.geteuid() == 0
    if is_root and shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere, and there is no setpriv")
    drop = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if is_root else []
    ended = subprocess.run(
        [*drop, sys.executable, "-c", script, *given],
        cwd=assay.folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return ended.stdout


def dump(assay: Assay) -> str:
    """Every row and table of the store, as SQL."""
    with closing(sqlite3.connect(assay.db)) as connection:
        return "\n".join(connection.iterdump())
