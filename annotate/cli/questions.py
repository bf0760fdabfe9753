"""`assay questions`: test questions with known answers from your own passages, and RGB's scores of a system's answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from annotate.cli.context import CommandRun, answering, common
from annotate.cli.groups import CommandGroup
from proxy.errors import UsageError

if TYPE_CHECKING:
    from annotate.workflow.judging.model_request import ModelRequest


@click.group(cls=CommandGroup)
def questions() -> None:
    """Test questions with known answers, from your own passages."""


@questions.command()
@click.argument("passages", required=False, metavar="[FILE]")
@click.option("--single", type=click.IntRange(min=0), default=50, show_default=True, help="Questions of one passage.")
@click.option("--multi", type=click.IntRange(min=0), default=25, show_default=True, help="Questions that need two.")
@click.option(
    "--noise", default="0,0.5,0.8", show_default=True, metavar="R,R", help="Shares of passages that hold no answer."
)
@click.option(
    "--distractors", type=click.IntRange(1, 100), default=5, show_default=True, help="Passages where none holds it."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Chooses among passages.")
@click.option("--model", metavar="M", help="A model asks; without it, patterns of plain sentences do, offline.")
@click.option("--base-url", metavar="URL", envvar="OPENAI_BASE_URL", help="The endpoint; without it, OpenAI's own.")
@click.option("--concurrency", type=click.IntRange(1, 1024), default=16, help="The most requests in flight.")
@click.option("--budget", type=click.FloatRange(0), metavar="MONEY", help="At most; needs [prices] in assay.toml.")
@click.option("--max-tokens", type=click.IntRange(0), metavar="N", help="Tokens that this run may use.")
@common
def build(run: CommandRun, passages: str | None, **options: Any) -> None:
    """Build questions from the contexts in the store, or from a FILE.

    A FILE has passages (text, id), or rows with contexts. Each question is kept with items for RGB's four abilities: noise
    robustness at each rate, negative rejection, information integration and counterfactual robustness. The same again adds
    nothing twice.
    """
    from annotate.domain.questions import QuestionRequest

    request = QuestionRequest(
        single=options["single"],
        multi=options["multi"],
        noise_rates=_rates(options["noise"]),
        passages=options["distractors"],
        seed=options["seed"],
    )
    run.done(run.project.build_questions(passages, request=request, model=_model(options)))


def _rates(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(",") if part.strip())
    except ValueError:
        raise UsageError(f"--noise {text}: give numbers with commas between, like 0,0.5,0.8") from None


def _model(options: dict[str, Any]) -> ModelRequest | None:
    if not options["model"]:
        if given := [name for name in ("budget", "max_tokens") if options[name] is not None]:
            raise UsageError(f"--{given[0].replace('_', '-')} is for --model")
        return None
    from annotate.cli.judge import prices_of
    from annotate.workflow.judging.model_request import ModelRequest
    from annotate.workflow.judging.runs import Options

    limits = Options(
        concurrency=options["concurrency"],
        prices=prices_of(options["model"]),
        most_money=options["budget"],
        most_tokens=options["max_tokens"],
    )
    return ModelRequest(model=options["model"], url=options["base_url"], options=limits)


@questions.command("list")
@click.option("--status", type=click.Choice(["candidate", "accepted", "retired"]), help="Only these.")
@answering
def list_(run: CommandRun, status: str | None) -> None:
    """List the questions. `assay gold accept` and `retire` decide on them."""
    run.answer(run.project.questions(status))


_ACCEPTED = click.option("--accepted", is_flag=True, help="Only questions that a person has accepted.")


@questions.command()
@click.argument("file")
@_ACCEPTED
@common
def export(run: CommandRun, file: str, accepted: bool) -> None:
    """Write the test items as traffic without answers. FILE ends in .jsonl or .csv; - is standard output."""
    run.wrote(run.project.export_questions(file, accepted=accepted))


@questions.command()
@click.argument("file")
@click.option("--system", metavar="NAME", help="Count the rows of this system alone.")
@_ACCEPTED
@common
def score(run: CommandRun, file: str, system: str | None, accepted: bool) -> None:
    """Score a system's answers to the test items. Rows of FILE have the id of an item and an answer; nothing is kept."""
    run.done(run.project.score_questions(file, system=system, accepted=accepted))
