"""The gold set: items whose reference a person accepts."""

from __future__ import annotations

import click

from annotate.cli.context import CommandRun, answering, common, file_options
from annotate.cli.gold import decide, releases, review
from annotate.cli.groups import CommandGroup


@click.group(cls=CommandGroup)
def gold() -> None:
    """The gold set: references that annotators wrote or confirmed."""


@gold.command("list")
@click.option("--status", type=click.Choice(["candidate", "accepted", "retired"]), help="Only these.")
@answering
def list_(run: CommandRun, status: str | None) -> None:
    """The entries, and the questions that need a reference."""
    run.answer(run.project.gold.entries(status))


@gold.command()
@click.argument("item_id")
@click.option("--reference", required=True, help="What the system should have said.")
@click.option(
    "--corrects", multiple=True, metavar="ITEM_ID", help="Another wrong answer to the same question that it corrects."
)
@click.option("--second", is_flag=True, help="Write it beside a reference that the question has already.")
@click.option("--knowledge-base-lacks", "lacks", is_flag=True, help="Mark it: the knowledge base lacks this.")
@common
def add(run: CommandRun, item_id: str, reference: str, corrects: tuple[str, ...], second: bool, lacks: bool) -> None:
    """Write the reference of a question; it becomes a candidate.

    ITEM_ID is a wrong answer to it. The text of a reference that the question has already corrects this answer, too, and is
    not written twice.
    """
    gold = run.project.gold
    run.done(gold.add(item_id, reference, corrects=corrects, second=second, lacks_knowledge=True if lacks else None))


@gold.command("import")
@click.argument("file")
@file_options("question, reference, contexts, item_id, annotator")
@common
def import_(run: CommandRun, file: str, file_format: str, encoding: str, pairs: tuple[str, ...]) -> None:
    """Take references in as candidates. A row names its item, or has the question of one, or stands by itself."""
    from annotate.domain.field_mapping import parse_mapping
    from annotate.domain.gold.import_rows import FIELDS

    fields = parse_mapping(pairs, FIELDS)
    run.done(run.project.gold.import_references(file, fields=fields, file_format=file_format, encoding=encoding))


@gold.command()
@click.argument("file")
@click.option(
    "--status",
    type=click.Choice(["accepted", "candidate", "retired", "all"]),
    help="Entries as they stand, of this status; accepted if left out.",
)
@click.option("--release", help="The entries of this release, as they were released.")
@click.option("--role", type=click.Choice(["test", "calibration", "examples"]), help="Only entries of this role.")
@click.option(
    "--to",
    "target",
    type=click.Choice(["jsonl", "ragas", "deepeval", "langfuse", "langsmith", "phoenix", "promptfoo", "openai", "hf"]),
    default="jsonl",
    show_default=True,
    help="For which tool. hf writes a folder, deepeval .json, promptfoo .yaml, jsonl also .csv.",
)
@common
def export(run: CommandRun, file: str, status: str | None, release: str | None, role: str | None, target: str) -> None:
    """Write the gold set with where each entry comes from. FILE ends in .jsonl or .csv; - is standard output."""
    run.wrote(run.project.gold.export(file, status=status, release=release, role=role, target=target))


for _command in (*review.COMMANDS, *decide.COMMANDS, *releases.COMMANDS):
    gold.add_command(_command)
