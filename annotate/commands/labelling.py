"""Label Studio, and labels from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from annotate.commands.run import Run, common, file_options, refused_words, source

if TYPE_CHECKING:
    from annotate.store import Store

url_option = click.option(
    "--url",
    envvar="LABEL_STUDIO_URL",
    help="Label Studio's address (or LABEL_STUDIO_URL; the one of `assay up` if left out).",
)
project_option = click.option(
    "--project", type=int, help="A project's number; without it, the one used last or a new one."
)


@click.command()
@url_option
@project_option
@click.option("--new-project", is_flag=True, help="Make a new project, also where one was used before.")
@click.option("--title", default="Assay", show_default=True, help="The title of a new project.")
@common
def push(run: Run, url: str | None, project: int | None, title: str, *, new_project: bool) -> None:
    """Send the open draws to Label Studio (token: LABEL_STUDIO_API_KEY in the environment). Repeating it doubles nothing."""
    from annotate import labelling
    from annotate.commands.servers import connect

    studio, server = connect(run.db, url)
    with run.store() as store:
        done = labelling.push(store, studio, server, title, project, now=run.now, fresh=new_project)
        with store.atomic():
            store.events.append("push", {"server": server, **done._asdict()}, who=run.who, now=run.now)
    run.say(
        f"{done.sent:,} tasks sent to project {done.project}, {done.there:,} were there; label at "
        f"{server}/projects/{done.project}/data?labeling=1",
        {**done._asdict(), "server": server},
    )


@click.command()
@url_option
@project_option
@common
def pull(run: Run, url: str | None, project: int | None) -> None:
    """Bring the annotations back from Label Studio. Repeating it doubles nothing."""
    from annotate import labelling
    from annotate.commands.servers import connect

    studio, server = connect(run.db, url)
    with run.store() as store:
        done = labelling.pull(store, studio, server, _project(store, server, project), now=run.now)
        if done.added or done.revised or done.deleted:
            with store.atomic():
                store.events.append("pull", {"server": server, **done._asdict()}, who=run.who, now=run.now)
        progress = store.waves.progress()
    line = f"{done.added:,} annotations new, {done.revised:,} changed, {done.deleted:,} deleted, {done.unchanged:,} unchanged"
    line += f", {done.odd:,} odd ones quarantined" if done.odd else ""
    line += f", {done.gone:,} tasks gone from the project (`assay push` sends them again)" if done.gone else ""
    line += f", {done.foreign:,} tasks in the project are not from here" if done.foreign else ""
    run.say(
        f"{line}; {progress.labelled:,} of {progress.drawn:,} drawn items have a label",
        {**done._asdict(), "labelled": progress.labelled, "drawn": progress.drawn},
    )


def _project(store: Store, server: str, project: int | None) -> int:
    from proxy.errors import UsageError

    known = project if project is not None else store.tasks.project(server)
    if known is None:
        raise UsageError(
            f"nothing was pushed to {server} yet: run `assay push` first, or name the project with --project"
        )
    return known


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
