"""A run of every stage on a real store: nothing twice, what fails is recorded and the rest goes on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from annotate import Project
from annotate.analysis.report.gate import Gate
from annotate.domain.run_record import Run, Status, Step
from annotate.present import drift
from annotate.present.judging import ModelVerdicts, OfflineRun
from annotate.project.run import Stages
from annotate.workflow.judging.model_request import ModelRun
from annotate.workflow.judging.offline import JudgingResult
from annotate.workflow.judging.runs import ModelJudged
from proxy.errors import StoreError, UsageError
from support.project import drawn, import_labels, written
from support.store import label, traffic_row

NOWHERE = "http://127.0.0.1:9"
WITHOUT_LABELLING: dict[str, Any] = {"push": None, "pull": None}


def answer(*, passes: bool) -> Any:
    """What a report comes to whose gate passes, or fails."""
    return SimpleNamespace(result=SimpleNamespace(gate=Gate(() if passes else ("not enough labels",))))


def judged(result: JudgingResult | ModelRun) -> Any:
    """What judging came to, with a store that nobody looks at."""
    is_by_model = isinstance(result, ModelRun)
    return SimpleNamespace(result=(ModelVerdicts if is_by_model else OfflineRun)(result, None))  # type: ignore[arg-type]


# Stages that measure nothing: for what happens around them.
QUICK = Stages(
    judge=lambda project: judged(JudgingResult(0, 0, 0, 0)),
    report=lambda project: answer(passes=True),
    drift=lambda project: answer(passes=True),
    **WITHOUT_LABELLING,
)


def traffic(names: str = "abcdefgh", **fields: object) -> str:
    """A file with an answer for each letter."""
    return written("traffic.jsonl", [traffic_row(name, **fields) for name in names])


def by_stage(run: Run) -> dict[str, Step]:
    """The last step of each stage."""
    return {step.stage: step for step in run.steps}


def statuses(run: Run) -> dict[str, int]:
    """How each stage ended."""
    return {step.stage: int(step.status) for step in run.steps}


def counts(project: Project) -> list[int]:
    """How much there is of everything that a second night must not double."""
    frames = (project.items(), project.scores(), project.draws())
    with project.reading() as store:
        return [
            *map(len, frames),
            store.sampling.waves.next_number(),
            *store.traffic.feedback.counts(),
            len(project.quarantine().result),
        ]


@pytest.mark.slow
def test_a_night_walks_the_whole_loop_and_a_second_one_adds_nothing(project: Project) -> None:
    """The first makes the store and draws every item at rate 1; the second finds nothing new."""
    stages = Stages(
        traffic=[traffic()],
        feedback=[written("thumbs.jsonl", [{"item_id": "a", "value": -1}])],
        sample=lambda project: project.sample(rate=1.0),
        **WITHOUT_LABELLING,
    )

    seen: list[Step] = []
    first, before = project.run(stages, on_step=seen.append), counts(project)
    second = project.run(stages)

    assert [step.stage for step in first.steps] == ["ingest", "feedback", "judge", "sample", "report", "drift"]
    assert tuple(seen) == first.steps
    assert by_stage(first)["ingest"].result.result.added.added == 8
    assert by_stage(first)["sample"].result.result.drawn.draws == 8
    assert by_stage(first)["report"].result.to_dict()["items"] == 8
    assert second.status is Status.DONE
    assert by_stage(second)["ingest"].result.result.added.unchanged == 8
    assert by_stage(second)["sample"].reason == "left out: every item has had its chance"
    assert counts(project) == before


def test_a_wave_is_drawn_only_when_no_draw_is_open(project: Project) -> None:
    """Nights without a label leave one wave; when it is answered, the next one is drawn."""
    stages = replace(QUICK, sample=lambda project: project.sample(labels=5), waits=True)
    project.ingest(traffic("abcdefghijkl"))
    project.judge()
    project.run(stages)
    waiting = by_stage(project.run(stages))["sample"]
    import_labels(project, [label(name) for name in drawn(project)])
    project.run(stages)

    assert (waiting.status, waiting.reason) == (Status.DONE, "left out: 5 draws still wait for a label")
    assert by_stage(project.run(stages))["sample"].reason == waiting.reason
    assert sorted(project.draws()["wave"]) == [1] * 5 + [2] * 5


def test_a_file_that_is_missing_stops_nothing_else(project: Project) -> None:
    """It is named, the other file is taken in, and the run counts as failed."""
    run = project.run(replace(QUICK, traffic=["nowhere.jsonl", traffic()]))

    assert [step.reason for step in run.steps][:2] == ["failed: there is no file nowhere.jsonl", ""]
    assert run.steps[1].result.result.items == 8
    assert statuses(run) == {"ingest": 0, "judge": 0, "report": 0, "drift": 0}
    assert run.status is Status.FAILED


def test_rows_that_cannot_be_read_make_a_run_partial(project: Project) -> None:
    """A gate that fails is more serious, and a stage that failed is more serious than both."""
    odd = replace(QUICK, traffic=[written("odd.jsonl", [traffic_row("a"), {"question": 1}])])
    gated = replace(odd, report=lambda project: answer(passes=False), gates=["report"])

    assert project.run(odd).status is Status.PARTIAL
    assert project.run(replace(gated, gates=())).status is Status.PARTIAL
    assert statuses(project.run(gated)) == {"ingest": 4, "judge": 0, "report": 3, "drift": 0}
    assert project.run(gated).status is Status.GATE_FAILED
    assert project.run(replace(gated, traffic=["nowhere"])).status is Status.FAILED


@pytest.mark.parametrize(
    ("done", "status"),
    [
        (JudgingResult(1, 0, 0, 1, error="broke"), Status.PARTIAL),
        (ModelRun(judged=ModelJudged(stopped="out of budget"), check=None), Status.PARTIAL),
        (ModelRun(judged=ModelJudged(stopped="no route", is_fault=True), check=None), Status.FAILED),
        (ModelRun(judged=ModelJudged(), check=None), Status.DONE),
    ],
)
def test_what_judges_could_not_do_is_partial_and_a_fault_of_the_endpoint_a_failure(
    project: Project, done: JudgingResult | ModelRun, status: Status
) -> None:
    """The record of a run that stopped half-way says how it ended."""
    step = by_stage(project.run(replace(QUICK, traffic=[traffic("a")], judge=lambda project: judged(done))))["judge"]

    assert step.status is status
    assert step.reason == ("failed: stopped: no route" if status is Status.FAILED else "")


@pytest.mark.slow
def test_the_gate_of_drift_counts_where_that_is_asked_and_times_are_known(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An alarm fails the run with its gate alone; limits that cannot be read fail their own stage and no other."""
    monkeypatch.setattr(drift, "gate", lambda result: Gate(("quality has dropped",)))
    stages = replace(QUICK, drift=Stages().drift, traffic=[traffic("abcd")])
    untimed = by_stage(project.run(replace(stages, gates=["drift"])))["drift"]
    stages = replace(stages, traffic=[traffic("efgh", timestamp="2026-06-01T08:00:00Z")])

    assert (untimed.status, untimed.reason) == (Status.DONE, "left out: no item has a timestamp")
    assert statuses(project.run(stages))["drift"] == 0
    assert statuses(project.run(replace(stages, gates=["drift"])))["drift"] == 3
    Path("assay.toml").write_text("[gate.drift]\njudge = 0\n")
    failed = project.run(stages)
    assert statuses(failed) == {"ingest": 0, "judge": 0, "report": 0, "drift": 1}
    assert "judge is true or false" in by_stage(failed)["drift"].reason


