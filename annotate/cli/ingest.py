"""Commands that import traffic and feedback, and list what could not be read."""

from __future__ import annotations

from contextlib import ExitStack

import click

from annotate.cli.context import Run, common, file_options, reason_lines, refused_data, refused_words, source


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
    from annotate.files import rereadable
    from annotate.traffic.rows import FIELDS
    from annotate.workflow.ingest import receive

    named = [source(path, file_format, pairs, FIELDS) for path in files]
    with run.store(make=True) as store, ExitStack() as opened:
        folder = run.db.absolute().parent
        sources = [file._replace(stream=opened.enter_context(rereadable(file.path, folder))) for file in named]
        total, added = receive.traffic(store, sources, who=run.who, now=run.now, revisions=revisions, as_named=yes)
        items = store.items.count()
    line = f"{total.rows:,} rows: {added.added:,} items added"
    for count, words in (
        (added.revised, "with other content under a known id (kept as revisions)"),
        (added.updated, "with other metadata"),
        (added.unchanged, "unchanged"),
    ):
        line += f", {count:,} {words}" if count else ""
    run.say(
        f"{line}{refused_words(total)}; {items:,} items in the store",
        {"rows": total.rows, **added._asdict(), **refused_data(total), "items": items},
    )
    run.finish(total)


@click.command()
@click.argument("file")
@file_options("item_id, value, comment, correction, source, at")
@common
def feedback(run: Run, file: str, file_format: str, pairs: tuple[str, ...]) -> None:
    """Take end users' thumbs in (-1/1, 0/1, true/false), by item id."""
    from annotate.domain.feedback import FIELDS
    from annotate.workflow.ingest import receive

    each = source(file, file_format, pairs, FIELDS)
    with run.store(make=True) as store:
        came, new = receive.feedback(store, each, who=run.who, now=run.now)
        down, up, unmatched = store.feedback.counts()
    run.say(
        f"{came.rows:,} rows: {new:,} new{refused_words(came)}; in the store {down:,} items with a thumb down, {up:,} with a "
        f"thumb up, {unmatched:,} ids without an item yet",
        {
            "rows": came.rows,
            "new": new,
            **refused_data(came),
            "thumbs_down": down,
            "thumbs_up": up,
            "unmatched": unmatched,
        },
    )
    run.finish(came)


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

    with run.reading() as store:
        rows = store.quarantine.all(repaired=repaired)
        if file is not None:
            from annotate.files import write_rows

            columns = ("stage", "source", "line", "reason", "at", "raw")
            count = write_rows(file, columns, store.quarantine.rows(repaired=repaired))
            run.exported(file, count, f"{count:,} rows written to {file}")
            return
    reasons = together(Reason(row[3], 1) for row in rows)
    if run.as_json:
        names = ("stage", "source", "line", "reason", "at")
        listed = [dict(zip(names, row, strict=True)) for row in rows]
        run.say("", {"rows": len(rows), "reasons": [reason._asdict() for reason in reasons], "quarantine": listed})
        return
    click.echo(f"{len(rows):,} rows that came in repaired" if repaired else f"{len(rows):,} rows in quarantine")
    for words in (*reason_lines(reasons), *(f"{row[0]}  {row[1]}:{row[2]}  {one_line(row[3])}" for row in rows)):
        click.echo(words)
