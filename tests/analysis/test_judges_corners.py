"""Two judges crossed: counts of all traffic, labels, and the share of the wrong answers in each corner with its coverage."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from annotate.analysis import diagnosis
from annotate.analysis.diagnosis import Thresholds
from annotate.analysis.diagnosis.weights import Scales, Spot
from annotate.analysis.judges import quadrants
from annotate.analysis.judges.quadrants import QUADRANTS, CrossedJudges
from annotate.analysis.rule_in_force import rule_in_force
from annotate.domain.selection import Selection
from annotate.store import Store
from annotate.workflow.judging.rules import set_rule
from proxy.diagnosis import Stage
from proxy.evaluation.domains import Evidence
from proxy.evaluation.ledger import Drawing, SampledItem, Total
from proxy.records import Judgement, Verdict
from support.judges import NOW, items, several, unlabelled
from support.simulation import at_least, repeated

USUAL = CrossedJudges("context_relevance", "faithfulness")


def crossed(make: object = several, **which: object) -> quadrants.CrossedQuadrants:
    """The corners of a new store."""
    store = Store(":memory:")
    make(store)  # type: ignore[operator]
    grid = quadrants.build(store, USUAL, **which)  # type: ignore[arg-type]
    store.close()
    return grid


@pytest.mark.slow
def test_where_everything_is_labelled_shares_are_counts() -> None:
    """A census: each share of the wrong answers is a plain count, they add up to 1, and the interval is a point."""
    corners = crossed()
    wrong = sum(quadrant.wrong for quadrant in corners.quadrants)

    assert sum(quadrant.answers for quadrant in corners.quadrants) == corners.framed == len(items())
    for corner in corners.quadrants:
        assert corner.of_wrong.estimate == pytest.approx(corner.wrong / wrong)
        assert (corner.of_wrong.low, corner.of_wrong.high) == pytest.approx((corner.wrong / wrong,) * 2)
        assert corner.of_wrong.n == wrong
    assert sum(quadrant.wrong + quadrant.right for quadrant in corners.quadrants) == len(items())


@pytest.mark.slow
def test_a_corner_is_the_diagnosis_of_its_system() -> None:
    """For one system: answers, labels and wrong ones of all answers are those of `assay diagnose --json`."""
    store = Store(":memory:")
    several(store)
    grid = quadrants.build(store, USUAL, selection=Selection(system="s1"))
    every = diagnosis.build(store, thresholds=Thresholds()).each
    theirs = next(system for system in every if system.system == "s1")
    store.close()
    names = ("relevant, faithful", "relevant, not faithful", "not relevant, faithful", "not relevant, not faithful")
    by_name = {quadrant.name: quadrant for quadrant in theirs.corners}

    assert grid.framed == theirs.framed
    assert sum(quadrant.to_retrieval for quadrant in grid.quadrants) == theirs.naming.areas[Stage.RETRIEVAL].wrong
    for name, corner in zip(names, grid.quadrants, strict=False):
        stage_quadrant = by_name[name]
        assert (corner.answers, corner.right, corner.wrong, corner.share) == (
            stage_quadrant.answers,
            stage_quadrant.right,
            stage_quadrant.wrong,
            stage_quadrant.share,
        )


def test_without_labels_nothing_is_guessed() -> None:
    """No wave: no point, no share, and a reason in each corner with answers."""
    corners = crossed(unlabelled)

    assert list(corners.points) == []
    assert all(corner.of_wrong.estimate is None and corner.of_wrong.reason for corner in corners.quadrants)


@pytest.mark.slow
def test_other_judges_can_be_crossed() -> None:
    """Where the rule reads another pair it can be chosen, tells no stage, and says so by having none."""
    store = Store(":memory:")
    several(store)
    set_rule(store, "mine", "min(answer_relevance, faithfulness) > 0.5", {}, who="tester", now=NOW)
    _, rule = rule_in_force(store)
    choice = quadrants.choice(store, rule)
    grid = quadrants.build(store, CrossedJudges("answer_relevance", "faithfulness"))
    store.close()

    assert list(choice.pairs) == [USUAL, CrossedJudges("answer_relevance", "faithfulness")]
    assert [corner.stage for corner in grid.quadrants] == [None] * 5
    assert sum(corner.answers for corner in grid.quadrants) == len(items())


def test_without_two_judges_there_is_a_reason() -> None:
    """An empty store names the scores that are missing."""
    store = Store(":memory:")
    _, rule = rule_in_force(store)
    choice = quadrants.choice(store, rule)
    store.close()

    assert list(choice.pairs) == []
    assert "`context_relevance` and `faithfulness`" in (choice.reason or "")


@pytest.mark.slow
@repeated(60, 300)
def test_the_share_of_the_wrong_answers_covers(repetitions: int) -> None:
    """1,000 answers, half passed; 60 + 60 labels drawn; P(corner | wrong) is known, and each corner covers in 95 %.

    On average the four cover in 94 % of 300, and in as much less of fewer as chance leaves them.
    """
    rng = np.random.default_rng(3)
    size, drawn = 500, 60
    places = rng.integers(0, 4, (2, size))
    is_wrong = rng.random((2, size)) < np.array([[0.15], [0.6]]) * np.array([0.6, 1.0, 1.2, 1.4])[places]
    truth = [float(np.sum(is_wrong & (places == n)) / np.sum(is_wrong)) for n in range(4)]
    hits = np.zeros(4)
    for _ in range(repetitions):
        chosen = [rng.choice(size, drawn, replace=False) for _ in range(2)]
        intervals = _shares(places, is_wrong, chosen)
        hits += [low <= share <= high for share, (low, high) in zip(truth, intervals, strict=True)]

    assert (hits / repetitions >= at_least(0.95, repetitions)).all(), hits
    assert hits.mean() / repetitions >= 0.95 - 0.01 * np.sqrt(300 / repetitions)


def _shares(
    places: np.ndarray[tuple[int, int], np.dtype[np.int64]],
    is_wrong: np.ndarray[tuple[int, int], np.dtype[np.bool_]],
    chosen: Sequence[np.ndarray[tuple[int], np.dtype[np.int64]]],
) -> list[tuple[float, float]]:
    """The interval of each corner from these draws of the two strata."""
    size, drawn = places.shape[1], len(chosen[0])
    verdicts = (Verdict.PASS, Verdict.FAIL)
    totals = [
        (Spot(system=None, place=QUADRANTS[n]), Total(verdict, verdict, int(np.sum(places[side] == n))))
        for side, verdict in enumerate(verdicts)
        for n in range(4)
    ]
    sample, spots = [], list[tuple[int, Spot]]()
    for side, verdict in enumerate(verdicts):
        for row in chosen[side]:
            said = Judgement.WRONG if is_wrong[side, row] else Judgement.RIGHT
            sample.append(SampledItem(verdict, verdict, said, f"{side}-{row}", side, (drawn / size,), 0))
            spots.append((int(row), Spot(system=None, place=QUADRANTS[places[side, row]])))
    drawings = [Drawing(1, verdict, size, drawn, drawn, drawn) for verdict in verdicts]
    whole = Evidence(totals=[total for _, total in totals], sample=sample, drawings=drawings)
    weights = Scales(totals=totals, drawn=spots, drawings=drawings, whole=whole)
    estimates = [weights.of_wrong(lambda each, place=place: each == place) for place in QUADRANTS]  # type: ignore[misc]
    return [(estimate.low or 0.0, estimate.high or 0.0) for estimate in estimates]
