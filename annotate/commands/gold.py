"""The gold set: items whose reference a person accepts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from annotate.commands.run import Run, common

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
    from annotate.gold import GoldStatus, is_contradicted
    from annotate.report_text import one_line

    with run.store() as store:
        entries = store.gold.entries(GoldStatus(status) if status else None)
        items = store.items.read([entry.item for entry in entries])
        missing = store.items.read(store.gold.without_reference())
        labels = store.labels.by_item()
    if run.as_json:
        rows = [
            {
                **{
                    "gold_id": one.gold_id,
                    "item_id": one.item_id,
                    "status": one.status.value,
                    "source": one.source.value,
                },
                **{"question": items[one.item].question, "reference": one.reference},
                "contradicted": is_contradicted(one, labels.get(one.item)),
            }
            for one in entries
        ]
        run.say("", {"gold": rows, "without_reference": [item.id for item in missing.values()]})
        return
    for one in entries:
        click.echo(f"{one.gold_id}  {one.status:<9}  {one.item_id}  {one_line(items[one.item].question)}")
        doubt = "; its label does not say right any more" if is_contradicted(one, labels.get(one.item)) else ""
        click.echo(f"    {one_line(one.reference)}  ({one.source}{doubt})")
    for item in missing.values():
        click.echo(f"needs a reference: {item.id}  {one_line(item.question)}")
    click.echo(f"{len(entries):,} entries; {len(missing):,} wrong items need a reference (`assay gold add`)")


@gold.command()
@click.argument("item_id")
@click.option("--reference", required=True, help="What the system should have said.")
@common
def add(run: Run, item_id: str, reference: str) -> None:
    """Write the reference of an item; it becomes a candidate."""
    from annotate.gold import GoldSource
    from proxy.errors import UsageError

    with run.store() as store:
        rows = store.items.keys([item_id])
        if not rows:
            raise UsageError(f"there is no item {item_id}")
        with store.atomic(durable=True):
            gold_id = store.gold.write_reference(rows[item_id], reference, GoldSource.COMMAND, who=run.who, now=run.now)
            store.events.append("gold add", {"gold_id": gold_id, "item_id": item_id}, who=run.who, now=run.now)
    run.say(f"{gold_id} is a candidate; next: `assay gold accept {gold_id}`", {"gold_id": gold_id})


def _change(run: Run, ids: tuple[str, ...], every: bool, status: str, why: str | None) -> None:
    """Accept or retire entries, by id or all candidates."""
    from annotate.gold import GoldStatus
    from proxy.errors import UsageError

    if every == bool(ids):
        raise UsageError("name gold ids, or give --all for every candidate")
    with run.store() as store, store.atomic(durable=True):
        chosen = [one.gold_id for one in store.gold.entries(GoldStatus.CANDIDATE)] if every else list(ids)
        changed = store.gold.set_status(chosen, GoldStatus(status), who=run.who, why=why, now=run.now)
        store.events.append(f"gold {status}", {"gold_ids": chosen}, who=run.who, now=run.now)
        counts = store.gold.counts()
    words = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    run.say(
        f"{changed:,} entries {status}; the gold set has {words}",
        {"changed": changed, **{name.value: count for name, count in counts.items()}},
    )


@gold.command()
@click.argument("ids", nargs=-1, metavar="GOLD_ID…")
@click.option("--all", "every", is_flag=True, help="Every candidate.")
@common
def accept(run: Run, ids: tuple[str, ...], every: bool) -> None:
    """Take candidates into the gold set."""
    _change(run, ids, every, "accepted", None)


@gold.command()
@click.argument("ids", nargs=-1, metavar="GOLD_ID…")
@click.option("--all", "every", is_flag=True, help="Every candidate.")
@click.option("--why", help="The reason, kept with the entry.")
@common
def retire(run: Run, ids: tuple[str, ...], every: bool, why: str | None) -> None:
    """Take entries out of the gold set; they and their history are kept."""
    _change(run, ids, every, "retired", why)


@gold.command()
@click.argument("file")
@click.option(
    "--status",
    type=click.Choice(["accepted", "candidate", "retired", "all"]),
    default="accepted",
    show_default=True,
    help="Which entries.",
)
@common
def export(run: Run, file: str, status: str) -> None:
    """Write the gold set with where each entry comes from (.jsonl or .csv; - is standard output)."""
    from annotate.files import write_rows
    from annotate.gold import EXPORT_COLUMNS

    with run.store() as store:
        count = write_rows(file, EXPORT_COLUMNS, _rows(store, status))
        waiting = store.gold.counts()
    line = f"{count:,} entries written to {file}"
    candidates = next(n for name, n in waiting.items() if name == "candidate")
    if candidates and status == "accepted":
        line += f"; {candidates:,} candidates wait (`assay gold list`, `assay gold accept`)"
    run.exported(file, count, line)


def _rows(store: Store, status: str) -> Iterator[dict[str, object]]:
    from annotate.gold import GoldStatus, export_row

    entries = store.gold.entries(None if status == "all" else GoldStatus(status))
    labels = store.labels.by_item()
    for start in range(0, len(entries), 500):
        items = store.items.read([entry.item for entry in entries[start : start + 500]])
        for entry in entries[start : start + 500]:
            yield dict(export_row(entry, items[entry.item], labels.get(entry.item)))
