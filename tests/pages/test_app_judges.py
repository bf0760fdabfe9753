"""The page of the judges as a person sees it: on every kind of store, with the numbers of the commands."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from annotate.analysis import diagnosis
from annotate.analysis.diagnosis import Thresholds
from annotate.analysis.drift.windows import By, drift
from annotate.analysis.judges import quadrants as judges_quadrants
from annotate.analysis.judges import repeat_noise, table
from annotate.analysis.report import report as reports
from annotate.charts import monitor, quadrants
from annotate.charts.monitor import CusumPeak, WindowEstimate, WindowEvent
from annotate.charts.quadrants import AnswerDot
from annotate.domain.selection import Selection
from annotate.present import drift as present_drift
from annotate.present import judges as present_judges
from annotate.present import naming
from annotate.present.messages import text
from annotate.store import Store
from proxy.drift.drift import Plan
from proxy.evaluation.trust import percent
from proxy.text import numbers
from support.app import (
    Make,
    Open,
    answer,
    drawn,
    in_store,
    judged,
    nothing,
    question,
    some_open,
    tables,
    three,
    traffic,
    walk,
    words,
)
from support.judges import FIRST, NOW, SEEDED, several, unlabelled
from support.passages import demo_asked
from support.tiers import shortly

PARTS = ("agreement", "quadrants", "drift", "scores", "teach", "work")
LONGEST_HEAD = 20  # words
PAGE = "judges"
KAPPA, SENSITIVITY = "Agreement beyond chance", "Passed among the right"
TITLE = "Which judges tell right from wrong?"


def shown(app: AppTest) -> str:
    """All our words with their escapes taken away."""
    return words(app).replace("\\", "")


def unfold(app: AppTest, name: str) -> AppTest:
    """Open what is folded in a part, with its next run."""
    for place in range(8):
        app.session_state[f"judges-{name}-{place}"] = True
    return app


def part(app: AppTest, name: str) -> AppTest:
    """Another part of the page."""
    return app.segmented_control(key="judges").set_value(name).run()


def cells(app: AppTest) -> str:
    """What stands in the tables."""
    return "\n".join(dataframe.to_csv() for dataframe in tables(app))


@pytest.mark.slow
@pytest.mark.parametrize("make", [nothing, traffic])
def test_without_scores_the_next_command_is_named(opened: Open, make: Make) -> None:
    """Nothing to compare: the empty state and its command."""
    app = opened(make, PAGE)

    assert question(app) == TITLE
    assert app.info[0].value.replace("\\", "").startswith("No judge has scored an answer yet")
    assert app.code


@pytest.mark.slow
@pytest.mark.parametrize(
    "make", shortly([judged, drawn, some_open, walk, three, unlabelled, several], judged, three, several)
)
def test_every_store_has_a_page(opened: Open, make: Make) -> None:
    """No exception, one sentence, and all nine questions in the parts of the page, whatever is missing."""
    app = opened(make, PAGE)

    assert question(app) == TITLE
    assert "tell right from wrong" in answer(app)[1]
    assert len(answer(app)[1].split()) <= LONGEST_HEAD
    asked = []
    for name in PARTS:
        assert not part(app, name).exception
        asked += [heading.value for heading in app.header]
    assert len(asked) == 9


@pytest.mark.slow
def test_without_labels_nothing_is_claimed(opened: Open) -> None:
    """No judge tells, none is best, no drift is denied, every measure of agreement is — with its reason."""
    app = opened(judged, PAGE)

    said = answer(app)[1]
    assert (
        said
        == "None of 4 judges and metrics in use is shown to tell right from wrong; whether quality dropped is unknown."
    )
    assert "3 judges and metrics have scores and no verdict yet" in shown(app)
    assert "—: not measurable" in shown(app)
    assert "Verdict" not in "".join(column for table in tables(app) for column in table.columns)
    assert set(tables(unfold(app, "agreement").run())[0][KAPPA]) == {"—"}
    assert "cannot be said yet" in shown(app)


@pytest.mark.slow
def test_each_judge_stands_as_the_report_has_it(opened: Open, store_path: Path) -> None:
    """The tables and the cards show the report's estimates, intervals and labels, to the letter."""
    app = unfold(opened(several, PAGE), "agreement").run()
    report = in_store(store_path, reports.build)
    verdicts, frame = tables(app)[:2]

    rankings = {numbers.coefficient(judge.alone.auroc.estimate) for judge in report.judges}
    assert {str(cell).split(" ", 1)[0] for cell in verdicts["Ranking of right above wrong"]} == rankings
    for place, judge in enumerate(report.judges):
        kappa = judge.alone.agreement.kappa
        number = numbers.coefficient(kappa.estimate)
        assert str(frame[KAPPA].iloc[place]).startswith(number)
        share = judge.alone.agreement.sensitivity
        assert str(frame[SENSITIVITY].iloc[place]).startswith(percent(share.estimate or 0.0))
    chosen = app.selectbox(key="close").value
    best = in_store(store_path, lambda store: table.build(store, report)).best
    assert best is not None
    assert chosen == best.row.label
    assert numbers.coefficient(best.row.alone.agreement.kappa.estimate) in [metric.value for metric in app.metric]


