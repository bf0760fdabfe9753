"""Commands that review candidates with their doubts, list near-duplicates and conflicts, and show the history of an entry.

On a terminal one key decides each candidate.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from annotate.cli.context import Run, common

if TYPE_CHECKING:
    from annotate.analysis.gold.review import Waiting
    from annotate.domain.gold import GoldEntry
    from annotate.project.gold import Gold

KEYS = "a accept   e edit   r retire   k keep a flagged one   l later   q stop"


@click.command()
@common
def review(run: Run) -> None:
    """Flagged entries and candidates with their doubts; on a terminal, one key decides each."""
    from annotate.domain.conversation import in_one_line
    from annotate.present.messages import one_line

    asks = is_terminal() and not run.as_json
    waiting = run.project.gold.review()
    if not asks:
        _list(run, waiting)
        return
    decided = 0
    for number, candidate in enumerate(waiting, start=1):
        click.echo(f"\n{number:,} of {len(waiting):,}  {candidate.entry.gold_id}  {candidate.entry.source}")
        click.echo(f"  asked   {one_line(in_one_line(candidate.question, candidate.history))}")
        click.echo(f"  answer  {one_line(candidate.entry.reference)}")
        for doubt in candidate.doubts:
            click.echo(f"  note    {one_line(doubt)}")
        key = _key()
        if key == "q":
            break
        decided += _decide(run.project.gold, candidate.entry, key)
    click.echo(f"{decided:,} decided; {len(waiting) - decided:,} wait")


def is_terminal() -> bool:
    """Whether somebody sits there who can press a key."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _list(run: Run, waiting: list[Waiting]) -> None:
    from annotate.domain.conversation import as_rows, in_one_line
    from annotate.present.messages import one_line

    if run.as_json:
        rows = [
            {
                "gold_id": queued.entry.gold_id,
                "status": queued.entry.status.value,
                "question": queued.question,
                "history": as_rows(queued.history),
                "reference": queued.entry.reference,
                "source": queued.entry.source.value,
                "doubts": queued.doubts,
                "revision": queued.entry.revision,
            }
            for queued in waiting
        ]
        run.say("", {"waiting": rows})
        return
    for candidate in waiting:
        click.echo(
            f"{candidate.entry.gold_id}  {candidate.entry.status:<9}  "
            f"{one_line(in_one_line(candidate.question, candidate.history))}"
        )
        click.echo(f"    {one_line(candidate.entry.reference)}  ({candidate.entry.source})")
        for doubt in candidate.doubts:
            click.echo(f"    note: {one_line(doubt)}")
    click.echo(f"{len(waiting):,} wait: `assay gold accept`, `edit`, `keep` or `retire` decides")


def _key() -> str:
    """Read one of the keys."""
    click.echo(f"  {KEYS}")
    while True:
        key = click.getchar().lower()
        if key in "aerklq" and key:
            return key


def _decide(gold: Gold, entry: GoldEntry, key: str) -> bool:
    """Do what a key stands for; whether it was done. What is refused is said, and the review goes on."""
    from proxy.errors import UsageError

    try:
        if key == "k" or (key == "a" and entry.flag):
            return gold.keep(entry.gold_id, expected=entry.revision)
        if key == "a":
            return bool(gold.accept([entry.gold_id], expected=entry.revision).changed)
        if key == "r":
            return bool(gold.retire([entry.gold_id], expected=entry.revision))
        if key == "e" and (text := _edited(entry.reference)):
            return gold.edit(entry.gold_id, text, expected=entry.revision)
    except UsageError as error:
        click.echo(f"  not done: {error}")
    return False


def _edited(reference: str) -> str | None:
    """Return the reference as the person wants it, from their editor; without one, from one line."""
    # Without a choice, Debian's editor first asks which one to take, and swallows the keys meant for the review.
    if os.environ.get("VISUAL") or os.environ.get("EDITOR"):
        return click.edit(reference, require_save=True)
    text: str = click.prompt("  new answer, in one line (Enter keeps it)", default=reference, show_default=False)
    return text


@click.command()
@common
def duplicates(run: Run) -> None:
    """Entries that ask nearly the same, conflicts first; nothing is merged by itself."""
    from annotate.domain.conversation import in_one_line
    from annotate.present.messages import one_line

    near = run.project.gold.duplicates()
    pairs, entries, questions, before = near.pairs, near.entries, near.questions, near.histories
    conflicts = near.conflicts
    if run.as_json:
        rows = [{"one": pair.one, "other": pair.other, "conflict": pair.is_conflict} for pair in pairs]
        run.say("", {"pairs": rows, "conflicts": conflicts})
        return
    for pair in pairs:
        click.echo("conflict" if pair.is_conflict else "nearly the same")
        for name in (pair.one, pair.other):
            question = in_one_line(questions[name], before.get(name, ()))
            click.echo(f"    {name}  {entries[name].status:<9}  {one_line(question)}")
            click.echo(f"        {one_line(entries[name].reference)}")
    click.echo(f"{len(pairs):,} pairs ask nearly the same, {conflicts:,} of them in conflict")


@click.command()
@click.argument("gold_id")
@common
def history(run: Run, gold_id: str) -> None:
    """Each step of an entry, oldest first: who did what, and why."""
    from annotate.present.messages import one_line

    revisions = run.project.gold.history(gold_id)
    if run.as_json:
        run.say("", {"gold_id": gold_id, "revisions": [revision._asdict() for revision in revisions]})
        return
    for revision in revisions:
        why = f": {one_line(revision.why)}" if revision.why else ""
        click.echo(f"{revision.at}  {revision.status:<9}  {one_line(revision.who) or '—'}{why}")
        click.echo(f"    {one_line(revision.reference)}")
    click.echo(f"{len(revisions):,} revisions of {gold_id}")


COMMANDS = (review, duplicates, history)
