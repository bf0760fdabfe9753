"""`assay align`: have a model's judge learn from experts; it is put in force where other labels show it better."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from annotate.cli.context import CommandRun, common, options_of
from annotate.cli.judge import HOW, LIMITS, WHICH, Command, requested
from proxy.errors import UsageError

if TYPE_CHECKING:
    from annotate.workflow.judging.model_request import ModelRequest

# Options of `assay judge` that choose among several judges, or ask none of a model.
OTHERS = frozenset(
    """embedding_model embedding_url similarity_threshold similarity_weight generated_questions preset one_call check_one_call
    limit retry_failed""".split()  # noqa: SIM905 - read as prose
)


def _asking(function: Command) -> Command:
    """Give a command the options of `assay judge` that say which model is asked, how, and for how much."""
    for decorate in reversed((*WHICH, *HOW, *LIMITS)):
        decorated = decorate(function)
        parameters = decorated.__click_params__  # type: ignore[attr-defined] # click keeps them there
        if parameters[-1].name in OTHERS:
            parameters.pop()
        function = decorated
    return function


@click.command()
@click.argument("judge", required=False)
@click.option(
    "--tune",
    type=click.FloatRange(0, 0.5, min_open=True),
    metavar="SHARE",
    help="The share of questions that tune this judge, decided once and for ever; 0.3 if left out.",
)
@click.option(
    "--guidelines",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Measure these guidelines, a line each, in place of a model's.",
)
@click.option("--map", "is_map", is_flag=True, help="Map the judge's score to P(right); nothing is sent.")
@click.option("--signature", metavar="S", help="With --map: of which scores, where the judge has several.")
@click.option("--export", "export_to", metavar="FILE", help="Write the guidelines in force, to edit them.")
@click.option("--undo", is_flag=True, help="Ask the judge as it was before its newest version, or map no longer.")
@click.option("--list", "is_list", is_flag=True, help="List the versions that were measured.")
@_asking
@common
def align(
    run: CommandRun,
    judge: str | None,
    *,
    tune: float | None,
    guidelines: Path | None,
    is_map: bool,
    signature: str | None,
    export_to: str | None,
    undo: bool,
    is_list: bool,
    dry_run: bool,
    **options: Any,
) -> None:
    """Have a model's judge learn from experts' labels.

    Some questions tune it: a model writes guidelines from the answers on which judge and experts differ, and answers that
    experts labelled are shown as examples. The version that does best there is measured on the labels of all other questions,
    beside the judge as it is, and put in force only where it is shown to be better. With --map no model is asked: the score of
    any judge is mapped to P(right), by the same labels.
    """
    from annotate.workflow.judging.alignment import AlignmentRequest

    if is_list:
        run.done(run.project.alignments(judge))
        return
    if judge is None:
        raise UsageError("which judge? `assay align faithfulness --model M`, or `assay align overall --model M`")
    if is_map:
        undone = run.project.undo_score_map
        run.done(undone(judge) if undo else run.project.map_scores(judge, signature=signature, share=tune))
        return
    if undo:
        run.done(run.project.undo_alignment(judge, model=options["model"]))
        return
    if export_to:
        run.wrote(run.project.export_guidelines(judge, export_to, model=options["model"]))
        return
    request = _request(judge, options)
    lines = None if guidelines is None else _lines(guidelines)
    asked = AlignmentRequest(judge=judge, request=request, share=tune, guidelines=lines)
    estimate = run.project.estimate_alignment(asked)
    if dry_run:
        run.done(estimate)
        return
    if estimate.result.calls:
        click.echo(estimate.to_text(), err=True, nl=False)
    run.done(run.project.align(asked))


def _request(judge: str, options: Mapping[str, Any]) -> ModelRequest:
    """Return what to ask: the options of `assay judge` in assay.toml, but for those that are given here."""
    from annotate.workflow.judging.model_request import ModelRequest

    source = click.get_current_context().get_parameter_source
    given = {name: value for name, value in options.items() if source(name) is not ParameterSource.DEFAULT}
    asked = {**options_of("judge"), **given, "preset": None, "one_call": False, "check_one_call": 0, "limit": None}
    aspects = [pair for pair in asked["aspects"] if pair.partition("=")[0] == judge]
    request = requested(() if aspects else (judge,), "openai", {**asked, "aspects": aspects})
    if not isinstance(request, ModelRequest) or request.model is None:
        raise UsageError('name the model with --model M, or model = "M" under [judge] in assay.toml')
    return request


def _lines(path: Path) -> tuple[str, ...]:
    """Return a person's guidelines; UsageError where the file has none."""
    from proxy.judges.llm.guideline_writer import cleaned

    try:
        lines = cleaned(path.read_text(encoding="utf-8-sig").splitlines())
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read as text: {error}") from error
    if not lines:
        raise UsageError(f"{path}: there is no guideline in it; write a line each")
    return lines
