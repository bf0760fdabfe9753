"""Labels from files: every usual word is read, each answers its draw or is hand-picked, and the latest word counts."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from support.store import Assay, draw, label, traffic_row


def labels_of(assay: Assay) -> dict[str, tuple[str, bool]]:
    """Each label that is kept: the word, and whether it answers a draw."""
    rows = assay.sql(
        "SELECT i.id, l.judgement, l.draw IS NOT NULL FROM labels l JOIN items i ON i.key = l.item ORDER BY 1"
    )
    return {item: (word, bool(drawn)) for item, word, drawn in rows}


def test_a_correction_of_who_is_unsure_is_kept_and_said(loaded: Assay) -> None:
    """It is in the history, makes no candidate, and counts once somebody says wrong."""
    rows = [
        label("a", "unsure", reference="In May.", annotator="ann"),
        label("b", "unsure", causes="incomplete", annotator="ann"),
        label("c", "unsure", annotator="ann"),
    ]
    file = loaded.write("l.jsonl", rows)
    assert loaded.json("labels", "import", file)["unsure_corrections"] == 2
    shown = " ".join(loaded("labels", "import", file).stdout.split())
    assert "2 labels are unsure and have a reference or a cause" in shown
    assert loaded.json("labels", "history", "a")["revisions"][0]["reference"] == "In May."
    assert loaded.sql("SELECT count(*) FROM gold") == [(0,)]

    again = loaded.json("labels", "import", loaded.write("m.jsonl", [rows[0] | {"label": "wrong"}]))

    assert again["unsure_corrections"] == 0
    assert loaded.sql("SELECT reference FROM gold") == [("In May.",)]


@pytest.mark.parametrize(
    "words",
    [
        ("right", " Wrong ", "unsure"),
        (1, 0, "Unsure"),
        (True, False, "unsure"),
        ("1", "0", "UNSURE"),
        ("1.0", "0.0", " unsure "),
        ("yes", "incorrect", "unsure"),
    ],
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
        (label("a", ""), "right, wrong or unsure"),
        (label("a", 0.5), "right, wrong or unsure"),
        ({"item_id": "a"}, "no label"),
        (label("lost"), "no item lost: ingest"),
        (label("a", causes=["bad luck"]), "retrieval_missed"),
        (label("a", harm="huge"), "serious"),
        ({"label": "right"}, "no item_id"),
        (label("a", passage_relevance="relevant, relevant, not relevant"), "3 marks, 2 passages"),
    ],
    ids=repr,
)
def test_a_label_that_says_nothing_we_know_is_quarantined(
    loaded: Assay, row: Mapping[str, object], reason: str
) -> None:
    """The other labels of the file are kept."""
    imported = loaded.json("labels", "import", loaded.write("l.jsonl", [row, label("b")]), status=4)

    assert (imported["added"], imported["quarantined"]) == (1, 1)
    assert reason in loaded.quarantine()[0]["reason"]


def test_a_label_answers_the_open_draw_of_its_item_and_is_hand_picked_without(loaded: Assay) -> None:
    """Twice the same file adds nothing, though the draws are no longer open the second time."""
    drawn = draw(loaded, 5)
    file = loaded.write("l.jsonl", [label(name) for name in "abcdefgh"])

    first, again = loaded.json("labels", "import", file), loaded.json("labels", "import", file)

    assert (first["added"], first["to_draws"], first["labelled"], first["hand_picked"]) == (8, 5, 5, 3)
    assert (again["added"], again["revised"], again["unchanged"]) == (0, 0, 8)
    assert labels_of(loaded) == {name: ("right", name in drawn) for name in "abcdefgh"}


@pytest.mark.slow
def test_a_hand_picked_label_stays_hand_picked_when_its_item_is_drawn_later(loaded: Assay) -> None:
    """The draw goes out blind; importing the old file again answers nothing, a new word does."""
    old = loaded.write("old.jsonl", [label(name) for name in "abcdefgh"])
    first = loaded("labels", "import", old).stdout
    assert "Hand-picked means that no wave had drawn the answer when its label was given" in first
    assert "assay sample --labels 100" in first
    drawn = draw(loaded, 5)

    again = loaded.json("labels", "import", old)
    assert (again["added"], again["labelled"], again["hand_picked"], again["drawn_since"]) == (0, 0, 8, 5)
    said = loaded("labels", "import", old).stdout
    assert "5 labels of this file answer no draw, because the same file came in before" in said
    assert "Have the 5 drawn answers labelled" in said

    loaded("labels", "import", loaded.write("new.jsonl", [label(drawn[0], "wrong")]))
    rows = loaded.sql("SELECT judgement, draw IS NOT NULL FROM labels l JOIN items i ON i.key = l.item "
                      f"WHERE i.id = '{drawn[0]}' ORDER BY 2")  # fmt: skip
    assert rows == [("right", 0), ("wrong", 1)]


@pytest.mark.slow
def test_what_a_label_says_does_not_decide_whether_it_answers_a_draw(loaded: Assay) -> None:
    """Labels that agree with earlier hand-picked ones answer their draws like those that do not: else only dissent counts."""
    loaded("labels", "import", loaded.write("prior.jsonl", [label(name, "right") for name in "abcdefgh"]))
    drawn = draw(loaded, 5)
    words = {name: ("right" if number % 2 else "wrong") for number, name in enumerate(drawn)}

    imported = loaded.json("labels", "import", loaded.write("now.jsonl", [label(*pair) for pair in words.items()]))

    assert imported["labelled"] == imported["to_draws"] == len(drawn)
    counts = loaded.json("report")["label_counts"]
    assert (counts["right"], counts["wrong"]) == (len(drawn) // 2, len(drawn) - len(drawn) // 2)


@pytest.mark.slow
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


@pytest.mark.slow
def test_what_is_exported_for_a_spreadsheet_comes_back_unchanged(assay: Assay) -> None:
    """Every annotation through a CSV: names, references and reasons that look like formulas are what they were."""
    names = ("=1+1", "-a", "\nx", "＝1", " =1", "'=1", "plain")
    texts = ("=SUM(1)", "＋1", "\n- a list", "' -5", "plain", "@home", "-5 °C")
    assay("ingest", assay.write("traffic.jsonl", [traffic_row(name) for name in names]))
    words = [
        label(name, "wrong", text, reference=text, rationale=text) for name, text in zip(names, texts, strict=True)
    ]
    assay("labels", "import", assay.write("labels.jsonl", words))
    query = "SELECT i.id, a.annotator, a.reference, a.rationale FROM annotations a JOIN items i ON i.key = a.item ORDER BY 1"
    before = assay.sql(query)
    assay("labels", "export", "out.csv", "--annotations")

    empty = Assay(assay.folder, assay.folder / "other.db")
    empty("ingest", "traffic.jsonl")
    imported = empty.json("labels", "import", "out.csv")

    assert (imported["hand_picked"], imported["quarantined"]) == (len(names), 0)
    assert len(before) == len(names)
    assert empty.sql(query) == before


@pytest.mark.slow
def test_a_changed_mind_is_a_revision_and_an_older_copy_is_left_out(loaded: Assay) -> None:
    """The later word counts, whatever the order of the files, and every revision is kept."""
    draw(loaded)
    # Later than the draw: what was made before it would not answer it. More than a year ahead no time is possible.
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    times = {"old": tomorrow.isoformat(), "new": (tomorrow + timedelta(days=1)).isoformat()}
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

    imported = loaded.json(
        "labels", "import", loaded.write("l.jsonl", [*pair[:: 1 - 2 * (order[0] > 0)], *(rows[2 + n] for n in order)])
    )

    assert (imported["added"], imported["to_draws"], imported["hand_picked"]) == (5, 5, 0)
    assert labels_of(loaded) == {"a": ("unsure", True), "b": ("wrong", True)}


@pytest.mark.slow
def test_labels_that_stop_half_way_are_taken_in_whole_the_next_time(
    loaded: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second annotator's label of a draw belongs to it, also if the first run ended between the two."""
    from annotate.workflow.ingest import batches

    draw(loaded)
    file = loaded.write("l.jsonl", [label("a", "right", "ann"), label("a", "wrong", "bob")])
    monkeypatch.setattr(batches, "BATCH_ROWS", 1)
    counts = iter([None])
    close = batches.IngestTally.close

    def stop(*given: object) -> None:
        close(*given)  # type: ignore[arg-type]
        if next(counts, "stop"):
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(batches.IngestTally, "close", stop)
        loaded("labels", "import", file, status=130)
    loaded("labels", "import", file)

    assert labels_of(loaded) == {"a": ("unsure", True)}


