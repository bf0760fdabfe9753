"""Commands that make, list and compare releases of the gold set."""

from __future__ import annotations

import click

from annotate.cli.context import Run, common


@click.command()
@click.argument("name")
@click.option(
    "--test", type=click.FloatRange(0, 1), default=0.6, show_default=True, help="Share of question clusters for tests."
)
@click.option(
    "--calibration", type=click.FloatRange(0, 1), default=0.3, show_default=True, help="Share to calibrate judges with."
)
@click.option(
    "--examples", type=click.FloatRange(0, 1), default=0.1, show_default=True, help="Share for examples in prompts."
)
@click.option("--with-doubts", is_flag=True, help="Also what is flagged or in conflict.")
@common
def release(run: Run, name: str, test: float, calibration: float, examples: float, with_doubts: bool) -> None:
    """Make a release of what is accepted: named, hashed, never changed. New questions get their roles."""
    made = run.project.gold.release(
        name, test=test, calibration=calibration, examples=examples, with_doubts=with_doubts
    )
    roles = ", ".join(f"{count:,} {role}" for role, count in made.roles.items())
    left = made.flagged + made.conflicting
    out = (
        f"; left out {made.flagged:,} flagged and {made.conflicting:,} in conflict (`assay gold review`)"
        if left
        else ""
    )
    same = f"; it holds what {made.same_as} holds" if made.same_as else ""
    run.say(
        f"{made.release.name}: {made.release.entries:,} entries ({roles}), hash {made.release.hash[:16]}{out}{same}",
        {
            "name": made.release.name,
            "hash": made.release.hash,
            "entries": made.release.entries,
            "roles": made.roles,
            "flagged": made.flagged,
            "conflicting": made.conflicting,
            "same_as": made.same_as,
        },
    )


@click.command()
@common
def releases(run: Run) -> None:
    """Every release with its hash."""
    from annotate.present.messages import one_line

    history = run.project.gold.releases()
    if run.as_json:
        rows = [
            {
                "name": entry.name,
                "at": entry.at,
                "who": entry.who,
                "hash": entry.hash,
                "entries": entry.entries,
            }
            for entry in history
        ]
        run.say("", {"releases": rows})
        return
    for entry in history:
        click.echo(
            f"{entry.at[:10]}  {one_line(entry.name)}  {entry.entries:,} entries  {entry.hash}  by {one_line(entry.who)}"
        )
    click.echo(f"{len(history):,} releases")


@click.command()
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@common
def diff(run: Run, before: str, after: str) -> None:
    """What release B has that release A has not."""
    changes = run.project.gold.diff(before, after)
    if run.as_json:
        run.say("", {name: list(ids) for name, ids in changes._asdict().items()})
        return
    words = {"moved": "another role", "marked": "another mark"}
    for name, ids in changes._asdict().items():
        for gold_id in ids:
            click.echo(f"{words.get(name, name):<12}  {gold_id}")
    counts = ", ".join(f"{len(ids):,} {words.get(name, name)}" for name, ids in changes._asdict().items())
    click.echo(f"from {before} to {after}: {counts}")


COMMANDS = (release, releases, diff)
