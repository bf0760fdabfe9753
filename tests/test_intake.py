"""Files into the store through the command: counts exact, nothing twice, every refusal with its line and reason."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annotate.store import Store
from fixtures_store import Assay, traffic_row


def read(path: Path) -> list[dict[str, object]]:
    """The rows of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


@pytest.fixture
def loaded(assay: Assay) -> Assay:
    """A store with the items a to h, none judged."""
    assay("ingest", assay.write("traffic.jsonl", [traffic_row(name) for name in "abcdefgh"]))
    return assay


def label(item: str, word: object = "right", annotator: str = "ann", **more: object) -> dict[str, object]:
    """A row of a labels file."""
    return {"item_id": item, "label": word, "annotator": annotator, **more}


def draw(assay: Assay, labels: int = 8) -> list[str]:
    """Draw a wave; the ids of the items drawn."""
    assay("sample", "--labels", str(labels), "--seed", "1")
    store = Store(assay.db)
    try:
        return [one.item_id for one in store.waves.all_draws()]
    finally:
        store.close()


def labels_of(assay: Assay) -> dict[str, tuple[str, bool]]:
    """Each label that is kept: the word, and whether it answers a draw."""
    rows = assay.sql(
        "SELECT i.id, l.judgement, l.draw IS NOT NULL FROM labels l JOIN items i ON i.key = l.item ORDER BY 1"
    )
    return {item: (word, bool(drawn)) for item, word, drawn in rows}


# traffic


def test_the_same_file_twice_adds_nothing(loaded: Assay) -> None:
    """The counts say so, and not a byte of any row changes."""
    before = loaded.sql("SELECT * FROM items JOIN texts USING (key)")

    again = loaded.json("ingest", "traffic.jsonl")

    assert (again["rows"], again["added"], again["unchanged"], again["items"]) == (8, 0, 8, 8)
    assert loaded.sql("SELECT * FROM items JOIN texts USING (key)") == before


def test_a_file_with_two_contents_under_one_id_keeps_both_once(assay: Assay) -> None:
    """Both are revisions, the last is the current one, and the file again adds none."""
    file = assay.write("t.jsonl", [traffic_row("a"), traffic_row("a", answer="B."), traffic_row("a")])

    first, again = assay.json("ingest", file), assay.json("ingest", file)

    assert (first["added"], first["revised"], first["unchanged"], first["items"]) == (1, 1, 1, 1)
    assert (again["added"], again["revised"], again["unchanged"], again["items"]) == (0, 0, 3, 1)
    assert assay.sql("SELECT revision, is_current FROM items ORDER BY key") == [(1, 0), (2, 1)]


def test_rows_without_an_id_are_one_item_if_they_are_the_same(assay: Assay) -> None:
    """The content is the id: the same row twice is one item, another conversation is another."""
    row = {"question": "Thanks?", "answer": "Welcome."}
    rows = [row, row, {**row, "history": ["a"]}, {**row, "history": ["b"]}]

    found = assay.json("ingest", assay.write("t.jsonl", rows))

    assert (found["added"], found["revised"], found["unchanged"]) == (3, 0, 1)


def test_refused_rows_keep_line_reason_and_bytes_and_the_rest_goes_on(assay: Assay) -> None:
    """A file of every fault: exit status 4, exact counts, and the second run knows them from before."""
    lines = [
        json.dumps(traffic_row("a")).encode(),
        b"",
        b'{"question": "caf\xe9"}',
        b'{"id": "b", "question": "Q?"}',
        json.dumps(traffic_row("c", timestamp="yesterday")).encode(),
        b"not json",
        json.dumps(traffic_row("d")).encode()[:-9],
    ]
    file = assay.write("t.jsonl", b"\n".join(lines))

    found = assay.json("ingest", file, status=4)
    again = assay("ingest", file, status=4)

    assert (found["rows"], found["added"], found["quarantined"]) == (6, 1, 5)
    assert "5 quarantined (5 known from before)" in again.stdout
    rows = assay.quarantine()
    assert [(row["line"], row["stage"], row["source"]) for row in rows] == [
        (n, "traffic", file) for n in (3, 4, 5, 6, 7)
    ]
    assert all(
        word in row["reason"]
        for word, row in zip(("UTF-8", "no answer", "yesterday", "JSON", "cut off"), rows, strict=True)
    )
    raw = [row[0] for row in assay.sql("SELECT raw FROM quarantine ORDER BY rowid")]
    assert [raw[0], raw[3], raw[4]] == [lines[2] + b"\n", lines[5] + b"\n", lines[6]]
    assert json.loads(raw[2])["timestamp"] == "yesterday"