def said_of(assay: Assay, item: str) -> tuple[str, str]:
    """The label of an item, and what it rests on."""
    rows = assay.sql(f"SELECT l.judgement, l.basis FROM labels l JOIN items i ON i.key = l.item WHERE i.id = '{item}'")
    ((word, basis),) = rows
    return word, basis


@pytest.mark.slow
@pytest.mark.parametrize("words", [("right", "wrong"), ("wrong", "right"), ("right", "wrong", "right")], ids=" ".join)
@pytest.mark.parametrize("files", [1, 2])
def test_rows_without_an_annotator_that_contradict_each_other_wait(
    loaded: Assay, words: tuple[str, ...], files: int
) -> None:
    """No row wins for coming last or for being repeated: both stand, and the item is right or wrong once it is adjudicated."""
    draw(loaded)
    rows: list[dict[str, object]] = [{"item_id": "a", "label": word} for word in words]
    names = [
        loaded.write(f"{n}.jsonl", part) for n, part in enumerate([rows] if files == 1 else [[row] for row in rows])
    ]

    for name in names * 2:
        said = loaded("labels", "import", name).stdout
    assert "somebody must decide: 1 " in said

    assert said_of(loaded, "a") == ("unsure", "disagreement")
    (waiting,) = loaded.json("labels", "disagreements")["disagreements"]
    assert (waiting["item_id"], waiting["why"]) == ("a", "annotators disagree")
    assert sorted(reading["label"] for reading in waiting["readings"]) == ["right", "wrong"]
    counts = loaded.json("report")["label_counts"]
    assert (counts["right"], counts["wrong"], counts["unsure"]) == (0, 0, 1)

    loaded("labels", "adjudicate", "a", "--label", "wrong", "--why", "The floor is another.")
    assert said_of(loaded, "a") == ("wrong", "adjudication")
    again = loaded.json("labels", "import", names[-1])
    assert (again["added"], again["disagreements"]) == (0, 0)
    assert loaded.json("labels", "disagreements")["disagreements"] == []


