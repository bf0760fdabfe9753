"""Thumbs as a detector of wrong and right answers: by hand, with reasons where the design cannot tell, and with bounds."""

from __future__ import annotations

import pytest

from proxy.evaluation.domains import Evidence
from proxy.evaluation.feedback import Detection, detection, feedback_quality
from proxy.records import Verdict
from support.agreement import FAIL, PASS, UNSCORED, wave

DOWN, UP = Verdict.FAIL, Verdict.PASS


def shares(detected: Detection) -> tuple[float | None, float | None]:
    return detected.precision.estimate, detected.recall.estimate


def test_where_all_is_labelled_it_is_counted() -> None:
    """30 of 40 thumbs-down are wrong, and 20 of the 60 without: 30 / 40 and 30 / (30 + 20), without a width."""
    detected = detection(wave(("t", FAIL, 40, 10, 30), ("p", PASS, 60, 40, 20)), DOWN)

    assert shares(detected) == (pytest.approx(30 / 40), pytest.approx(30 / 50))
    assert (detected.recall.low, detected.recall.high) == (pytest.approx(0.6), pytest.approx(0.6))
    assert (detected.precision.n, detected.recall.n) == (40, 50)
    assert detected.recall.long_run is not None


def test_labels_of_a_denser_stratum_count_for_less() -> None:
    """All 40 thumbs were read and 60 of the 960 others, 6 of them wrong: 30 wrong thumbs against 960 x .1 = 96, not 6."""
    detected = detection(wave(("t", FAIL, 40, 10, 30), ("p", PASS, 960, 54, 6)), DOWN)

    assert shares(detected) == (pytest.approx(30 / 40), pytest.approx(30 / (30 + 96)))
    assert detected.recall.low is not None
    assert detected.recall.low < 30 / 126 < (detected.recall.high or 0)


def test_a_thumb_up_finds_right_answers() -> None:
    """25 of 30 thumbs-up are right, and 35 of the 70 others: 25 / 30 and 25 / 60."""
    detected = detection(wave(("u", PASS, 30, 25, 5), ("o", FAIL, 70, 35, 35)), UP)

    assert shares(detected) == (pytest.approx(25 / 30), pytest.approx(25 / 60))


def test_what_could_not_be_rated_is_in_neither() -> None:
    """A thousand unrated answers, half of them wrong, change nothing."""
    rated = [("t", FAIL, 40, 10, 30), ("p", PASS, 60, 40, 20)]
    whole = detection(wave(*rated, ("x", UNSCORED, 1000, 10, 10)), DOWN)  # type: ignore[arg-type] # rows of a wave

    assert shares(whole) == (pytest.approx(30 / 40), pytest.approx(30 / 50))


@pytest.mark.parametrize(
    ("evidence", "precision", "recall"),
    [
        (wave(("t", FAIL, 40, 10, 30), ("p", PASS, 960, 0, 0)), None, "label 30 answers without a thumb down"),
        (
            wave(("t", FAIL, 40, 0, 0), ("p", PASS, 960, 54, 6)),
            "label 30 answers with a thumb down",
            "with a thumb down",
        ),
        (wave(("p", PASS, 960, 54, 6)), "no answer that could be drawn has a thumb down", "has a thumb down"),
        (wave(("t", FAIL, 40, 0, 0), ("p", PASS, 60, 0, 0)), "no drawn item has a label yet", "has a label yet"),
        (wave(("t", FAIL, 40, 40, 0), ("p", PASS, 60, 60, 0)), None, "no item was wrong among the labels"),
        (Evidence(totals=(), sample=(), drawings=()), "no wave has been drawn", "no wave has been drawn"),
    ],
    ids=["others unlabelled", "thumbs unlabelled", "no thumbs", "no labels", "nothing wrong", "no wave"],
)
def test_what_cannot_be_known_says_what_to_label(evidence: Evidence, precision: str | None, recall: str) -> None:
    """Recall needs labels among answers without a thumb; the precision of the same thumbs may be known."""
    detected = detection(evidence, DOWN)

    assert detected.recall.estimate is None
    assert recall in (detected.recall.reason or "")
    assert (detected.precision.estimate is None) == (precision is not None)
    assert (precision or "") in (detected.precision.reason or "")


