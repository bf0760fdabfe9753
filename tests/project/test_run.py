"""A run of every stage on a real store: nothing twice, what fails is recorded and the rest goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from annotate import (
    DriftStage,
    IngestStage,
    Project,
    PullStage,
    PushStage,
    ReportStage,
    RunOptions,
    WaveRequest,
)
from annotate.analysis.report.gate import Gate
from annotate.domain.run_record import Run, RunStage, RunStatus
from annotate.present import drift
from annotate.present.judging import ModelVerdicts, OfflineRun
from annotate.workflow.judging.model_request import ModelRequest, ModelRun
from annotate.workflow.judging.offline import JudgingResult
from annotate.workflow.judging.runs import ModelJudged
from proxy.errors import StoreError
from support.project import drawn, import_labels, written
from support.store import label, traffic_row

NOWHERE = "http://127.0.0.1:9"
ALONE = RunOptions(push=None, pull=None)


def answer(*, passes: bool) -> Any:
    """What a report comes to whose gate passes, or fails."""
    return SimpleNamespace(result=SimpleNamespace(gate=Gate(() if passes else ("not enough labels",))))


def judged(result: JudgingResult | ModelRun) -> Any:
    """What judging came to, with a store that nobody looks at."""
    is_by_model = isinstance(result, ModelRun)
    return SimpleNamespace(result=(ModelVerdicts if is_by_model else OfflineRun)(result, None))  # type: ignore[arg-type]


class Quick(Project):
    """A project that measures nothing: for what happens around it."""

    judging = JudgingResult(0, 0, 0, 0)
    passes = True

    def judge(self, judges: Sequence[str] = ()) -> Any:
        return judged(self.judging)

    def report(self, **how: Any) -> Any:
        return answer(passes=self.passes)

    def drift(self, **how: Any) -> Any:
        return answer(passes=True)


@pytest.fixture
def quick(project: Project) -> Quick:
    """The same store, which is judged and measured in no time."""
    return Quick(project.path, who=project.who)


def traffic(names: str = "abcdefgh", **fields: object) -> str:
    """A file with an answer for each letter."""
    return written("traffic.jsonl", [traffic_row(name, **fields) for name in names])


def by_stage(run: Run) -> dict[str, RunStage]:
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
    options = replace(
        ALONE,
        traffic=[traffic()],
        feedback=[written("thumbs.jsonl", [{"item_id": "a", "value": -1}])],
        sample=WaveRequest(rate=1.0),
    )

    seen: list[RunStage] = []
    first, before = project.run(options, on_step=seen.append), counts(project)
    second = project.run(options)

    assert [step.stage for step in first.steps] == ["ingest", "feedback", "judge", "sample", "report", "drift"]
    assert tuple(seen) == first.steps
    assert by_stage(first)["ingest"].result.result.added.added == 8
    assert by_stage(first)["sample"].result.result.drawn.draws == 8
    assert by_stage(first)["report"].result.to_dict()["items"] == 8
    assert second.status is RunStatus.DONE
    assert by_stage(second)["ingest"].result.result.added.unchanged == 8
    assert by_stage(second)["sample"].reason == "left out: every item has had its chance"
    assert counts(project) == before


@pytest.mark.slow
def test_a_wave_is_drawn_only_when_no_draw_is_open(quick: Quick) -> None:
    """Nights without a label leave one wave; when it is answered, the next one is drawn."""
    options = replace(ALONE, sample=WaveRequest(labels=5))
    quick.ingest(traffic("abcdefghijkl"))
    Project(quick.path).judge()
    quick.run(options)
    waiting = by_stage(quick.run(options))["sample"]
    import_labels(quick, [label(name) for name in drawn(quick)])
    quick.run(options)

    assert (waiting.status, waiting.reason) == (RunStatus.DONE, "left out: 5 draws still wait for a label")
    assert by_stage(quick.run(options))["sample"].reason == waiting.reason
    assert sorted(quick.draws()["wave"]) == [1] * 5 + [2] * 5


def test_a_file_that_is_missing_stops_nothing_else(quick: Quick) -> None:
    """It is named, the other file is taken in, and the run counts as failed."""
    run = quick.run(replace(ALONE, traffic=["nowhere.jsonl", traffic()]))

    assert [step.reason for step in run.steps][:2] == ["failed: there is no file nowhere.jsonl", ""]
    assert run.steps[1].result.result.items == 8
    assert statuses(run) == {"ingest": 0, "judge": 0, "report": 0, "drift": 0}
    assert run.status is RunStatus.FAILED


@pytest.mark.slow
def test_rows_that_cannot_be_read_make_a_run_partial(quick: Quick) -> None:
    """A gate that fails is more serious, and a stage that failed is more serious than both."""
    odd = replace(ALONE, traffic=[written("odd.jsonl", [traffic_row("a"), {"question": 1}])])
    gated = replace(odd, gates=["report"])

    assert quick.run(odd).status is RunStatus.PARTIAL
    quick.passes = False
    assert quick.run(odd).status is RunStatus.PARTIAL
    assert statuses(quick.run(gated)) == {"ingest": 4, "judge": 0, "report": 3, "drift": 0}
    assert quick.run(gated).status is RunStatus.GATE_FAILED
    assert quick.run(replace(gated, traffic=["nowhere"])).status is RunStatus.FAILED


def test_traffic_is_read_as_the_options_say(quick: Quick) -> None:
    """Here a field under another name."""
    rows = [{"id": "a", "ask": "When?", "contexts": ["At six."], "answer": "At six."}]
    reading = IngestStage(fields={"question": "ask"})
    run = quick.run(replace(ALONE, traffic=[written("renamed.jsonl", rows)], ingest=reading))

    assert list(quick.items()["question"]) == ["When?"]
    assert run.status is RunStatus.DONE


@pytest.mark.parametrize(
    ("done", "status"),
    [
        (JudgingResult(1, 0, 0, 1, error="broke"), RunStatus.PARTIAL),
        (ModelRun(judged=ModelJudged(stopped="out of budget"), check=None), RunStatus.PARTIAL),
        (ModelRun(judged=ModelJudged(stopped="no route", is_fault=True), check=None), RunStatus.FAILED),
        (ModelRun(judged=ModelJudged(), check=None), RunStatus.DONE),
    ],
)
def test_what_judges_could_not_do_is_partial_and_a_fault_of_the_endpoint_a_failure(
    quick: Quick, monkeypatch: pytest.MonkeyPatch, done: JudgingResult | ModelRun, status: RunStatus
) -> None:
    """The record of a run that stopped half-way says how it ended."""
    for method in ("judge", "judge_with_model"):
        monkeypatch.setattr(quick, method, lambda judges: judged(done))
    judge = ModelRequest(model="m") if isinstance(done, ModelRun) else ()
    step = by_stage(quick.run(replace(ALONE, traffic=[traffic("a")], judge=judge)))["judge"]

    assert step.status is status
    assert step.reason == ("failed: stopped: no route" if status is RunStatus.FAILED else "")


@pytest.mark.slow
def test_the_gate_of_drift_counts_where_that_is_asked_and_times_are_known(
    quick: Quick, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An alarm fails the run with its gate alone; limits that cannot be read fail their own stage and no other."""
    monkeypatch.setattr(drift, "gate", lambda result: Gate(("quality has dropped",)))
    monkeypatch.setattr(quick, "drift", Project(quick.path).drift)
    options = replace(ALONE, traffic=[traffic("abcd")])
    untimed = by_stage(quick.run(replace(options, gates=["drift"])))["drift"]
    options = replace(options, traffic=[traffic("efgh", timestamp="2026-06-01T08:00:00Z")])

    assert (untimed.status, untimed.reason) == (RunStatus.DONE, "left out: no item has a timestamp")
    assert statuses(quick.run(options))["drift"] == 0
    assert statuses(quick.run(replace(options, gates=["drift"])))["drift"] == 3
    odd = by_stage(quick.run(replace(options, drift=DriftStage(good=0.8, bad=0.9))))["drift"]
    assert (odd.status, odd.reason) == (RunStatus.FAILED, "failed: --bad is a rate below --good: give both")
    Path("assay.toml").write_text("[gate.drift]\njudge = 0\n")
    failed = quick.run(options)
    assert statuses(failed) == {"ingest": 0, "judge": 0, "report": 0, "drift": 1}
    assert "judge is true or false" in by_stage(failed)["drift"].reason


