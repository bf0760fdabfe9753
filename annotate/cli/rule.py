"""Commands that import and export scores, and set the rule that turns scores into a verdict."""

from __future__ import annotations

import click

from annotate.cli.context import CommandRun, answering, common, file_options, parse_scales, scale_option


@click.group()
def scores() -> None:
    """Scores from other tools, in and out."""


@scores.command("import")
@click.argument("file")
@file_options("item_id, judge, value, reason, signature")
@scale_option
@common
def import_(run: CommandRun, file: str, file_format: str, pairs: tuple[str, ...], scales: tuple[str, ...]) -> None:
    """Take scores in [0, 1] in; a judge's name becomes letters, digits and _.

    Read as your own rows (item_id, judge, value), or as Langfuse, Phoenix, LangSmith, MLflow and OpenTelemetry write them;
    users' feedback and verdicts of experts are left out, and counted.
    """
    from annotate.domain.field_mapping import parse_mapping
    from annotate.workflow.ingest.ingest import SCORE_FIELDS

    fields = parse_mapping(pairs, SCORE_FIELDS)
    run.done(run.project.import_scores(file, fields=fields, file_format=file_format, scales=parse_scales(scales)))


@scores.command()
@click.argument("file")
@common
def export(run: CommandRun, file: str) -> None:
    """Write every score and failure of the current items."""
    run.wrote(file, run.project.scores.export(file))


@click.group()
def rule() -> None:
    """The rule that turns scores into pass or fail."""


@rule.command("set")
@click.argument("expression")
@click.option("--name", default="custom", show_default=True, help="A new expression under a name is its next version.")
@click.option("--signature", "pairs", multiple=True, metavar="JUDGE=SIGNATURE", help="Which scores of a judge to read.")
@answering
def set_(run: CommandRun, expression: str, name: str, pairs: tuple[str, ...]) -> None:
    """Put a rule in force, like 'min(context_relevance, faithfulness) > 0.5'; pct(judge) is a percentile."""
    chosen = dict(pair.partition("=")[::2] for pair in pairs)
    run.answer(run.project.rules.set(expression, name=name, signatures=chosen))


@rule.command()
@click.option("--dry-run", is_flag=True, help="Say what would come of it and keep nothing.")
@answering
def learn(run: CommandRun, dry_run: bool) -> None:
    """Learn a rule from half of the labelled questions; put it in force where the others show that it is better."""
    run.answer(run.project.rules.learn(dry_run=dry_run))


@rule.command("list")
@answering
def list_(run: CommandRun) -> None:
    """Every rule and version, the one in force marked, with what its threshold is guaranteed to keep."""
    run.answer(run.project.rules.history())
