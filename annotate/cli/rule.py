"""Commands that import and export scores, and set the rule that turns scores into a verdict."""

from __future__ import annotations

import click

from annotate.cli.context import CommandRun, answering, common, file_options, parse_scales, scale_option
from annotate.cli.groups import CommandGroup
from proxy.errors import UsageError


@click.group(cls=CommandGroup)
def scores() -> None:
    """Scores from other tools, in and out."""


@scores.command("import")
@click.argument("file")
@file_options(
    "item_id, judge, value, reason, signature; of rows without an id question, answer, contexts, history, system"
)
@scale_option
@common
def import_(
    run: CommandRun, file: str, file_format: str, encoding: str, pairs: tuple[str, ...], scales: tuple[str, ...]
) -> None:
    """Take scores in [0, 1] in. A judge's name becomes letters, digits and _.

    A row names its answer by item_id, or repeats it: --map question=COLUMN and --map answer=COLUMN where these have other names.

    Read as your own rows (item_id, judge, value), as a table with a column a judge (Ragas), or as Langfuse, Phoenix, LangSmith,
    MLflow and OpenTelemetry write them; users' feedback and verdicts of experts are left out, and counted.
    """
    from annotate.domain.field_mapping import parse_mapping
    from annotate.workflow.ingest.row_readers import SCORE_FIELDS

    fields = parse_mapping(pairs, SCORE_FIELDS)
    run.done(
        run.project.import_scores(
            file, fields=fields, file_format=file_format, scales=parse_scales(scales), encoding=encoding
        )
    )


@scores.command()
@click.argument("file")
@click.option(
    "--what",
    "kinds",
    multiple=True,
    type=click.Choice(["labels", "verdicts", "judges"]),
    help="What langfuse: and otlp: get; repeat it for more. Without it all three.",
)
@common
def export(run: CommandRun, file: str, kinds: tuple[str, ...]) -> None:
    """Write scores and failures, or send them to the traces. They are those of the current items.

    FILE is a .jsonl or .csv file; `langfuse:` sends labels, verdicts and scores to Langfuse, `otlp:http://HOST:4318` to any
    endpoint for OpenTelemetry's log records, `otlp:FILE.jsonl` writes these. Sent again they take their own places.
    """
    from annotate.workflow.send_scores import is_destination

    if is_destination(file):
        run.done(run.project.scores.send(file, kinds=kinds))
        return
    if kinds:
        raise UsageError("--what is for langfuse: and otlp:; a file has every score and failure")
    run.wrote(run.project.scores.export(file))


@click.group(cls=CommandGroup)
def rule() -> None:
    """The rule that turns scores into pass or fail."""


@rule.command("set")
@click.argument("expression")
@click.option("--name", default="custom", show_default=True, help="A new expression under a name is its next version.")
@click.option("--signature", "pairs", multiple=True, metavar="JUDGE=SIGNATURE", help="Which scores of a judge to read.")
@answering
def set_(run: CommandRun, expression: str, name: str, pairs: tuple[str, ...]) -> None:
    """Put a rule in force. Write it like 'min(context_relevance, faithfulness) > 0.5'; pct(judge) is a percentile."""
    chosen = dict(pair.partition("=")[::2] for pair in pairs)
    run.answer(run.project.rules.set(expression, name=name, signatures=chosen))


@rule.command()
@click.option("--dry-run", is_flag=True, help="Say what would come of it and keep nothing.")
@answering
def learn(run: CommandRun, dry_run: bool) -> None:
    """Learn a rule from half of the labelled questions. It is put in force where the others show that it is better."""
    run.answer(run.project.rules.learn(dry_run=dry_run))


@rule.command("list")
@answering
def list_(run: CommandRun) -> None:
    """List every rule and version. The one in force is marked, with what its threshold is guaranteed to keep."""
    run.answer(run.project.rules.history())
