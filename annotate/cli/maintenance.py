"""Commands that maintain the store: check it, list its events, back it up, and forget items or people."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotate.cli.context import Run, common

if TYPE_CHECKING:
    from annotate.project.maintenance import ForgottenAnnotator, ForgottenItems
    from annotate.store.audit.blanking import Blanked
    from annotate.store.audit.forgetting import Remains
    from annotate.store.audit.renaming import Renamed

LONG_BYTES = 200_000_000
LONGEST_PROBLEM = 1000


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
@click.option("--remove-keys", is_flag=True, help="Take what may be a key out of the addresses of endpoints.")
@common
def doctor(run: Run, since: str | None, *, set_masking: bool, remove_keys: bool) -> None:
    """Check the store: the file, the events and the rows they cover, the releases, and who on this machine can read it."""
    from annotate.present.messages import one_line

    maintenance = run.project.maintenance
    if set_masking:
        redaction = maintenance.set_masking()
        words = f"masked, {len(redaction.patterns)} patterns of your own" if redaction.is_on else "not masked"
        click.echo(f"what leaves this store is {words}", err=True)
    if remove_keys:
        click.echo(f"addresses without a key now: {maintenance.remove_keys():,}", err=True)
    health = maintenance.doctor(since=since)
    problems, head, covered = health.problems, health.head, health.covered_since
    for problem in problems:
        click.echo(one_line(problem, LONGEST_PROBLEM), err=True)
    end = f"; {head.number:,} events, the last with the hash {head.hash[:16]}" if head and head.number else ""
    head_data = {"events": head.number, "head": head.hash} if head else {"events": None, "head": None}
    line = f"{len(problems)} problems" if len(problems) > 1 else "1 problem"
    known = f"; changes of rows are found since {covered}" if covered else ""
    run.say(
        f"{run.db}: {line if problems else 'sound'}{end}{known}",
        {"problems": problems, **head_data, "covered_since": covered},
    )
    if problems:
        sys.exit(1)


@click.command()
@click.option("--last", type=click.IntRange(min=1), help="Only so many, the newest.")
@click.option(
    "--head", "is_head", is_flag=True, help="Only the digest of all of them, to keep elsewhere for `doctor --since`."
)
@common
def events(run: Run, last: int | None, *, is_head: bool) -> None:
    """List what was done, when and by whom."""
    from annotate.present.messages import one_line

    if is_head:
        head = run.project.maintenance.head()
        run.say(head.hash, {"events": head.number, "head": head.hash})
        return
    entries = run.project.maintenance.events(last=last)
    if run.as_json:
        run.say("", {"events": [entry._asdict() | {"detail": entry.read()} for entry in entries]})
        return
    for entry in entries:
        click.echo(
            f"{entry.number:>6}  {entry.at}  {one_line(entry.who)}  {one_line(entry.what)}  {one_line(entry.detail)}"
        )
    click.echo(f"{len(entries):,} events")


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--keep",
    type=click.IntRange(min=1),
    help="Keep so many backups beside the store, this one included; older ones that it made itself are removed.",
)
@common
def backup(run: Run, file: Path | None, keep: int | None) -> None:
    """Copy the store, while it is in use, to FILE or a name with the time beside it. The copy is read back and verified."""
    made = run.project.maintenance.backup(file, keep=keep)
    removed = f"; removed {', '.join(made.removed)}" if made.removed else ""
    copy_data = {"file": str(made.file), "bytes": made.size, "events": made.head.number, "head": made.head.hash}
    fault = None if made.fault is None else f"event {made.fault.number} {made.fault.words}"
    checked = "verified" if fault is None else "copied as it is"
    run.say(
        f"{made.file}: {made.size:,} bytes, {made.head.number:,} events, {checked}{removed}",
        {**copy_data, "removed": list(made.removed), "fault": fault},
    )
    if fault:
        click.echo(
            f"the copy has the store's own fault: {fault}; older backups were left: see `assay doctor`", err=True
        )
        sys.exit(1)


@click.command()
@click.option("--item", "items", multiple=True, metavar="ID", help="Blank every text of this item.")
@click.option(
    "--annotator", metavar="NAME", help="Replace this person's name by a pseudonym, and blank the reasons given."
)
@click.option("--references", is_flag=True, help="With --annotator: blank the references this person wrote, too.")
@click.option("--why", help="The reason, kept with the tombstone and not in the events: name nobody in it.")
@click.option("--dry-run", is_flag=True, help="Say what would be blanked, and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask; needed where there is no terminal to ask on.")
@common
def forget(
    run: Run,
    items: tuple[str, ...],
    annotator: str | None,
    why: str | None,
    *,
    references: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    """Blank the texts of items, or a person's name and words; labels, scores and counts stay. Nothing brings them back."""
    from proxy.errors import UsageError

    if bool(items) == (annotator is not None):
        raise UsageError("name items with --item, or one person with --annotator")
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
    forgotten: ForgottenItems | ForgottenAnnotator
    counts: dict[str, object]
    if annotator is None:
        forgotten = run.project.maintenance.forget_items(items, why=why, dry_run=dry_run)
        line, counts = _items(forgotten.blanked), forgotten.blanked._asdict()
    else:
        forgotten = run.project.maintenance.forget_annotator(annotator, references=references, why=why, dry_run=dry_run)
        line, counts = _annotator(forgotten.renamed, references=references, dry_run=dry_run)
    left, remains = forgotten.fault, forgotten.remains
    run.say(
        f"{'would forget' if dry_run else 'forgot'} {line}",
        {
            **counts,
            "dry_run": dry_run,
            "erased": not dry_run and left is None,
            "copies": [str(copy) for copy in remains.copies],
            "tasks": [task._asdict() for task in remains.tasks],
        },
    )
    _say_what_remains(remains, is_person=annotator is not None)
    if left:
        click.echo(
            f"the file could not be rewritten ({left}): old bytes may be left in it; run the same again", err=True
        )
        sys.exit(1)


def _items(done: Blanked) -> str:
    """Summarise what was blanked of items."""
    return (
        f"{done.items:,} items in {done.revisions:,} revisions, with the texts of {done.annotations:,} annotations, "
        f"{done.gold:,} gold entries (retired), {done.feedback:,} thumbs and {done.quarantined:,} rows in quarantine"
    )


def _annotator(done: Renamed, *, references: bool, dry_run: bool) -> tuple[str, dict[str, object]]:
    """Summarise what was renamed and blanked of a person, in words and as data."""
    kept = (
        f"{done.references_blanked:,} references blanked and their gold entries retired"
        if references
        else f"{done.references:,} references stay in the gold set under the pseudonym (--references blanks them)"
    )
    called = "the annotator" if dry_run else f"the annotator, now {done.pseudonym}"
    line = (
        f"{called}: {done.annotations:,} annotations renamed, {done.rationales:,} reasons blanked; "
        f"{kept}; {done.quarantined:,} rows in quarantine blanked"
    )
    return line, {**done._asdict(), "pseudonym": None if dry_run else done.pseudonym}


def _say_what_remains(remains: Remains, *, is_person: bool) -> None:
    """Print what this command cannot reach, and what to do about it."""
    advice = "delete the reasons there, or the account" if is_person else "`assay push` deletes it there"
    for copy in remains.copies:
        click.echo(f"still holds it: {copy}: delete it once you can do without", err=True)
    for task in remains.tasks:
        click.echo(f"still holds it: task {task.task_id} of {task.server}/projects/{task.project}: {advice}", err=True)
