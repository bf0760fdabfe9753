"""Langfuse: observations of its API and exports, and traces that hold their observations.

Inputs and outputs are JSON as text, or plain text that is none. Exports write the same names in snake case, and an empty
parent for a root; an observation may have a parent and be the root of its app all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from annotate.domain.field_mapping import plain
from annotate.traffic.content import decoded, loaded
from annotate.traffic.feedback_rows import inner_evaluations, with_trace
from annotate.traffic.passages import lists_passages
from annotate.traffic.source_format import Evaluation, Paths, Reading, Row, Unread
from annotate.traffic.span_parts import Found, SpanParts, span_of
from annotate.traffic.spans import SpanKind
from proxy.errors import InputError

KINDS = {
    "GENERATION": SpanKind.MODEL,
    "RETRIEVER": SpanKind.RETRIEVER,
    "CHAIN": SpanKind.CHAIN,
    "AGENT": SpanKind.CHAIN,
}
BESIDE = (
    "name",
    "model",
    "tags",
    "environment",
    "release",
    "version",
    "level",
    "latency",
    "totalCost",
    "total_cost",
    "userId",
)
# Spans of apps that have no word for retrievers.
RETRIEVES = re.compile(r"retriev(al|er|e)s?$", re.IGNORECASE)
TYPES = {"SPAN", "EVENT", "TOOL", "EMBEDDING", "EVALUATOR", "GUARDRAIL", *KINDS}
# Of other tracers, whose calls have types too.
OTHER_PARENTS = ("parentSpanId", "parent_span_id", "parent_id")


class Langfuse:
    """Observations a row each, or traces with theirs."""

    name = "langfuse"
    title = "Langfuse"
    has_spans = True

    def recognises(self, row: Row) -> bool:
        """Return whether the row is an observation by its trace and type, a trace with or without its own, or a score."""
        if _is_score(row) or _is_bare_trace(row):
            return True
        if isinstance(loaded(row.get("observations")), list) and (
            "sessionId" in row or "projectId" in row or "input" in row
        ):
            return "id" in row and "run_type" not in row
        names_parent = "parentObservationId" in row or "parent_observation_id" in row
        is_observation = str(row.get("type")).upper() in TYPES and not any(name in row for name in OTHER_PARENTS)
        return (names_parent or is_observation) and bool(_get(row, "traceId")) and "id" in row

    def read(self, row: Row, paths: Paths) -> Iterable[Reading]:
        """Read the observation, the trace and every observation in it, or the score."""
        if _is_score(row):
            yield Evaluation(with_trace(row))
            return
        if "observations" not in row and not _is_bare_trace(row):
            yield _observation(row, None, paths)
            yield from map(Evaluation, inner_evaluations(row, paths.values()) or ())
            return
        trace = str(row.get("id") or "")
        if not trace:
            raise InputError("a trace without its id")
        roots = 0
        for inner in _objects(loaded(row.get("observations"))):
            try:
                yield _observation(inner, trace, paths)
                roots += 1
            except InputError as error:
                yield Unread(str(error), inner)
        yield _trace(row, trace, paths)
        yield from map(Evaluation, inner_evaluations(row, paths.values()) or ())


def _is_score(row: Row) -> bool:
    return bool(_get(row, "dataType")) and "name" in row and "source" in row and "type" not in row


def _is_bare_trace(row: Row) -> bool:
    """Return whether a row is a trace whose observations are elsewhere, as older exports have them."""
    names_none = "observations" in row and ("sessionId" in row or "session_id" in row)
    is_one = ("bookmarked" in row or names_none) and ("input" in row or "output" in row) and bool(row.get("id"))
    is_other = _get(row, "traceId") or "run_type" in row
    return is_one and not is_other and not isinstance(loaded(row.get("observations")), list)


def _objects(values: object) -> Iterator[Row]:
    for value in values if isinstance(values, list) else ():
        if isinstance(value, Mapping):
            yield value


def _get(row: Row, name: str) -> object:
    """Return a value by its name in the API, or that name in snake case."""
    value = row.get(name)
    if value is None:
        value = row.get("".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name))
    return value


def _trace(row: Row, trace: str, paths: Paths) -> Reading:
    """Return the trace itself as the root of its observations."""
    parts = SpanParts(
        trace=trace,
        id=trace,
        kind=SpanKind.CHAIN,
        start=row.get("timestamp"),
        is_failed=any(
            not _get(inner, "parentObservationId") and inner.get("level") == "ERROR"
            for inner in _objects(loaded(row.get("observations")))
        ),
        input=Found(decoded(row.get("input")), "input"),
        output=Found(decoded(row.get("output")), "output"),
        group=Found(_get(row, "sessionId"), "sessionId"),
        metadata=_beside(row),
    )
    return span_of(parts, row, paths)


def _observation(row: Row, within: str | None, paths: Paths) -> Reading:
    trace, name = within or _get(row, "traceId"), row.get("id")
    if not isinstance(trace, str) or not trace or not isinstance(name, str) or not name:
        raise InputError("an observation without its traceId or id")
    kind = KINDS.get(str(row.get("type") or "").upper(), SpanKind.OTHER)
    output = decoded(row.get("output"))
    if kind is SpanKind.OTHER and RETRIEVES.search(str(row.get("name") or "")) and lists_passages(output):
        kind = SpanKind.RETRIEVER
    parent = _get(row, "parentObservationId") or within
    is_root = _get(row, "isRootObservation") in (True, "true", "True", 1)
    parts = SpanParts(
        trace=trace,
        id=name,
        parent=None if is_root and not within else str(parent) if parent else None,
        name=str(row.get("name") or ""),
        kind=kind,
        start=_get(row, "startTime"),
        end=_get(row, "endTime"),
        is_failed=row.get("level") == "ERROR",
        input=Found(decoded(row.get("input")), "input"),
        output=Found(output, "output"),
        messages=Found(decoded(row.get("input")), "input") if kind is SpanKind.MODEL else Found(),
        group=Found(_get(row, "sessionId"), "sessionId"),
        metadata=_beside(row),
    )
    return span_of(parts, row, paths)


def _beside(row: Row) -> dict[str, object]:
    """Return what is worth keeping beside an answer, the caller's own metadata among it."""
    kept = {name: row[name] for name in BESIDE if row.get(name) not in (None, "", [])}
    own = loaded(row.get("metadata"))
    if isinstance(own, Mapping):
        kept |= {f"metadata.{name}": plain(value) for name, value in own.items() if not isinstance(value, (dict, list))}
    return kept
