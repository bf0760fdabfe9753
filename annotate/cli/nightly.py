"""`assay run`: run every stage of the loop once, one after the other, for cron.

Each stage has the options of its command, from its own table of assay.toml and from the environment.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from annotate.cli import drift, ingest, judge, label_studio
from annotate.cli.context import CommandRun, common, gated, options_of
from annotate.cli.label_studio import url_option
from annotate.cli.share import ShareRange

if TYPE_CHECKING:
    from annotate.domain.run_record import RunStage
    from annotate.present.run import ToldStep
    from annotate.project.run_options import RunOptions
    from annotate.workflow.sampling.waves import WaveRequest

MEASURING = ("report", "drift")
# Stages whose notes are left to their own command.
WITHOUT_NOTES = (*MEASURING, "sample")


@click.command("run")
@click.option("--traffic", multiple=True, metavar="FILE", help="Traffic to take in first; repeat it.")
@click.option("--feedback", multiple=True, metavar="FILE", help="End users' feedback to take in; repeat it.")
@click.option(
    "--labels", type=click.IntRange(min=1), metavar="N", help="Draw a wave of N, but only when no draw is open."
)
@click.option("--rate", type=ShareRange(0, 1, min_open=True), help="Draw each new item with this chance (0.05 or 5%).")
@click.option("--rate-failed", type=ShareRange(0, 1, min_open=True), help="With --rate: the chance of a failed item.")
@click.option("--gate", is_flag=True, help="Exit with 3 if the gate of the report or of drift fails.")
@click.option("--without-labelling", is_flag=True, help="Leave push and pull out, also where a Label Studio is named.")
@url_option
@common
def nightly(
    run: CommandRun,
    traffic: tuple[str, ...],
    feedback: tuple[str, ...],
    labels: int | None,
    rate: float | None,
    rate_failed: float | None,
    url: str | None,
    *,
    gate: bool,
    without_labelling: bool,
) -> None:
    """Run every stage of the loop once, as each night. Running it again adds nothing twice.

    The stages are ingest, judge, sample, push, pull, report and drift. Each reads its own table of assay.toml, so [judge] says
    which judges. A stage that fails is said and the rest goes on, except past a broken store. Exit status: 1 if a stage failed,
    else 3 if the gate failed, else 4 if some rows or items did.
    """
    if labels is not None and rate is not None:
        raise click.UsageError("give either --labels N for waves, or --rate R for a stream")
    if rate_failed is not None and rate is None:
        raise click.UsageError("--rate-failed goes with --rate")
    from annotate.present.answer import answer_of
    from annotate.present.run import ToldRun

    drawing = _words("--labels", labels) + _words("--rate", rate) + _words("--rate-failed", rate_failed)
    options = replace(
        _options(traffic, feedback, drawing, gates=MEASURING if gate else ()),
        **({"push": None, "pull": None} if without_labelling else _labelling(url)),
    )
    log = _Log(run, options)
    record = run.project.run(options, on_step=log)
    if run.as_json:
        run.done(answer_of("run.document", run.db, ToldRun(record, log.steps)), record.status)
    sys.exit(record.status)


def _words(option: str, value: float | None) -> list[str]:
    return [] if value is None else [option, str(value)]


def _options(
    traffic: tuple[str, ...], feedback: tuple[str, ...], drawing: list[str], *, gates: Sequence[str]
) -> RunOptions:
    """Read the options of every stage, before the first one is run."""
    from annotate.project.run_options import DriftStage, FeedbackStage, IngestStage, ReportStage, RunOptions

    judging, reporting, drifting = options_of("judge"), options_of("report"), options_of("drift")
    gated = {stage for stage, given in (("report", reporting), ("drift", drifting)) if given.pop("gate")}
    return RunOptions(
        traffic=traffic,
        feedback=feedback,
        ingest=ingest.reading(options_of("ingest", *traffic)) if traffic else IngestStage(),
        read_feedback=ingest.reading_feedback(options_of("feedback", feedback[0])) if feedback else FeedbackStage(),
        judge=judge.requested(judging["names"], judging["backend"], judging),
        sample=_drawing(drawing) if drawing else None,
        report=ReportStage(**reporting),
        drift=DriftStage(**drifting),
        gates=gated.union(gates),
    )


def _drawing(words: list[str]) -> WaveRequest:
    from annotate.workflow.sampling.waves import WaveRequest

    given = options_of("sample", *words)
    del given["opens"], given["closes"]  # a stream that is open needs no nightly run
    return WaveRequest(**given)


def _labelling(url: str | None) -> dict[str, Any]:
    """Return the options of push and pull, with the server that is named for the whole run."""
    from annotate.project.run_options import PullStage

    words = [] if url is None else ["--url", url]
    return {
        "push": label_studio.pushing(**options_of("push", *words)),
        "pull": PullStage(**options_of("pull", *words)),
    }


class _Log:
    """Prints each step as it ends: a line for users, and with --json only what failed and what to know beside it."""

    def __init__(self, run: CommandRun, options: RunOptions) -> None:
        self._run, self._gates = run, options.gates
        self.steps: list[ToldStep] = []

    def __call__(self, step: RunStage) -> None:
        from annotate.domain.run_record import RunStatus
        from annotate.present import run as present_run
        from annotate.present.messages import printed

        answer = step.result
        printed_step = present_run.ToldStep(step, answer)
        self.steps.append(printed_step)
        if answer is not None and step.stage not in WITHOUT_NOTES:
            self._run.note(answer)
        for line in self._gate_lines(step):
            click.echo(line, err=True)
        is_failed = step.status is RunStatus.FAILED
        if not self._run.as_json:
            click.echo(printed(present_run.step(printed_step)), err=is_failed)
        elif is_failed:
            click.echo(f"assay: {step.stage}: {printed(printed_step.line)}", err=True)

    def _gate_lines(self, step: RunStage) -> list[str]:
        """Say why the gate of a stage failed, where it counts."""
        if step.result is None or step.stage not in self._gates:
            return []
        lines, _ = gated(step.result.result.gate) if step.stage == "report" else drift.gate_outcome(step.result)
        return lines
