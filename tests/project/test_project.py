"""The loop from Python: frames in and out, the numbers of the command, and errors that say what to do."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import annotate
import proxy
from annotate import Project
from annotate.analysis.planning.simulate import Simulation
from annotate.present.answer import Answer
from proxy.errors import FileError, RuleError, StoreError, UsageError
from support.migrations import rows
from support.store import Assay, once

SYSTEMS = ("new", "old")


def traffic(count: int = 40) -> pd.DataFrame:
    """Answers of two systems to the same questions, with the types that a notebook has."""
    rooms = [k // 2 for k in range(count)]
    return pd.DataFrame(
        {
            "id": [f"t{k}" for k in range(count)],
            "question": [f"Where is room {room}?" for room in rooms],
            "contexts": [np.array([f"Room {room} is on floor {room % 9}.", "Rooms are open."]) for room in rooms],
            "answer": [f"Room {room} is on floor {room % (9 if k % 2 else 7)}." for k, room in enumerate(rooms)],
            "system": [SYSTEMS[k % 2] for k in range(count)],
            "timestamp": pd.to_datetime([f"2026-0{1 + k % 9}-11T08:00:00Z" for k in range(count)]),
            "group": [None if k % 3 else f"c{k}" for k in range(count)],
            "cost": [math.nan if k % 2 else 0.5 for k in range(count)],
        }
    )


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A store that was filled, judged, drawn from and labelled without a single command."""
    monkeypatch.chdir(tmp_path)
    opened = Project.open(tmp_path / "assay.db", who="ann")
    once(Assay(tmp_path, opened.path), "project", lambda: fill(opened))
    return opened


def fill(made: Project) -> None:
    assert made.ingest(traffic()).result.intake.rows == 40
    assert made.judge().result.judged.items == 40
    assert made.sample(labels=30, seed=1).result.drawn.draws == 30
    drawn = made.draws()
    labels = pd.DataFrame(
        {
            "item_id": drawn["item_id"],
            "label": [
                "right" if int(name[1:]) // 2 % 7 == int(name[1:]) // 2 % 9 else "wrong" for name in drawn["item_id"]
            ],
            "annotator": "dr-kim",
        }
    )
    assert made.import_labels(labels).result.imported.to_draws == 30


@pytest.mark.slow
def test_the_answers_are_those_of_the_command(project: Project) -> None:
    """Each question asked from Python prints the lines of its command, and has the keys of its --json."""
    assay = Assay(project.path.parent, project.path)
    asked: dict[tuple[str, ...], Answer[object]] = {
        ("report",): project.report(),
        ("calibrate",): project.reliability(),
        ("calibrate", "--precision", "0.5", "--dry-run"): project.calibrate(0.5, dry_run=True),
        ("compare", *SYSTEMS): project.compare(*SYSTEMS),
        ("slices",): project.slices(),
        ("diagnose",): project.diagnose(),
        ("drift",): project.drift(),
        ("plan",): project.plan(),
        ("simulate", "--labels", "9", "--repetitions", "2"): project.simulate(Simulation(labels=9, repetitions=2)),
        ("sample", "--labels", "9", "--seed", "1", "--dry-run"): project.sample(labels=9, seed=1, dry_run=True),
    }
    for words, answer in asked.items():
        assert assay.json(*words) == answer.to_dict(), words
        assert assay(*words).stdout.rstrip("\n") == answer.to_text().rstrip("\n"), words


@pytest.mark.slow
def test_answers_print_and_become_frames(project: Project) -> None:
    """A notebook shows the text; a frame has one row a measured quantity, with its interval and n."""
    report = project.report()
    table = report.to_frame()

    assert repr(report) == report.to_text().rstrip("\n")
    assert report._repr_html_().startswith('<p class="verdict')
    assert "n = " in report.to_markdown().splitlines()[0]
    assert table.loc["correctness", "estimate"] == report.result.agreement.correctness.estimate
    assert table.loc["correctness", "n"] == 30
    assert {"pass_rate", "kappa", "auroc"} <= set(table.index)


def test_what_goes_in_comes_out(project: Project) -> None:
    """Items, scores, labels, draws and gold as frames; what was missing is missing, what was an array is a list."""
    items = project.items().set_index("id")
    given = traffic().set_index("id")

    assert list(items["question"]) == list(given["question"])
    assert items.loc["t3", "contexts"] == list(given.loc["t3", "contexts"])
    assert items.loc["t0", "group"] == "c0"
    assert datetime.fromisoformat(items.loc["t4", "timestamp"]) == datetime(2026, 5, 11, 8, tzinfo=UTC)
    assert set(project.scores()["item_id"]) == set(items.index)
    assert set(project.labels()["annotator"]) == {"dr-kim"}
    assert list(project.draws().columns) == ["wave", "item_id", "stratum", "inclusion_probability", "drawn_at", "label"]
    assert project.draws()["inclusion_probability"].between(0, 1).all()
    assert dict(project.draws()[["item_id", "label"]].to_numpy()) == dict(
        project.labels()[["item_id", "label"]].to_numpy()
    )
    assert list(project.gold().columns)[:2] == ["gold_id", "question"]


