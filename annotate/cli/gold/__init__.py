"""The gold set: items whose reference a person accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import click

from annotate.cli.context import Run, common, file_options, refused_data, refused_words, source
from annotate.cli.gold import decide, releases, review

if TYPE_CHECKING:
    from annotate.store import Store


@click.group()
def gold() -> None:
    """The gold set: references that people wrote or confirmed."""


@gold.command("list")
@click.option("--status", type=click.Choice(["candidate", "accepted", "retired"]), help="Only these.")
@common
def list_(run: Run, status: str | None) -> None:
    """The entries, and the wrong items that still need a reference."""
    from annotate.domain.conversation import as_rows, in_one_line
    from annotate.domain.gold import GoldStatus
    from annotate.present.messages import one_line

    with run.reading() as store:
        entries = store.gold.entries(GoldStatus(status) if status else None)
        questions, before = store.gold.questions(), store.gold.conversations()
        missing = store.items.read(store.gold.without_reference())
        lacking = store.gold.count_lacking()
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
        without = [item.id for item in missing.values()]
        run.say("", {"gold": rows, "without_reference": without, "knowledge_base_lacks": lacking})
        return
    for entry in entries:
        question = in_one_line(questions[entry.gold_id], before.get(entry.gold_id, ()))
        mark = "  knowledge base lacks this" if entry.lacks_knowledge else ""
        name = one_line(entry.item_id) if entry.item_id else "—"
        click.echo(f"{entry.gold_id}  {entry.status:<9}  {name}  {one_line(question)}{mark}")
        doubt = f"; {entry.flag}" if entry.flag else ""
        click.echo(f"    {one_line(entry.reference)}  ({entry.source}{doubt})")
    for item in missing.values():
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
    from annotate.domain.gold import GoldSource
    from annotate.workflow.gold import review as workflow_gold_review
    from proxy.errors import UsageError

    with run.store() as store:
        rows = store.items.keys([item_id])
        if not rows:
            raise UsageError(f"there is no item {item_id}")
        actor = workflow_gold_review.Actor(run.who, run.now)
        gold_id = workflow_gold_review.write(
            store, rows[item_id], item_id, reference, GoldSource.COMMAND, actor, lacks_knowledge=True if lacks else None
        )
    run.say(f"{gold_id} is a candidate; next: `assay gold accept {gold_id}`", {"gold_id": gold_id})


@gold.command("import")
@click.argument("file")
@file_options("question, reference, contexts, item_id, annotator")
@common
def import_(run: Run, file: str, file_format: str, pairs: tuple[str, ...]) -> None:
    """Take references in as candidates: of the item that a row names, of one with the same question, or by themselves."""
    from annotate.domain.gold.import_rows import FIELDS
    from annotate.files import digest
    from annotate.workflow.gold.import_references import import_gold

    file_source = source(file, file_format, pairs, FIELDS)
    with run.store(make=True) as store:
        intake, changes = import_gold(store, file_source, who=run.who, now=run.now)
        if changes.added:
            with store.atomic():
                detail = {"digest": digest(file), **changes._asdict()}
                store.events.append("gold import", detail, who=run.who, now=run.now)
    run.say(
        f"{intake.rows:,} rows: {changes.added:,} candidates added, {changes.without_item:,} of them without an item, "
        f"{changes.unchanged:,} unchanged{refused_words(intake)}; next: `assay gold review`",
        {"rows": intake.rows, **changes._asdict(), **refused_data(intake)},
    )
    run.finish(intake)


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
    from annotate.workflow.gold.export_formats import write
    from proxy.errors import UsageError

    if release and status:
        raise UsageError("a release holds what was accepted: leave --status out")
    if role and not release:
        raise UsageError("roles are settled by a release: name one with --release (`assay gold releases`)")
    with run.reading() as store:
        rows = _released(store, release, role) if release else _rows(store, status or "accepted")
        forgotten: list[object] = []

        def entries() -> Iterator[Mapping[str, object]]:
            for row in rows:
                if row["forgotten"]:
                    forgotten.append(row["gold_id"])
                yield row

        count = write(file, target, entries())
        waiting = store.gold.counts()
    line = f"{count:,} entries written to {file}"
    line += f"; {len(forgotten):,} of the release were forgotten since" if forgotten else ""
    candidates = next(n for name, n in waiting.items() if name == "candidate")
    if candidates and not release and status in (None, "accepted"):
        line += f"; {candidates:,} candidates wait (`assay gold list`, `assay gold review`)"
    run.exported(file, count, line)


def _rows(store: Store, status: str) -> Iterator[Mapping[str, object]]:
    from annotate.domain.gold import GoldStatus
    from annotate.workflow.gold.export import rows

    return rows(store, None if status == "all" else GoldStatus(status))


def _released(store: Store, name: str, role: str | None) -> Iterator[Mapping[str, object]]:
    from annotate.domain.gold import GoldRole
    from annotate.workflow.gold.release import rows

    return rows(store, name, GoldRole(role) if role else None)


for _command in (*review.COMMANDS, *decide.COMMANDS, *releases.COMMANDS):
    gold.add_command(_command)
