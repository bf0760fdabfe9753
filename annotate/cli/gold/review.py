"""Commands that review candidates with their doubts, list near-duplicates and conflicts, and show the history of an entry.

On a terminal one key decides each candidate.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from annotate.cli.context import CommandRun, answering

if TYPE_CHECKING:
    from annotate.domain.gold import GoldEntry
    from annotate.project.gold import ProjectGold

KEYS = "a accept   e edit   r retire   k keep a flagged one   l later   q stop"


@click.command()
@answering
def review(run: CommandRun) -> None:
    """List flagged entries and candidates with their doubts. On a terminal, one key decides each."""
    from annotate.present import terminal
    from annotate.present.gold import lists as gold_lists

    answer = run.project.gold.review()
    if run.as_json or not is_terminal():
        run.answer(answer)
        return
    waiting, decided = answer.result, 0
    for number, candidate in enumerate(waiting, start=1):
        click.echo("\n" + terminal.render(gold_lists.candidate(candidate, number, len(waiting)), full=True), nl=False)
        key = _key()
        if key == "q":
            break
        decided += _decide(run.project.gold, candidate.entry, key)
    click.echo(terminal.render(gold_lists.reviewed(decided, len(waiting) - decided)), nl=False)


def is_terminal() -> bool:
    """Whether somebody sits there who can press a key."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _key() -> str:
    """Read one of the keys."""
    click.echo(f"  {KEYS}")
    while True:
        key = click.getchar().lower()
        if key in "aerklq" and key:
            return key


def _decide(gold: ProjectGold, entry: GoldEntry, key: str) -> bool:
    """Do what a key stands for; whether it was done. What is refused is said, and the review goes on."""
    from annotate.present.commands import typed_within
    from proxy.errors import UsageError

    try:
        if key == "k" or (key == "a" and entry.flag):
            return gold.keep(entry.gold_id, expected=entry.revision).result.changed
        if key == "a":
            return bool(gold.accept([entry.gold_id], expected=entry.revision).result.changed)
        if key == "r":
            return bool(gold.retire([entry.gold_id], expected=entry.revision).result.changed)
        if key == "e" and (text := _edited(entry.reference)):
            return gold.edit(entry.gold_id, text, expected=entry.revision).result.changed
    except UsageError as error:
        click.echo(f"  not done: {typed_within(str(error))}")
    return False


def _edited(reference: str) -> str | None:
    """Return the reference as the person wants it, from their editor; without one, from one line."""
    # Without a choice, Debian's editor first asks which one to take, and swallows the keys meant for the review.
    if os.environ.get("VISUAL") or os.environ.get("EDITOR"):
        return click.edit(reference, require_save=True)
    text: str = click.prompt("  new answer, in one line (Enter keeps it)", default=reference, show_default=False)
    return text


@click.command()
@answering
def duplicates(run: CommandRun) -> None:
    """List entries that ask nearly the same, conflicts first. Nothing is merged by itself."""
    run.answer(run.project.gold.duplicates())


@click.command()
@click.argument("gold_id")
@answering
def history(run: CommandRun, gold_id: str) -> None:
    """Each step of an entry, oldest first: who did what, and why."""
    run.answer(run.project.gold.history(gold_id))


COMMANDS = (review, duplicates, history)
