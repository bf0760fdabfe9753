"""`assay gold check`: the gold set as a test of a system's new answers, with an exit status for CI."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from annotate.cli.context import PARTIAL, CommandRun, answering_in_ci, gated
from proxy.errors import UsageError

if TYPE_CHECKING:
    from annotate.workflow.judging.model_request import ModelRequest


@click.command("check")
@click.option("--system", required=True, help="The system whose answers to the gold questions are in the store.")
@click.option("--release", help="The entries of this release; without it, all that are accepted now.")
@click.option(
    "--role",
    type=click.Choice(["test", "calibration", "examples", "all"]),
    default="test",
    show_default=True,
    help="Entries of this role.",
)
@click.option(
    "--judge",
    "name",
    help="Who judges against the reference: the one that your labels show to be best, or correctness_vs_reference.",
)
@click.option(
    "--backend", type=click.Choice(["offline", "openai"]), default="offline", show_default=True, help="Who judges."
)
@click.option("--model", metavar="M", help="With --backend openai: the model's name at the endpoint.")
@click.option("--base-url", metavar="URL", envvar="OPENAI_BASE_URL", help="The endpoint; without it, OpenAI's own.")
@click.option("--max-tokens", type=click.IntRange(0), metavar="N", help="Tokens that the model may use.")
@click.option("--threshold", type=click.FloatRange(0, 1), help="An answer is right above this score; 0.5 if left out.")
@click.option("--gate", is_flag=True, help="Exit with 3, and say why, where the system must not go out.")
@answering_in_ci
def check(run: CommandRun, system: str, release: str | None, role: str, gate: bool, **who: Any) -> None:
    """Check a system's new answers against the gold set. Says what broke, what was fixed, and whether it is worse.

    Ingest the new answers first (`assay ingest`, with their `system`); an item answers the entry with the same question, or the
    one that its field `gold_id` names. Exit status 4: some questions have no answer or could not be judged; 3, with --gate:
    shown worse, nothing could be compared, a seriously harmful answer is wrong, or more broke than `allow_broken` in
    [gate.gold_check] of assay.toml. What is left to a judge that was not checked against annotators here is not decidable, and
    fails only with `require_checked_judge = true` there.
    """
    from annotate.present.gold import check as gold_check
    from annotate.present.messages import printed
    from annotate.workflow.gold.check import CheckRequest

    request = CheckRequest(
        system=system, judge=who["name"], model=_model(who), threshold=who["threshold"], role=role, release=release
    )
    answer = run.project.gold.check(request)
    result = answer.result
    run.answer(answer)
    gaps = [printed(gap) for gap in gold_check.gaps(result.check)]
    reasons, status = gated(gold_check.gate(result.check, result.limits)) if gate else ([], 0)
    for line in (*gaps, *reasons):
        click.echo(line, err=True)
    if ended := status or (PARTIAL if gaps else 0):
        sys.exit(ended)


def _model(who: Mapping[str, Any]) -> ModelRequest | None:
    """Return the model to ask; None for an offline judge."""
    if who["backend"] == "offline":
        if misplaced := [name for name in ("model", "max_tokens") if who[name] is not None]:
            raise UsageError(f"--{misplaced[0].replace('_', '-')} is for --backend openai")
        return None
    from annotate.workflow.gold.judge_with_model import JUDGE
    from annotate.workflow.judging.model_request import ModelRequest
    from annotate.workflow.judging.runs import Options

    if not who["model"] or who["name"] not in (None, JUDGE):
        raise UsageError(f"--backend openai needs --model M, and has the judge {JUDGE} alone")
    return ModelRequest(model=who["model"], url=who["base_url"], options=Options(most_tokens=who["max_tokens"]))
