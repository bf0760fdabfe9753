"""Totals are counted once and kept, and a report never shows a count of before: whatever changed, it equals a fresh count."""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from annotate.analysis.comparison.selections import rivals
from annotate.analysis.labelling import status
from annotate.analysis.report import report
from annotate.domain.selection import Selection
from annotate.store import Store
from annotate.store.engine import rollups, stretches
from annotate.store.engine.kept_totals import ENDING, beside
from annotate.store.sampling.ledger import ABSTAINED, CLUSTERS
from proxy.records import Item
from support.store import Assay, once, traffic_row

# Whether every verdict was given is asked by what writes scores, and kept anew by it.
KEPT = "SELECT name, stamp, content FROM totals WHERE name <> 'verdicts' ORDER BY name"

FRAMED = "coalesce(v.verdict, 'unscored') WHEN"
SCORES = [0.9] * 20 + [0.1] * 20


def ingest(assay: Assay, names: list[str]) -> None:
    """Answers of two systems in turn to questions of their own."""
    rows = [
        traffic_row(name, system=("old", "new")[k % 2], question=f"Where is room {names[0]}-{k // 2}?")
        for k, name in enumerate(names)
    ]
    assay("ingest", assay.write("traffic.jsonl", rows))


def score(assay: Assay, names: list[str], values: list[float | None]) -> None:
    rows = [{"item_id": name, "judge": "s", "value": value} for name, value in zip(names, values, strict=True)]
    assay("scores", "import", assay.write("scores.jsonl", rows))


def label(assay: Assay, names: list[str], word: str = "right") -> None:
    assay("labels", "import", assay.write("labels.jsonl", [{"item_id": name, "label": word} for name in names]))