def test_thumbs_that_came_after_the_wave_bound_both() -> None:
    """All 40 early thumbs were read, 30 wrong; of 960 others 10 got a thumb since and none of those was read.

    At most 10 more are wrong and at least 0: precision .6 to .8, recall from 30 / (30 + w) to 40 / (40 + w) of w = 95 and less.
    """
    late = wave(("t", FAIL, 40, 10, 30), ("p", FAIL, 10, 0, 0), ("p", PASS, 950, 54, 6))
    detected = detection(late, DOWN)

    assert shares(detected) == (None, None)
    assert (detected.precision.low, detected.precision.high) == (pytest.approx(30 / 50), pytest.approx(40 / 50))
    assert "label 10 answers with a thumb down (10 of 50" in (detected.precision.reason or "")
    without = detection(wave(("t", FAIL, 40, 10, 30), ("p", PASS, 950, 54, 6)), DOWN).recall
    assert detected.recall.low == pytest.approx(without.low, abs=0.01)
    assert detected.recall.high is not None
    assert without.high is not None
    others = 30 / without.high - 30
    assert detected.recall.high == pytest.approx(40 / (40 + others), abs=0.01)


def test_a_few_late_thumbs_leave_an_estimate() -> None:
    """One of 201 is less than 2 %: the interval holds whatever it is, and the estimate is that of the others."""
    detected = detection(wave(("t", FAIL, 200, 50, 150), ("p", FAIL, 1, 0, 0), ("p", PASS, 950, 54, 6)), DOWN)

    assert detected.precision.estimate == pytest.approx(0.75)
    assert (detected.precision.low, detected.precision.high) == (pytest.approx(150 / 201), pytest.approx(151 / 201))
    assert detected.recall.estimate is not None
    assert detected.recall.reason


def test_late_thumbs_of_which_some_were_drawn_need_no_bounds() -> None:
    """Their chances are known: 20 late thumbs in a stratum drawn at 1 in 4, 4 wrong of 5 read, stand for 16 of 20."""
    detected = detection(wave(("t", FAIL, 40, 10, 30), ("p", FAIL, 20, 1, 4), ("p", PASS, 180, 36, 9)), DOWN)

    assert detected.precision.estimate == pytest.approx((30 + 16) / 60)
    assert detected.precision.reason is None


def test_the_long_run_is_not_better_known_than_the_window() -> None:
    """5 labels stand for 40 late thumbs beside 40 early ones that were all read: what they leave open the long run leaves, too."""
    precision = detection(wave(("t", FAIL, 40, 10, 30), ("p", FAIL, 40, 1, 4), ("p", PASS, 180, 36, 9)), DOWN).precision

    assert precision.low is not None
    assert precision.high is not None
    assert precision.long_run is not None
    assert precision.long_run.low < precision.low < precision.high < precision.long_run.high


def test_a_label_that_says_otherwise_keeps_the_long_run_from_certainty() -> None:
    """3 of 4 labels on 8 thumbs are wrong. The window ends at .97, and 8 thumbs that were all labelled would leave open up to .93.

    Distances of .22 and .18 that add in squares reach 1.04, although one thumb of four is known to be mistaken.
    """
    detected = detection(wave(("t", FAIL, 8, 1, 3), ("p", PASS, 180, 44, 1)), DOWN)

    for quantity in detected:
        assert quantity.estimate is not None
        assert quantity.long_run is not None
        assert quantity.estimate < quantity.long_run.high < 1


def test_two_labels_leave_open_that_all_of_a_rare_thumb_are_right() -> None:
    """Both of 8 thumbs up that were read are right, and 90 of 120 others that stand for 1,200.

    All 8 may be right, and of the others 66.5 % (the low end of Wilson's interval of 90 / 120 is .666): the recall is then
    8 / (8 + .666 x 1,200) = .0099. To that it must reach.
    """
    recall = detection(wave(("u", PASS, 8, 2, 0), ("o", FAIL, 1200, 90, 30)), UP).recall

    assert recall.high is not None
    assert recall.high > 0.0098
    assert recall.low is not None
    assert recall.low < 0.001


def test_both_thumbs_are_told_by_their_names() -> None:
    down = wave(("t", FAIL, 40, 10, 30), ("p", PASS, 60, 40, 20))
    up = wave(("u", PASS, 30, 25, 5), ("o", FAIL, 70, 35, 35))
    quality = feedback_quality(down, up)

    assert (quality.down_precision, quality.down_recall) == detection(down, DOWN)
    assert (quality.up_precision, quality.up_recall) == detection(up, UP)
