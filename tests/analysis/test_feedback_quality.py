"""Thumbs in the report: counted by hand on a store that is labelled whole, whenever they came, and who could not give any."""

from __future__ import annotations

import pytest

from annotate.analysis.report.report import build
from annotate.domain.feedback import NO_FEEDBACK
from annotate.present import report as present_report
from annotate.present.messages import LANGUAGES, text
from annotate.project import Project
from annotate.store import Store
from support.store import Assay, traffic_row

WRONG = range(12)
DOWN = (*range(6), 30, 31)  # six wrong answers and two right ones
UP = range(32, 40)


def prepared(assay: Assay, *, late: bool = False, silent: int = 0) -> None:
    """Forty answers of system `a`, the first twelve wrong, all drawn and labelled; `silent` more of system `b` without a thumb."""
    rows = [traffic_row(f"a{n:02}", system="a", timestamp="2026-11-03T08:00:00Z") for n in range(40)]
    rows += [traffic_row(f"b{n:03}", system="b", timestamp="2026-11-03T08:00:00Z") for n in range(silent)]
    assay("ingest", assay.write("t.jsonl", rows))
    thumbs = [{"item_id": f"a{n:02}", "value": -1} for n in DOWN] + [{"item_id": f"a{n:02}", "value": 1} for n in UP]
    if not late:
        assay("feedback", assay.write("f.jsonl", thumbs))
    assay("sample", "--labels", str(40 + silent))
    labels = [
        {"item_id": str(row["id"]), "label": "wrong" if n in WRONG else "right", "annotator": "ann"}
        for n, row in enumerate(rows)
    ]
    assay("labels", "import", assay.write("l.jsonl", labels))
    if late:
        assay("feedback", assay.write("f.jsonl", thumbs))


@pytest.mark.slow
@pytest.mark.parametrize("late", [False, True], ids=["before the draw", "after the labels"])
def test_thumbs_are_measured_whenever_they_came(assay: Assay, late: bool) -> None:
    """Six of eight thumbs-down are wrong, six of twelve wrong answers have one; all eight thumbs-up are right, of 28."""
    prepared(assay, late=late)
    feedback = assay.json("report")["feedback"]

    assert [feedback[name]["estimate"] for name in ("down_precision", "down_recall", "up_precision", "up_recall")] == [
        pytest.approx(6 / 8),
        pytest.approx(6 / 12),
        pytest.approx(1.0),
        pytest.approx(8 / 28),
    ]
    assert (feedback["rateable"], feedback["down"], feedback["up"], feedback["left_out"]) == (40, 8, 8, [])
    assert (feedback["down_precision"]["low"], feedback["down_precision"]["n"]) == (pytest.approx(6 / 8), 8)
    assert feedback["down_recall"]["long_run"]["low"] < 0.5 < feedback["down_recall"]["long_run"]["high"]
    assert "75 %" in feedback["sentence"]
    assert "50 %" in feedback["sentence"]


@pytest.mark.slow
def test_a_system_without_a_button_does_not_make_feedback_look_blind(assay: Assay) -> None:
    """Sixty answers of `b` without a thumb, where 40 % of the others have one: left out, and named in every language."""
    prepared(assay, silent=60)
    with_b = assay.json("report")["feedback"]

    assert with_b["down_recall"]["estimate"] == pytest.approx(6 / 12)
    assert with_b["left_out"] == [{"system": "b", "first": None, "last": None, "items": 60}]
    assert with_b["rateable"] == 40
    report = assay("report", "--full").stdout
    assert "60 answers (b)" in " ".join(report.split())


@pytest.mark.slow
def test_every_door_and_language_tells_the_same(assay: Assay) -> None:
    prepared(assay)
    store = Store(assay.db)
    report = build(store)
    document = present_report.document(report)
    store.close()
    section = document.section("report.feedback")
    sentences = [text(section.blocks[0], language) for language in LANGUAGES]  # type: ignore[arg-type] # a message

    assert all("75 %" in sentence and "50 %" in sentence for sentence in sentences)
    assert len(set(sentences)) == 3
    assert "Wrong among the answers that users marked down" in Project.open(assay.db).print_report()


def test_without_a_thumb_nothing_is_claimed(store: Store) -> None:
    """Null with what to do, whatever is labelled."""
    report = build(store)

    assert report.feedback.quality.down_recall.reason == NO_FEEDBACK
    assert not report.feedback.has_thumbs