@pytest.fixture(autouse=True)
def _small_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty items lie in three stretches, and what comes after them in a fourth."""
    monkeypatch.setattr(stretches, "BITS", 4)


@pytest.fixture
def counted(assay: Assay) -> Assay:
    """Forty scored items of two systems, ten labelled, and what has counted them."""
    return once(assay, "counted", lambda: count(assay))


def count(assay: Assay) -> None:
    """Fill the store and ask for everything that is counted once."""
    names = [f"t{k:02}" for k in range(40)]
    ingest(assay, names)
    score(assay, names, list(SCORES))
    assay("rule", "set", "s > 0.5")
    assay("sample", "--labels", "10", "--seed", "7")
    label(assay, names)
    assay("report")
    totals = "SELECT count(*) FROM totals WHERE name LIKE 'totals%'"
    assert assay.sql(totals, ending=ENDING) == [(3,)]  # of all rules, of the one in force, and by quarters
    asked(assay)
    assert assay.sql(totals, ending=ENDING) == [(4,)]  # by system


def asked(assay: Assay) -> list[object]:
    """What the commands say that count all traffic, and what pages count beside."""
    said: list[object] = [assay.json(*words) for words in (("report",), ("compare", "old", "new"), ("diagnose",))]
    with closing(Store(assay.db)) as store:
        signed = store.traffic.selections.signatures("s", Selection(system="new"))
        return [*said, rivals(store), status.coverage(store), signed, store.traffic.partitions.sizes("system")]


def queries(path: Path) -> list[str]:
    """Every query that a report on this store executes."""
    executed: list[str] = []
    with closing(Store(path, reads_only=True)) as store:
        store._db.conn.set_trace_callback(executed.append)
        report.build(store)
    return executed


@pytest.mark.slow
def test_a_new_label_counts_no_traffic_again(counted: Assay) -> None:
    """After a change of labels each item has another level: nothing reads all items or scores for that, and the counts hold."""

    def over_all() -> list[str]:
        return [
            query
            for query in queries(counted.db)
            if re.match(r"\s*SELECT i.key,.*WHERE i.is_current", query, re.DOTALL)
        ]

    label(counted, ["t03"], "wrong")
    assert over_all() == []
    with closing(Store(counted.db, reads_only=True)) as store:
        predicted = report.build(store).agreement
    assert predicted.correctness.predictor is not None

    beside(counted.db).unlink()
    assert len(over_all()) >= 3  # scores, verdicts by all rules, and quarters
    with closing(Store(counted.db, reads_only=True)) as store:
        assert report.build(store).agreement == predicted


def stretches_asked(path: Path) -> set[tuple[int, int]]:
    """The rows from and to which the queries of a report count; those by which frames are computed have a place of their own."""
    counting = (query for query in queries(path) if FRAMED not in query)
    asked = (re.search(r"BETWEEN (\d+) AND (\d+)", query) for query in counting)
    return {(int(match[1]), int(match[2])) for match in asked if match}


@pytest.mark.slow
def test_a_count_that_stands_is_not_executed(counted: Assay) -> None:
    """Items, scores and what judges failed on are read once, and not again while nothing has changed."""
    queries(counted.db)
    assert stretches_asked(counted.db) == set()
    assert ABSTAINED.format(within="") not in queries(counted.db)
    beside(counted.db).unlink()
    assert stretches_asked(counted.db) == {(0, 40)}


@pytest.mark.slow
def test_a_new_day_reads_its_own_stretch(counted: Assay) -> None:
    """Five answers come into the third stretch of sixteen rows, with scores: nothing is read again of the first two."""
    queries(counted.db)
    ingest_more(counted)
    score(counted, [f"u{k}" for k in range(5)], [0.9] * 5)
    assert stretches_asked(counted.db) == {(32, 45)}


@pytest.mark.slow
def test_what_is_merged_is_what_one_query_counts(counted: Assay) -> None:
    """Groups, questions, judges and windows, added up over three stretches, against SQL over all items."""
    with closing(Store(counted.db, reads_only=True)) as store:
        everything = Selection()
        totals, ledger = store.scores.totals, store.sampling.ledger
        assert totals.grouping() == totals.grouping_within(None)
        (by_group,), (by_question,) = store._db.conn.execute(CLUSTERS.format(within=""))
        assert ledger.clusters() == min(by_group, by_question)
        assert ledger.without_passages() == ledger.without_passages(everything)
        assert store.scores.by_judge() == store.scores.by_judge(everything)
        assert store.scores.by_judge()[0].scored == 40
        by_system = store._db.conn.execute("SELECT system, count(*) FROM items WHERE is_current GROUP BY 1").fetchall()
        assert store.traffic.partitions.sizes("system") == dict(by_system)


def ingest_more(assay: Assay) -> None:
    ingest(assay, [f"u{k}" for k in range(5)])


def supersede(assay: Assay) -> None:
    assay("ingest", assay.write("new.jsonl", [traffic_row("t00", answer="Another answer.")]))


def score_more(assay: Assay) -> None:
    ingest_more(assay)
    assay("report")
    score(assay, [f"u{k}" for k in range(5)], [0.9] * 5)


def fail(assay: Assay) -> None:
    ingest_more(assay)
    assay("report")
    score(assay, [f"u{k}" for k in range(5)], [None] * 5)


def score_after_failure(assay: Assay) -> None:
    fail(assay)
    assay("report")
    score(assay, [f"u{k}" for k in range(5)], [0.1] * 5)


def judge(assay: Assay) -> None:
    assay("judge", "--judges", "faithfulness")


def another_rule(assay: Assay) -> None:
    assay("rule", "set", "s > 0.95")


def ranked_rule(assay: Assay) -> None:
    assay("rule", "set", "pct(s) > 0.3")


def another_wave(assay: Assay) -> None:
    assay("sample", "--labels", "10", "--seed", "8")


def labels_of_another_wave(assay: Assay) -> None:
    another_wave(assay)
    assay("report")
    label(assay, [f"t{k:02}" for k in range(40)], "wrong")


def half_of_a_wave(assay: Assay) -> None:
    """Only passed items of the second wave are answered: its failed stratum speaks for nothing."""
    another_wave(assay)
    assay("report")
    label(assay, [f"t{k:02}" for k in range(20)], "wrong")


def thumb_down(assay: Assay) -> None:
    assay("feedback", assay.write("f.jsonl", [{"item_id": f"t{k:02}", "value": -1} for k in range(40)]))
    another_wave(assay)


CHANGES = (
    *(ingest_more, supersede, score_more, fail, score_after_failure, judge, another_rule, ranked_rule, another_wave),
    *(labels_of_another_wave, half_of_a_wave, thumb_down),
)


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_report_after_a_change_is_the_report_without_roll_ups(
    counted: Assay, change: Callable[[Assay], None]
) -> None:
    """Each way in which a count can change: the next report is what it is when everything is counted anew."""
    before = asked(counted)
    change(counted)
    kept = asked(counted)
    beside(counted.db).unlink()

    assert kept[0] != before[0]
    assert asked(counted) == kept


@pytest.mark.slow
def test_a_report_counts_once(counted: Assay) -> None:
    """A second report is the same and leaves every roll-up as it was; of labels only the totals by predicted level hang."""
    before, rows = counted.json("report"), counted.sql(KEPT, ending=ENDING)

    assert counted.json("report") == before
    assert counted.sql(KEPT, ending=ENDING) == rows
    label(counted, [f"t{k:02}" for k in range(40)], "wrong")
    assert counted.json("report") != before
    after = counted.sql(KEPT, ending=ENDING)
    assert [name for name, *_ in after] == [name for name, *_ in rows]
    assert {row[0] for row, row_after in zip(rows, after, strict=True) if row != row_after} == {
        "totals by quarters",
        "totals of 1 rules",
        "totals of 3 rules",
    }


@pytest.mark.slow
def test_a_command_that_adds_nothing_changes_no_version(counted: Assay) -> None:
    """The same traffic, scores and feedback again: what was counted still holds."""
    versions = "SELECT name, value FROM versions ORDER BY name"
    before = counted.sql(versions)
    for words in (
        ("ingest", "traffic.jsonl"),
        ("scores", "import", "scores.jsonl"),
        ("labels", "import", "labels.jsonl"),
    ):
        counted(*words)

    of_stretches = [f"{source} {number}" for source in ("items", "scores", "waves") for number in range(3)]
    assert [name for name, _ in before] == sorted(["items", "scores", "waves", *of_stretches])
    assert counted.sql(versions) == before


@pytest.mark.slow
def test_a_report_sees_one_moment_while_others_write(counted: Assay) -> None:
    """Reads inside a snapshot stay as they were; what was counted there is right, and kept another time if it must be."""
    with closing(Store(counted.db)) as reader, closing(Store(counted.db)) as writer:
        with reader.snapshot():
            before = reader.traffic.items.count()
            with writer.atomic():
                writer.traffic.items.add([Item(id="new", question="q", answer="a")], now="2026-11-21T00:00:00.000Z")
            assert reader.traffic.items.count() == before == 40
            assert reader.rollups.get("test", ("items",), "", lambda: [[reader.traffic.items.count()]]) == [(40,)]
        assert reader.traffic.items.count() == 41
        assert reader.rollups.get("test", ("items",), "", lambda: [[reader.traffic.items.count()]]) == [(41,)]


@pytest.mark.slow
def test_damaged_totals_are_counted_again(counted: Assay) -> None:
    """Bits flipped anywhere in what is kept, and numbers that are valid and wrong: every answer is as it was, and is kept anew."""
    before = asked(counted)
    kept = counted.sql(KEPT, ending=ENDING)
    rng = random.Random(20261122)
    for turn in range(12):
        for name, _, content in kept:
            data = bytearray(content)
            digits = [place for place, byte in enumerate(data) if bytes([byte]).isdigit()]
            if turn % 2 and digits:
                place = rng.choice(digits)
                data[place] = ord(str((int(chr(data[place])) + 1 + rng.randrange(8)) % 10))
            else:
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            counted.sql("UPDATE totals SET content = ? WHERE name = ?", (bytes(data), name), ending=ENDING)
        assert asked(counted) == before, turn
    assert counted.sql(KEPT, ending=ENDING) == kept


@pytest.mark.slow
def test_totals_that_an_older_assay_counted_are_counted_again(counted: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its totals have other columns under the same names, and are whole: read as ours they would break the report."""
    fresh = counted("report", "--json").stdout
    other = b'[["of", "an", "older", "form"], ["of", "it"]]'
    with monkeypatch.context() as older:
        older.setattr(rollups, "FORM", rollups.FORM - 1)
        for name, stamp, _ in counted.sql(KEPT, ending=ENDING):
            counted_at = " ".join(stamp.split(" ")[2:-1])  # without the form and the digest
            row = (rollups._sealed(counted_at, other), other, name)
            counted.sql("UPDATE totals SET stamp = ?, content = ? WHERE name = ?", row, ending=ENDING)
        with pytest.raises((TypeError, ValueError)):  # what they are taken for
            counted("report", "--json")
    assert counted("report", "--json").stdout == fresh


