"""Commands that import and export labels as plain files, and show the history of annotations and the annotators."""

from __future__ import annotations

import click

from annotate.cli import adjudicate
from annotate.cli.context import Run, common, file_options


@click.group()
def labels() -> None:
    """What people said: import, export, history, and settling what readers disagree on."""


@labels.command("import")
@click.argument("file")
@file_options("item_id, label, annotator, reference, causes, harm, rationale, form_version, seconds, at")
@common
def import_(run: Run, file: str, file_format: str, pairs: tuple[str, ...]) -> None:
    """Take labels in (right, wrong or unsure). A label without a draw is hand-picked: weight 0 in every estimate."""
    from annotate.analysis.next_step import after_labels
    from annotate.domain.annotation import FIELDS
    from annotate.domain.field_mapping import parse_mapping

    imported = run.project.import_labels(file, fields=parse_mapping(pairs, FIELDS), file_format=file_format)
    run.did("ingest.labels", imported, steps=after_labels(imported.disagreements))


@labels.command()
@click.argument("file")
@click.option(
    "--annotations", is_flag=True, help="What each annotator says now instead, a row an annotation, deleted ones too."
)
@click.option("--revisions", is_flag=True, help="With --annotations: every revision, in the order in which they came.")
@common
def export(run: Run, file: str, annotations: bool, revisions: bool) -> None:
    """Write the label of every item with what it rests on, or all annotations."""
    count = run.project.labels.export(file, annotations=annotations, revisions=revisions)
    what = "revisions of annotations" if revisions else "annotations" if annotations else "labels"
    run.exported(file, count, f"{count:,} {what} written to {file}")


@labels.command()
@click.argument("item_id", metavar="ITEM")
@common
def history(run: Run, item_id: str) -> None:
    """Every revision of every annotation of an item, in the order in which they came."""
    from annotate.analysis.labelling.rows import annotation_rows, status_of
    from annotate.present.messages import one_line

    revisions = run.project.labels.history(item_id)
    if run.as_json:
        run.say("", {"item_id": item_id, "revisions": list(annotation_rows(revisions))})
        return
    for revision in revisions:
        note = revision.annotation
        hand = f", written by {one_line(note.edited_by)}" if note.edited_by else ""
        marks = ", ".join([*note.causes, *([f"harm {note.harm}"] if note.harm else [])])
        click.echo(f"{revision.received_at}  {status_of(note):<8}  {one_line(note.annotator)}{hand}  {marks}".rstrip())
        seconds = f", {note.seconds:.0f} s" if note.seconds else ""
        click.echo(f"    {one_line(note.source)} {one_line(note.id)}{seconds}")
        for name, text in (("why", note.rationale), ("reference", note.reference)):
            if text:
                click.echo(f"    {name}: {one_line(text)}")
    click.echo(f"{len(revisions):,} revisions of the annotations of {one_line(item_id)}")


@labels.command()
@common
def annotators(run: Run) -> None:
    """Who labels how, by name, and what happened to annotations. For talking together, not for ranking."""
    from annotate.analysis.report.caveats import not_independent
    from annotate.domain.annotator_activity import RULE
    from annotate.present.messages import one_line

    activity = run.project.labels.annotators()
    found, log, uncounted = activity.annotators, activity.log, activity.uncounted
    if run.as_json:
        rows = [{name: getattr(one, name) for name in one.__slots__} for one in found]
        logged = [entry._asdict() for entry in log]
        run.say("", {"annotators": rows, "rule": RULE, "log": logged, "not_independent": uncounted._asdict()})
        return
    click.echo(
        f"{'annotator':<30}{'labels':>8}{'skipped':>9}{'unsure':>8}{'right':>8}{'seconds':>9}{'agrees':>8}{'pairs':>7}"
    )
    for one in found:
        name, seconds = one_line(one.name), "—" if one.seconds is None else f"{one.seconds:.0f}"
        shares = "".join(f"{'—' if value is None else f'{value:.0%}':>8}" for value in (one.unsure, one.right))
        agrees = "—" if one.agreement is None else f"{one.agreement:.0%}"
        click.echo(f"{name:<30}{one.n:>8,}{one.skipped:>9,}{shares}{seconds:>9}{agrees:>8}{one.pairs:>7,}")
        for note in one.notes:
            click.echo(f"    {note}")
    if any(one.notes for one in found):
        click.echo(RULE)
    for note in not_independent(uncounted):
        click.echo(f"Note: {note}.")
    for counts in log:
        click.echo(
            f"{one_line(counts.source)}: {counts.annotations:,} annotations, {counts.edits:,} edits, "
            f"{counts.deletions:,} deleted, {counts.skips:,} skipped, {counts.by_others:,} written or changed by another account"
        )
    click.echo(f"{len(found):,} annotators; `assay labels history ITEM` shows every revision of an item")


for _command in (adjudicate.disputed, adjudicate.opposite, adjudicate.adjudicate):
    labels.add_command(_command)
