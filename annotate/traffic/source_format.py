"""What a source format is: it recognises raw rows of a tool, and reads them as rows in our field names or as spans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol

from annotate.domain.field_mapping import Fields, paths_in, without_split
from annotate.domain.passages import TRAFFIC_FIELDS
from annotate.traffic.spans import Span

Row = Mapping[str, object]
Paths = Mapping[str, str]


class FieldPlace(StrEnum):
    """What kind of place a field was read from."""

    PATH = "path"
    RETRIEVERS = "retriever spans"
    RERANKERS = "reranker spans"
    MODEL_INPUT = "the model's input"
    TRACE = "the trace's id"
    ROOT_START = "the start of the root span"


class Origin(NamedTuple):
    """Where a field was read: the path in the row or span, and for passages of spans how many spans gave them."""

    path: str
    place: FieldPlace = FieldPlace.PATH
    spans: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class TrafficRow:
    """An answer in our field names; what no field of ours claims stands beside them, under its own name.

    `too_long` names what was too long to stand there.
    """

    fields: Row
    origins: Mapping[str, Origin] = field(default_factory=dict)
    too_long: tuple[str, ...] = ()

    @property
    def unused(self) -> tuple[str, ...]:
        """The names that no field of ours claims."""
        return tuple(name for name in self.fields if name not in TRAFFIC_FIELDS)


class Unread(NamedTuple):
    """A part of a row that could not be read, and why; the rest of the row is read all the same."""

    reason: str
    fields: Row


class Evaluation(NamedTuple):
    """A row of a tool that stood among traffic: feedback, or a score of a judge."""

    row: Row


class NoAnswer(StrEnum):
    """Why a call that was logged gave no answer that a user saw."""

    FAILED = "failed"
    EMBEDDING = "embedding"
    TOOL_CALL = "tool_call"


class Unanswered(NamedTuple):
    """A call or a message that is no answer, by what its row says: it is counted, and nothing of it is kept."""

    why: NoAnswer


Reading = TrafficRow | Span | Unread | Evaluation | Unanswered


class SourceFormat(Protocol):
    """The format of one tool. No two formats recognise the same row."""

    @property
    def name(self) -> str:
        """The word that `--format` takes."""

    @property
    def title(self) -> str:
        """The name that its users know."""

    @property
    def has_spans(self) -> bool:
        """Whether its rows are spans, which are joined to answers by their trace."""

    def recognises(self, row: Row) -> bool:
        """Return whether this raw row is of the format."""

    def read(self, row: Row, paths: Paths) -> Iterable[Reading]:
        """Read a raw row; InputError where nothing of it can be read. `paths` say where fields lie and come first."""


def taken(values: Mapping[str, tuple[object, str]], rest: Row, row: Row, paths: Paths) -> TrafficRow:
    """Return a row in our names.

    Parameters
    ----------
    values
        Our fields, each with its value and where that was.
    rest
        What no field claims; a field of ours among it counts where `values` has none.
    row
        The raw row, in which `paths` are followed.
    paths
        Where the user says that fields lie; an empty path takes nothing.
    """
    fields: dict[str, object] = {}
    origins: dict[str, Origin] = {}
    claimed = set[str]()
    for name in TRAFFIC_FIELDS:
        if name in paths:
            value, where = Fields(row, paths).value(name), paths[name]
            claimed.update(map(without_split, paths_in(where)))
        elif name in values:
            value, where = values[name]
        else:
            where = Fields(rest, {}).column(name)
            value = rest.get(where)
            claimed.add(where)
        if value is not None:
            fields[name] = value
        if value not in (None, "", [], {}):
            origins[name] = Origin(", ".join(paths_in(where)))
    for name, value in rest.items():
        if name in claimed or value is None:
            continue
        if name not in TRAFFIC_FIELDS:
            fields[name] = value
        elif fields.get(name) is not value:
            fields[f"{name} (column)"] = value
    return TrafficRow(fields=fields, origins=origins)
