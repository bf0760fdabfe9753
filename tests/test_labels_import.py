"""Labels from files: every usual word is read, each answers its draw or is hand-picked, and the latest word counts."""

from __future__ import annotations

import csv
from collections.abc import Mapping

import pytest

from fixtures_store import Assay, draw, label, traffic_row


def labels_of(assay: Assay) -> dict[str, tuple[str, bool]]:
    """Each label that is kept: the word, and whether it answers a draw."""
    rows = assay.sql(
        "SELECT i.id, l.judgement, l.draw IS NOT NULL FROM labels l JOIN items i ON i.key = l.item ORDER BY 1"
    )
    return {item: (word, bool(drawn)) for item, word, drawn in rows}


@pytest.mark.parametrize(
    "words", [("right", "wrong", "unsure"), (1, 0, "Unsure"), (True, False, "unsure"), ("1", "0", "UNSURE")]
)
def test_labels_come_in_every_usual_word(loaded: Assay, words: tuple[object, ...]) -> None:
    """Words, numbers and truth values say the same three things."""
    rows = [label(name, word) for name, word in zip("abc", words, strict=True)]

    loaded("labels", "import", loaded.write("l.jsonl", rows))

    assert [word for word, _ in labels_of(loaded).values()] == ["right", "wrong", "unsure"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (label("a", "maybe"), "right, wrong or unsure"),
        (label("a", None), "right, wrong or unsure"),
        (label("lost"), "no item lost: ingest"),
        (label("a", causes=["bad luck"]), "retrieval_missed"),
        (label("a", harm="huge"), "serious"),
        ({"label": "right"}, "no item_id"),
    ],
    ids=repr,
)
def test_a_label_that_says_nothing_we_know_is_quarantined(
    loaded: Assay, row: Mapping[str, object], reason: str
) -> None:
    """The other labels of the file are kept."""
    found = loaded.json("labels", "import", loaded.write("l.jsonl", [row, label("b")]), status=4)

    assert (found["added"], found["quarantined"]) == (1, 1)
    assert reason in loaded.quarantine()[0]["reason"]


def test_a_label_answers_the_open_draw_of_its_item_and_is_hand_picked_without(loaded: Assay) -> None:
    """Twice the same file adds nothing, though the draws are no longer open the second time."""
    drawn = draw(loaded, 5)
    file = loaded.write("l.jsonl", [label(name) for name in "abcdefgh"])

    first, again = loaded.json("labels", "import", file), loaded.json("labels", "import", file)

    assert (first["added"], first["to_draws"], first["labelled"], first["hand_picked"]) == (8, 5, 5, 3)
    assert (again["added"], again["revised"], again["unchanged"]) == (0, 0, 8)
    assert labels_of(loaded) == {name: ("right", name in drawn) for name in "abcdefgh"}


def test_a_hand_picked_label_stays_hand_picked_when_its_item_is_drawn_later(loaded: Assay) -> None:
    """The draw goes out blind; importing the old file again answers nothing, a new word does."""
    old = loaded.write("old.jsonl", [label(name) for name in "abcdefgh"])
    loaded("labels", "import", old)
    drawn = draw(loaded, 5)

    again = loaded.json("labels", "import", old)
    assert (again["added"], again["labelled"], again["hand_picked"]) == (0, 0, 8)

    loaded("labels", "import", loaded.write("new.jsonl", [label(drawn[0], "wrong")]))
    rows = loaded.sql("SELECT judgement, draw IS NOT NULL FROM labels l JOIN items i ON i.key = l.item "
                      f"WHERE i.id = '{drawn[0]}' ORDER BY 2")  # fmt: skip
    assert rows == [("right", 0), ("wrong", 1)]


