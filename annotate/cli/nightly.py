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
from annotate.cli.context import Outcome, Run, common, gated, refuse_odd_numbers
from annotate.cli.label_studio import url_option
from proxy.errors import UsageError

if TYPE_CHECKING:
    from annotate.analysis.report.report import Report
    from annotate.present.answer import Answer
    from annotate.project import Project
    from annotate.project.run import Stages, Step
    from annotate.workflow.judging.model_request import ModelRun
    from annotate.workflow.judging.offline import Judged

# Of a page the first line says most, of a list the last.
MEASURING = ("report", "drift")
# Options that are the run's own, and not a stage's.
SHARED = ("db", "as_json", "full")


@click.command("run")
@click.option("--traffic", multiple=True, metavar="FILE", help="Traffic to take in first; repeat it.")
@click.option("--feedback", multiple=True, metavar="FILE", help="End users' feedback to take in; repeat it.")
@click.option(
    "--labels", type=click.IntRange(min=1), metavar="N", help="Draw a wave of N, but only when no draw is open."
)
@click.option("--rate", type=click.FloatRange(0, 1, min_open=True), help="Draw each new item with this chance.")
@click.option(
    "--rate-failed", type=click.FloatRange(0, 1, min_open=True), help="With --rate: the chance of a failed item."
)
@click.option("--gate", is_flag=True, help="Exit with 3 if the gate of the report or of drift fails.")
@click.option("--without-labelling", is_flag=True, help="Leave push and pull out, also where a Label Studio is named.")
@url_option
@common
def nightly(
    run: Run,
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
    log = _Log(run, stages)
    record = run.project.run(stages, on_step=log)
    if run.as_json:
        run.say("", {"status": record.status, **log.by_stage})
    if record.status:
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

    work: dict[str, Any] = {"judge": _judge(_options("judge")), "push": None, "pull": None}
    if traffic:
        work["ingest"] = _ingest(_options("ingest", *traffic))
    if feedback:
        work["import_feedback"] = _feedback(_options("feedback", feedback[0]))
    if drawing:
        options = _options("sample", *drawing)
        work |= {"sample": lambda project: project.sample(**options), "waits": options["rate"] is None}
    if labelling:
        address = [] if url is None else ["--url", url]
        push, pull = _options("push", *address), _options("pull", *address)
        work |= {"push": _push(push), "pull": lambda project: project.pull(**pull)}
        work["is_server_named"] = bool(push["url"] or pull["url"])
    reporting, drifting = _options("report"), _options("drift")
    gated = {stage for stage, options in (("report", reporting), ("drift", drifting)) if options.pop("gate")}
    return Stages(
        traffic=traffic,
        feedback=feedback,
        report=partial(_report, **reporting),
        drift=partial(drift.measured, **drifting),
        gates=gated.union(gates),
        **work,
    )


def _options(stage: str, *words: str) -> dict[str, Any]:
    """Return the options of a stage's command as if these words were typed, settings and environment included."""
    group = click.get_current_context().parent
    if group is None or not isinstance(group.command, click.Group):
        raise UsageError("`assay run` is a command of `assay`")
    with group.command.commands[stage].make_context(stage, list(words), parent=group) as context:
        refuse_odd_numbers(context)
        options = {name: value for name, value in context.params.items() if name not in SHARED}
    if options.pop("dry_run", False):
        raise UsageError(f"[{stage}] dry-run: a run changes the store, so leave it out")
    return options


def _ingest(options: dict[str, Any]) -> Callable[..., Any]:
    fields, file_format = ingest.traffic_fields(options["pairs"]), options["file_format"]
    revisions, as_named = options["revisions"], options["yes"]
    return lambda project, source: project.ingest(
        source, fields=fields, file_format=file_format, revisions=revisions, as_named=as_named
    )


def _feedback(options: dict[str, Any]) -> Callable[..., Any]:
    fields, file_format = ingest.feedback_fields(options["pairs"]), options["file_format"]
    return lambda project, source: project.import_feedback(source, fields=fields, file_format=file_format)


def _judge(options: dict[str, Any]) -> Callable[..., Judged | ModelRun]:
    request = judge.requested(options["names"], options["backend"], options)
    if isinstance(request, tuple):
        return lambda project: project.judge(request)
    return lambda project: project.judge_with_model(request)


def _push(options: dict[str, Any]) -> Callable[..., Any]:
    form = {name: value for name, value in options.items() if name not in ("url", "new_project")}
    request = label_studio.request_of(**form, is_fresh=options["new_project"])
    return lambda project: project.push(options["url"], request)


def _report(project: Project, *, limit: float, noise: bool, html: str | None) -> Answer[Report]:
    if html == "-":
        raise UsageError("--html - writes to standard output: name a file for it under [report]")
    if html:
        project.write_report(html, limit=limit)
    return project.report(limit=limit, noise=noise)


class _Log:
    """Prints each step as it ends: a line for people, and the results by stage for --json."""

    def __init__(self, run: Run, stages: Stages) -> None:
        self._run, self._stages = run, stages
        self.by_stage: dict[str, list[dict[str, object]]] = {}

    def __call__(self, step: Step) -> None:
        from annotate.project.run import Status

        outcome = None if step.result is None else self._outcome(step)
        line = step.reason or _line(step.stage, outcome)
        if step.status is Status.PARTIAL:
            line += " (not everything could be done)"
        elif step.status is Status.GATE_FAILED:
            line += " (the gate failed)"
        for remark in outcome.remarks if outcome else ():
            click.echo(remark, err=True)
        is_failed = step.status is Status.FAILED
        if not self._run.as_json:
            click.echo(f"{step.at}  {step.stage}: {line}", err=is_failed)
        elif is_failed:
            click.echo(f"assay: {step.stage}: {line}", err=True)
        words: dict[str, object] = {"result": outcome.data} if outcome else {"line": line}
        self.by_stage.setdefault(step.stage, []).append({"at": step.at, "status": int(step.status), **words})

    def _outcome(self, step: Step) -> Outcome:
        """Return what the command of the stage prints of the result."""
        run, result, has_gate = self._run, step.result, step.stage in self._stages.gates
        outcomes: dict[str, Callable[[], Outcome]] = {
            "ingest": lambda: ingest.ingested(run, result),
            "feedback": lambda: ingest.feedback_imported(run, result),
            "judge": lambda: judge.judged(run, result),
            "sample": lambda: _answered(result, ([], 0)),
            "push": lambda: label_studio.pushed(result),
            "pull": lambda: label_studio.pulled(result),
            "report": lambda: _answered(result, gated(result.result.gate) if has_gate else ([], 0)),
            "drift": lambda: _answered(result, drift.held(result) if has_gate else ([], 0)),
        }
        return outcomes[step.stage]()


def _answered(answer: Any, gate: tuple[list[str], int]) -> Outcome:
    from annotate.present.answer import Answer
    from annotate.present.messages import text

    lines, status = gate
    sentence = text(answer.document.answer) if isinstance(answer, Answer) else answer.to_text()
    return Outcome(text=sentence, data=answer.to_dict(), remarks=lines, status=status)


def _line(stage: str, outcome: Outcome | None) -> str:
    lines = [line for line in (outcome.text if outcome else "").splitlines() if line.strip()] or [""]
    return lines[0] if stage in MEASURING else lines[-1]
