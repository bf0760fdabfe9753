"""What the page may show of a reference, and what a text that comes back from a form stands for."""

from __future__ import annotations

from annotate.domain.gold import GoldEntry, GoldSource
from annotate.pages.kit import stand_ins, texts
from annotate.store import Store


def fields(source: GoldSource) -> tuple[str, ...]:
    """What a reference is a value of, where the team hides that: one that an end user wrote is a correction too."""
    return ("reference", "correction") if source is GoldSource.CORRECTION else ("reference",)


def reference(entry: GoldEntry, key: str) -> None:
    """The reference of an entry, literally; `key` is its name on the page."""
    texts.show(entry.reference, key, *fields(entry.source))


def meant(store: Store, entry: GoldEntry, text: str) -> str:
    """What a form of this entry says: where it is what was shown of a text, that text itself.

    UsageError where it holds a stand-in for something else.
    """
    label = store.labels.of_item(entry.item) if entry.item is not None else None
    known = [(entry.reference, fields(entry.source))]
    if label is not None and label.reference:
        known.append((label.reference, ("reference",)))
    return stand_ins.behind(text, known) or stand_ins.checked(text, [entry.reference])