def test_what_a_label_says_does_not_decide_whether_it_answers_a_draw(loaded: Assay) -> None:
    """Labels that agree with earlier hand-picked ones answer their draws like those that do not: else only dissent counts."""
    loaded("labels", "import", loaded.write("prior.jsonl", [label(name, "right") for name in "abcdefgh"]))
    drawn = draw(loaded, 5)
    words = {name: ("right" if number % 2 else "wrong") for number, name in enumerate(drawn)}

    found = loaded.json("labels", "import", loaded.write("now.jsonl", [label(*pair) for pair in words.items()]))

    assert found["labelled"] == found["to_draws"] == len(drawn)
    counts = loaded.json("report")["label_counts"]
    assert (counts["right"], counts["wrong"]) == (len(drawn) // 2, len(drawn) - len(drawn) // 2)


def test_ids_that_look_like_formulas_come_back_from_a_spreadsheet(assay: Assay) -> None:
    """The quote that a CSV export puts before =, +, - and @ is taken off again where only that finds the item."""
    names = ("=1+1", "-a", "@x", "+1", "plain")
    assay("ingest", assay.write("traffic.jsonl", [traffic_row(name) for name in names]))
    assay("judge")
    assay("sample", "--labels", "5", "--seed", "1")
    assay("draws", "export", str(assay.folder / "draws.csv"))
    rows = list(csv.DictReader((assay.folder / "draws.csv").open()))
    lines = ["item_id,label", *(f"{row['item_id']},right" for row in rows)]

    assert {row["item_id"] for row in rows} == {"'=1+1", "'-a", "'@x", "'+1", "plain"}
    assert assay.json("labels", "import", assay.write("labels.csv", "\n".join(lines)))["labelled"] == 5


def test_a_changed_mind_is_a_revision_and_an_older_copy_is_left_out(loaded: Assay) -> None:
    """The later word counts, whatever the order of the files, and every revision is kept."""
    draw(loaded)
    times = {"old": "2026-11-20T08:00:00Z", "new": "2026-11-21T08:00:00+01:00"}
    files = {
        name: loaded.write(f"{name}.jsonl", [label("a", word, at=times[name])])
        for name, word in (("old", "right"), ("new", "wrong"))
    }

    loaded("labels", "import", files["old"])
    assert loaded.json("labels", "import", files["new"])["revised"] == 1
    assert loaded.json("labels", "import", files["old"])["outdated"] == 1

    assert labels_of(loaded) == {"a": ("wrong", True)}
    assert loaded.sql("SELECT judgement FROM annotations ORDER BY sequence") == [("right",), ("wrong",)]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_annotators_who_label_one_draw_in_one_file_count_alike(loaded: Assay, order: tuple[int, ...]) -> None:
    """Two who differ are unsure, a third decides, and the order of the rows does not matter."""
    draw(loaded)
    pair = [label("a", "right", "ann"), label("a", "wrong", "bob")]
    rows = [*pair, *(label("b", word, who) for word, who in (("right", "ann"), ("wrong", "bob"), ("wrong", "eve")))]

    found = loaded.json(
        "labels", "import", loaded.write("l.jsonl", [*pair[:: 1 - 2 * (order[0] > 0)], *(rows[2 + n] for n in order)])
    )

    assert (found["added"], found["to_draws"], found["hand_picked"]) == (5, 5, 0)
    assert labels_of(loaded) == {"a": ("unsure", True), "b": ("wrong", True)}


def test_labels_that_stop_half_way_are_taken_in_whole_the_next_time(
    loaded: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second annotator's label of a draw belongs to it, also if the first run ended between the two."""
    from annotate import intake

    draw(loaded)
    file = loaded.write("l.jsonl", [label("a", "right", "ann"), label("a", "wrong", "bob")])
    monkeypatch.setattr(intake, "BATCH_ROWS", 1)
    counts = iter([None])
    close = intake.Tally.close

    def stop(*given: object) -> None:
        close(*given)  # type: ignore[arg-type]
        if next(counts, "stop"):
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(intake.Tally, "close", stop)
        loaded("labels", "import", file, status=1)
    loaded("labels", "import", file)

    assert labels_of(loaded) == {"a": ("unsure", True)}
