"""The answers that a number counts: for every kind of number as many as it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import lru_cache

import pytest

from annotate.analysis import diagnosis, disagreements
from annotate.analysis.calibration import curves, explore, reliability
from annotate.analysis.counted_answers import CELLS, KINDS, counted_answers
from annotate.analysis.diagnosis import Thresholds
from annotate.analysis.diagnosis.diagnose import NOT_NAMED
from annotate.analysis.drift import trends
from annotate.analysis.judges import quadrants, score_agreement
from annotate.analysis.labelling import status
from annotate.analysis.report import report
from annotate.analysis.rule_in_force import rule_in_force
from annotate.analysis.slices import find
from annotate.domain.counted import HARMFUL, code
from annotate.present.report.figures import ALL, HARM, OF_ALL_ANSWERS, figure
from annotate.store import Store
from annotate.store.labels.disagreements import DisagreementFilter
from support.app import walk
from support.disagreements import differing
from support.drift import fill, label_all
from support.mixed import mixed
from support.store import Assay

Counted = Iterator[tuple[str, int]]
MAKE: tuple[Callable[[Store], object], ...] = (walk, differing, mixed)


@lru_cache(maxsize=1)
def _report(store: Store) -> report.ProjectReport:
    """Build the report of a store that no longer changes."""
    return report.build(store)


def _cells(store: Store) -> Counted:
    counts = _report(store).agreement.counts
    return ((code("cell", name), getattr(counts, name)) for name in CELLS)


def _quantities(store: Store) -> Counted:
    known = _report(store)
    figures = (figure(known, name) for name in (*ALL, *([HARM] if known.serious_harm else [])))
    measured = (
        figure for figure in figures if figure.estimate.estimate is not None and figure.name not in OF_ALL_ANSWERS
    )
    return ((code("quantity", figure.name), figure.estimate.n) for figure in measured)


def _strata(store: Store) -> Counted:
    for stratum in _report(store).agreement.strata:
        for judgement in ("right", "wrong", "unsure"):
            yield code("stratum", judgement, stratum.stratum), getattr(stratum, judgement)


def _judges(store: Store) -> Counted:
    for judge in _report(store).judges:
        result, of = score_agreement.with_labels(store, judge), (judge.totals.signature, judge.totals.judge)
        for at in result.thresholds:
            yield from ((code("judge-cell", at.threshold, place, *of), n) for place, n in enumerate(at.counts))
        for first, row in enumerate(result.grid):
            yield from ((code("judge-square", first, second, *of), n) for second, n in enumerate(row))
        yield from ((code("judge-bin", number, *of), each.n) for number, each in enumerate(result.bins))
        yield from ((code("judge-tenth", number, *of), n) for number, n in enumerate(result.spread[0].counts))
        yield from ((code("judge-period", "week", part.period, *of), part.n) for part in result.periods)


def _bands(store: Store) -> Counted:
    bands = reliability.explain(store).curve.bands
    return ((code("band", repr(band.least), repr(band.most)), band.right.n) for band in bands)


def _strips(store: Store) -> Counted:
    whole = explore.ladder(store)
    scale = curves.scale_of(whole)
    for number, stretch in enumerate(curves.strip_of(whole, scale.low, scale.high)):
        yield code("strip", "right", number), stretch.right
        yield code("strip", "wrong", number), stretch.wrong


def _waves(store: Store) -> Counted:
    for wave in status.build(store).waves:
        for judgement in ("right", "wrong", "unsure"):
            yield code("wave", judgement, wave.wave.number), getattr(wave.done, judgement)
            for part in wave.strata:
                marked = code("wave-stratum", judgement, wave.wave.number, part.stratum)
                yield marked, getattr(part.done, judgement)


def _diagnoses(store: Store) -> Counted:
    for each in diagnosis.build(store, thresholds=Thresholds()).each:
        system = each.system or ""
        for judgement in ("right", "wrong"):
            for corner in each.corners:
                yield code("corner", judgement, corner.name, system), getattr(corner, judgement)
            for finding in each.findings:
                yield code("stage", judgement, finding.stage, system), getattr(finding, judgement)
        for (cause, stage), count in each.named.items():
            yield code("cause-at", stage, cause, system), count
        yield from ((code("cause", cause.cause, system), cause.wrong) for cause in each.causes)
        unnamed = sum(count for (cause, _), count in each.named.items() if cause == NOT_NAMED)
        yield code("cause", NOT_NAMED, system), unnamed


def _quadrants(store: Store) -> Counted:
    for each in _report(store).quadrants:
        for judgement in ("right", "wrong"):
            place = (each.is_relevant, each.is_faithful, each.has_passages)
            yield code("quadrant", judgement, *place), getattr(each, judgement)


def _slices(store: Store) -> Counted:
    tested = find.build(store).examined.tested
    return ((code("slice", finding.mistake, finding.slice.name), finding.here.n) for finding in tested)


def _crossed(store: Store) -> Counted:
    for pair in quadrants.choice(store, rule_in_force(store)[1]).pairs:
        for part in quadrants.build(store, pair).quadrants:
            name = next(name for name, place in quadrants.POSITIONS.items() if place == part.place)
            counts = {"right": part.right, "wrong": part.wrong, "from_retrieval": part.to_retrieval}
            counts["unattributed"] = part.wrong - part.to_retrieval
            yield from ((code("crossed", outcome, name, *pair), n) for outcome, n in counts.items())


def _cells_at(store: Store) -> Counted:
    """At the threshold in force and at others, between values and beyond them."""
    whole = explore.ladder(store)
    for threshold in (whole.rule.threshold, 0.05, 0.3, 0.62, 0.9, 2.0):
        excluded_draws = explore.excluded_at(store, whole.rule, threshold)
        scoring = explore.ladder(store, excluded_draws=excluded_draws) if excluded_draws else None
        counts = explore.at(whole, threshold, scoring).agreement.counts
        yield from ((code("cell-at", name, repr(threshold)), getattr(counts, name)) for name in CELLS)


def _thumbs(store: Store) -> Counted:
    quality = _report(store).feedback.quality
    names = ("down_precision", "down_recall", "up_precision", "up_recall")
    known = ((name, getattr(quality, name)) for name in names)
    return ((code("thumb", name), estimate.n) for name, estimate in known if estimate.estimate is not None)


def _harmful(store: Store) -> Counted:
    yield HARMFUL, len(_report(store).harmed)


EVERY = (
    _slices,
    _cells,
    _quantities,
    _strata,
    _judges,
    _bands,
    _strips,
    _waves,
    _diagnoses,
    _quadrants,
    _crossed,
    _cells_at,
    _thumbs,
    _harmful,
)


@pytest.mark.slow
def test_a_list_has_as_many_rows_as_its_mark_says() -> None:
    """Every mark that counts any, of every kind, in two stores; a mark of none leads nowhere."""
    counted = dict.fromkeys(set(KINDS) - {"window"}, 0)
    for make in MAKE:
        with closing(Store(":memory:")) as made:
            make(made)
            with made.snapshot():  # what every mark reads is read once
                basis = disagreements.ground(made)
                for marked, count in (pair for marks in EVERY for pair in marks(made) if pair[1]):
                    items = counted_answers(made, marked)
                    assert items is not None, marked
                    asked = DisagreementFilter(items=items, has_agreements=True)
                    assert made.labels.disagreements.total(basis.key, asked) == count, marked
                    counted[marked.partition("~")[0]] += count
    _report.cache_clear()
    assert min(counted.values()) > 0, counted


@pytest.mark.slow
def test_a_week_lists_the_labels_that_its_figures_rest_on(assay: Assay) -> None:
    """All of the week, and those that passed; the weeks hold different numbers."""
    label_all(assay, fill(assay, weeks=4))
    with closing(Store(assay.db, reads_only=True)) as made:
        courses = trends.courses(made, trends.over(made, trends.By.WEEK))
        counts = [
            *((code("window", "week", "correctness", day), labelled) for day, labelled in courses.labels),
            *(
                (code("window", "week", "pass_precision", day), known.n)
                for day, known in courses.points[trends.TrendQuantity.PASS_PRECISION]
            ),
        ]
        found = [len(counted_answers(made, asked) or ()) for asked, _ in counts]

    assert found == [count for _, count in counts]
    assert set(found) == {30, 40}  # of 40 labels a week 30 passed


@pytest.mark.parametrize(
    "asked",
    [
        "",
        "cell",
        "cell~nothing",
        "none~1",
        "band~x~1",
        "judge-cell~1",
        "corner~right~nowhere~",
        "stratum~?~a",
        "thumb~x",
        "quantity~x",
        "harmful~x",
    ],
)
def test_what_is_no_mark_has_no_answers(store: Store, asked: str) -> None:
    """An address that somebody mistyped is told of, not answered."""
    assert counted_answers(store, asked) is None


def test_what_others_wrote_may_hold_the_sign_between_parts(store: Store) -> None:
    """The name of a stratum or a system stands last."""
    assert counted_answers(store, code("stratum", "right", "a~b")) == ()
