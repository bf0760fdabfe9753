"""The share of all answers that are seriously harmful: a count where all are labelled, an estimate with its intervals elsewhere."""

from __future__ import annotations

import pytest

from annotate.analysis.report import report
from annotate.analysis.report.report import ProjectReport
from annotate.domain.message import EvidenceText
from annotate.present.report.figures import HARM, quantities
from annotate.present.report.sections import harm
from annotate.store import Store
from proxy.evaluation.harm import UNSAID
from support.store import Assay, traffic_row

COUNT, DRAWN = 200, 80
WRONG = range(0, COUNT, 4)


def measured(assay: Assay, drawn: int, harms: tuple[str | None, ...]) -> ProjectReport:
    """Answers of which every fourth is wrong; those that are drawn get their label, wrong ones the harms in turn."""
    assay("ingest", assay.write("t.jsonl", [traffic_row(f"a{n:03}") for n in range(COUNT)]))
    assay("judge")
    assay("sample", "--labels", str(drawn), "--seed", "3")
    with_store = Store(assay.db)
    names = [draw.item_id for draw in with_store.sampling.waves.open_draws()]
    with_store.close()
    rows: list[dict[str, object]] = []
    wrong = 0
    for name in names:
        is_wrong = int(name[1:]) in WRONG
        harm = harms[wrong % len(harms)] if is_wrong else None
        wrong += is_wrong
        label = {"item_id": name, "label": "wrong" if is_wrong else "right", "annotator": "ann"}
        rows.append({**label, **({"harm": harm} if harm else {})})
    assay("labels", "import", assay.write("l.jsonl", rows))
    store = Store(assay.db, reads_only=True)
    try:
        return report.build(store)
    finally:
        store.close()


def test_where_all_are_labelled_it_is_counted(assay: Assay) -> None:
    """50 of 200 are wrong, every second of these seriously harmful: 25 of 200, exact for this window."""
    share = measured(assay, COUNT, ("serious", "minor")).serious_harm

    assert share is not None
    assert (share.estimate, share.low, share.high) == pytest.approx((0.125,) * 3)
    assert share.long_run is not None
    assert share.long_run.low < 0.125 < share.long_run.high


def test_of_a_sample_it_is_an_estimate_as_good_as_correctness(assay: Assay) -> None:
    """Where every wrong answer is seriously harmful, it is what is left of correctness, by the same weights and intervals."""
    known = measured(assay, DRAWN, ("serious",))
    share, rest = known.serious_harm, known.agreement.correctness.complement()
    row = next(row for row in quantities(known).rows if row[3] and row[0].key == "measures.serious_harm")  # type: ignore[union-attr] # a message

    assert share is not None
    assert rest.low is not None
    assert rest.high is not None
    assert (share.estimate, share.low, share.high) == pytest.approx((rest.estimate, rest.low, rest.high))
    assert share.long_run == pytest.approx(rest.long_run)
    assert rest.low < 0.25 < rest.high
    assert row[4] == DRAWN
    assert isinstance(harm(known).blocks[0].values["share"], EvidenceText)  # type: ignore[union-attr] # a message


def test_what_is_not_said_widens_it_to_bounds(assay: Assay) -> None:
    """Every second wrong label says nothing of harm: from none of these to all of them."""
    known = measured(assay, COUNT, ("serious", None))
    share = known.serious_harm

    assert share is not None
    assert (share.estimate, share.low, share.high) == (None, pytest.approx(0.125), pytest.approx(0.25))
    assert share.reason == UNSAID.format(count=25)


def test_where_nobody_was_asked_there_is_no_row(assay: Assay) -> None:
    known = measured(assay, DRAWN, (None,))

    assert known.serious_harm is None
    assert all(row[0].key != f"measures.{HARM}" for row in quantities(known).rows)  # type: ignore[union-attr] # a message
