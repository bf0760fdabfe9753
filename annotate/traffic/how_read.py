"""Tell how rows were read: which field came from where, what was not used, and a few answers as they were read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from annotate.domain.absent import NO_NAMES
from annotate.domain.passages import TRAFFIC_FIELDS
from annotate.traffic.joined_passages import likely_separator
from annotate.traffic.metrics import metric_name
from annotate.traffic.score_objects import is_score_object, scores_within
from annotate.traffic.source_format import Origin, TrafficRow
from proxy.judges.retrieval_fields import PASSAGE_IDS
from proxy.records import Item

EXAMPLES = 3
MOST_TEXTS = 100
CONVERSATIONS = re.compile(r"(conversation|session|thread|chat|dialog|dialogue|conv|trace)(id|key|uuid|no|number)?")


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

    `mapped` are the paths that the user gave for fields, `given` their other options for reading it. `scores` are
    columns that look like another tool's scores; they are kept as metadata, like all that is `unused`; what is `too_long` is not
    kept. Some answers came `without_contexts`, some `without_time` (one that cannot be read is none of these), some
    `without_words`, some read `None` or `null` alone (`as_none`), and of passages of some others no text came (`by_id_alone`).
    `passages` are the fewest and the most of an answer that has any; where each has one, of a text, `separator` is what may
    stand between several in it. Where no answer has an id, `id_column` is called like one and has another value in each row;
    where none has a group, `group_column` is called like a conversation, and where none
    has a history, `history_column` holds turns; `time_path` and `contexts_path` are where times and
    passages may lie within rows that have none. `thumbs` are the options with which `assay feedback` takes users' feedback from
    the same rows, which lie at `path` (`-`: in what was piped in), a file of `folder` where that was given.
    Where no row can be read, `proposed` are options that would read the first. `parents_untold` says that no span tells what is
    above it.
    """

    file: str
    format: str
    title: str
    recognised: int
    looked_at: int
    has_spans: bool = False
    mapped: Mapping[str, str] = field(default_factory=dict)
    given: tuple[str, ...] = ()
    answers: int = 0
    fields: tuple[FieldRead, ...] = ()
    unused: tuple[str, ...] = ()
    too_long: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    examples: tuple[Item, ...] = ()
    untold: tuple[Untold, ...] = ()
    without_contexts: int = 0
    without_time: int = 0
    without_words: int = 0
    as_none: int = 0
    by_id_alone: int = 0
    passages: tuple[int, int] | None = None
    separator: str | None = None
    group_column: str | None = None
    history_column: str | None = None
    id_column: str | None = None
    time_path: str | None = None
    contexts_path: str | None = None
    path: str = "-"
    folder: str | None = None
    thumbs: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()
    parents_untold: bool = False

    @property
    def has_ids(self) -> bool:
        """Whether answers have ids of their own."""
        return self.has_spans or any(read.name == "id" for read in self.fields)


def names_conversations(column: str) -> bool:
    """Return whether a column is called like a conversation; `inputs.conversation_id` is what its last name is."""
    return CONVERSATIONS.fullmatch(re.sub(r"[\W_]+", "", column.rpartition(".")[2].casefold())) is not None


class ReadingTally:
    """Count where fields were read."""

    def __init__(self) -> None:
        self._origins: dict[str, Counter[Origin]] = {name: Counter() for name in TRAFFIC_FIELDS}
        self._unused: Counter[str] = Counter()
        self._too_long: Counter[str] = Counter()
        self._scores: dict[str, None] = {}
        self._examples: list[Item] = []
        self.answers = self._without_contexts = self._without_time = self._without_words = 0
        self._passage_counts = set[int]()
        self._texts: list[str] = []
        self._by_id_alone = self._with_group = self._as_none = 0

    def add(self, rows: Iterable[tuple[TrafficRow, Item]]) -> None:
        """Add answers with the rows they were read from."""
        for row, item in rows:
            self._count(item)
            for name, origin in row.origins.items():
                self._origins[name][origin] += 1
            self._add_unused({name: row.fields[name] for name in row.unused})
            self._too_long.update(row.too_long)
            if isinstance(row.fields.get("contexts"), str) and len(self._texts) < MOST_TEXTS:
                self._texts.extend(context.text for context in item.contexts)
            if len(self._examples) < EXAMPLES:
                self._examples.append(item)

    def add_items(self, items: Iterable[Item]) -> None:
        """Add answers whose fields were looked at before: what they lack, and what was kept as metadata."""
        for item in items:
            self._count(item)
            if item.metadata:
                self._add_unused({name: value for name, value in item.metadata.items() if name not in TRAFFIC_FIELDS})

    def _add_unused(self, values: Mapping[str, object]) -> None:
        self._unused.update(values.keys())
        for name in filter(is_score_object, values):
            self._scores |= dict.fromkeys(scores_within(name, values[name]))

    def _count(self, item: Item) -> None:
        self.answers += 1
        self._passage_counts.add(len(item.contexts))
        self._without_contexts += all([not context.text.strip() for context in item.contexts])  # noqa: C419 (faster)
        self._without_time += item.timestamp is None and "timestamp" not in item.metadata
        self._without_words += not item.answer.strip()
        self._as_none += item.answer in NO_NAMES
        self._by_id_alone += PASSAGE_IDS in item.metadata
        self._with_group += item.group is not None

    def counted(self, how: HowRead) -> HowRead:
        """Return the record of a file's first rows with the counts of all its answers."""
        record = self.with_counts(how)
        separator = how.separator if record.passages == (1, 1) else None
        return replace(record, fields=how.fields, examples=how.examples, separator=separator)

    def with_counts(self, how: HowRead) -> HowRead:
        """Return the record with what was counted."""
        fields = tuple(
            FieldRead(name=name, origin=counts.most_common(1)[0][0], rows=sum(counts.values()))
            for name, counts in self._origins.items()
            if counts
        )
        unused = tuple(name for name, _ in self._unused.most_common() if name.strip())
        counts_of_some = self._passage_counts - {0}
        passages = (min(counts_of_some), max(counts_of_some)) if counts_of_some else None
        return replace(
            how,
            answers=self.answers,
            without_contexts=self._without_contexts,
            without_time=self._without_time,
            without_words=self._without_words,
            as_none=self._as_none,
            by_id_alone=self._by_id_alone,
            passages=passages,
            separator=likely_separator(self._texts) if passages == (1, 1) else None,
            fields=fields,
            unused=unused,
            too_long=tuple(name for name, _ in self._too_long.most_common()),
            group_column=None if self._with_group else next(filter(names_conversations, unused), how.group_column),
            scores=(*filter(metric_name, unused), *self._scores),
            examples=tuple(self._examples),
        )
