"""Say what looking after the store came to: its health, its events, a backup, and what was forgotten."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from annotate.domain.message import Code, Listing, Message, Name, Quote, Value, message
from annotate.present import labelling
from annotate.present.actions import command_document
from annotate.present.document import Column, Document, Table

if TYPE_CHECKING:
    from pathlib import Path

    from annotate.analysis.labelling.masking_preview import MaskingPreview
    from annotate.domain.privacy.redaction import Redaction
    from annotate.store.audit.backups import Backup
    from annotate.store.audit.events import Event
    from annotate.store.audit.forgetting import Remains
    from annotate.store.engine.chain import Head
    from annotate.store.health import Health
    from annotate.store.lake.attached import MadeStore
    from annotate.store.scores.calls import KeysRemoved
    from annotate.workflow.forgetting import ForgottenAnnotator, ForgottenItems
    from annotate.workflow.labelling.server_moves import JoinedServers

# 64 bits of the hash: nobody meets them twice by chance, and a person can compare them.
HASH_SHOWN = 16


def doctor(result: Health, file: Path) -> Document:
    """Say what is wrong with the store in this file."""
    problems, head = result.problems, result.head
    blocks = list[Message]()
    if head and head.number:
        blocks.append(message("maintenance.head_of", count=head.number, hash=Code(head.hash[:HASH_SHOWN])))
    if result.covered_since:
        blocks.append(message("maintenance.covered", since=Name(result.covered_since)))
    for other in result.spellings:
        names = {"name": Name(other.name), "spelling": Name(other.spelling)}
        blocks.append(message("maintenance.spellings", count=other.answers, **names))
    key = "maintenance.problems" if problems else "maintenance.sound"
    return command_document(
        message(key, count=len(problems), file=Code(str(file))), *blocks, notes=map(Quote, problems)
    )


def masking(result: Redaction) -> Document:
    """Say whether what leaves the store is masked from now on."""
    key = "maintenance.masked" if result.is_on else "maintenance.not_masked"
    return command_document(message(key, count=len(result.patterns)))


def preview(result: MaskingPreview) -> Document:
    """Show what redaction would mask in what is about to leave."""
    key = "maintenance.preview" if result.is_on else "maintenance.preview_off"
    answer = message(key, count=result.looked_at, items=result.items, rows=result.rows)
    kinds = (Column(message("maintenance.kind")), Column(message("maintenance.times"), is_number=True))
    texts = (Column(message("maintenance.kind")), Column(message("maintenance.masked_text")))
    tables = [
        Table(kinds, tuple((Name(kind), count) for kind, count in result.by_kind), name="kinds"),
        Table(texts, tuple((Name(example.kind), Quote(example.text)) for example in result.examples), name="examples"),
    ]
    notes = [message("maintenance.preview_unread", count=result.unread)] if result.unread else []
    names = message("maintenance.preview_limits")
    shares = labelling.division(result.division) if result.division else ()
    return command_document(answer, *shares, *(table for table in tables if table.rows), names, notes=notes)


def joined(result: JoinedServers) -> Document:
    """Say which servers were kept twice, and what became of the annotations of each project."""
    servers = [(Code(pair.other.shown), Code(pair.kept.shown), pair.projects) for pair in result.joined]
    blocks = [
        message(
            "maintenance.joined_project",
            other=other,
            kept=kept,
            project=Name(str(project.number)),
            twice=project.twice,
            gone=project.gone,
            count=project.standing,
        )
        for other, kept, projects in servers
        for project in projects
    ]
    return command_document(message("maintenance.joined", count=len(result.joined)), *blocks)


def made(result: MadeStore, file: Path) -> Document:
    """Say where the traffic of a new store is to lie."""
    where = {"file": Code(str(file))}
    if result.lake is None:
        return command_document(message("maintenance.made", **where))
    return command_document(message("maintenance.made_in_lake", lake=Code(result.lake), **where))


def keys(result: KeysRemoved) -> Document:
    """Say how many addresses held what may be a key."""
    return command_document(message("maintenance.keys_removed", count=result.addresses))


def events(result: Sequence[Event]) -> Document:
    """List what was done, when and by whom, the newest first."""
    columns = (
        Column(message("maintenance.number"), is_number=True),
        *(Column(message(f"maintenance.{name}")) for name in ("at", "who", "what")),
        Column(message("maintenance.detail"), is_wide=True),
    )
    rows = tuple(
        (event.number, Name(event.at), _who(event), Quote(event.what), Quote(event.detail))
        for event in reversed(result)
    )
    return command_document(message("maintenance.events", count=len(result)), Table(columns, rows, name="events"))


def _who(event: Event) -> Value:
    """Return who acted: a name that somebody typed, or one that a provider vouched for."""
    return message("maintenance.signed_in", who=Quote(event.who)) if event.is_signed_in else Quote(event.who)


def head(result: Head) -> Document:
    """Say the digest of all events, and nothing else."""
    return command_document(message("maintenance.head", hash=Code(result.hash)))


def backup(result: Backup) -> Document:
    """Say where the copy is, and whether it was read back sound."""
    values: dict[str, Value] = {"file": Code(str(result.file)), "bytes": result.size, "events": result.head.number}
    removed = [message("maintenance.removed", files=Listing(tuple(map(Code, result.removed))))]
    fault = result.fault
    notes = [message("maintenance.own_fault", number=fault.number, words=Quote(fault.words))] if fault else []
    answer = message("maintenance.copied" if fault else "maintenance.verified", **values)
    return command_document(answer, *(removed if result.removed else ()), notes=notes)


def items(result: ForgottenItems) -> Document:
    """Say what was blanked of items, or would be, and what still holds it."""
    key = "maintenance.would_forget_items" if result.is_dry_run else "maintenance.forgot_items"
    counts = message("maintenance.blanked", **result.blanked._asdict())
    return command_document(message(key, count=result.blanked.items), counts, notes=_left(result, "maintenance.task"))


def annotator(result: ForgottenAnnotator, *, references: bool) -> Document:
    """Say what was renamed and blanked of a person, or would be, and what still holds it."""
    renamed = result.renamed
    pseudonym = Name(renamed.pseudonym)
    answer = message("maintenance.would_rename" if result.is_dry_run else "maintenance.renamed", pseudonym=pseudonym)
    counts = {"count": renamed.annotations, "rationales": renamed.rationales, "quarantined": renamed.quarantined}
    kept = (
        message("maintenance.references_blanked", count=renamed.references_blanked)
        if references
        else message("maintenance.references_stay", count=renamed.references)
    )
    return command_document(
        answer, message("maintenance.of_person", **counts), kept, notes=_left(result, "maintenance.task_of_person")
    )


def _left(result: ForgottenItems | ForgottenAnnotator, task: str) -> Iterator[Message]:
    """Say what the command cannot reach, and what to do about it."""
    remains: Remains = result.remains
    for copy in remains.copies:
        yield message("maintenance.copy", file=Code(str(copy)))
    for remaining in remains.tasks:
        yield message(
            task, id=Name(str(remaining.task_id)), project=Code(f"{remaining.server}/projects/{remaining.project}")
        )
    if result.fault:
        yield message("maintenance.not_rewritten", fault=Quote(result.fault))
