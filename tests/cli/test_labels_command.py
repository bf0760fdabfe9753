"""`assay labels` as a person types it: what waits, settling it, every revision, who labels how, and the exports."""

from __future__ import annotations

import csv
from collections.abc import Sequence

import pytest

from support.store import Assay, draw, label, read

NASTY = "e\x1b[31mve\u202e"


def imported(assay: Assay, rows: Sequence[dict[str, object]], name: str = "l.jsonl") -> None:
    assay("labels", "import", assay.write(name, list(rows)))


@pytest.fixture
def disputed(loaded: Assay) -> Assay:
    """Eight drawn items: a and b disputed, b with serious harm, c agreed, d unsure, e read once."""
    draw(loaded)
    imported(
        loaded,
        [
            *(label("a", "right", "ann"), label("a", "wrong", "bob", reference="Upstairs.", rationale="The floor.")),
            *(label("b", "right", "ann"), label("b", "wrong", "bob", harm="serious", causes=["unfaithful"])),
            *(label("c", "right", "ann"), label("c", "right", "bob")),
            *(label("d", "unsure", "ann"), label("e", "wrong", NASTY, reference="Here.", seconds=7)),
        ],
    )
    return loaded


def basis(assay: Assay) -> dict[str, tuple[str, str | None, int]]:
    """The label of each item, what it rests on, and how many readers it has."""
    assay("labels", "export", str(assay.folder / "out.jsonl"))
    return {
        str(row["item_id"]): (row["label"], row["basis"], row["readers"]) for row in read(assay.folder / "out.jsonl")
    }  # type: ignore[misc]


def test_what_waits_is_listed_without_names(disputed: Assay) -> None:
    """Serious harm first, then what is disputed, then what nobody was sure of."""
    found = disputed.json("labels", "disputed")
    page = disputed("labels", "disputed").stdout

    assert [(one["item_id"], one["why"], one["serious"]) for one in found["disputed"]] == [
        *(("b", "readers disagree", True), ("a", "readers disagree", False), ("d", "no reader is sure", False)),
    ]
    assert sorted(one["label"] for one in found["disputed"][0]["readings"]) == ["right", "wrong"]
    assert found["second_reader"] == 1
    assert page.index("b (serious harm)") < page.index("a: readers disagree") < page.index("d: no reader")
    assert "Reader A: " in page
    assert "ann" not in page
    assert "bob" not in page


@pytest.mark.slow
def test_settling_changes_the_label_the_report_and_the_gold_set(disputed: Assay) -> None:
    """The label says what it rests on, the reference becomes a candidate, and the item leaves the queue."""
    before = disputed.json("report")["label_counts"]
    done = disputed.json(
        "labels", "adjudicate", "a", "--label", "wrong", "--why", "Bob is right.", "--reference", "Upstairs!"
    )
    counts = disputed.json("report")["label_counts"]

    assert (done["label"], done["basis"], done["added"], done["waiting"]) == ("wrong", "adjudication", True, 2)
    assert (before["wrong"], before["unsure"], counts["wrong"], counts["unsure"]) == (1, 3, 2, 2)
    assert basis(disputed) == {
        **{"a": ("wrong", "adjudication", 2), "b": ("unsure", "disagreement", 2), "c": ("right", "agreement", 2)},
        **{"d": ("unsure", "one reader", 1), "e": ("wrong", "one reader", 1)},
    }
    gold = disputed.json("gold", "list")["gold"]
    assert "Upstairs!" in [one["reference"] for one in gold if one["item_id"] == "a"]
    assert "as before" in disputed(
        "labels", "adjudicate", "a", "--label", "wrong", "--why", "Bob is right.", "--reference", "Upstairs!"
    ).stdout  # fmt: skip
    assert disputed.sql("SELECT count(*) FROM annotations WHERE source = 'adjudication'") == [(1,)]
    assert disputed.json("doctor")["problems"] == []


