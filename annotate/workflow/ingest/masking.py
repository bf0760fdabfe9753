"""Count what redaction replaces in what comes in, and refuse what a recogniser cannot read.

The store keeps the texts as they came; the counts say what is replaced wherever they leave. A row on which a recogniser fails
is kept in quarantine with what it held: nobody knows what it would let out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import NamedTuple, Protocol, TypeVar

from annotate.domain.feedback import Feedback
from annotate.domain.privacy.recognisers import Unrecognised
from annotate.domain.privacy.redaction import in_force, texts_of
from annotate.files import KEPT_BYTES
from annotate.store.traffic.feedback_quarantine import Quarantined
from proxy.records import Item


class MaskingCounts(NamedTuple):
    """How often each kind of value is replaced, in how many of the answers or feedback that were looked at.

    `ids` of answers hold such a value, and leave as they are.
    """

    by_kind: tuple[tuple[str, int], ...] = ()
    rows: int = 0
    looked_at: int = 0
    ids: int = 0

    @property
    def kinds(self) -> dict[str, int]:
        """The counts by kind."""
        return dict(self.by_kind)

    def plus(self, other: MaskingCounts | None) -> MaskingCounts:
        """Add the counts of another file."""
        if other is None:
            return self
        kinds = Counter(self.kinds) + Counter(other.kinds)
        return MaskingCounts(
            _sorted(kinds), self.rows + other.rows, self.looked_at + other.looked_at, self.ids + other.ids
        )

    def as_detail(self) -> dict[str, object]:
        """Return the counts as an event holds them."""
        return {"replaced": self.kinds, "replaced_in": self.rows}


class ParsedRow(Protocol):
    """A row that was understood (see batches.py)."""

    @property
    def value(self) -> object:
        """What it says."""

    def refused(self, reason: str) -> Quarantined:
        """Return it in quarantine."""


RowT = TypeVar("RowT", bound=ParsedRow)


class MaskingTally:
    """Count what the redaction in force replaces in answers and feedback, as they come in."""

    def __init__(self) -> None:
        self._redaction = in_force()
        self._kinds = Counter[str]()
        self._rows = self._looked_at = self._ids = 0

    @property
    def replaced(self) -> MaskingCounts | None:
        """The counts so far; None where redaction is off."""
        if not self._redaction.is_on:
            return None
        return MaskingCounts(_sorted(self._kinds), self._rows, self._looked_at, self._ids)

    def refused(self, rows: Sequence[RowT]) -> list[tuple[RowT, Quarantined]]:
        """Count these rows, and return those that a recogniser cannot read, with what is kept of them in quarantine."""
        unreadable = list[tuple[RowT, Quarantined]]()
        for row in rows if self._redaction.is_on else ():
            if reason := self.count(row.value):
                unreadable.append((row, row.refused(reason)._replace(raw=_content_of(row.value))))
        return unreadable

    def count(self, value: object) -> str:
        """Count an answer or the feedback of a row; return why a recogniser cannot read it, or ""."""
        texts = list(_texts(value)) if self._redaction.is_on else []
        if not texts:
            return ""
        kinds, kinds_in_id = Counter[str](), Counter[str]()
        try:
            for text in texts:
                self._redaction.count(text, kinds)
            if isinstance(value, Item):
                self._redaction.count(value.id, kinds_in_id)
        except Unrecognised as error:
            return str(error)
        self._kinds += kinds
        self._rows += bool(kinds)
        self._ids += bool(kinds_in_id)
        self._looked_at += 1
        return ""


def _sorted(kinds: Counter[str]) -> tuple[tuple[str, int], ...]:
    """Return the counts, the largest first."""
    return tuple(sorted(kinds.items(), key=lambda kind: (-kind[1], kind[0])))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, Item):
        yield from filter(None, texts_of(value))
    elif isinstance(value, list | tuple):
        yield from _texts_of_feedback(value)


def _texts_of_feedback(feedback: Iterable[object]) -> Iterator[str]:
    for entry in feedback:
        if isinstance(entry, Feedback):
            yield from filter(None, (entry.comment, entry.correction))


def _content_of(value: object) -> bytes:
    """Return what a refused row said, in our names."""
    if isinstance(value, Item):
        content: object = {
            "id": value.id,
            "question": value.question,
            "answer": value.answer,
            "contexts": [context._asdict() for context in value.contexts],
            "history": [asdict(turn) for turn in value.history],
            "reference": value.reference,
            "system": value.system,
            "group": value.group,
            "timestamp": value.timestamp,
            "language": value.language,
            "metadata": value.metadata,
        }
    else:
        feedback = value if isinstance(value, list | tuple) else ()
        content = [
            {
                "item_id": entry.item_id,
                "value": entry.value,
                "comment": entry.comment,
                "correction": entry.correction,
                "source": entry.source,
                "at": entry.at,
            }
            for entry in feedback
            if isinstance(entry, Feedback)
        ]
    return json.dumps(content, default=str).encode()[:KEPT_BYTES]
