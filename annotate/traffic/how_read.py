"""Tell how rows were read: which field came from where, what was not used, and a few answers as they were read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from annotate.domain.passages import PASSAGE_IDS, TRAFFIC_FIELDS
from annotate.traffic.named import METRICS
from annotate.traffic.source_format import Origin, TrafficRow
from proxy.records import Item

EXAMPLES = 3
MOST_UNUSED = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldRead:
    """A field of ours, the place where most rows have it, and how many of them do."""

    name: str
    origin: Origin
    rows: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Untold:
    """A field that cannot be told from an object with several keys, the path of that object, its keys, and in how many roots."""

    field: str
    path: str
    keys: str
    spans: int


@dataclass(frozen=True, kw_only=True, slots=True)
class HowRead:
    """How a file was read: its format, how many of the first rows have its shape, and what became of their columns.

    `scores` are columns that look like another tool's scores; they are kept as metadata, like all that is `unused`. Some answers
    came `without_contexts`, and of passages of some others no text came (`by_id_alone`). Where no row can be read, `proposed` are
    options that would read the first.
    """

    file: str
    format: str
    title: str
    recognised: int
    looked_at: int
    answers: int = 0
    fields: tuple[FieldRead, ...] = ()
    unused: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    examples: tuple[Item, ...] = ()
    untold: tuple[Untold, ...] = ()
    without_contexts: int = 0
    by_id_alone: int = 0
    proposed: tuple[str, ...] = ()


class ReadingTally:
    """Count where fields were read."""

    def __init__(self) -> None:
        self._origins: dict[str, Counter[Origin]] = {name: Counter() for name in TRAFFIC_FIELDS}
        self._unused: Counter[str] = Counter()
        self._examples: list[Item] = []
        self.answers = self._without_contexts = self._by_id_alone = 0

    def add(self, rows: Iterable[tuple[TrafficRow, Item]]) -> None:
        """Add answers with the rows they were read from."""
        for row, item in rows:
            self.answers += 1
            self._without_contexts += not item.contexts
            self._by_id_alone += PASSAGE_IDS in row.fields
            for name, origin in row.origins.items():
                self._origins[name][origin] += 1
            self._unused.update(row.unused)
            if len(self._examples) < EXAMPLES:
                self._examples.append(item)

    def told(self, how: HowRead) -> HowRead:
        """Return the record with what was counted."""
        fields = tuple(
            FieldRead(name=name, origin=counts.most_common(1)[0][0], rows=sum(counts.values()))
            for name, counts in self._origins.items()
            if counts
        )
        unused = tuple(name for name, _ in self._unused.most_common())
        return replace(
            how,
            answers=self.answers,
            without_contexts=self._without_contexts,
            by_id_alone=self._by_id_alone,
            fields=fields,
            unused=unused[:MOST_UNUSED],
            scores=tuple(name for name in unused if name in METRICS),
            examples=tuple(self._examples),
        )