@pytest.mark.slow
def test_rows_without_an_annotator_that_say_the_same_are_one_reading(loaded: Assay) -> None:
    """Repeated, in other words, or beside a named annotator's: nobody knows that it was somebody else."""
    draw(loaded)
    rows: list[dict[str, object]] = [
        {"item_id": "a", "label": "wrong"},
        {"item_id": "a", "label": "wrong", "reference": "Room b."},
        {"item_id": "b", "label": "right"},
        label("b", "right", "ann"),
        label("b", "wrong", "bob"),
    ]
    loaded("labels", "import", loaded.write("l.jsonl", [*rows, *rows]))

    assert said_of(loaded, "a") == ("wrong", "one annotator")
    assert said_of(loaded, "b") == ("unsure", "disagreement")
    people = loaded.json("report")["inter_annotator_agreement"]
    assert people["items"] == 1, "ann and bob on b; a row without a name is nobody's second reading"


def test_a_named_annotator_adjudicates_nothing_between_rows_without_a_name(loaded: Assay) -> None:
    """One of the two may be the named annotator's own."""
    draw(loaded)
    rows: list[dict[str, object]] = [
        {"item_id": "a", "label": "right"},
        {"item_id": "a", "label": "wrong"},
        label("a", "right", "ann"),
    ]
    loaded("labels", "import", loaded.write("l.jsonl", rows))

    assert said_of(loaded, "a") == ("unsure", "disagreement")


WORDS = {"ann": ("right", "wrong", "right", "wrong", "unsure"), "bob": ("right", "right", "right", "wrong", "right")}


def read_by_two(assay: Assay, *, files: int, order: tuple[str, str], blind: tuple[bool, bool]) -> tuple[Any, ...]:
    """What comes of two annotators on the same draws."""
    drawn = draw(assay, 5)
    keys = dict(assay.sql("SELECT i.id, d.task_key FROM draws d JOIN items i ON i.key = d.item"))
    rows = {
        who: [label(keys[item] if by_key else item, word, who) for item, word in zip(drawn, WORDS[who], strict=True)]
        for who, by_key in zip(("ann", "bob"), blind, strict=True)
    }
    parts = [[*rows[order[0]], *rows[order[1]]]] if files == 1 else [rows[who] for who in order]
    imports = [
        assay.json("labels", "import", assay.write(f"{number}.jsonl", part)) for number, part in enumerate(parts * 2)
    ]
    assert [imported["added"] for imported in imports[len(parts) :]] == [0] * len(parts)
    people = assay.json("report")["inter_annotator_agreement"]
    log = assay.sql("SELECT annotator, judgement, draw IS NOT NULL FROM annotations ORDER BY item, annotator")
    return labels_of(assay), imports[-1]["hand_picked"], people["items"], people["alpha"], people["pairs"], log


@pytest.mark.slow
def test_a_second_annotator_counts_the_same_in_one_file_or_two(assay: Assay) -> None:
    """In either order, by key or by id: the same labels, the same agreement, and none is hand-picked."""
    ways = [
        (1, ("ann", "bob"), (False, False)),
        (1, ("bob", "ann"), (True, False)),
        (2, ("ann", "bob"), (True, True)),
        (2, ("bob", "ann"), (False, False)),
        (2, ("ann", "bob"), (False, True)),
    ]
    traffic, outcomes = assay.write("traffic.jsonl", [traffic_row(name) for name in "abcdefgh"]), []
    for number, (files, order, blind) in enumerate(ways):
        own = replace(assay, db=assay.folder / f"{number}.db")
        own("ingest", traffic)
        outcomes.append(read_by_two(own, files=files, order=order, blind=blind))

    assert all(outcome == outcomes[0] for outcome in outcomes)
    _, hand_picked, items, alpha, _, log = outcomes[0]
    assert (hand_picked, items, len(log)) == (0, 4, 10)
    assert alpha["estimate"] is not None