def test_a_reason_that_quotes_half_a_character_can_be_shown(assay: Assay) -> None:
    """Column names come from the file: they must break neither the list nor its JSON."""
    file = assay.write("t.jsonl", '{"\\ud800": 1, "\\u0000": 2}\n')
    assay("ingest", file, status=4)

    assert "no question" in assay("quarantine").stdout
    assert "no question" in assay.quarantine()[0]["reason"]


def test_a_file_without_a_unicode_name_can_be_read(assay: Assay) -> None:
    """Linux allows any bytes in a file's name."""
    path = assay.folder / "caf\udce9.jsonl"
    path.write_text("{}\n")

    assay("ingest", str(path), status=4)

    assert assay.quarantine()[0]["source"] == str(path)


def test_a_parquet_file_with_a_broken_column_is_one_refusal(assay: Assay) -> None:
    """Nothing of a file that is no Parquet inside comes in."""
    pq.write_table(pa.table({"question": ["Q?"], "answer": ["A."]}), assay.folder / "t.parquet")
    content = (assay.folder / "t.parquet").read_bytes()

    found = assay.json("ingest", assay.write("cut.parquet", content[: len(content) // 2]), status=4)

    assert (found["added"], found["quarantined"]) == (0, 1)
    assert "Parquet" in assay.quarantine()[0]["reason"]


def test_parquet_columns_of_any_type_become_an_item(assay: Assay) -> None:
    """Numbers as ids, times with a zone, structs as passages, and a map of bytes as metadata."""
    table = pa.table(
        {
            "id": [7],
            "question": ["Q?"],
            "answer": ["A."],
            "contexts": [[{"text": "a", "score": 0.5, "page": 3}]],
            "timestamp": pa.array([1_795_248_000_000_000_001], pa.timestamp("ns", "Europe/Berlin")),
            "blob": [b"\xff"],
            "missing": pa.nulls(1),
        }
    )
    pq.write_table(table, assay.folder / "t.parquet")
    assay("ingest", "t.parquet")

    store = Store(assay.db)
    item = store.items.get(1)
    store.close()
    assert (item.id, item.timestamp, item.contexts[0].score) == ("7", "2026-11-21T08:00:00.000Z", 0.5)
    assert item.metadata == {"blob": "b'\\xff'", "contexts": [{"text": "a", "score": 0.5, "page": 3}]}


def test_half_characters_pass_through_the_whole_loop_unchanged(assay: Assay) -> None:
    """From JSONL through store, judges, labels and the gold set to JSONL: the same characters; a task shows a stand-in."""
    nasty = "lone \ud800 and \0 😀"
    row = traffic_row("a", question=nasty, contexts=[nasty], answer=nasty, extra={nasty: nasty})
    assay("ingest", assay.write("t.jsonl", [row]))
    assay("judge")
    draw(assay, 1)
    assay("draws", "export", "draws.jsonl")
    labels = [label("a", "wrong", reference=nasty, rationale=nasty)]
    assay("labels", "import", assay.write("l.jsonl", labels))
    assay("gold", "accept", "--all")
    assay("gold", "export", "gold.jsonl")
    assay("labels", "export", "labels.jsonl")

    (gold,), (kept,), (task,) = (read(assay.folder / name) for name in ("gold.jsonl", "labels.jsonl", "draws.jsonl"))
    assert (gold["question"], gold["reference"]) == (nasty, nasty)
    assert (kept["reference"], kept["rationale"]) == (nasty, nasty)
    assert task["question"] == "lone \ufffd and \u2400 😀"
    store = Store(assay.db)
    item = store.items.get(1)
    store.close()
    assert (item.question, item.answer, item.contexts[0].text, item.metadata) == (
        nasty,
        nasty,
        nasty,
        {"extra": {nasty: nasty}},
    )


def test_a_megabyte_and_ten_thousand_passages_are_kept_whole(assay: Assay) -> None:
    """Ingested, judged and exported without a character lost."""
    large = "Room a is on the ground floor. " * 33_000
    rows = [traffic_row("a", contexts=[large]), traffic_row("b", contexts=[f"Passage {n}." for n in range(10_000)])]
    assay("ingest", assay.write("t.jsonl", rows))

    judged = assay.json("judge")
    draw(assay, 2)
    assay("draws", "export", "draws.jsonl")

    assert (judged["items"], judged["errors"]) == (2, 0)
    exported = {str(one["item_id"]): one for one in read(assay.folder / "draws.jsonl")}
    assert exported["a"]["contexts"] == [large]
    assert exported["b"]["contexts"] == rows[1]["contexts"]


# labels


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
    close = intake._Tally.close

    def stop(*given: object) -> None:
        close(*given)  # type: ignore[arg-type]
        if next(counts, "stop"):
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(intake._Tally, "close", stop)
        loaded("labels", "import", file, status=1)
    loaded("labels", "import", file)

    assert labels_of(loaded) == {"a": ("unsure", True)}


# scores


def score(item: str, value: object, judge: str = "their judge", **more: object) -> dict[str, object]:
    """A row of a scores file."""
    return {"item_id": item, "judge": judge, "value": value, **more}


def test_scores_come_in_once_under_a_name_that_a_rule_can_read(loaded: Assay) -> None:
    """The rule in force then gives its verdicts from them."""
    file = loaded.write("s.jsonl", [score("a", 0.9, reason="lone \ud800"), score("b", "0.1"), score("c", None)])

    first, again = loaded.json("scores", "import", file), loaded.json("scores", "import", file)
    verdicts = loaded.json("rule", "set", "their_judge > 0.5")["verdicts"]
    loaded("scores", "export", "out.jsonl")

    assert (first["new"], again["new"], again["quarantined"]) == (3, 0, 0)
    assert verdicts == {"pass": 1, "fail": 1, "unscored": 6}
    kept = [(row["item_id"], row["value"]) for row in read(loaded.folder / "out.jsonl")]
    assert kept == [("a", 0.9), ("b", 0.1), ("c", None)]
    assert read(loaded.folder / "out.jsonl")[0]["reason"] == "lone \ud800"


@pytest.mark.parametrize("name", ["3c", "a.b-c d", "Groundedness (v2)", "class", "忠実度", "ﬁt"])
def test_any_judge_can_be_named_in_a_rule(loaded: Assay, name: str) -> None:
    """Whatever another tool calls its judge, a rule can read it under the name that the export shows."""
    loaded("scores", "import", loaded.write("s.jsonl", [score("a", 0.9, name)]))
    loaded("scores", "export", "out.jsonl")

    ours = read(loaded.folder / "out.jsonl")[0]["judge"]

    assert loaded.json("rule", "set", f"{ours} > 0.5")["verdicts"]["pass"] == 1


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (score("a", 1.5), "[0, 1]"),
        (score("a", -0.1), "[0, 1]"),
        (score("a", "high"), "expected a number"),
        (score("a", float("nan")), "expected a number"),
        (score("a", True), "expected a number"),
        (score("lost", 0.5), "no item lost: ingest"),
        (score("a", 0.5, ""), "item_id and its judge"),
    ],
    ids=repr,
)
def test_a_score_that_is_none_is_quarantined(loaded: Assay, row: Mapping[str, object], reason: str) -> None:
    """It becomes neither a 0 nor a 1."""
    found = loaded.json("scores", "import", loaded.write("s.jsonl", [row, score("b", 0.5)]), status=4)

    assert (found["new"], found["quarantined"]) == (1, 1)
    assert reason in loaded.quarantine()[0]["reason"]


def test_another_value_needs_another_signature(loaded: Assay) -> None:
    """A score is never changed; a new version of the judge stands beside the old."""
    loaded("scores", "import", loaded.write("a.jsonl", [score("a", 0.5)]))

    loaded("scores", "import", loaded.write("b.jsonl", [score("a", 0.6)]), status=4)
    assert "new signature" in loaded.quarantine()[0]["reason"]

    found = loaded.json("scores", "import", loaded.write("c.jsonl", [score("a", 0.6, signature="v2")]))
    assert found["new"] == 1
    assert loaded.sql("SELECT value FROM scores ORDER BY value") == [(0.5,), (0.6,)]


def test_a_failure_that_comes_again_is_not_new_and_a_score_takes_its_place(loaded: Assay) -> None:
    """An item has one outcome of a judge: the score that a repeated run of the other tool brought at last."""
    failed = loaded.write("a.jsonl", [score("a", None)])
    assert [loaded.json("scores", "import", failed)["new"] for _ in range(2)] == [1, 0]

    loaded("scores", "import", loaded.write("b.jsonl", [score("a", 0.5)]))
    assert loaded.json("scores", "import", failed)["new"] == 0

    loaded("scores", "export", "out.jsonl")
    assert [row["value"] for row in read(loaded.folder / "out.jsonl")] == [0.5]
