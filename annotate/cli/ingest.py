"""Commands that import traffic and feedback, and list what could not be read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotate.cli.context import CommandRun, answering, common, file_options, parse_scales, scale_option
from proxy.errors import UsageError

if TYPE_CHECKING:
    from annotate.project.run_options import FeedbackStage, IngestStage

# What the import itself would end with.
STOPPED = 1
# A source stands where a file would: a name and a colon.
SOURCE = re.compile(r"[a-z][a-z0-9_]+:")


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@file_options(
    "id, question, contexts (once for each of several columns), answer, system, timestamp, group, history, reference, language, "
    "retrieved, relevant_ids",
    has_tools=True,
)
@click.option(
    "--revisions",
    is_flag=True,
    help="Rows that repeat an id with other content correct the row before, and spans those that are here; the last counts.",
)
@click.option(
    "--yes",
    is_flag=True,
    help="Take a file as it is that has a field under nearly the right name, or answers that are here under other ids.",
)
@click.option("--dry-run", is_flag=True, help="Show how the first rows are read, and keep nothing.")
@click.option(
    "--dates",
    type=click.Choice(["day-first", "month-first"]),
    help="The order in dates such as 03/11/2026, where no date of the file tells.",
)
@scale_option
@click.option(
    "--since", metavar="TIME", help="Of a source: last (goes on from the last time; default), 7d, or 2026-11-01."
)
@common
def ingest(
    run: CommandRun,
    files: tuple[str, ...],
    file_format: str,
    pairs: tuple[str, ...],
    scales: tuple[str, ...],
    since: str | None,
    encoding: str,
    dates: str | None,
    *,
    revisions: bool,
    yes: bool,
    dry_run: bool,
) -> None:
    """Take production traffic in. Files and folders of any usual format are read, also of other tools (- is standard input).

    Nothing is kept of files that would lose data without a word: ids that repeat with other content, contexts, ids, times and
    groups under nearly the right name, answers that are here under other ids, or that would only lose fields.

    `langfuse:` in place of a file asks Langfuse for its traces and scores, with the keys in LANGFUSE_PUBLIC_KEY and
    LANGFUSE_SECRET_KEY; where it was stopped, the same command goes on.
    """
    fields = traffic_fields(pairs)
    sources = [name[:-1] for name in files if SOURCE.fullmatch(name) and not Path(name).exists()]
    if sources:
        if len(files) > 1 or file_format != "auto" or encoding != "auto" or revisions or yes or dry_run or dates:
            raise UsageError(f"{sources[0]}: stands alone; it takes --since, --map and --scale")
        run.done(run.project.fetch(sources[0], since=since or "last", fields=fields, scales=parse_scales(scales)))
        return
    if since is not None:
        raise UsageError("--since is for a source that is asked for traffic, such as langfuse:")
    answer = run.project.ingest(
        *files,
        fields=fields,
        file_format=file_format,
        revisions=revisions,
        as_named=yes,
        dry_run=dry_run,
        scales=parse_scales(scales),
        encoding=encoding,
        dates=dates,
    )
    run.done(answer, STOPPED if answer.result.stop is not None else None)


def reading(given: Mapping[str, Any]) -> IngestStage:
    """Return how traffic is read, from what was given to the command."""
    from annotate.project.run_options import IngestStage

    return IngestStage(
        fields=traffic_fields(given["pairs"]),
        file_format=given["file_format"],
        revisions=given["revisions"],
        as_named=given["yes"],
        scales=parse_scales(given["scales"]),
    )


def reading_feedback(given: Mapping[str, Any]) -> FeedbackStage:
    """Return how feedback is read, from what was given to the command."""
    from annotate.project.run_options import FeedbackStage

    return FeedbackStage(fields=feedback_fields(given["pairs"]), file_format=given["file_format"], names=given["names"])


def traffic_fields(pairs: tuple[str, ...]) -> dict[str, str]:
    """Parse --map of `assay ingest`."""
    from annotate.domain.field_mapping import parse_mapping
    from annotate.domain.passages import TRAFFIC_FIELDS

    return parse_mapping(pairs, TRAFFIC_FIELDS)


@click.command()
@click.argument("file")
@file_options(
    "item_id, value, comment, correction, source, at; where rows have no id, "
    "question, answer, contexts, history, system, timestamp"
)
@click.option(
    "--name", "names", multiple=True, help="A name under which a tool keeps users' feedback, where it does not tell so."
)
@common
def feedback(
    run: CommandRun, file: str, file_format: str, encoding: str, pairs: tuple[str, ...], names: tuple[str, ...]
) -> None:
    """Take end users' feedback in: thumbs, words and stars. A row names its item or its trace.

    Read as your own rows (item_id, value, comment, correction), or as Langfuse, Phoenix, LangSmith, MLflow, OpenTelemetry, Open
    WebUI and Chainlit write it; scores of automatic evaluators and verdicts of experts are left out, and counted.
    """
    fields = feedback_fields(pairs)
    run.done(run.project.import_feedback(file, fields=fields, file_format=file_format, names=names, encoding=encoding))


def feedback_fields(pairs: tuple[str, ...]) -> dict[str, str]:
    """Parse --map of `assay feedback`."""
    from annotate.domain.feedback import FIELDS
    from annotate.domain.field_mapping import parse_mapping

    return parse_mapping(pairs, FIELDS)


@click.command()
@click.argument("rows", nargs=-1, type=int, metavar="[ROW…]")
@click.option(
    "--export", "file", help="Write the rows with what they held, as far as it is text, to a .jsonl or .csv file."
)
@click.option(
    "--repaired", is_flag=True, help="Those that have come in repaired since, in place of those that are open."
)
@click.option("--dismissed", is_flag=True, help="Those that somebody dismissed, in place of those that are open.")
@click.option("--reason", default="", metavar="TEXT", help="Only rows whose reason holds this text.")
@click.option("--dismiss", is_flag=True, help="Dismiss the open rows of these numbers, of this --reason, or --all.")
@click.option("--all", "everything", is_flag=True, help="With --dismiss: every open row.")
@answering
def quarantine(
    run: CommandRun,
    rows: tuple[int, ...],
    file: str | None,
    reason: str,
    *,
    repaired: bool,
    dismissed: bool,
    dismiss: bool,
    everything: bool,
) -> None:
    """List what could not be read. The reasons come with counts, then number, file, line and reason of each row.

    Rows that nobody wants are dismissed: they stay in quarantine, and count no more when they come in again.
    """
    if repaired + dismissed + dismiss > 1:
        raise UsageError("--repaired, --dismissed and --dismiss exclude each other")
    if everything and not dismiss:
        raise UsageError("--all is for --dismiss; without it all rows are listed")
    if file is not None and (dismiss or rows or reason):
        raise UsageError("--export writes all open, --repaired or --dismissed rows")
    state = "repaired" if repaired else "dismissed" if dismissed else "open"
    if dismiss:
        run.done(run.project.dismiss_quarantined(rows=rows, reason=reason, everything=everything))
    elif file is not None:
        run.wrote(run.project.export_quarantine(file, state=state))
    else:
        run.answer(run.project.quarantine(state=state, rows=rows, reason=reason))