@pytest.mark.slow
def test_everything_that_changes_the_store_is_logged_in_the_name_of_who_did_it(project: Project) -> None:
    """As the commands log it, and nothing that only looks logs anything."""
    project.rules.set("faithfulness > 0.4", name="mine")
    project.report()
    project.items()
    with project.reading() as store:
        events = [(event.what, event.who) for event in store.audit.events.all() if event.what != "seal"]

    assert events == [
        *(("ingest", "ann"), ("rule set", "assay"), ("sample", "ann"), ("labels import", "ann"), ("rule set", "ann"))
    ]


@pytest.mark.slow
def test_what_brings_data_in_and_judges_prints_its_sentence(project: Project) -> None:
    """As the command does, in a terminal and in a notebook, and its notes with it; not as a raw record."""
    labelled = str(project.labels()["item_id"].iloc[0])
    odd = pd.DataFrame({"item_id": ["t0", labelled], "label": ["perhaps", "right"], "annotator": ["dr-kim", "dr-kim"]})
    thumbs = pd.DataFrame({"item_id": ["t0"], "value": [-1]})
    scores = pd.DataFrame({"item_id": ["t0"], "judge": ["own"], "value": [0.5]})
    done: list[tuple[Answer[Any], str]] = [
        (project.ingest(traffic()), "40 rows: 0 items added; 40 items in the store."),
        (project.import_labels(odd), "2 rows: 0 labels added"),
        (project.import_feedback(thumbs), "1 row: 1 new."),
        (project.import_scores(scores), "1 row: 1 new scores."),
        (project.judge(), "0 items judged"),
    ]
    for answer, begins in done:
        assert repr(answer).startswith(begins)
        assert escape(begins) in answer._repr_html_()
        assert str(answer.to_dict()["answer"]).startswith(begins)
    assert "could not be read" in repr(done[1][0])


@pytest.mark.slow
def test_systems_and_the_page_of_the_report_are_plain_values(project: Project) -> None:
    """A frame of the systems that `traffic` makes, the text of the page, and the path of the file that holds it."""
    assert project.systems().to_dict("records") == [{"system": name, "answers": 20} for name in SYSTEMS]

    page = project.print_report()
    path = project.write_report("page.html")
    assert path == Path("page.html")
    assert page.startswith("<!doctype html>")
    # the footer says when it was made
    assert [len(line) for line in path.read_text().splitlines()] == [len(line) for line in page.splitlines()]
    with pytest.raises(UsageError, match=r"name a file that ends in \.html"):
        project.write_report("-")


def test_no_system_is_refused_with_those_that_there_are(project: Project) -> None:
    """Counted from `traffic`: twenty answers of each."""
    with pytest.raises(UsageError, match=r"the systems are new \(20\), old \(20\)"):
        project.rank()


def test_a_draw_has_no_label_until_it_is_labelled(project: Project) -> None:
    """Of a second wave, drawn after the labels of the first."""
    project.sample(labels=5, seed=2)
    draws = project.draws()

    assert draws.groupby("wave")["label"].count().to_dict() == {1: 30, 2: 0}
    assert draws["drawn_at"].notna().all()


@pytest.mark.slow
def test_the_frame_measures_what_the_report_does(project: Project) -> None:
    """After one wave exactly, also by the strata alone; after two the estimate, whose error is taken for one drawing."""
    told = project.report().result.agreement.correctness
    frame = project.frame()
    measured = proxy.measure(frame, design=project.design).correctness
    by_strata = proxy.measure(frame, design=proxy.Design(strata="stratum", cluster="group", question="question"))

    assert (measured.estimate, measured.low, measured.high) == pytest.approx((told.estimate, told.low, told.high))
    assert by_strata.correctness.estimate == pytest.approx(told.estimate)
    assert len(frame) == 40

    project.sample(labels=6, seed=2)
    assert list(project.frame()["drawn"]) == list(frame["drawn"])  # a wave without labels does not count yet
    drawn = project.draws().query("wave == 2")["item_id"]
    project.import_labels(pd.DataFrame({"item_id": drawn, "label": "right", "annotator": "dr-kim"}))
    project.import_labels(pd.DataFrame({"item_id": ["t39", "t38", "t37"], "label": "wrong", "annotator": "dr-kim"}))
    told = project.report().result.agreement.correctness
    after = project.frame()
    measured = proxy.measure(after, design=project.design).correctness

    assert after["drawn"].sum() == after["label"].count() == 36
    assert measured.estimate == pytest.approx(told.estimate, abs=0.01)


