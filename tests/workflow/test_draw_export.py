"""Draws as files that an expert fills in: everything to read, nothing that tells, and back without an edit."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from support.store import Assay, draw, kept, label, traffic_row

TURNS = [
    {"role": "user", "text": "Is there a café?"},
    {"role": "assistant", "text": "Yes.\nOn the roof."},
    {"text": "=2"},
]
PASSAGES = [
    {
        "text": "Line one.\nLine two.", "title": "Leaflet 7", "score": 0.9,
        "date": "2021-03-04", "metadata": {"url": "https://ann:key@wiki.example/leaflets/7?token=s"},
    },
    "Plain, with 한국어.",
]  # fmt: skip


@kept
def talks(assay: Assay) -> Assay:
    """Answers in a conversation, with passages that have titles, and one without either."""
    rows = [traffic_row(name, history=TURNS, contexts=PASSAGES, system="search-v2") for name in "abcdefg"]
    assay("ingest", assay.write("t.jsonl", [*rows, traffic_row("h", contexts=[])]))
    draw(assay)
    return assay


def exported(assay: Assay, name: str, *options: str) -> list[dict[str, Any]]:
    assay("draws", "export", name, *options)
    text = (assay.folder / name).read_text(encoding="utf-8")
    if name.endswith(".csv"):
        return list(csv.DictReader(io.StringIO(text, newline="")))
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("blind", [(), ("--blind",)], ids=len)
def test_a_table_can_be_read_by_a_person(talks: Assay, blind: tuple[str, ...]) -> None:
    """The conversation before the question, numbered passages with titles, no JSON; columns to fill in, causes and harm among them."""
    rows = exported(talks, "d.csv", *blind)
    row = next(row for row in rows if row["history"])
    bare = next(row for row in rows if not row["history"])

    assert row["history"] == "user: Is there a café?\n\nassistant: Yes.\nOn the roof.\n\n=2"
    assert (
        row["contexts"]
        == "[1] Leaflet 7 · 2021-03-04 · wiki.example/leaflets/7\nLine one.\nLine two.\n\n[2] Plain, with 한국어."
    )
    assert (bare["history"], bare["contexts"]) == ("", "")
    assert list(row)[-6:] == ["label", "reference", "causes", "harm", "rationale", "annotator"]
    assert not any(row[name] for name in list(row)[-6:])
    assert ("search-v2" in str(row)) is not bool(blind)


def test_lines_hold_lists(talks: Assay) -> None:
    """For machines: turns with their roles, passages by rank, with what tells them apart."""
    row = next(row for row in exported(talks, "d.jsonl", "--blind") if row["history"])

    assert row["history"] == [
        *({"role": "user", "text": "Is there a café?"}, {"role": "assistant", "text": "Yes.\nOn the roof."}),
        {"role": "", "text": "=2"},
    ]
    source = {"title": "Leaflet 7", "date": "2021-03-04", "source": "wiki.example/leaflets/7"}
    assert row["contexts"] == [{"text": "Line one.\nLine two.", **source}, "Plain, with 한국어."]


@pytest.mark.parametrize("blind", [(), ("--blind",)], ids=len)
@pytest.mark.parametrize("separator", [",", ";"])
def test_what_an_expert_fills_in_comes_back_without_an_edit(
    talks: Assay, blind: tuple[str, ...], separator: str
) -> None:
    """As a spreadsheet saves it; causes with commas or line breaks between them; rows not filled in yet are no fault."""
    rows = exported(talks, "d.csv", *blind)
    rows[0] |= {"label": "Wrong", "reference": "Room b.", "causes": "Retrieval missed, incomplete", "harm": "minor"}
    rows[1] |= {"label": "right", "annotator": "ann"}
    rows[2] |= {"label": "wrong", "causes": "unfaithful\nother;", "rationale": "Not in the leaflet."}
    rows[3] |= {"annotator": "ann"}
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), delimiter=separator)
    writer.writeheader()
    writer.writerows(rows)

    imported = talks.json("labels", "import", talks.write("back.csv", "\ufeff" + text.getvalue()))

    assert (imported["added"], imported["to_draws"], imported["blank"], imported["quarantined"]) == (3, 3, 5, 0)
    assert "5 not filled in" in talks("labels", "import", str(talks.folder / "back.csv")).stdout
    labels = talks.sql("SELECT judgement, causes, harm FROM labels ORDER BY judgement, harm DESC")
    assert sorted(labels, key=str) == [
        *(("right", "[]", None), ("wrong", '["retrieval_missed", "incomplete"]', "minor")),
        ("wrong", '["unfaithful", "other"]', None),
    ]


def test_a_label_of_nothing_is_still_refused(talks: Assay) -> None:
    """A labels file of one's own, and a row with a reference and no label: somebody forgot something."""
    (row, *_) = exported(talks, "d.jsonl", "--blind")
    rows = [label("a", None), {**row, "reference": "Room b."}, label("a")]

    imported = talks.json("labels", "import", talks.write("l.jsonl", rows), status=4)

    assert (imported["added"], imported["quarantined"], imported["blank"]) == (1, 2, 0)


@pytest.mark.slow
def test_titles_are_masked_and_hidden_like_other_texts(talks: Assay) -> None:
    """What the team wants to see nowhere goes into no file; date and source neither."""
    Path("assay.toml").write_text('[redaction]\non = true\npatterns = ["Leaflet", "wiki"]\n')
    (masked, *_) = (row["contexts"] for row in exported(talks, "d.csv") if row["history"])
    Path("assay.toml").write_text('[redaction]\non = true\nhidden = ["title", "source"]\n')
    talks("doctor", "--set-masking")  # without the pattern it masks less than what the store holds by now
    (hidden, *_) = (row["contexts"] for row in exported(talks, "e.csv") if row["history"])

    assert not any(text in masked for text in ("Leaflet", "wiki"))
    assert "2021-03-04" in masked
    assert masked.startswith("[1] [")
    assert hidden.startswith("[1] Line one.")


@pytest.mark.slow
def test_without_an_open_draw_the_export_says_so_and_what_to_do(assay: Assay) -> None:
    """Nothing was drawn yet; then every draw has its label, and some answers are left to draw; then none is."""
    assay("ingest", assay.write("t.jsonl", [traffic_row(name) for name in "abcd"]))
    before = assay("draws", "export", "d.csv").stdout
    assert "No draw is open, so d.csv has no rows." in before
    assert "labelled" not in before
    assert commands(assay) == ["assay sample --labels 100"]

    for labels, following in ((2, ["assay sample --labels 100"]), (2, ["assay ingest FILE", "assay judge"])):
        draw(assay, labels)
        rows = exported(assay, "open.jsonl")
        assert commands(assay, "all.jsonl", "--all") == ["assay labels import FILE"]
        assay("labels", "import", assay.write("l.jsonl", [label(row["item_id"]) for row in rows]))
        assert commands(assay) == following


def commands(assay: Assay, file: str = "d.csv", *options: str) -> list[str]:
    """The commands that an export says to go on with."""
    return [command for step in assay.json("draws", "export", file, *options)["next"] for command in step["commands"]]
