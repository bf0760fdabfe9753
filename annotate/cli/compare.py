"""`assay compare`: is one system better than another, which of many is best, and what to label to tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from annotate.cli.context import CommandRun, answering, hold
from proxy.errors import UsageError

if TYPE_CHECKING:
    from annotate.analysis.report.gate import Gate

TWO = 2


@click.command()
@click.argument("names", nargs=-1, metavar="A B [C ...]")
@click.option(
    "--score", "judge", metavar="JUDGE", help="Show this judge's mean of both; grades of correctness if left out."
)
@click.option(
    "--criterion",
    type=click.Choice(["context_relevance", "faithfulness", "answer_relevance"]),
    help="Rank by the share of answers that annotators do not call wrong for this.",
)
@click.option(
    "--gate",
    is_flag=True,
    help="Exit with 3, and say why, where B is shown worse, may be worse by more than `largest_drop`, or cannot be told.",
)
@click.option(
    "--draw",
    "labels",
    type=click.IntRange(min=1),
    metavar="N",
    help="Draw about N of their answers for labelling, those that most help to compare them.",
)
@click.option("--seed", type=click.IntRange(min=0), help="With --draw: the random seed; a new one if left out.")
@click.option(
    "--difference",
    type=click.FloatRange(0, 1, min_open=True),
    help="With --draw: say how often a difference as large would be shown; 0.05 (5 points) if left out.",
)
@click.option("--dry-run", is_flag=True, help="With --draw: say what would be drawn, and draw nothing.")
@answering
def compare(
    run: CommandRun,
    names: tuple[str, ...],
    judge: str | None,
    criterion: str | None,
    gate: bool,
    labels: int | None,
    seed: int | None,
    difference: float | None,
    dry_run: bool,
) -> None:
    """Say whether B is better than A, or rank three or more.

    Two are compared on the same questions in pairs, else by the corrected rates of both.

    A name is a system, '' the answers of none, NAME@FROM..TO a system within a window of time (dates or ISO times in UTC,
    either end may be left out, TO is not in it), @FROM..TO all of them. [gate.compare] in assay.toml has `largest_drop`;
    without it, a gate that passes does not show that B is as good.
    """
    if labels is None and (seed is not None or difference is not None or dry_run):
        raise UsageError("--seed, --difference and --dry-run go with --draw N")
    if judge is not None and (len(names) > TWO or criterion):
        raise UsageError("--score shows a judge's means of two systems that are compared in pairs")
    if labels is not None:
        if gate or criterion:
            raise UsageError(
                "--gate and --criterion judge a comparison, and --draw makes none: run them one after the other"
            )
        _draw(run, names, labels, seed, 0.05 if difference is None else difference, dry_run=dry_run)
        return
    few = {1: _alone} if criterion else {1: _alone, TWO: _two}
    failed = few[len(names)](run, names, judge) if len(names) in few else _many(run, names, criterion)
    if gate:
        hold(failed)


def _draw(
    run: CommandRun, names: tuple[str, ...], labels: int, seed: int | None, difference: float, *, dry_run: bool
) -> None:
    run.done(run.project.sample_pairs(names, labels, seed=seed, difference=difference, dry_run=dry_run))


def _many(run: CommandRun, names: tuple[str, ...], criterion: str | None) -> Gate:
    from annotate.analysis.comparison import rank

    answer = run.project.rank(*names, criterion=criterion)
    run.answer(answer)
    return rank.gate_of(answer.result)


def _two(run: CommandRun, names: tuple[str, ...], judge: str | None) -> Gate:
    from annotate.analysis.comparison.compare import gate_of

    first, second = names
    answer = run.project.compare(first, second, judge=judge)
    run.answer(answer)
    return gate_of(answer.result)


def _alone(run: CommandRun, names: tuple[str, ...], _judge: str | None) -> Gate:
    """Answer that there is nothing to compare with, which no gate passes."""
    answer = run.project.alone(names[0])
    run.answer(answer)
    return answer.result.gate
