"""Traffic, feedback and what could not be read."""

from __future__ import annotations

import click

from annotate.commands.run import Run, common, file_options, refused_words, source


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@file_options(
    "id, question, contexts, answer, system, timestamp, group, history, reference, language, retrieved, relevant_ids"
)
@common
def ingest(run: Run, files: tuple[str, ...], file_format: str, pairs: tuple[str, ...]) -> None:
    """Take production traffic in (JSONL, CSV or Parquet; - is standard input)."""
    from annotate import intake
    from annotate.store.items import Added
    from annotate.traffic import FIELDS

    sources = [source(path, file_format, pairs, FIELDS) for path in files]
    total, added = intake.Intake(), Added()
    with run.store(make=True) as store:
        for each in sources:
            came, made = intake.ingest(store, each, now=run.now)
            total, added = intake.Intake(*(a + b for a, b in zip(total, came, strict=True))), added.plus(made)
        with store.atomic():
            store.events.append("ingest", {"files": len(files), **added._asdict()}, who=run.who, now=run.now)
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
        {"rows": total.rows, **added._asdict(), "quarantined": total.refused, "items": items},
    )
    run.finish(total)


@click.command()
@click.argument("file")
@file_options("item_id, value, comment, correction, source, at")
@common
def feedback(run: Run, file: str, file_format: str, pairs: tuple[str, ...]) -> None:
    """Take end users' thumbs in (-1/1, 0/1, true/false), by item id."""
    from annotate import intake
    from annotate.feedback import FIELDS

    each = source(file, file_format, pairs, FIELDS)
    with run.store(make=True) as store:
        came, new = intake.import_feedback(store, each, now=run.now)
        down, up, unmatched = store.feedback.counts()
        with store.atomic():
            store.events.append("feedback", {"new": new}, who=run.who, now=run.now)
    run.say(
        f"{came.rows:,} rows: {new:,} new{refused_words(came)}; in the store {down:,} items with a thumb down, {up:,} with a "
        f"thumb up, {unmatched:,} ids without an item yet",
        {
            **{"rows": came.rows, "new": new, "quarantined": came.refused},
            **{"thumbs_down": down, "thumbs_up": up, "unmatched": unmatched},
        },
    )
    run.finish(came)


@click.command()
@click.option(
    "--export", "file", help="Write the rows with what they held, as far as it is text, to a .jsonl or .csv file."
)
@common
def quarantine(run: Run, file: str | None) -> None:
    """List what could not be read: file, line and reason."""
    from annotate.report_text import one_line

    with run.store() as store:
        rows = store.quarantine.all()
        if file is not None:
            from annotate.files import write_rows

            count = write_rows(file, ("stage", "source", "line", "reason", "at", "raw"), store.quarantine.rows())
            run.exported(file, count, f"{count:,} rows written to {file}")
            return
    if run.as_json:
        names = ("stage", "source", "line", "reason", "at")
        run.say("", {"quarantine": [dict(zip(names, row, strict=True)) for row in rows]})
        return
    for stage, path, line, reason, _ in rows:
        click.echo(f"{stage}  {path}:{line}  {one_line(reason)}")
    click.echo(f"{len(rows):,} rows in quarantine")
