"""Commands that maintain the store: check it, list its events, back it up, and forget items or persons."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from annotate.cli.context import CommandRun, answering, common

LONG_BYTES = 200_000_000


@click.command()
@click.option(
    "--lake",
    metavar="ADDRESS",
    help="Keep the traffic, its scores and verdicts there: a folder, or s3://BUCKET/PREFIX (needs assay[lake]).",
)
@answering
def init(run: CommandRun, lake: str | None) -> None:
    """Make a store; its traffic may lie in a lake of Parquet files."""
    run.answer(run.project.maintenance.make(lake=lake))


@click.command()
@click.option(
    "--since",
    metavar="DIGEST",
    help="A digest that `assay events --head` printed: check that nothing from before it was written anew.",
)
@click.option(
    "--set-masking",
    is_flag=True,
    help="Put [redaction] of assay.toml in force for this store, also where it masks less.",
)
@click.option(
    "--new-key",
    is_flag=True,
    help="Go on with a new key of pseudonyms, or the one that is there: what left before will not match.",
)
@click.option("--remove-keys", is_flag=True, help="Take what may be a key out of the addresses of endpoints.")
@click.option(
    "--join-servers",
    is_flag=True,
    help="Keep each Label Studio once that is here under two addresses, as it was last read.",
)
@common
def doctor(
    run: CommandRun, since: str | None, *, set_masking: bool, new_key: bool, remove_keys: bool, join_servers: bool
) -> None:
    """Check the store, and who on this machine can read it. The file, events with the rows they cover, and releases."""
    maintenance = run.project.maintenance
    if set_masking:
        run.first(maintenance.set_masking())
    if new_key:
        run.first(maintenance.renew_key())
    if remove_keys:
        run.first(maintenance.remove_keys())
    if join_servers:
        run.first(maintenance.join_servers())
    health = maintenance.doctor(since=since)
    run.done(health, int(bool(health.result.problems)))


@click.command()
@click.option("--last", type=click.IntRange(min=1), help="Only so many, the newest.")
@click.option(
    "--head", "is_head", is_flag=True, help="Only the digest of all of them, to keep elsewhere for `doctor --since`."
)
@answering
def events(run: CommandRun, last: int | None, *, is_head: bool) -> None:
    """List what was done, when and by whom, the newest first."""
    maintenance = run.project.maintenance
    if is_head:
        run.done(maintenance.head())
    else:
        run.answer(maintenance.events(last=last))


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--keep",
    type=click.IntRange(min=1),
    help="Keep so many backups beside the store, this one included; older ones that it made itself are removed.",
)
@common
def backup(run: CommandRun, file: Path | None, keep: int | None) -> None:
    """Copy the store, also while it is in use. The copy goes to FILE or a name with the time beside it, and is read back."""
    made = run.project.maintenance.backup(file, keep=keep)
    run.done(made, int(bool(made.result.fault)))


@click.command()
@click.option("--item", "items", multiple=True, metavar="ID", help="Blank every text of this item.")
@click.option(
    "--annotator", metavar="NAME", help="Replace this annotator's name by a pseudonym, and blank the reasons given."
)
@click.option("--references", is_flag=True, help="With --annotator: blank the references that they wrote, too.")
@click.option("--why", help="The reason, kept with the tombstone and not in the events: name nobody in it.")
@click.option("--dry-run", is_flag=True, help="Say what would be blanked, and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask; needed where there is no terminal to ask on.")
@common
def forget(
    run: CommandRun,
    items: tuple[str, ...],
    annotator: str | None,
    why: str | None,
    *,
    references: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    """Blank the texts of items, or an annotator's name and words. Labels, scores and counts stay. Nothing brings them back."""
    from proxy.errors import UsageError

    if bool(items) == (annotator is not None):
        raise UsageError("name items with --item, or one annotator with --annotator")
    if references and annotator is None:
        raise UsageError("--references goes with --annotator")
    whom = f"annotator {annotator}" if annotator is not None else f"item {', '.join(items)}"
    if not dry_run and not yes:
        if not sys.stdin.isatty():
            raise UsageError(
                f"this would forget {whom} for good: add --yes to do it, or --dry-run to see what it blanks"
            )
        click.confirm(f"Forget {whom}? Nothing brings the texts back.", abort=True, err=True)
    if not dry_run and run.db.exists() and run.db.stat().st_size > LONG_BYTES:
        click.echo("rewriting the file, so that no byte of it is left", err=True)
    maintenance = run.project.maintenance
    if annotator is None:
        blanked = maintenance.forget_items(items, why=why, dry_run=dry_run)
        run.done(blanked, int(bool(blanked.result.fault)))
    else:
        renamed = maintenance.forget_annotator(annotator, references=references, why=why, dry_run=dry_run)
        run.done(renamed, int(bool(renamed.result.fault)))