def test_totals_of_another_store_at_the_same_place_are_counted_again(counted: Assay, tmp_path: Path) -> None:
    """A store that takes the place of another finds the other's totals beside it, of as many changes as its own."""
    folder = tmp_path / "other"
    folder.mkdir()
    replacement = Assay(folder, folder / "assay.db")
    replacement("ingest", replacement.write("t.jsonl", [traffic_row("other")]))
    replacement("report")
    shutil.copy(beside(counted.db), beside(replacement.db))
    summary = replacement.json("report")
    beside(replacement.db).unlink()

    assert replacement.json("report") == summary
    assert summary["items"] == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "content", [b"", b"no database", b"SQLite format 3\x00" + b"\xff" * 5_000], ids=["empty", "text", "damaged"]
)
def test_a_damaged_file_of_totals_is_made_anew(counted: Assay, content: bytes) -> None:
    """The report is as it was, and what it counted is kept again by the second run at the latest."""
    before = counted.json("report")
    beside(counted.db).write_bytes(content)

    assert counted.json("report") == before
    assert counted.json("report") == before
    assert counted.sql("SELECT count(*) FROM totals", ending=ENDING) != [(0,)]


@pytest.mark.slow
def test_a_busy_or_closed_file_of_totals_holds_up_no_reader(counted: Assay) -> None:
    """While another process holds it, and where it is a folder, everything is counted anew and the answer is the same."""
    before = counted.json("report")
    with closing(sqlite3.connect(beside(counted.db), isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        assert counted.json("report") == before
    beside(counted.db).unlink()
    beside(counted.db).mkdir()

    assert counted.json("report") == before
