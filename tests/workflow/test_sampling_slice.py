"""Waves of one slice: what is drawn and remembered, and what fresh labels confirm."""

from __future__ import annotations

import pytest

from support.scored import open_ids, scored
from support.store import Assay, traffic_row

pytestmark = pytest.mark.slow

LANGUAGES = ("en", "ko", "de")


def ingested(assay: Assay, count: int = 240) -> dict[str, bool]:
    """Items in three languages, three of four passed; passed answers in Korean are wrong half of the time. Who is right."""
    rows = [traffic_row(f"t{k:03}", language=LANGUAGES[k % 3]) for k in range(count)]
    values = [0.2 if k // 3 % 4 == 0 else 0.6 + 0.001 * k for k in range(count)]
    scored(assay, rows, values)
    return {
        str(row["id"]): value < 0.5 if k // 12 % 2 else not (k % 3 == 1 and k // 3 % 2)
        for k, (row, value) in enumerate(zip(rows, values, strict=True))
    }


def answer(assay: Assay, truth: dict[str, bool], share: float = 1.0) -> None:
    """Label this share of the open draws."""
    names = open_ids(assay)
    rows = [
        {"item_id": name, "label": "right" if truth[name] else "wrong"} for name in names[: round(share * len(names))]
    ]
    assay("labels", "import", assay.write("labels.jsonl", rows))


def test_a_wave_of_a_slice_frames_and_draws_its_items_only(assay: Assay) -> None:
    """Of 80 Korean items 30 are drawn, passed and failed ones, and the wave remembers what it was drawn of."""
    ingested(assay)
    drawn = assay.json("sample", "--labels", "30", "--slice", "language: ko", "--seed", "1")
    assert (drawn["drawn"], drawn["slice"], drawn["size"]) == (30, "language: ko", 80)
    assert {part["stratum"].split("_")[0] for part in drawn["strata"]} == {"passed", "failed"}
    tongues = assay.sql("SELECT i.language, count(*) FROM frames f JOIN items i ON i.key = f.item GROUP BY 1")
    assert tongues == [("ko", 80)]
    assert assay.sql("SELECT part FROM waves") == [("language: ko",)]


def test_an_unknown_slice_lists_the_names(assay: Assay) -> None:
    """Wrong usage: the message holds the names that there are, and nothing is drawn."""
    ingested(assay)
    result = assay("sample", "--labels", "30", "--slice", "language: fr", status=2)
    assert "language: de; language: en; language: ko" in result.output
    assert assay.sql("SELECT count(*) FROM waves") == [(0,)]


def test_a_stream_is_of_all_traffic(assay: Assay) -> None:
    """--slice with --rate is wrong usage: a stream gives every new item its chance."""
    ingested(assay)
    assert "--slice" in assay("sample", "--rate", "0.1", "--slice", "language: ko", status=2).output


def test_a_slice_that_was_drawn_whole_has_nothing_left(assay: Assay) -> None:
    """The second wave of the same 80 items says that there is nothing to draw."""
    ingested(assay)
    assay("sample", "--labels", "80", "--slice", "language: ko")
    assert "nothing to draw" in assay("sample", "--labels", "5", "--slice", "language: ko", status=2).output


def test_fresh_labels_confirm_a_slice_when_all_are_there(assay: Assay) -> None:
    """A wave of the slice is open until its last label; then its own labels are held against those outside of it."""
    truth = ingested(assay) | {f"t{k:03}": False for k in range(240) if k % 3 == 1 and k // 3 % 4}
    truth |= {f"t{k:03}": True for k in range(240) if k % 3 != 1 and k // 3 % 4}
    assay("sample", "--labels", "100", "--seed", "1")
    answer(assay, truth)
    slices = assay.json("slices")
    assert ("language: ko", "wrong_pass") in [(row["slice"], row["mistake"]) for row in slices["worse"]]
    assert slices["to_confirm"] == []
    assay("sample", "--labels", "30", "--slice", "language: ko", "--seed", "2")
    answer(assay, truth, share=0.7)
    waiting = assay.json("slices")["to_confirm"]
    assert [(row["slice"], row["status"], row["open"]) for row in waiting] == [("language: ko", "open", 9)]
    assert "open: 9 to label" in assay("slices").output
    answer(assay, truth)
    (done,) = assay.json("slices")["to_confirm"]
    assert (done["status"], done["mistake"]) == ("confirmed", "wrong_pass")
    fresh = assay.sql(
        "SELECT count(*) FROM draws d JOIN verdicts v ON v.item = d.item WHERE wave = 2 AND verdict = 'pass'"
    )
    assert [(done["fresh"]["here"]["n"],)] == fresh
    assert done["fresh"]["here"]["estimate"] == 1.0
    assert done["fresh"]["elsewhere"]["errors"] == 0


def test_a_slice_without_a_difference_is_not_confirmed(assay: Assay) -> None:
    """Where no label is wrong, a wave of a slice confirms nothing."""
    truth = dict.fromkeys(ingested(assay), True)
    assay("sample", "--labels", "60", "--seed", "1")
    answer(assay, truth)
    assay("sample", "--labels", "30", "--slice", "language: ko", "--seed", "2")
    answer(assay, truth)
    assert [row["status"] for row in assay.json("slices")["to_confirm"]] == ["not_confirmed"]
