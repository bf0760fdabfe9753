"""The gold set: items whose reference a person accepts."""

from __future__ import annotations

import click

from annotate.cli.context import Run, common, file_options, refused_data, refused_words
from annotate.cli.gold import decide, releases, review


@click.group()
def gold() -> None:
    """The gold set: references that people wrote or confirmed."""


@gold.command("list")
@click.option("--status", type=click.Choice(["candidate", "accepted", "retired"]), help="Only these.")
@common
def list_(run: Run, status: str | None) -> None:
    """The entries, and the wrong items that still need a reference."""
    from annotate.domain.conversation import as_rows, in_one_line
    from annotate.present.messages import one_line

    listing = run.project.gold.entries(status)
    entries, questions, before = listing.entries, listing.questions, listing.histories
    missing, lacking = listing.missing, listing.lacking
    if run.as_json:
        rows = [
            {
                "gold_id": entry.gold_id,
                "item_id": entry.item_id,
                "status": entry.status.value,
                "source": entry.source.value,
                "annotator": entry.annotator,
                "question": questions[entry.gold_id],
                "history": as_rows(before.get(entry.gold_id, ())),
                "reference": entry.reference,
                "flag": entry.flag,
                "lacks_knowledge": entry.lacks_knowledge,
                "role": entry.role and entry.role.value,
                "revision": entry.revision,
            }
            for entry in entries
        ]
        without = [item.id for item in missing]
        run.say("", {"gold": rows, "without_reference": without, "knowledge_base_lacks": lacking})
        return
    for entry in entries:
        question = in_one_line(questions[entry.gold_id], before.get(entry.gold_id, ()))
        mark = "  knowledge base lacks this" if entry.lacks_knowledge else ""
        name = one_line(entry.item_id) if entry.item_id else "—"
        click.echo(f"{entry.gold_id}  {entry.status:<9}  {name}  {one_line(question)}{mark}")
        doubt = f"; {entry.flag}" if entry.flag else ""
        click.echo(f"    {one_line(entry.reference)}  ({entry.source}{doubt})")
    for item in missing:
        click.echo(f"needs a reference: {one_line(item.id)}  {one_line(in_one_line(item.question, item.history))}")
    lacks = f"; {lacking:,} that the knowledge base lacks" if lacking else ""
    click.echo(f"{len(entries):,} entries{lacks}; {len(missing):,} wrong items need a reference (`assay gold add`)")


@gold.command()
@click.argument("item_id")
@click.option("--reference", required=True, help="What the system should have said.")
@click.option("--knowledge-base-lacks", "lacks", is_flag=True, help="Mark it: the knowledge base lacks this.")
@common
def add(run: Run, item_id: str, reference: str, lacks: bool) -> None:
    """Write the reference of an item; it becomes a candidate."""
    gold_id = run.project.gold.add(item_id, reference, lacks_knowledge=True if lacks else None)
    run.say(f"{gold_id} is a candidate; next: `assay gold accept {gold_id}`", {"gold_id": gold_id})


@gold.command("import")
@click.argument("file")
@file_options("question, reference, contexts, item_id, annotator")
@common
def import_(run: Run, file: str, file_format: str, pairs: tuple[str, ...]) -> None:
    """Take references in as candidates: of the item that a row names, of one with the same question, or by themselves."""
    from annotate.domain.field_mapping import parse_mapping
    from annotate.domain.gold.import_rows import FIELDS

    imported = run.project.gold.import_references(file, fields=parse_mapping(pairs, FIELDS), file_format=file_format)
    intake, kept = imported.intake, imported.kept
    run.end(
        run.imported(
            intake,
            f"{intake.rows:,} rows: {kept.added:,} candidates added, {kept.without_item:,} of them without an item, "
            f"{kept.unchanged:,} unchanged{refused_words(intake)}; next: `assay gold review`",
            {"rows": intake.rows, **kept._asdict(), **refused_data(intake)},
        )
    )


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
    type=click.Choice(["jsonl", "ragas", "deepeval", "langfuse", "promptfoo", "openai", "hf"]),
    default="jsonl",
    show_default=True,
    help="For which tool. hf writes a folder, deepeval .json, promptfoo .yaml, jsonl also .csv.",
)
@common
def export(run: Run, file: str, status: str | None, release: str | None, role: str | None, target: str) -> None:
    """Write the gold set with where each entry comes from (.jsonl or .csv; - is standard output)."""
    done = run.project.gold.export(file, status=status, release=release, role=role, target=target)
    line = f"{done.rows:,} entries written to {file}"
    line += f"; {done.forgotten:,} of the release were forgotten since" if done.forgotten else ""
    if done.candidates and not release and status in (None, "accepted"):
        line += f"; {done.candidates:,} candidates wait (`assay gold list`, `assay gold review`)"
    run.exported(file, done.rows, line)


for _command in (*review.COMMANDS, *decide.COMMANDS, *releases.COMMANDS):
    gold.add_command(_command)
