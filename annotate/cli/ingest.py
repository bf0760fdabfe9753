"""Commands that import traffic and feedback, and list what could not be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from annotate.cli.context import Outcome, Run, common, file_options, reason_lines, refused_data, refused_words

if TYPE_CHECKING:
    from annotate.workflow.ingest.receive import ImportedFeedback, Ingested


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
    run: Run, files: tuple[str, ...], file_format: str, pairs: tuple[str, ...], *, revisions: bool, yes: bool
) -> None:
    """Take production traffic in (JSONL, CSV or Parquet; - is standard input).

    Nothing is kept of files that would lose data without a word: ids that repeat with other content, or contexts, ids, times
    and groups under nearly the right name.
    """
    done = run.project.ingest(
        *files, fields=traffic_fields(pairs), file_format=file_format, revisions=revisions, as_named=yes
    )
    run.end(ingested(run, done))


def traffic_fields(pairs: tuple[str, ...]) -> dict[str, str]:
    """Parse --map of `assay ingest`."""
    from annotate.domain.field_mapping import parse_mapping
    from annotate.traffic.rows import FIELDS

    return parse_mapping(pairs, FIELDS)


def ingested(run: Run, done: Ingested) -> Outcome:
    """Say what was taken in."""
    total, added = done.intake, done.added
    line = f"{total.rows:,} rows: {added.added:,} items added"
    for count, words in (
        (added.revised, "with other content under a known id (kept as revisions)"),
        (added.updated, "with other metadata"),
        (added.unchanged, "unchanged"),
    ):
        line += f", {count:,} {words}" if count else ""
    return run.imported(
        total,
        f"{line}{refused_words(total)}; {done.items:,} items in the store",
        {"rows": total.rows, **added._asdict(), **refused_data(total), "items": done.items},
    )


@click.command()
@click.argument("file")
@file_options("item_id, value, comment, correction, source, at")
@common
def feedback(run: Run, file: str, file_format: str, pairs: tuple[str, ...]) -> None:
    """Take end users' thumbs in (-1/1, 0/1, true/false), by item id."""
    done = run.project.import_feedback(file, fields=feedback_fields(pairs), file_format=file_format)
    run.end(feedback_imported(run, done))


def feedback_fields(pairs: tuple[str, ...]) -> dict[str, str]:
    """Parse --map of `assay feedback`."""
    from annotate.domain.feedback import FIELDS
    from annotate.domain.field_mapping import parse_mapping

    return parse_mapping(pairs, FIELDS)


def feedback_imported(run: Run, done: ImportedFeedback) -> Outcome:
    """Say what was taken in, and what the store has now."""
    came = done.intake
    return run.imported(
        came,
        f"{came.rows:,} rows: {done.new:,} new{refused_words(came)}; in the store {done.thumbs_down:,} items with a thumb "
        f"down, {done.thumbs_up:,} with a thumb up, {done.unmatched:,} ids without an item yet",
        {
            "rows": came.rows,
            "new": done.new,
            **refused_data(came),
            "thumbs_down": done.thumbs_down,
            "thumbs_up": done.thumbs_up,
            "unmatched": done.unmatched,
        },
    )


@click.command()
@click.option(
    "--export", "file", help="Write the rows with what they held, as far as it is text, to a .jsonl or .csv file."
)
@click.option(
    "--repaired", is_flag=True, help="Those that have come in repaired since, in place of those that have not."
)
@common
def quarantine(run: Run, file: str | None, *, repaired: bool) -> None:
    """List what could not be read: the reasons with counts, then file, line and reason of each row."""
    from annotate.domain.reasons import Reason, together
    from annotate.present.messages import one_line

    if file is not None:
        count = run.project.export_quarantine(file, repaired=repaired)
        run.exported(file, count, f"{count:,} rows written to {file}")
        return
    rows = run.project.quarantine(repaired=repaired)
    reasons = together(Reason(row[3], 1) for row in rows)
    if run.as_json:
        names = ("stage", "source", "line", "reason", "at")
        listed = [dict(zip(names, row, strict=True)) for row in rows]
        run.say("", {"rows": len(rows), "reasons": [reason._asdict() for reason in reasons], "quarantine": listed})
        return
    click.echo(f"{len(rows):,} rows that came in repaired" if repaired else f"{len(rows):,} rows in quarantine")
    for words in (*reason_lines(reasons), *(f"{row[0]}  {row[1]}:{row[2]}  {one_line(row[3])}" for row in rows)):
        click.echo(words)
