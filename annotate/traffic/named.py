"""Formats that only call our fields by other names: which columns to look at for each field is all there is to know."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from annotate.domain.field_mapping import follow
from annotate.domain.passages import CONTEXT_FIELDS
from annotate.traffic.passages import passages
from annotate.traffic.source_format import Paths, Reading, Row, taken
from proxy.judges.retrieval_fields import PASSAGE_IDS

Names = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedFields:
    """A format whose rows have all fields, under names of its own; a path may step into nested values."""

    name: str
    title: str
    names: Names
    recognise: Callable[[Row], bool]
    within: str | None = None
    change: Callable[[dict[str, tuple[object, str]], Row], None] | None = None
    beside: frozenset[str] = frozenset()
    has_spans: bool = False

    def recognises(self, row: Row) -> bool:
        """Return whether the row has the names of this format."""
        return self.recognise(row)

    def read(self, row: Row, paths: Paths) -> Iterable[Reading]:
        """Read the row in our names."""
        values: dict[str, tuple[object, str]] = {}
        for name, candidates in self.names.items():
            for path in candidates:
                value = row[path] if path in row else follow(row, path)
                if value is not None and value != "":
                    values[name] = value, path
                    break
            else:
                # Said to be empty, where it is needed.
                if name in ("question", "answer") and (path := next((p for p in candidates if p in row), "")):
                    values[name] = "", path
        if self.change:
            self.change(values, row)
        if "contexts" in values and not _are_plain(values["contexts"][0]):
            given, path = values["contexts"]
            values["contexts"] = list(passages(given)) or given, path
        ids = values.pop(PASSAGE_IDS, None)
        claimed = {path.split(", ")[0] for _, path in values.values()} | self.beside
        rest = {key: value for key, value in row.items() if key not in claimed and key != self.within}
        inner = row.get(self.within) if self.within else None
        if isinstance(inner, Mapping):
            rest |= {str(key): value for key, value in inner.items() if f"{self.within}.{key}" not in claimed}
        if ids is not None:
            rest[PASSAGE_IDS] = ids[0]
        yield taken(values, rest, row, paths)


def _are_plain(contexts: object) -> bool:
    """Return whether passages are texts, or objects that hold theirs under a name of ours."""
    listed = contexts if isinstance(contexts, list) else []
    return not any(isinstance(entry, Mapping) and CONTEXT_FIELDS.isdisjoint({*entry} - {"score"}) for entry in listed)