@pytest.mark.slow
def test_another_judge_can_be_looked_at_closely(opened: Open, store_path: Path) -> None:
    """Choosing one shows its own cards."""
    app = opened(several, PAGE)
    rows = in_store(store_path, lambda store: table.build(store, reports.build(store))).rows
    first = next(row for row in rows if row.totals.signature == FIRST)
    app.selectbox(key="close").set_value(first.label).run()

    assert not app.exception
    assert app.metric[0].value == numbers.coefficient(first.alone.agreement.kappa.estimate)


@pytest.mark.slow
def test_the_sentence_says_which_judges_tell_and_the_drift(opened: Open, store_path: Path) -> None:
    """The same that the services find, in one sentence."""
    app = opened(several, PAGE)

    def sentence(store: Store) -> str:
        rows = table.build(store, reports.build(store))
        plan = Plan(horizon=By.WEEK.windows_in(26))
        seen = drift(store, plan, by=By.WEEK, weeks=26, since=None)
        assert text(present_drift.answer(seen)).rstrip(".") in shown(part(app, "drift"))
        return text(present_judges.document(rows, seen).answer)

    expected = in_store(store_path, sentence)
    assert answer(app)[1] == expected
    assert "tell right from wrong" in expected


@pytest.mark.slow
def test_work_versions_pairs_and_repeats_are_in_the_tables(opened: Open, store_path: Path) -> None:
    """Failures with their share, cost, tokens, signatures; any two judges; a seed's flips with their interval."""
    app = part(opened(several, PAGE), "work")
    text = cells(app)

    assert "unreadable reply 4 (4.4 %)" in shown(app)
    assert "0.25 (22.50 in all)" in text
    assert "120 (requests: 90)" in text
    assert "1 of 7" in text
    assert SEEDED in text
    assert "prompts p2" in text

    def services(store: Store) -> tuple[table.PairedJudges, repeat_noise.RepeatNoise]:
        rows = table.build(store, reports.build(store)).rows
        return table.paired_judges(store, rows), repeat_noise.build(store, rows)

    between, repeats = in_store(store_path, services)
    for pair in between.between:
        assert pair.pair.agreement is not None
        assert f"{pair.first.label},{pair.other.label},{pair.pair.n},{percent(pair.pair.agreement)}" in text
    seeded = next(repeat for repeat in repeats.repeats if repeat.source is repeat_noise.RepeatSource.SEED)
    assert seeded.moves.flipped.low is not None
    assert (
        f"{percent(seeded.moves.flipped.estimate or 0)} ({percent(seeded.moves.flipped.low).removesuffix(' %')} to"
        in text
    )


@pytest.mark.slow
def test_the_corners_and_what_to_mend(opened: Open, store_path: Path) -> None:
    """Counts, shares and sentences are those of the services; one system can be looked at alone."""
    app = part(opened(several, PAGE), "quadrants")
    pair = judges_quadrants.CrossedJudges("context_relevance", "faithfulness")
    whole = in_store(store_path, lambda store: judges_quadrants.build(store, pair))
    page = shown(app)
    for corner in whole.quadrants[:4]:
        assert f"Answers: {corner.answers:,} of 90" in page
        assert corner.of_wrong.estimate is not None
        assert f"Of all wrong answers: {percent(corner.of_wrong.estimate)} (" in page
    diagnosed = in_store(store_path, lambda store: diagnosis.build(store, thresholds=Thresholds()))
    assert text(naming.answer(diagnosed.whole)) in page
    causes = [cause for each in diagnosed.each for stage in each.findings for cause in stage.causes]
    folded = [cause for cause in causes if not cause.is_likely]
    assert ("Possible causes that nothing singles out" in [expander.label for expander in app.expander]) is bool(folded)
    assert page.count("Try: ") == len(causes) - len(folded)

    app.selectbox(key="system").set_value("s1").run()

    alone = in_store(
        store_path,
        lambda store: judges_quadrants.build(store, pair, selection=Selection(system="s1")),
    )
    assert not app.exception
    assert f"of {alone.framed:,} (" in shown(app)
    (first,) = (each.naming for each in diagnosed.each if each.system == "s1")
    assert text(naming.answer(first)) in shown(app)


@pytest.mark.slow
def test_windows_of_another_length(opened: Open) -> None:
    """Months: the alarms are worked out anew, and every monitor says whether it watches."""
    app = part(opened(several, PAGE), "drift")
    unfold(app, "drift")
    app.segmented_control(key="windows").set_value("month").run()

    assert not app.exception
    assert "2026-10" in cells(app)
    assert "not watched, because" in cells(app) or "watched, no alarm" in cells(app)


