"""What the page may show of a reference, and what a text that comes back from a form stands for.

The rule: a form never puts a stand-in of redaction, such as `[e-mail]`, in the place of the text that it hides.
"""

from __future__ import annotations

from collections.abc import Sequence

from annotate.domain.gold import GoldEntry, GoldSource
from annotate.domain.privacy import kinds
from annotate.domain.privacy.pseudonyms import PSEUDONYM
from annotate.pages.kit import privacy, texts
from annotate.store import Store
from proxy.errors import UsageError

STAND_INS = tuple(map(kinds.plain, kinds.KINDS))


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
    return behind(text, known) or checked(text, [entry.reference])


def behind(text: str, known: Sequence[tuple[str, tuple[str, ...]]]) -> str | None:
    """The text, of those that are known with what each is a value of, that is shown as this; None where it is another."""
    return next((raw for raw, of in known if text.strip() == texts.others(raw, *of).strip()), None)


def checked(text: str, known: Sequence[str]) -> str:
    """The text as it is; UsageError where it holds a stand-in that stands in none of the known ones."""
    if privacy.is_on():
        for stand_in in (*STAND_INS, *(match[0] for match in PSEUDONYM.finditer(text))):
            if stand_in in text and not any(stand_in in raw for raw in known):
                raise UsageError(
                    f"{stand_in} stands for something that is hidden here: write what it should say, or leave it out"
                )
    return text