def test_the_gate_of_a_report_without_labels_fails(quick: Quick, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real report cannot show its limit."""
    monkeypatch.setattr(quick, "report", Project(quick.path).report)
    run = quick.run(replace(ALONE, traffic=[traffic("a")], gates=["report"]))

    assert statuses(run)["report"] == 3


@pytest.mark.slow
def test_a_label_studio_that_is_down_stops_nothing_else(quick: Quick, monkeypatch: pytest.MonkeyPatch) -> None:
    """Push and pull say so, and the report is made."""
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", "a" * 40)
    run = quick.run(RunOptions(traffic=[traffic()], push=PushStage(url=NOWHERE), pull=PullStage(url=NOWHERE)))

    assert statuses(run) == {"ingest": 0, "judge": 0, "push": 1, "pull": 1, "report": 0, "drift": 0}
    assert "127.0.0.1:9" in by_stage(run)["push"].reason


def test_where_there_never_was_a_label_studio_nothing_is_sent_and_nothing_failed(quick: Quick) -> None:
    """Nothing is named, and none had tasks of this store: both are left out with the reason; once one had, both fail."""
    options = RunOptions(traffic=[traffic()])
    never = quick.run(options)
    with quick.writing() as store, store.atomic():
        store.labels.outbox.adopt("http://x", 1, "v", now=quick.now)
    once = quick.run(options)

    assert never.status is RunStatus.DONE
    assert all("no Label Studio is named" in by_stage(never)[stage].reason for stage in ("push", "pull"))
    assert [statuses(once)[stage] for stage in ("push", "pull")] == [1, 1]


def test_a_second_run_is_refused_at_once(project: Project) -> None:
    """While another holds the lock; nothing is done."""
    project.ingest(traffic())
    with project.reading() as store, store.only_one("run"), pytest.raises(StoreError, match="wait for it to end"):
        project.run(ALONE)

    assert project.scores().empty


def test_a_broken_store_is_met_before_any_stage(quick: Quick) -> None:
    """No stage is tried on a file that is no store, nor without one."""
    seen: list[RunStage] = []
    with pytest.raises(StoreError, match="start with"):
        quick.run(ALONE, on_step=seen.append)
    quick.path.write_text("no database at all, but long enough to look like one " * 40)
    with pytest.raises(StoreError, match="no SQLite database"):
        quick.run(ALONE, on_step=seen.append)
    assert seen == []


def test_a_store_that_breaks_on_the_way_stops_the_rest(quick: Quick, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stage that met it says so, no stage after it is run, and nothing is logged of the night."""

    def breaks(judges: Sequence[str]) -> Any:
        raise StoreError("the disk is full")

    monkeypatch.setattr(quick, "judge", breaks)
    run = quick.run(replace(ALONE, traffic=[traffic()], sample=WaveRequest(rate=1.0)))

    assert [step.stage for step in run.steps] == ["ingest", "judge"]
    assert run.steps[-1].reason == "the disk is full; the stages after it were not run"
    assert run.status is RunStatus.FAILED
    assert "run" not in [event.what for event in quick.maintenance.events().result]


def test_a_night_is_logged(quick: Quick) -> None:
    """Which stages ended how, in whose name, and no name of a file; a failure that is no fault of the store too."""
    quick.ingest(traffic())
    quick.run(replace(ALONE, report=ReportStage(html="-")))
    [event] = [event for event in quick.maintenance.events().result if event.what == "run"]

    assert (event.who, event.read()) == ("tester", {"stages": [["judge", 0], ["report", 1], ["drift", 0]], "status": 1})
