"""Commands that record what experts decide about gold entries, by id: accept, retire, edit, keep, mark, and the team's policy."""

from __future__ import annotations

import click

from annotate.cli.context import CommandRun, common


@click.command()
@click.argument("ids", nargs=-1, metavar="GOLD_ID…")
@click.option("--all", "every", is_flag=True, help="Every candidate that may be accepted unseen.")
@click.option("--refusal", is_flag=True, help="Take references that refuse to answer, too; only by id.")
@common
def accept(run: CommandRun, ids: tuple[str, ...], every: bool, refusal: bool) -> None:
    """Take candidates into the gold set.

    --all leaves what needs a look of its own: corrections by end users, refusals, and references that contradict another one or
    a label.
    """
    from proxy.errors import UsageError

    if every and refusal:
        raise UsageError("--refusal is for entries named by id: read each before you take it")
    _one_way(ids, every)
    gold = run.project.gold
    run.done(gold.accept_all() if every else gold.accept(ids, takes_refusals=refusal))


@click.command()
@click.argument("ids", nargs=-1, metavar="GOLD_ID…")
@click.option("--all", "every", is_flag=True, help="Every candidate.")
@click.option("--why", help="The reason, kept with the entry.")
@common
def retire(run: CommandRun, ids: tuple[str, ...], every: bool, why: str | None) -> None:
    """Take entries out of the gold set. They and their history are kept."""
    _one_way(ids, every)
    gold = run.project.gold
    run.done(gold.retire_all(why=why) if every else gold.retire(ids, why=why))


def _one_way(ids: tuple[str, ...], every: bool) -> None:
    from proxy.errors import UsageError

    if every == bool(ids):
        raise UsageError("name gold ids, or give --all for every candidate")


@click.command()
@click.argument("gold_id")
@click.option("--reference", required=True, help="What the system should have said.")
@click.option("--why", help="The reason, kept with the entry.")
@click.option(
    "--expected",
    type=click.IntRange(min=1),
    metavar="REVISION",
    help="Write only if this is still its revision (`assay gold list --json`).",
)
@common
def edit(run: CommandRun, gold_id: str, reference: str, why: str | None, expected: int | None) -> None:
    """Replace the reference of an entry. It stays accepted, unless the team asks for a second person."""
    run.done(run.project.gold.edit(gold_id, reference, why=why, expected=expected))


@click.command()
@click.argument("gold_id")
@click.option("--why", required=True, help="Why it stays as it is, kept with the entry.")
@common
def keep(run: CommandRun, gold_id: str, why: str) -> None:
    """Take the flag off an entry whose label has changed. The entry stays as it is."""
    run.done(run.project.gold.keep(gold_id, why=why))


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="GOLD_ID…")
@click.option(
    "--knowledge-base-lacks/--no-knowledge-base-lacks",
    "lacks",
    required=True,
    default=None,
    help="Whether the knowledge base lacks what the question asks for.",
)
@common
def mark(run: CommandRun, ids: tuple[str, ...], lacks: bool) -> None:
    """Mark what the knowledge base has no answer for."""
    run.done(run.project.gold.mark(ids, lacks_knowledge=lacks))


@click.command()
@click.option(
    "--second-person/--no-second-person", default=None, help="Nobody accepts a reference that they wrote themselves."
)
@click.option(
    "--traffic-references/--no-traffic-references",
    default=None,
    help="References that came with the traffic become candidates.",
)
@common
def policy(run: CommandRun, second_person: bool | None, traffic_references: bool | None) -> None:
    """Set what the team asks for. Without an option, say what it asks for now."""
    run.done(run.project.gold.policy(second_person=second_person, traffic_references=traffic_references))


COMMANDS = (accept, retire, edit, keep, mark, policy)