def test_a_readers_reference_is_taken_by_letter(disputed: Assay) -> None:
    """The one whose reference it is has another letter than the one who wrote none."""
    readings = disputed.json("labels", "disputed")["disputed"][1]["readings"]
    letters = {bool(one["reference"]): one["reader"][-1] for one in readings}
    settle = ("labels", "adjudicate", "a", "--label", "wrong", "--why", "Yes.", "--reader")

    assert "wrote no reference" in disputed(*settle, letters[False], status=2).stderr
    disputed(*settle, letters[True].lower())

    assert disputed.sql("SELECT reference FROM labels l JOIN items i ON i.key = l.item WHERE i.id = 'a'") == [
        ("Upstairs.",)
    ]


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("a", "--label", "wrong", "--why", " "), "the reason is empty"),
        (("a", "--label", "right", "--why", "x", "--cause", "other"), "with a wrong answer only"),
        (("a", "--label", "wrong", "--why", "x", "--cause", "bad luck"), "retrieval_missed"),
        (("a", "--label", "wrong", "--why", "x", "--reader", "A", "--reference", "y"), "not both"),
        (("b", "--label", "wrong", "--why", "x"), "how harmful"),
        (("f", "--label", "wrong", "--why", "x"), "nothing to settle"),
        (("nowhere", "--label", "wrong", "--why", "x"), "no item nowhere"),
        (("a", "--why", "x"), "--take-back"),
        (("a", "--why", "x", "--take-back"), "nothing to take back"),
    ],
)
def test_what_cannot_be_settled_is_one_line(disputed: Assay, args: tuple[str, ...], why: str) -> None:
    """Wrong usage is status 2, and nothing is kept."""
    found = disputed("labels", "adjudicate", *args, status=2)

    assert why in found.stderr
    assert found.stderr.count("\n") == 1
    assert disputed.sql("SELECT count(*) FROM annotations WHERE source = 'adjudication'") == [(0,)]


def test_a_reader_cannot_settle_what_they_read(disputed: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor under another spelling of the name."""
    monkeypatch.setenv("ASSAY_USER", "BOB@clinic.example")

    assert (
        "read this one yourself"
        in disputed("labels", "adjudicate", "a", "--label", "right", "--why", "x", status=2).stderr
    )


def test_taken_back_on_the_command_line(disputed: Assay) -> None:
    """The readers decide again."""
    disputed("labels", "adjudicate", "a", "--label", "right", "--why", "Ann is right.")
    assert basis(disputed)["a"] == ("right", "adjudication", 2)

    assert (
        "a is unsure by disagreement" in disputed("labels", "adjudicate", "a", "--take-back", "--why", "Hasty.").stdout
    )
    assert basis(disputed)["a"] == ("unsure", "disagreement", 2)


def test_the_history_shows_every_revision(disputed: Assay) -> None:
    """A change of mind, a decision and its reason, in the order in which they came; nothing steers the terminal."""
    imported(disputed, [label("e", "right", NASTY, rationale=NASTY)], "again.jsonl")
    disputed("labels", "adjudicate", "e", "--label", "unsure", "--why", "Ask the pharmacy.")
    found = disputed.json("labels", "history", "e")["revisions"]
    page = disputed("labels", "history", "e").stdout

    assert [(one["label"], one["source"]) for one in found] == [
        *(("wrong", "file"), ("right", "file"), ("unsure", "adjudication")),
    ]
    assert "Ask the pharmacy." in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "3 revisions" in page
    assert "no item z" in disputed("labels", "history", "z", status=2).stderr
    assert disputed.json("labels", "history", "h")["revisions"] == []


def test_annotators_are_listed_by_name_with_the_log(disputed: Assay) -> None:
    """Names are shown harmlessly; edits and skips are counted for each source; who settles is no annotator."""
    imported(disputed, [label("e", "right", NASTY)], "again.jsonl")
    disputed("labels", "adjudicate", "a", "--label", "right", "--why", "Ann is right.")
    found = disputed.json("labels", "annotators")
    page = disputed("labels", "annotators").stdout

    assert [(one["name"], one["n"], one["pairs"]) for one in found["annotators"]] == [
        ("ann", 4, 3),
        ("bob", 3, 3),
        (NASTY, 1, 0),
    ]
    assert found["annotators"][0]["agreement"] == pytest.approx(1 / 3)
    log = {one["source"]: one for one in found["log"]}
    assert log["file"] == {
        **{"source": "file", "annotations": 8, "edits": 1, "deletions": 0, "skips": 0, "by_others": 0},
    }
    assert log["adjudication"]["annotations"] == 1
    assert "\x1b" not in page


def test_annotations_are_exported_one_row_each(disputed: Assay) -> None:
    """As they are now, or every revision; with what only an annotation has."""
    imported(disputed, [label("e", "right", NASTY)], "again.jsonl")
    now, every = disputed.folder / "now.jsonl", disputed.folder / "every.csv"
    assert disputed.json("labels", "export", "--annotations", str(now))["rows"] == 8
    assert disputed.json("labels", "export", "--annotations", "--revisions", str(every))["rows"] == 9

    rows = [row for row in read(now) if row["item_id"] == "e"]
    assert [(row["label"], row["annotator"], row["seconds"], row["deleted"]) for row in rows] == [
        ("right", NASTY, None, False)
    ]
    lines = list(csv.DictReader(every.open(encoding="utf-8")))
    assert [(row["label"], row["seconds"]) for row in lines if row["item_id"] == "e"] == [
        ("wrong", "7.0"),
        ("right", ""),
    ]
    assert "goes with --annotations" in disputed("labels", "export", "--revisions", str(now), status=2).stderr
