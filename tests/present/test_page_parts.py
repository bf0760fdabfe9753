"""What pages draw beside whole answers: each part says the same numbers in every language and medium, names literally."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from annotate.analysis.calibration import curves as thresholds
from annotate.analysis.calibration import explore as analysis_explore
from annotate.analysis.calibration import labelled_scores
from annotate.analysis.judges import quadrants as crossed_judges
from annotate.analysis.judges import repeat_noise, table
from annotate.analysis.judges import score_agreement as together
from annotate.analysis.labelling import status
from annotate.analysis.report import report as reports
from annotate.domain.annotator_activity import Pace
from annotate.domain.message import Message, Name, message
from annotate.present import explore, judges, labelling_status, quadrants, quantity, rule_comparison, score_agreement
from annotate.present import report as present_report
from annotate.present.document import Block, Document, Section, Status
from annotate.present.messages import text
from annotate.present.report.tiles import tiles
from annotate.store import Store
from proxy.evaluation.curves import curve
from proxy.evaluation.trust import Needed
from support.documents import check
from support.judges import JUDGE, several

NO_COURSE = message("report.gate_open")


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    """Several judges, labelled answers of two systems over eight weeks."""
    opened = Store(":memory:")
    several(opened)
    yield opened
    opened.close()


def told(*blocks: Block) -> str:
    """These parts as the terminal shows them, the same in every language and medium."""
    return check(Document(NO_COURSE, sections=(Section(None, blocks),)))


def blocks(sections: Sequence[Section]) -> list[Block]:
    """All parts of the sections."""
    return [block for section in sections for block in section.blocks]


@pytest.mark.slow
def test_judges_are_told(store: Store) -> None:
    """Verdicts, agreement, work, versions, pairs and repeats; the best judge is named with kappa and its interval."""
    known = table.build(store, reports.build(store))
    between = table.paired_judges(store, known.rows)
    sections = [
        *judges.agreement(known),
        judges.work(known.rows),
        judges.versions(known.rows, between, lambda moment: moment[:10]),
        judges.between(between),
        judges.repeats(repeat_noise.build(store, known.rows)),
    ]
    shown = told(*blocks(sections), judges.figures(known.rows[0]))

    assert known.best is not None
    assert f"{known.best.row.label} agrees best with annotators so far: kappa " in shown
    assert "unreadable reply 4 (4.4 %)" in shown
    assert judges.document(known, None).status is Status.UNMEASURABLE


@pytest.mark.slow
def test_quadrants_are_told(store: Store) -> None:
    """Each corner with its answers and its share of the wrong ones."""
    crossed = crossed_judges.build(store, crossed_judges.CrossedJudges("context_relevance", "faithfulness"))
    sections = [quadrants.quadrant(crossed, corner) for corner in crossed.quadrants]

    shown = told(*blocks(sections), *quadrants.chart_notes(crossed), quadrants.chart_alt_text(crossed))

    assert shown.count("Of all wrong answers: ") == len(crossed.quadrants)


@pytest.mark.slow
@pytest.mark.parametrize("is_with_labels", [True, False])
def test_two_scores_are_told(store: Store, is_with_labels: bool) -> None:
    """A judge against annotators, and against another judge, of which all is counted."""
    known = [judge for judge in reports.build(store).judges if judge.totals.judge in {JUDGE, "context_relevance"}]
    first, second = known[0], known[-1]
    result = (
        together.with_labels(store, first)
        if is_with_labels
        else together.with_judge(store, first.totals, second.totals)
    )
    names = (Name("first"), Name("second"))
    word = score_agreement.kappa_word(result)

    shown = told(
        score_agreement.basis(result),
        score_agreement.figures(result),
        score_agreement.bins(result),
        score_agreement.every_threshold(result),
        score_agreement.cells(result, result.thresholds[0]),
        score_agreement.worst(result, names),
        score_agreement.trend(result, names),
        score_agreement.spread(names[0], [("0.0–0.1", 0.25, 0.5)]),
        score_agreement.grid([("0.0–0.1", "right", 4)]),
        *(word or ()),
    )

    assert f"Matched: {result.matched}" in shown


@pytest.mark.slow
def test_a_threshold_and_other_rules_are_told(store: Store) -> None:
    """What holds at a threshold beside the one in force, the curves, the scores by label, every other rule."""
    report = reports.build(store)
    ladder = analysis_explore.ladder(store)
    in_force = analysis_explore.in_force(store)
    here = analysis_explore.at(ladder, 0.7)
    points = curve(thresholds.ranked(ladder))
    scores = labelled_scores.of_values(ladder.traffic.drawn, ladder.traffic.rules[0].values)
    strips = thresholds.strip_of(ladder, 0.0, 1.0, 10)
    lines: list[Message | str] = [
        explore.which(here, None),
        explore.which(in_force, None),
        explore.answer(in_force),
        explore.right_among_passed(in_force, 0.9, Status.OPEN, None),
        explore.right_among_passed(in_force, 0.9, Status.OPEN, present_report.shown_by(report)),
        explore.curve(here),
        explore.cells(here).title,
        explore.curves([(0.7, here)]),
        explore.roc(points),
        explore.precision_recall(points),
        explore.auroc(report.auroc) or "",
        *(explore.strip(name, strips) for name in ("items", "right", "wrong")),
        rule_comparison.picture(report, "accuracy"),
    ]

    shown = told(
        explore.quantities(here, in_force),
        quantity.cells(here.agreement),
        *lines,
        *blocks(rule_comparison.side_by_side(report)),
    )

    assert "At 0.700" in shown
    assert "0.500 is in force" in shown
    assert "right" in text(next(iter(explore.scores(scores)))).lower()


@pytest.mark.slow
def test_tiles_and_quantities_of_a_report_are_told(store: Store) -> None:
    """The headline tiles, and every quantity with its basis."""
    report = reports.build(store)

    shown = told(
        *(message("report.short", value=tile.value, span=tile.beside) for tile in tiles(report)),
        present_report.quantities(report),
    )

    assert report.agreement.pass_precision.method.split(",")[0] in shown
    assert present_report.label_counts(report) is None, "all labels count in all"


def test_how_labelling_stands_is_told(store: Store) -> None:
    """The answer, the numbers behind it, and who labels how."""
    state = status.build(store)
    document = labelling_status.document(state)

    shown = told(
        document.answer,
        labelling_status.figures(state),
        labelling_status.agreement(state.annotator_agreement),
        labelling_status.annotators(state.annotators),
        labelling_status.pace(state.pace),
    )

    assert f"{state.progress.labelled} of {state.progress.drawn} drawn answers are labelled" in shown
    assert document.status is Status.OPEN


@pytest.mark.parametrize(("left", "more"), [(None, ""), (121, "; 121 are left, so it takes more traffic too")])
def test_labels_that_would_decide_are_those_on_passed_answers(store: Store, left: int | None, more: str) -> None:
    """Where the passed answers that are left do not suffice, the sentence says so; before much is known it gives no number."""
    state = status.build(store)
    needed = Needed(130, left, kappa_open=False)

    sentence = text(labelling_status.document(state, needed, 0.9).answer)
    assert f"90 % of passed answers are right takes about 130 more labels on these{more}." in sentence
    early = text(labelling_status.document(state, needed._replace(is_early=True), 0.9).answer)
    assert "130" not in early


@pytest.mark.parametrize(("count", "words"), [(2, "About 1 minute, at 30 s"), (4, "About 2 minutes, at 30 s")])
def test_the_time_of_open_draws_is_said_in_the_right_number(store: Store, count: int, words: str) -> None:
    """Two labels of 30 seconds take a minute, four take two."""
    state = status.build(store)
    drawn = state.progress._replace(drawn=state.progress.labelled + count)
    waiting = replace(state, progress=drawn, pace=Pace(20.0, 7, 30.0))

    about = labelling_status.to_label(waiting).about
    assert about is not None
    assert text(about).startswith(words)
