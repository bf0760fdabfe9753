"""Labels on one side of the threshold only: what the other side's values mean is said nowhere, on no page and in no file."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable

import pytest

from annotate.analysis.calibration import reliability
from annotate.project import Project
from annotate.store import Store
from proxy.evaluation.reliability_curve import ReliabilityCurve
from support.app import Open, in_store, words
from support.scored import open_ids
from support.store import Assay, traffic_row

ITEMS = 300
THRESHOLD = 0.5
WHY = "what a value at the threshold or below it means is not measurable: label 30 items below the threshold"


def value(n: int) -> float:
    """Even over the scale."""
    return (n * 37 % ITEMS) / ITEMS


def ingested(assay: Assay) -> None:
    """Items with one judge's scores."""
    assay("ingest", assay.write("traffic.jsonl", [traffic_row(f"i{n}") for n in range(ITEMS)]))
    scores = [{"item_id": f"i{n}", "judge": "s", "value": value(n)} for n in range(ITEMS)]
    assay("scores", "import", assay.write("scores.jsonl", scores))
    assay("rule", "set", f"s > {THRESHOLD}")


def marked_down(assay: Assay, numbers: Iterable[int]) -> None:
    """Users mark these down."""
    assay("feedback", assay.write("thumbs.jsonl", [{"item_id": f"i{n}", "value": -1} for n in numbers]))


def labelled(assay: Assay, *options: str, but: Collection[str] = ()) -> None:
    """Draw so and label every draw but these; every seventh label says something else than the score."""
    assay("sample", "--seed", "3", *options)
    names = open_ids(assay)
    said = [
        {
            "item_id": name,
            "annotator": "ann",
            "label": "right" if (value(int(name[1:])) > THRESHOLD) != wrong else "wrong",
        }
        for name in names
        if name not in but
        for wrong in [int(name[1:]) % 7 == 0]
    ]
    assay("labels", "import", assay.write("labels.jsonl", said))


def explained(assay: Assay) -> ReliabilityCurve:
    return in_store(assay.db, reliability.explain).curve


@pytest.mark.slow
def test_the_table_is_of_the_values_that_were_audited(assay: Assay) -> None:
    """No band reaches below the threshold, no score speaks of all answers, and it says what to label; as in the report."""
    ingested(assay)
    labelled(assay, "--labels", "80", "--audit", "0")
    curve = explained(assay)

    assert curve.n == 80
    assert min(band.least for band in curve.bands) > THRESHOLD
    assert (curve.briers, curve.gap) == (None, None)
    assert str(curve.unseen).startswith(WHY)
    assert assay.json("report")["calibration"] is None
    assert WHY in assay.words("calibrate")
    assert assay.json("calibrate")["unseen"] == curve.unseen


@pytest.mark.slow
def test_thumbs_below_the_cut_do_not_speak_for_what_lies_there(assay: Assay) -> None:
    """The answers that users marked down are drawn whatever their verdict; the others below the threshold are still unseen."""
    ingested(assay)
    marked_down(assay, [n for n in range(ITEMS) if value(n) <= THRESHOLD and n % 5 == 0])
    labelled(assay, "--labels", "80", "--audit", "0")
    curve = explained(assay)

    assert 20 <= curve.n < 80
    assert min(band.least for band in curve.bands) > THRESHOLD
    assert str(curve.unseen).startswith(WHY)


@pytest.mark.slow
def test_an_audit_brings_the_whole_table(assay: Assay) -> None:
    """With both sides labelled all labels take part, and nothing is left out."""
    ingested(assay)
    labelled(assay, "--labels", "80", "--audit", "0.4")
    curve = explained(assay)

    assert (curve.n, curve.unseen) == (80, None)
    assert min(band.least for band in curve.bands) < THRESHOLD
    assert curve.briers is not None
    assert curve.gap is not None
    assert assay.json("calibrate")["ece"]


@pytest.mark.slow
def test_where_neither_side_can_be_spoken_for_there_is_no_table(assay: Assay) -> None:
    """What users marked down waits on both sides: the reason is that of the report, and no number stands beside it."""
    ingested(assay)
    marked_down(assay, [n for n in range(ITEMS) if n % 5 == 0])
    labelled(assay, "--labels", "80", "--audit", "0.4", but=[f"i{n}" for n in range(0, ITEMS, 5)])
    curve, report = explained(assay), assay.json("report")

    assert report["pass_precision"]["estimate"] is None
    assert report["npv"]["estimate"] is None
    assert (curve.bands, curve.briers, curve.gap, curve.right) == ((), None, None, None)
    assert "what a value above the threshold means is not measurable" in str(curve.reason)
    assert WHY.partition(": ")[0] in str(curve.reason)


@pytest.mark.slow
def test_page_and_file_say_why_instead_of_a_number(opened: Open, assay: Assay) -> None:
    """The calibration page has neither error nor Brier score; the file does not call the value no probability."""
    ingested(assay)
    labelled(assay, "--labels", "80", "--audit", "0")
    made = Project.open(assay.db).print_report(is_plain=True)
    app = opened(lambda store: _copied(assay, store), "calibration")
    said = words(app).replace("\\", "")

    assert WHY[1:] in made
    assert "no number from 0 to 1" not in made
    assert WHY[1:] in said
    assert "expected calibration error" not in said
    assert "Brier" not in said


def _copied(assay: Assay, store: Store) -> None:
    """The same in the store of the page."""
    copy = Assay(folder=assay.folder, db=store.path)
    ingested(copy)
    labelled(copy, "--labels", "80", "--audit", "0")
    assert json.loads(copy("report", "--json").output)["calibration"] is None