@pytest.mark.slow
def test_hostile_names_are_shown_literally(opened: Open) -> None:
    """A judge and a system may be called anything."""
    bad = "**bold** :red[x] <b>"

    def make(store: Store) -> None:
        from proxy.records import Item, Score

        with store.atomic():
            store.traffic.items.add([Item(id="a", question="Where?", answer="Here.", system=bad)], now=NOW)
            store.scores.keep({1: [Score(item_id="a", judge="j", signature=bad, value=0.4)]}, now=NOW)

    app = part(opened(make, PAGE), "work")
    assert bad in cells(app)
    assert ":red[x]" not in words(app)


@pytest.mark.slow
@pytest.mark.parametrize("language", shortly(("zh", "ko"), "ko"))
def test_other_languages(opened: Open, language: str) -> None:
    """Every string of the page takes its values in every language."""
    app = opened(several, PAGE)
    app.segmented_control(key="lang").set_value(language).run()

    assert not app.exception
    assert question(app) != TITLE


def test_points_never_cross_a_cut() -> None:
    """Equal scores are spread, the same way each time, and stay on their side; exactly the threshold is below it."""
    values = np.repeat([0.0, 0.25, 0.5, 0.501, 1.0], 50)
    moved = quadrants.spread(values, 0.5, quadrants.GOLDEN)

    assert ((moved > 0.5) == (values > 0.5)).all()
    assert np.abs(moved - values).max() <= quadrants.MOST_MOVED + 1e-9
    assert len(np.unique(moved[:50])) > 40
    assert (moved == quadrants.spread(values, 0.5, quadrants.GOLDEN)).all()


@pytest.mark.slow
def test_the_picture_tells_labels_by_shape_and_colour() -> None:
    """Right, wrong and unsure differ in both; both cuts are drawn."""
    labels = ("right", "wrong", "unsure")
    dots = [AnswerDot(0.1 * n, 0.5, labels[n % 3]) for n in range(6)]
    chart = quadrants.quadrants(
        dots, (0.5, 0.6), quadrants.QuadrantWords("a", "b", labels, ("both", "b below", "a below", "neither"))
    ).to_dict()
    points = next(layer["encoding"] for layer in chart["layer"] if layer["mark"]["type"] == "point")

    assert len(set(points["shape"]["scale"]["range"])) == 3
    assert len(set(points["color"]["scale"]["range"])) == 3
    assert sum(layer["mark"]["type"] == "rule" for layer in chart["layer"]) == 2


@pytest.mark.slow
def test_the_monitor_marks_alarms_and_changes() -> None:
    """What happened in a window stands there once, with all its words; what lies in no window is left out."""
    windows = ["w1", "w2", "w3"]
    spots = [WindowEstimate("w1", "right", 0.8, 0.7, 0.9), WindowEstimate("w2", "right", 0.7, 0.6, 0.8)]
    marks = [
        WindowEvent("w2", "a", is_alarm=True),
        WindowEvent("w2", "b", is_alarm=True),
        WindowEvent("w3", "c", is_alarm=False),
    ]
    told = monitor.monitor(
        windows,
        spots,
        [*marks, WindowEvent("w9", "d", is_alarm=True)],
        (0.8, 0.7, 0.9),
        monitor.MonitorWords("w", "b", "alarm", "change"),
    ).to_dict()
    rows = [row for data in told["datasets"].values() for row in data if "words" in row and "window" in row]

    assert {(row["window"], row["words"], row["kind"]) for row in rows} == {
        ("w2", "a; b", "alarm"),
        ("w3", "c", "change"),
    }


def test_a_limit_that_was_not_held_against_anything_is_not_drawn() -> None:
    """A window without labels has no limit."""
    told = monitor.cusum([CusumPeak("w1", 0.0, None), CusumPeak("w2", 1.0, 3.0)], ("path", "limit"), "week").to_dict()
    rows = [row for data in told["datasets"].values() for row in data]

    assert [(row["window"], row["what"]) for row in rows] == [("w1", "path"), ("w2", "path"), ("w2", "limit")]


@pytest.mark.slow
def test_judges_of_passages_stand_beside_what_experts_say(opened: Open) -> None:
    """One table more where experts were asked, with what they say and why a ranking is not known; without a question there is none."""
    app = opened(demo_asked, PAGE)
    seen = " ".join(shown(app).split())

    assert "How well do judges of passages agree with experts on the passages?" in seen
    assert "Answers from whose passages nothing needed is missing: 100 %" in seen
    assert "not measurable" in seen
    [table] = [table for table in tables(app) if "Relevant passages (AUROC)" in table.columns]
    assert "each passage" in table.to_string()


@pytest.mark.slow
def test_without_a_question_no_judge_of_passages_is_shown(opened: Open) -> None:
    """The demo's experts were not asked about passages."""
    assert "judges of passages" not in shown(opened(walk, PAGE))
