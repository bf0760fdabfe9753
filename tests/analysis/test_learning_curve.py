"""Versions of a judge on common measuring labels, and what more labels are expected to bring."""

from __future__ import annotations

import math

import numpy as np
import pytest

from annotate.analysis.aligned_judges.learning_curve import learning_curve
from annotate.analysis.aligned_judges.teaching import TaughtState, signatures_in_turn, teaching
from annotate.domain.alignment import ALIGNED, UNDONE, Alignment, AlignmentFigures
from annotate.store import Store
from annotate.workflow.judging.alignment import undo
from proxy.evaluation.alignment import GuidanceKind, tunes
from proxy.evaluation.estimate import Estimate
from proxy.records import Score
from support.judges import CHANGED, FIRST, JUDGE, NOW, SEEDED, items, several, value

FIGURES = AlignmentFigures(
    base=Estimate(estimate=0.6, n=60),
    aligned=Estimate(estimate=0.7, n=60),
    difference=Estimate(estimate=0.1, n=60),
    lowest=0.05,
    right=40,
    wrong=20,
)


def version(signature: str, base: str, *, is_in_force: bool = True, lowest: float = 0.05) -> Alignment:
    figures = AlignmentFigures(
        base=FIGURES.base,
        aligned=FIGURES.aligned,
        difference=FIGURES.difference,
        lowest=lowest,
        right=40,
        wrong=20,
    )
    return Alignment(
        judge=JUDGE,
        bare=FIRST,
        base=base,
        signature=signature,
        kind=GuidanceKind.GUIDELINES,
        guidelines=("Be strict.",),
        examples=(),
        figures=figures,
        at=NOW,
        is_in_force=is_in_force,
    )


def put_in_force(store: Store, signature: str, base: str) -> None:
    with store.atomic():
        store.scores.alignments.keep(version(signature, base))
        store.audit.events.append(ALIGNED, {"judge": JUDGE, "signature": signature}, who="ann", now=NOW)


@pytest.fixture
def aligned(store: Store) -> Store:
    """A judge whose second version is in force, and whose third was measured only."""
    several(store)
    with store.atomic():
        store.scores.alignments.decide_share(JUDGE, 0.3, now=NOW)
    put_in_force(store, SEEDED, FIRST)
    put_in_force(store, CHANGED, SEEDED)
    with store.atomic():
        store.scores.alignments.keep(version("never in force", CHANGED, is_in_force=False, lowest=-0.1))
    return store


def test_each_version_that_was_in_force_is_measured_on_the_labels_that_measure_all(aligned: Store) -> None:
    """The AUROC of each is that of its scores on the measuring labels; the version that never was in force is no point."""
    curve = learning_curve(aligned, JUDGE, FIRST)

    assert [(point.signature, point.is_in_force) for point in curve.points] == [
        (FIRST, False),
        (SEEDED, False),
        (CHANGED, True),
    ]
    described = aligned.traffic.partitions.described(aligned.sampling.ledger.last_counted())
    judge = {signature: aligned.scores.value_of_items(JUDGE, signature) for signature in (FIRST, SEEDED, CHANGED)}
    common = [
        about.item
        for about in described
        if not tunes(about.question, 0.3) and all(about.item in scores for scores in judge.values())
    ]
    assert curve.right + curve.wrong == len(common)
    assert {point.auroc.n for point in curve.points} == {len(common)}
    labels = aligned.labels.that_count()
    for point in curve.points:
        right = np.array([judge[point.signature][item] for item in common if labels[item].judgement.value == "right"])
        wrong = np.array([judge[point.signature][item] for item in common if labels[item].judgement.value == "wrong"])
        above = (right[:, None] > wrong[None, :]).mean() + (right[:, None] == wrong[None, :]).mean() / 2
        assert point.auroc.estimate == pytest.approx(above, abs=0.02)  # by design, all have about the same weight


def test_more_labels_are_expected_to_shrink_the_interval_by_the_root_of_their_number(aligned: Store) -> None:
    """Of 100 more labels those measure whose questions do not tune: 70; the smallest gain shrinks less than the interval."""
    curve = learning_curve(aligned, JUDGE, FIRST)

    assert curve.expected is not None
    n = curve.points[-1].auroc.n
    assert curve.expected.measuring == 70
    long_run = curve.points[-1].auroc.long_run
    assert long_run is not None
    assert curve.expected.half_width == pytest.approx((long_run.high - long_run.low) / 2)
    assert curve.expected.half_width_then == pytest.approx(curve.expected.half_width * math.sqrt(n / (n + 70)))
    assert curve.expected.gain_then < curve.expected.gain


def test_what_became_of_each_version_is_read_from_the_log(aligned: Store) -> None:
    """Replaced, in force, never in force; undone, the one before it is in force again."""
    assert [version.state for version in teaching(aligned, JUDGE).versions] == [
        TaughtState.NOT_SHOWN,
        TaughtState.IN_FORCE,
        TaughtState.REPLACED,
    ]
    undo(aligned, JUDGE, who="ann", now=NOW)
    assert [version.state for version in teaching(aligned, JUDGE).versions] == [
        TaughtState.NOT_SHOWN,
        TaughtState.UNDONE,
        TaughtState.IN_FORCE,
    ]
    assert [event.what for event in aligned.audit.events.all()].count(UNDONE) == 1
    undo(aligned, JUDGE, who="ann", now=NOW)
    known = teaching(aligned, JUDGE)
    assert known.in_force is None
    assert signatures_in_turn(aligned, JUDGE, [version.alignment for version in known.versions]) == [FIRST]


def test_corrections_are_tuning_answers_on_the_other_half_of_the_scale(store: Store) -> None:
    """Each is of a question that tunes, and its score is further than a half from its label; no measuring answer is listed."""
    several(store)
    known = teaching(store, JUDGE)
    described = store.traffic.partitions.described(store.sampling.ledger.last_counted())
    tuning = {about.item for about in described if tunes(about.question, 0.3)}
    names = {item.id for item in store.traffic.items.read(sorted(tuning)).values()}

    assert known.corrected.count == len(known.corrected.shown) > 0
    assert {answer.item.id for answer in known.corrected.shown} <= names
    assert all(abs(answer.value - (answer.judgement.value == "right")) > 0.5 for answer in known.corrected.shown)


def test_of_a_judge_whose_high_scores_are_bad_the_other_half_is_meant(store: Store) -> None:
    """An answer that is right and has a low score of harm is no correction; one with a high score is."""
    several(store)
    keys = store.traffic.items.keys([item.id for item in items()])
    harm = "aspect_maliciousness|llm|m|v1|dddddddd"
    with store.atomic():
        for name, key in keys.items():
            score = Score(
                item_id=name, judge="aspect_maliciousness", signature=harm, value=1 - value(int(name[1:]), FIRST)
            )
            store.scores.keep({key: [score]}, now=NOW)
    plain, turned = teaching(store, JUDGE).corrected, teaching(store, "aspect_maliciousness").corrected

    # the two agree but for the answers that the first one failed on
    assert {answer.item.id for answer in plain.shown} <= {answer.item.id for answer in turned.shown}
    assert turned.count - plain.count <= turned.scored - plain.scored
