"""Take files in as a user asks for it: checked beforehand, and each with its event."""

from __future__ import annotations

from collections.abc import Sequence

from annotate.files import digest
from annotate.store import Store
from annotate.store.traffic.items import Added
from annotate.workflow.ingest import ingest
from annotate.workflow.ingest.batches import Intake, Source
from annotate.workflow.ingest.check import check_ids, check_names
from annotate.workflow.ingest.ingest import LABELS_EVENT, Imported


def traffic(
    store: Store, sources: Sequence[Source], *, who: str, now: str, revisions: bool = False, as_named: bool = False
) -> tuple[Intake, Added]:
    """Take traffic in.

    UsageError, and nothing is kept, where a field stands under nearly the right name (`as_named` takes it as it is), or ids
    repeat with other content (`revisions` takes the last).
    """
    if not as_named:
        check_names(sources)
    if not revisions:
        check_ids(store, sources)
    total, added = Intake(), Added()
    for source in sources:
        intake, items = ingest.ingest(store, source, now=now)
        total, added = total.plus(intake), added.plus(items)
    with store.atomic():
        detail = {"files": len(sources), **added._asdict(), "repaired": total.repaired}
        store.events.append("ingest", detail, who=who, now=now)
    return total, added


def scores(store: Store, source: Source, *, who: str, now: str) -> tuple[Intake, int]:
    """Take other tools' scores in; return how many were new."""
    intake, new = ingest.import_scores(store, source, now=now)
    with store.atomic():
        store.events.append("scores import", {"new": new}, who=who, now=now)
    return intake, new


def feedback(store: Store, source: Source, *, who: str, now: str) -> tuple[Intake, int]:
    """Take end users' thumbs in; return how many were new."""
    intake, new = ingest.import_feedback(store, source, now=now)
    with store.atomic():
        store.events.append("feedback", {"new": new}, who=who, now=now)
    return intake, new


def labels(store: Store, source: Source, *, who: str, now: str) -> Imported:
    """Take labels in."""
    imported = ingest.import_labels(store, source, now=now)
    with store.atomic():
        detail = {"digest": digest(source.path), **imported.kept._asdict()}
        store.events.append(LABELS_EVENT, detail, who=who, now=now)
    return imported