def test_the_gate_of_a_report_without_labels_fails(project: Project) -> None:
    """The real report cannot show its limit; a bad assay.toml table is met by the stage that reads it."""
    run = project.run(replace(QUICK, traffic=[traffic("a")], report=Stages().report, gates=["report"]))

    assert statuses(run)["report"] == 3


def test_a_label_studio_that_is_down_stops_nothing_else(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Push and pull say so, and the report is made."""
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", "a" * 40)
    stages = replace(
        QUICK,
        traffic=[traffic()],
        push=lambda project: project.push(NOWHERE),
        pull=lambda project: project.pull(NOWHERE),
        is_server_named=True,
    )
    run = project.run(stages)

    assert statuses(run) == {"ingest": 0, "judge": 0, "push": 1, "pull": 1, "report": 0, "drift": 0}
    assert "127.0.0.1:9" in by_stage(run)["push"].reason


def test_where_there_never_was_a_label_studio_nothing_is_sent_and_nothing_failed(project: Project) -> None:
    """Nothing is named, and none had tasks of this store: both are left out with the reason; once one had, both fail."""
    stages = replace(QUICK, traffic=[traffic()], push=Stages().push, pull=Stages().pull)
    never = project.run(stages)
    with project.writing() as store, store.atomic():
        store.labels.outbox.adopt("http://x", 1, "v", now=project.now)
    once = project.run(stages)

    assert never.status is Status.DONE
    assert all("no Label Studio is named" in by_stage(never)[stage].reason for stage in ("push", "pull"))
    assert [statuses(once)[stage] for stage in ("push", "pull")] == [1, 1]


def test_a_second_run_is_refused_at_once(project: Project) -> None:
    """While another holds the lock; nothing is done."""
    project.ingest(traffic())
    with project.reading() as store, store.only_one("run"), pytest.raises(StoreError, match="wait for it to end"):
        project.run(replace(QUICK, judge=Stages().judge))

    assert project.scores().empty


def test_a_broken_store_is_met_before_any_stage(project: Project) -> None:
    """No stage is tried on a file that is no store, nor without one."""
    seen: list[Step] = []
    with pytest.raises(StoreError, match="start with"):
        project.run(QUICK, on_step=seen.append)
    project.path.write_text("no database at all, but long enough to look like one " * 40)
    with pytest.raises(StoreError, match="no SQLite database"):
        project.run(QUICK, on_step=seen.append)
    assert seen == []


def test_a_store_that_breaks_on_the_way_stops_the_rest(project: Project) -> None:
    """The stage that met it says so, no stage after it is run, and nothing is logged of the night."""

    def breaks(project: Project) -> JudgingResult:
        raise StoreError("the disk is full")

    run = project.run(
        replace(QUICK, traffic=[traffic()], judge=breaks, sample=lambda project: project.sample(rate=1.0))
    )

    assert [step.stage for step in run.steps] == ["ingest", "judge"]
    assert run.steps[-1].reason == "the disk is full; the stages after it were not run"
    assert run.status is Status.FAILED
    assert "run" not in [event.what for event in project.maintenance.events().result]


def test_a_night_is_logged(project: Project) -> None:
    """Which stages ended how, in whose name, and no name of a file; a failure that is no fault of the store too."""

    def fails(project: Project) -> Any:
        raise UsageError("cannot")

    project.ingest(traffic())
    project.run(replace(QUICK, report=fails))
    [event] = [event for event in project.maintenance.events().result if event.what == "run"]

    assert (event.who, event.read()) == ("tester", {"stages": [["judge", 0], ["report", 1], ["drift", 0]], "status": 1})
