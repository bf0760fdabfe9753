"""The command that names the stage that failed, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from annotate.cli.context import CommandRun, answering
from proxy.errors import UsageError

if TYPE_CHECKING:
    from annotate.workflow.judging.model_request import ModelRequest
    from annotate.workflow.questions.probe import ProbeRequest

THRESHOLD = click.FloatRange(0, 1, max_open=True)
# Options that only a probe reads.
OF_PROBE = ("model", "question_model", "base_url", "questions", "concurrency", "budget", "max_tokens", "dry_run")


@click.command()
@click.option(
    "--relevance-threshold",
    type=THRESHOLD,
    default=0.5,
    show_default=True,
    help="Passages are relevant where context relevance lies above this.",
)
@click.option(
    "--faithfulness-threshold",
    type=THRESHOLD,
    default=0.5,
    show_default=True,
    help="An answer is faithful where faithfulness lies above this.",
)
@click.option("--system", help="Diagnose this system alone; '' for the answers of none.")
@click.option(
    "--probe", is_flag=True, help="Ask a model questions from the passages that answers failed on at synthesis."
)
@click.option(
    "--model", metavar="M", help="With --probe: the model that is asked, best the one that answers in your app."
)
@click.option("--base-url", metavar="URL", envvar="OPENAI_BASE_URL", help="Its endpoint; without it, OpenAI's own.")
@click.option(
    "--question-model", metavar="M", help="Another model there that makes questions; without it, patterns do."
)
@click.option("--questions", type=click.IntRange(1, 50), default=3, show_default=True, help="At most, of a passage.")
@click.option("--concurrency", type=click.IntRange(1, 1024), default=16, help="The most requests in flight.")
@click.option("--budget", type=click.FloatRange(0), metavar="MONEY", help="At most; needs [prices] in assay.toml.")
@click.option("--max-tokens", type=click.IntRange(0), metavar="N", help="Tokens that this run may use.")
@click.option("--dry-run", is_flag=True, help="Only say what the probe would take.")
@answering
def diagnose(run: CommandRun, *, probe: bool, **options: Any) -> None:
    """Say which stage of the app to mend first. It may be retrieval, reranking, synthesis, or the proxy itself.

    With --probe it asks whether a model can read the passages that hold the answer where the answer does not say it: questions
    with known answers are made from these passages, offline or by --question-model, and asked of --model.
    """
    if probe:
        _probe(run, _request(options), is_dry=options["dry_run"])
        return
    typed = click.get_current_context().get_parameter_source
    if given := [name for name in OF_PROBE if typed(name) is ParameterSource.COMMANDLINE]:
        raise UsageError(f"--{given[0].replace('_', '-')} is for --probe")
    run.answer(
        run.project.diagnose(
            relevance_above=options["relevance_threshold"],
            faithfulness_above=options["faithfulness_threshold"],
            system=options["system"],
        )
    )


def _probe(run: CommandRun, request: ProbeRequest, *, is_dry: bool) -> None:
    """Say what it would take, then ask."""
    estimate = run.project.estimate_probe(request)
    if is_dry:
        run.answer(estimate)
        return
    if estimate.result.calls or estimate.result.making:
        click.echo(estimate.to_text(), err=True, nl=False)
    answer = run.project.probe(request)
    run.answer(answer)
    run.exit_if_partial(answer)


def _request(options: dict[str, Any]) -> ProbeRequest:
    from annotate.analysis.diagnosis import Thresholds
    from annotate.workflow.questions.probe import ProbeRequest

    if not options["model"]:
        raise UsageError(
            "--probe asks a model: name the one that answers in your app with --model M (and --base-url URL). To ask the app "
            "itself, run `assay questions build`, `assay questions export items.jsonl`, and `assay questions score "
            "answers.jsonl` on its answers"
        )
    maker = options["question_model"]
    return ProbeRequest(
        model=_model(options["model"], options),
        questions=options["questions"],
        maker=_model(maker, options) if maker else None,
        thresholds=Thresholds(options["relevance_threshold"], options["faithfulness_threshold"]),
        system=options["system"],
    )


def _model(name: str, options: dict[str, Any]) -> ModelRequest:
    from annotate.cli.judge import prices_of
    from annotate.workflow.judging.model_request import ModelRequest
    from annotate.workflow.judging.runs import Options

    limits = Options(
        concurrency=options["concurrency"],
        prices=prices_of(name),
        most_money=options["budget"],
        most_tokens=options["max_tokens"],
    )
    return ModelRequest(model=name, url=options["base_url"], options=limits)
