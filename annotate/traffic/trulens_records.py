"""TruLens: its table of records, a row an answer, with the calls of the app and the scores of its feedback functions beside it.

Passages are what a call of a retriever gave; where no call says so, they are the contexts that a feedback function was asked of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from annotate.domain.field_mapping import follow
from annotate.traffic.content import decoded, loaded, written
from annotate.traffic.named import NamedFields
from annotate.traffic.passages import passages
from annotate.traffic.source_format import Row

RETRIEVES = re.compile(r"retriev|search|lookup", re.IGNORECASE)
CALLS = "_calls"


def _is_record(row: Row) -> bool:
    has_exchange = all(name in row for name in ("record_id", "input", "output"))
    return has_exchange and any(name in row for name in ("record_json", "perf_json", "cost_json"))


def _retrieved(row: Row) -> Iterator[object]:
    """Yield what calls of retrievers gave."""
    record = loaded(row.get("record_json"))
    calls = loaded(record.get("calls")) if isinstance(record, Mapping) else None
    for call in calls if isinstance(calls, list) else ():
        if RETRIEVES.search(str(follow(call, "stack[-1].method.name") or "")):
            yield from passages(follow(call, "rets"))


def _judged(calls: object) -> Iterator[object]:
    """Yield the contexts that a feedback function was asked of."""
    listed = written(calls)
    for call in listed if isinstance(listed, list) else ():
        yield from passages(follow(call, "args.context"))


def _change(values: dict[str, tuple[object, str]], row: Row) -> None:
    """Find the passages; take question and answer out of JSON."""
    for name in ("question", "answer"):
        if name in values and isinstance(text := decoded(values[name][0]), str):
            values[name] = text, values[name][1]
    places = [("record_json.calls, rets", list(_retrieved(row)))]
    places += [(f"{name}, args.context", list(_judged(row[name]))) for name in row if name.endswith(CALLS)]
    path, contexts = next(((path, contexts) for path, contexts in places if contexts), ("", []))
    if contexts:
        values["contexts"] = contexts, path


TRULENS_RECORDS = NamedFields(
    name="trulens_records",
    title="TruLens records",
    recognise=_is_record,
    names={
        "id": ("record_id",),
        "question": ("input",),
        "answer": ("output",),
        "timestamp": ("ts", "perf_json.start_time"),
        "system": ("app_version",),
    },
    change=_change,
)
