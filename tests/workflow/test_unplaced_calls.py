"""Rows of Braintrust that were exported without what tells the root: the times of the calls tell it, or the screen says so."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from annotate import Project
from support.store import Assay

SAMPLE = Path(__file__).parents[1] / "samples" / "braintrust.events.jsonl"


def calls(*without: str) -> list[dict[str, Any]]:
    """What the SDK's logger sent, without some columns."""
    rows = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    return [{name: value for name, value in row.items() if name not in without} for row in rows]


def cell(value: object) -> object:
    """A value as a table holds it."""
    return json.dumps(value) if isinstance(value, (dict, list)) else value


def answers(assay: Assay) -> list[tuple[str, str, tuple[str, ...], str]]:
    """Every answer with its passages and its metadata."""
    rows = Project.open(assay.db).items().sort_values("id").itertuples()
    return [(row.question, row.answer, tuple(row.contexts), row.group) for row in rows]


@pytest.mark.parametrize("is_table", [True, False])
def test_the_call_during_which_all_others_ran_is_the_root(assay: Assay, tmp_path: Path, *, is_table: bool) -> None:
    """As if its parents stood there, whatever the order of the rows."""
    other = Assay(tmp_path, tmp_path / "other.db")
    other("ingest", str(SAMPLE))
    rows = list(reversed(calls("span_parents")))
    file = assay.write("t.jsonl", rows)
    if is_table:
        file = str(tmp_path / "t.csv")
        with Path(file).open("w", newline="", encoding="utf-8") as out:
            table = csv.DictWriter(out, list(dict.fromkeys(name for row in rows for name in row)))
            table.writeheader()
            table.writerows({name: cell(value) for name, value in row.items()} for row in rows)

    done = assay.json("ingest", file)

    assert (done["added"], done["without_root"]) == (3, 0)
    assert answers(assay) == answers(other)
    assert "metadata" in done["sources"][0]["unused"]


def test_without_times_the_screen_names_the_columns(assay: Assay) -> None:
    """Nothing is guessed; with the columns the same calls are answers."""
    file = assay.write("t.jsonl", calls("span_parents", "metrics"))

    text = " ".join(assay("ingest", file).stdout.split())

    assert "3 traces wait for their root span." in text
    assert "export the columns span_parents or is_root too" in text
    assert assay.json("ingest", str(SAMPLE))["added"] == 3


def test_two_calls_beside_each_other_have_no_root(assay: Assay) -> None:
    """Neither ran during the other."""
    rows = [
        {
            **{"span_id": name, "root_span_id": "t", "input": "Where?", "output": "Up."},
            **{"metrics": {"start": 1_795_784_566 + start, "end": 1_795_784_568 + start}},
        }
        for start, name in enumerate("ab")
    ]

    assert assay.json("ingest", assay.write("t.jsonl", rows))["without_root"] == 1


def test_a_root_that_is_told_later_counts(assay: Assay) -> None:
    """The other answer is a revision of what was told by times."""
    rows = calls("span_parents")
    assay("ingest", assay.write("1.jsonl", rows))
    first = rows[0]
    root = {**first, "span_id": "r", "span_parents": None, "output": "No.", "input": {"question": "Can I park?"}}

    done = assay.json("ingest", assay.write("2.jsonl", [root]))

    assert (done["added"], done["revised"]) == (0, 1)
    assert ("Can I park?", "No.") in [answer[:2] for answer in answers(assay)]
