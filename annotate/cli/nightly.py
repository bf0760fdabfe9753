"""`assay run`: run every stage of the loop once, one after the other, for cron.

Each stage has the options of its command, from its own table of assay.toml and from the environment.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from annotate.cli import drift, ingest, judge, label_studio
from annotate.cli.context import CommandRun, common, gated, options_of
from annotate.cli.label_studio import url_option
from annotate.cli.share import Share
from proxy.errors import UsageError

if TYPE_CHECKING:
    from annotate.analysis.report.report import Report
    from annotate.domain.run_record import Step
    from annotate.present.answer import Answer
    from annotate.present.judging import ModelVerdicts, OfflineRun
    from annotate.present.run import ToldStep
    from annotate.project.run import Stages
    from annotate.project.stages import StageMethods

MEASURING = ("report", "drift")
# Stages whose notes are left to their own command.
WITHOUT_NOTES = (*MEASURING, "sample")


@click.command("run")
@click.option("--traffic", multiple=True, metavar="FILE", help="Traffic to take in first; repeat it.")
@click.option("--feedback", multiple=True, metavar="FILE", help="End users' feedback to take in; repeat it.")
@click.option(
    "--labels", type=click.IntRange(min=1), metavar="N", help="Draw a wave of N, but only when no draw is open."
)
@click.option("--rate", type=Share(0, 1, min_open=True), help="Draw each new item with this chance (0.05 or 5%).")
@click.option("--rate-failed", type=Share(0, 1, min_open=True), help="With --rate: the chance of a failed item.")
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
    """Ingest, judge, sample, push, pull, report and look for drift, every night. Running it again adds nothing twice.

    Each stage reads its own table of assay.toml, so [judge] says which judges. A stage that fails is said and the rest goes on,
    except past a broken store. Exit status: 1 if a stage failed, else 3 if the gate failed, else 4 if some rows or items did.
    """
    if labels is not None and rate is not None:
        raise click.UsageError("give either --labels N for waves, or --rate R for a stream")
    if rate_failed is not None and rate is None:
        raise click.UsageError("--rate-failed goes with --rate")
    drawing = _words("--labels", labels) + _words("--rate", rate) + _words("--rate-failed", rate_failed)
    stages = _stages(
        traffic, feedback, drawing, gates=MEASURING if gate else (), url=url, labelling=not without_labelling
    )
    from annotate.present.run import ToldRun

    log = _Log(run, stages)
    record = run.project.run(stages, on_step=log)
    if run.as_json:
        run.did("run.document", ToldRun(record, log.steps), status=record.status)
    sys.exit(record.status)


def _words(option: str, value: float | None) -> list[str]:
    return [] if value is None else [option, str(value)]


def _stages(
    traffic: tuple[str, ...],
    feedback: tuple[str, ...],
    drawing: list[str],
    *,
    gates: Sequence[str],
    url: str | None,
    labelling: bool,
) -> Stages:
    """Resolve the options of every stage, before the first one is run."""
    from annotate.project.run import Stages

    work: dict[str, Any] = {"judge": _judge(options_of("judge")), "push": None, "pull": None}
    if traffic:
        work["ingest"] = _ingest(options_of("ingest", *traffic))
    if feedback:
        work["import_feedback"] = _feedback(options_of("feedback", feedback[0]))
    if drawing:
        options = options_of("sample", *drawing)
        del options["opens"], options["closes"]  # a stream that is open needs no nightly run
        work |= {"sample": lambda project: project.sample(**options), "waits": options["rate"] is None}
    if labelling:
        address = [] if url is None else ["--url", url]
        push, pull = options_of("push", *address), options_of("pull", *address)
        work |= {"push": _push(push), "pull": lambda project: project.pull(**pull)}
        work["is_server_named"] = bool(push["url"] or pull["url"])
    reporting, drifting = options_of("report"), options_of("drift")
    gated = {stage for stage, options in (("report", reporting), ("drift", drifting)) if options.pop("gate")}
    return Stages(
        traffic=traffic,
        feedback=feedback,
        report=partial(_report, **reporting),
        drift=partial(drift.measured, **drifting),
        gates=gated.union(gates),
        **work,
    )


def _ingest(options: dict[str, Any]) -> Callable[..., Any]:
    fields, file_format = ingest.traffic_fields(options["pairs"]), options["file_format"]
    revisions, as_named = options["revisions"], options["yes"]
    return lambda project, source: project.ingest(
        source, fields=fields, file_format=file_format, revisions=revisions, as_named=as_named
    )


def _feedback(options: dict[str, Any]) -> Callable[..., Any]:
    fields, file_format = ingest.feedback_fields(options["pairs"]), options["file_format"]
    return lambda project, source: project.import_feedback(
        source, fields=fields, file_format=file_format, names=options["names"]
    )


def _judge(options: dict[str, Any]) -> Callable[..., Answer[OfflineRun] | Answer[ModelVerdicts]]:
    request = judge.requested(options["names"], options["backend"], options)
    if isinstance(request, tuple):
        return lambda project: project.judge(request)
    return lambda project: project.judge_with_model(request)


def _push(options: dict[str, Any]) -> Callable[..., Any]:
    form = {name: value for name, value in options.items() if name not in ("url", "new_project")}
    request = label_studio.request_of(**form, is_fresh=options["new_project"])
    return lambda project: project.push(options["url"], request)


def _report(project: StageMethods, *, limit: float, noise: bool, html: str | None) -> Answer[Report]:
    if html == "-":
        raise UsageError("--html - writes to standard output: name a file for it under [report]")
    if html:
        project.write_report(html, limit=limit)
    return project.report(limit=limit, noise=noise)


class _Log:
    """Prints each step as it ends: a line for people, and with --json only what failed and what to know beside it."""

    def __init__(self, run: CommandRun, stages: Stages) -> None:
        self._run, self._stages = run, stages
        self.steps: list[ToldStep] = []

    def __call__(self, step: Step) -> None:
        from annotate.domain.run_record import Status
        from annotate.present import run as present_run
        from annotate.present.messages import printed

        answer = step.result
        told = present_run.ToldStep(step, answer)
        self.steps.append(told)
        if answer is not None and step.stage not in WITHOUT_NOTES:
            self._run.note(answer)
        for line in self._held(step):
            click.echo(line, err=True)
        is_failed = step.status is Status.FAILED
        if not self._run.as_json:
            click.echo(printed(present_run.step(told)), err=is_failed)
        elif is_failed:
            click.echo(f"assay: {step.stage}: {printed(told.line)}", err=True)

    def _held(self, step: Step) -> list[str]:
        """Say why the gate of a stage failed, where it counts."""
        if step.result is None or step.stage not in self._stages.gates:
            return []
        lines, _ = gated(step.result.result.gate) if step.stage == "report" else drift.held(step.result)
        return lines
