"""Labels as plain files, and what people make of each other's."""

from __future__ import annotations

import click

from annotate.commands.run import Run, common, file_options, refused_words, source


@click.group()
def labels() -> None:
    """Labels as plain files."""


@labels.command("import")
@click.argument("file")
@file_options("item_id, label, annotator, reference, causes, harm, rationale, form_version, seconds, at")
@common
def import_(run: Run, file: str, file_format: str, pairs: tuple[str, ...]) -> None:
    """Take labels in (right, wrong or unsure). A label without a draw is hand-picked: weight 0 in every estimate."""
    from annotate import intake
    from annotate.files import digest
    from annotate.labels import FIELDS

    each = source(file, file_format, pairs, FIELDS)
    with run.store() as store:
        came, kept, to_draws = intake.import_labels(store, each, now=run.now)
        with store.atomic():
            detail = {"file": file, "digest": digest(file), **kept._asdict()}
            store.events.append(intake.LABELS_EVENT, detail, who=run.who, now=run.now)
        progress, hand_picked = store.waves.progress(), store.labels.hand_picked()
    old = f", {kept.outdated:,} older than what is here" if kept.outdated else ""
    run.say(
        f"{came.rows:,} rows: {kept.added:,} labels added, {kept.revised:,} changed, {kept.unchanged:,} unchanged{old}"
        f"{refused_words(came)}; {progress.labelled:,} of {progress.drawn:,} drawn items have a label, {hand_picked:,} "
        "labels are hand-picked",
        {
            **{"rows": came.rows, **kept._asdict(), "to_draws": to_draws, "quarantined": came.refused},
            **{"labelled": progress.labelled, "drawn": progress.drawn, "hand_picked": hand_picked},
        },
    )
    run.finish(came)


@labels.command()
@click.argument("file")
@common
def export(run: Run, file: str) -> None:
    """Write the label of every item."""
    from annotate.files import write_rows

    columns = ("item_id", "label", "annotator", "reference", "causes", "harm", "rationale", "at", "wave")
    with run.store() as store:
        rows = (
            {
                **{"item_id": one.item_id, "label": one.judgement.value, "annotator": one.annotator},
                **{"reference": one.reference, "causes": list(one.causes), "harm": one.harm},
                **{"rationale": one.rationale, "at": one.at, "wave": one.wave},
            }
            for _, one in store.labels.read()
        )
        count = write_rows(file, columns, rows)
    run.exported(file, count, f"{count:,} labels written to {file}")