def test_by_key_and_by_id_is_one_annotation(loaded: Assay) -> None:
    """An annotator who corrects by id what came blind revises it."""
    drawn = draw(loaded, 5)
    ((key,),) = loaded.sql(f"SELECT task_key FROM draws d JOIN items i ON i.key = d.item WHERE i.id = '{drawn[0]}'")
    loaded("labels", "import", loaded.write("blind.jsonl", [label(key, "right")]))

    imported = loaded.json("labels", "import", loaded.write("again.jsonl", [label(drawn[0], "wrong")]))

    assert (imported["added"], imported["revised"], imported["hand_picked"]) == (0, 1, 0)
    assert labels_of(loaded) == {drawn[0]: ("wrong", True)}


@pytest.mark.parametrize(
    ("at", "answers"),
    [("2020-01-01T08:00:00Z", False), ("2096-01-01T08:00:00Z", True), (None, True)],
)
def test_a_label_that_is_older_than_the_draw_is_hand_picked(loaded: Assay, at: str | None, answers: bool) -> None:
    """By its own time where it has one; it says so, in words and in JSON."""
    draw(loaded)
    more = {"at": at} if at else {}
    file = loaded.write("l.jsonl", [label("a", **more), label("b", **more)])

    imported = loaded.json("labels", "import", file)

    assert labels_of(loaded) == {"a": ("right", answers), "b": ("right", answers)}
    assert (imported["hand_picked"], imported["before_draw"]) == ((0, 0) if answers else (2, 2))
    assert ("before their item was drawn" in loaded("labels", "import", file).stdout) is not answers


def test_a_date_alone_is_its_whole_day(loaded: Assay) -> None:
    """A label of today answers a draw of today."""
    draw(loaded)
    ((today,),) = loaded.sql("SELECT substr(at, 1, 10) FROM waves")

    loaded("labels", "import", loaded.write("l.jsonl", [label("a", at=today)]))

    assert labels_of(loaded) == {"a": ("right", True)}


def test_recorded_labels_of_a_whole_wave_answer_it(loaded: Assay) -> None:
    """Nobody chose which of its answers to label: whatever was drawn, it has a label."""
    drawn = draw(loaded, 5)
    rows = [label(name, at="2020-01-01T08:00:00Z") for name in "abcdefgh"]

    imported = loaded.json("labels", "import", loaded.write("l.jsonl", rows))

    assert (imported["labelled"], imported["hand_picked"]) == (5, 3)
    assert {name for name, (_, is_drawn) in labels_of(loaded).items() if is_drawn} == set(drawn)


@pytest.mark.parametrize("files", [1, 2])
def test_recorded_labels_of_a_second_annotator_cover_a_wave_by_themselves(loaded: Assay, files: int) -> None:
    """In one file or two: what bob chose to label before the draw stays hand-picked, though ann labelled everything."""
    drawn, old = draw(loaded, 5), {"at": "2020-01-01T08:00:00Z"}
    ann, bob = [label(name, **old) for name in drawn], [label(drawn[0], "right", "bob", **old)]
    for number, part in enumerate([[*bob, *ann]] if files == 1 else [bob, ann]):
        loaded("labels", "import", loaded.write(f"{number}.jsonl", part))

    rows = loaded.sql("SELECT DISTINCT annotator, draw IS NOT NULL FROM annotations ORDER BY 1")
    assert rows == [("ann", 1), ("bob", 0)]


def test_recorded_labels_that_several_share_cover_a_wave_together(loaded: Assay) -> None:
    """Each labelled a part, and no draw is left."""
    drawn = draw(loaded, 5)
    rows = [label(name, "right", "ab"[place % 2], at="2020-01-01") for place, name in enumerate(drawn)]

    assert loaded.json("labels", "import", loaded.write("l.jsonl", rows))["labelled"] == 5


def test_what_was_said_of_a_draw_stays_with_it_whatever_the_time(loaded: Assay) -> None:
    """A correction that bears an old time is a revision all the same, and a copy of it is outdated."""
    draw(loaded)
    loaded("labels", "import", loaded.write("l.jsonl", [label("a", "right")]))

    imported = loaded.json(
        "labels", "import", loaded.write("m.jsonl", [label("a", "wrong", at="2020-01-01T08:00:00Z")])
    )

    assert (imported["revised"], imported["hand_picked"]) == (1, 0)
    assert labels_of(loaded) == {"a": ("wrong", True)}