@pytest.mark.slow
def test_the_frame_has_the_chance_of_all_waves_together(project: Project) -> None:
    """1 - (1 - p1)(1 - p2), the chance of each wave read from its strata; an answer that came in later is in no wave's frame."""
    project.sample(labels=6, seed=2)
    drawn = project.draws().query("wave == 2")["item_id"]
    project.import_labels(pd.DataFrame({"item_id": drawn, "label": "right", "annotator": "dr-kim"}))
    late = traffic(41).iloc[[40]].assign(id="late", question="Where is the bar?")
    project.ingest(late)
    frame = project.frame().set_index("id")
    with project.reading() as store:
        strata = {(wave.number, part.stratum): part for wave in store.sampling.waves.all() for part in wave.strata}
    framed = rows(project.path, "SELECT i.id, f.wave, f.stratum FROM frames f JOIN items i ON i.key = f.item")
    missed = dict.fromkeys(frame.index, 1.0)
    for name, wave, stratum in framed:
        missed[name] *= 1 - strata[wave, stratum].drawn / strata[wave, stratum].size

    assert "late" not in frame.index
    assert frame["inclusion_probability"].to_dict() == pytest.approx({name: 1 - miss for name, miss in missed.items()})


def test_a_frame_without_labels_has_every_answer(tmp_path: Path) -> None:
    """Before a wave is drawn there is no stratum."""
    project = Project.open(tmp_path / "assay.db")
    project.ingest(traffic(4))
    project.judge()
    frame = project.frame()

    assert list(frame["id"]) == ["t0", "t1", "t2", "t3"]
    assert frame["stratum"].isna().all()
    assert frame["faithfulness"].between(0, 1).all()


@pytest.mark.slow
def test_labels_that_chose_the_threshold_do_not_score_it(tmp_path: Path) -> None:
    """As in the report: of 30 labels those that chose are left out of the frame."""
    project = Project.open(tmp_path / "assay.db")
    given = traffic()
    project.ingest(given.assign(answer=given["answer"].where(given.index % 3 != 0, "Penguins cannot fly.")))
    project.judge()
    project.sample(labels=30, seed=1)
    draws = project.draws()
    words = np.where(draws["stratum"] == "passed", "right", "wrong")
    project.import_labels(draws[["item_id"]].assign(label=words, annotator="ann"))
    assert project.calibrate(0.75, confidence=0.6).result.is_saved

    assert project.frame()["label"].count() == project.report().result.agreement.accuracy.n < 30


@pytest.mark.slow
def test_faults_say_what_to_do(project: Project, tmp_path: Path) -> None:
    """No store, an unknown judge or rule, rows that repeat an id, a column of nearly the right name."""
    with pytest.raises(StoreError, match="start with"):
        Project.open(tmp_path / "none.db").report()
    with pytest.raises(UsageError, match="there is no judge guess"):
        project.judge(["guess"])
    with pytest.raises(RuleError, match="no judge 'guess' has scores"):
        project.rules.set("guess > 0.5")
    with pytest.raises(FileError, match="t0"):
        project.ingest(traffic(4).assign(id="t0"))
    with pytest.raises(FileError, match="passages"):
        project.ingest(traffic(4).rename(columns={"contexts": "passages"}))
    with pytest.raises(FileError, match="its row cannot be read, so nothing was taken in; 1 × no question"):
        project.ingest(pd.DataFrame({"id": ["x"], "question": [None], "answer": ["A."]}))
    frame = pd.DataFrame({"id": ["x", "y"], "question": [None, "Q?"], "answer": ["A.", "A."]})
    refused = project.ingest(frame).result.intake
    assert (refused.rows, refused.refused) == (2, 1)
    assert [row.source for row in project.quarantine().result] == ["DataFrame"]


def test_a_named_index_is_a_column(tmp_path: Path) -> None:
    """A frame that is indexed by id keeps its ids."""
    project = Project.open(tmp_path / "assay.db")
    project.ingest(traffic(4).set_index("id"))

    assert list(project.items()["id"]) == ["t0", "t1", "t2", "t3"]
    assert {name for name in dir(annotate) if not name.endswith("Stage")} == {
        "Answer",
        "Project",
        "RunOptions",
        "WaveRequest",
    }
