"""Commands that import traffic and feedback, and list what could not be read."""

from __future__ import annotations

import click

from annotate.cli.context import CommandRun, answering, common, file_options


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@file_options(
    "id, question, contexts, answer, system, timestamp, group, history, reference, language, retrieved, relevant_ids"
)
@click.option(
    "--revisions",
    is_flag=True,
    help="Rows that repeat an id with other content correct the row before; the last counts.",
)
@click.option("--yes", is_flag=True, help="Take a file as it is that has a field under nearly the right name.")
@common
def ingest(
    run: CommandRun, files: tuple[str, ...], file_format: str, pairs: tuple[str, ...], *, revisions: bool, yes: bool
) -> None:
    """Take production traffic in (JSON, CSV, Parquet, Arrow, Excel, or folders of them; - is standard input).

    Nothing is kept of files that would lose data without a word: ids that repeat with other content, or contexts, ids, times
    and groups under nearly the right name.
    """
    done = run.project.ingest(
        *files, fields=traffic_fields(pairs), file_format=file_format, revisions=revisions, as_named=yes
    )
    run.did("ingest.traffic", done)


def traffic_fields(pairs: tuple[str, ...]) -> dict[str, str]:
    """Parse --map of `assay ingest`."""
    from annotate.domain.field_mapping import parse_mapping
    from annotate.domain.passages import TRAFFIC_FIELDS

    return parse_mapping(pairs, TRAFFIC_FIELDS)


@click.command()
@click.argument("file")
@file_options("item_id, value, comment, correction, source, at")
@common
def feedback(run: CommandRun, file: str, file_format: str, pairs: tuple[str, ...]) -> None:
    """Take end users' thumbs in (-1/1, 0/1, true/false), by item id."""
    done = run.project.import_feedback(file, fields=feedback_fields(pairs), file_format=file_format)
    run.did("ingest.feedback", done)


def feedback_fields(pairs: tuple[str, ...]) -> dict[str, str]:
    """Parse --map of `assay feedback`."""
    from annotate.domain.feedback import FIELDS
    from annotate.domain.field_mapping import parse_mapping

    return parse_mapping(pairs, FIELDS)


@click.command()
@click.option(
    "--export", "file", help="Write the rows with what they held, as far as it is text, to a .jsonl or .csv file."
)
@click.option(
    "--repaired", is_flag=True, help="Those that have come in repaired since, in place of those that have not."
)
@answering
def quarantine(run: CommandRun, file: str | None, *, repaired: bool) -> None:
    """List what could not be read: the reasons with counts, then file, line and reason of each row."""
    if file is not None:
        run.wrote(file, run.project.export_quarantine(file, repaired=repaired))
        return
    rows = run.project.quarantine(repaired=repaired)
    run.tell("ingest.quarantine", rows, repaired=repaired)
