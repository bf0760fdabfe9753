"""Join the spans of a trace to the answers it holds.

Question and answer come from a root. A root without them leaves it to the highest span below that has both, and after that
to the last model span that does not merely rewrite the question. Contexts come from rerankers, else from retrievers, else
from what stands in the model's input. Two roots are two answers. Where spans do not say what is above them, the root is the one
during which all others ran.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from annotate.traffic.source_format import FieldPlace, Origin, TrafficRow
from annotate.traffic.spans import Span, SpanKind
from proxy.judges.retrieval_fields import PASSAGE_IDS

FURTHEST = "9999"
FOUND = (SpanKind.RETRIEVER, SpanKind.RERANKER)
OF_TRACE, OF_ROOT = Origin("", FieldPlace.TRACE), Origin("", FieldPlace.ROOT_START)


class WaitReason(StrEnum):
    """Why a trace gives no answer yet; more of its spans may change that."""

    ROOT = "no root"
    CONTENT = "no question or no answer"
    FAILED = "failed without an output"


def join(spans: Sequence[Span]) -> tuple[TrafficRow, ...] | WaitReason:
    """Return the answers of one trace, whatever the order of its spans."""
    spans = sorted(spans, key=_order)
    roots = [span for span in spans if span.parent is None]
    if not roots:
        return _around(spans) or _entered(spans)
    if len(roots) > 1:
        # What a tool says of a trace as a whole stands in for spans that come from elsewhere.
        roots = [root for root in roots if root.id != root.trace] or roots
    trees = [spans] if len(roots) == 1 else [list(_below(root, spans)) for root in roots]
    rows = [
        row for place, (root, tree) in enumerate(zip(roots, trees, strict=True)) if (row := _row(root, tree, place))
    ]
    return tuple(rows) or (WaitReason.FAILED if any(map(_gave_none, roots)) else WaitReason.CONTENT)


def _entered(spans: Sequence[Span]) -> tuple[TrafficRow, ...] | WaitReason:
    """Return the answer below the span where a call from another program came in, whose own spans may never come."""
    ids = {span.id for span in spans}
    entries = [span for span in spans if span.is_entry and span.parent not in ids]
    rows = (_row(entry, list(_below(entry, spans)), 0) for entry in entries)
    row = next((row for row in rows if row), None)
    if row:
        return (row,)
    return WaitReason.FAILED if any(map(_gave_none, entries)) else WaitReason.ROOT


def _around(spans: Sequence[Span]) -> tuple[TrafficRow, ...]:
    """Return the answer of the unplaced span during which all others ran; none where no span, or more than one, is like that."""
    working = [span for span in spans if span.question or span.answer or span.passages]  # scorers run later
    if len(working) == 1 or not all(span.is_unplaced and span.start and span.end for span in working):
        return ()
    start, end = min(span.start or "" for span in working), max(span.end or "" for span in working)
    longest = [span for span in working if (span.start, span.end) == (start, end)]
    if len(longest) != 1 or longest[0].kind is not SpanKind.CHAIN:
        return ()
    row = _row(longest[0], spans, 0)
    return (row,) if row else ()


def _gave_none(root: Span) -> bool:
    """Return whether a root failed without an output: what a model below it wrote, no user saw."""
    return root.is_failed and not root.answer


def _order(span: Span) -> tuple[str, str, str]:
    return span.start or FURTHEST, span.end or FURTHEST, span.id


def _below(root: Span, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield a root and what is below it."""
    children = defaultdict(list)
    for span in spans:
        children[span.parent].append(span)
    waiting, seen = [root], set()
    while waiting:
        span = waiting.pop()
        if span.id not in seen:
            seen.add(span.id)
            yield span
            waiting += children[span.id]


class _Exchange(NamedTuple):
    """The spans that question and answer are taken from."""

    asking: Span
    answering: Span


def _row(root: Span, tree: Sequence[Span], place: int) -> TrafficRow | None:
    """Return the answer below a root; None where there is none yet."""
    tree = sorted(tree, key=_order)
    exchange = _exchange(root, tree)
    if exchange is None:
        return None
    asking, answering = exchange
    contexts, retrieved, origin = _contexts(tree)
    fields: dict[str, object] = {
        "id": root.trace if place == 0 else f"{root.trace}/{root.id}",
        "question": asking.question,
        "answer": answering.answer,
        "contexts": list(contexts),
        "timestamp": root.start,
        "group": root.group or next((span.group for span in tree if span.group), None),
        "history": list(root.history or asking.history) or None,
        "system": root.system or next((span.system for span in tree if span.system), None),
        "reference": root.reference,
        "language": root.language,
    }
    origins = {
        name: Origin(path)
        for name, span in (("question", asking), ("answer", answering), ("history", asking))
        if (path := span.origins.get(name)) and fields[name]
    }
    for name in ("group", "system", "reference", "language"):
        path = next((span.origins[name] for span in (root, *tree) if span.origins.get(name)), None)
        if path and fields[name]:
            origins[name] = Origin(path)
    if contexts and origin:
        origins["contexts"] = origin
    origins["id"] = OF_TRACE
    if root.start:
        path = root.origins.get("timestamp")
        origins["timestamp"] = Origin(path) if path else OF_ROOT
    metadata: dict[str, object] = {}
    for span in (answering, root):
        metadata |= span.metadata
    if retrieved:
        metadata["retrieved"] = list(retrieved)
    if ids := [name for kind in FOUND for span in tree if span.kind is kind for name in span.passage_ids]:
        metadata[PASSAGE_IDS] = list(dict.fromkeys(ids))
    kept = {name: value for name, value in fields.items() if value is not None}
    beside = {name if name not in fields else f"{name} (span)": value for name, value in metadata.items()}
    too_long = tuple(dict.fromkeys((*root.too_long, *answering.too_long)))
    return TrafficRow(fields={**beside, **kept}, origins=origins, too_long=too_long)


def _exchange(root: Span, tree: Sequence[Span]) -> _Exchange | None:
    """Return where question and answer are."""
    if _gave_none(root):
        return None
    if root.question and root.answer:
        return _Exchange(root, root)
    whole = [
        span for span in tree if span.question and span.answer and span.kind is SpanKind.CHAIN and span is not root
    ]
    if not root.question and not root.answer and whole:
        depths = _depths(tree)
        highest = min(depths[span.id] for span in whole)
        last = max((span for span in whole if depths[span.id] == highest), key=_ended)
        return _Exchange(last, last)
    model = _last_model(tree)
    if root.question:
        return _Exchange(root, model) if model else None
    if root.answer:
        asking = next((span for span in tree if span.question and span.kind not in FOUND), None)
        return _Exchange(asking, root) if asking else None
    return _Exchange(model, model) if model and model.question else None


def _ended(span: Span) -> tuple[str, str, str]:
    return span.end or span.start or "", span.start or "", span.id


def _last_model(tree: Sequence[Span]) -> Span | None:
    """Return the last model span with an answer, leaving out those that only prepare what is looked up."""
    searches = [span for span in tree if span.kind in FOUND]
    begun = max((span.start for span in searches if span.start), default=None)
    queries = {" ".join(span.question.split()) for span in searches if span.question}
    models = [
        span
        for span in tree
        if span.kind is SpanKind.MODEL
        and span.answer
        and " ".join(span.answer.split()) not in queries
        and not (begun and span.end and span.end < begun)
    ]
    return max(models, key=_ended, default=None)


def _depths(tree: Sequence[Span]) -> dict[str, int]:
    """Return how far below its root each span is; one whose parent is missing counts as just below."""
    parents = {span.id: span.parent for span in tree}
    depths: dict[str, int] = {}
    for span in tree:
        depth, parent, seen = 0, span.parent, {span.id}
        while parent is not None and parent not in seen:
            depth += 1
            seen.add(parent)
            parent = parents.get(parent)
        depths[span.id] = depth
    return depths


Passages = tuple[Mapping[str, object], ...]


def _contexts(tree: Sequence[Span]) -> tuple[Passages, Passages, Origin | None]:
    """Return the passages the model saw, those found before reranking, and where the former were read."""
    spans = {kind: _outermost([span for span in tree if span.kind is kind and span.passages], tree) for kind in FOUND}
    reranked, retrieved = (_together(spans[kind]) for kind in (SpanKind.RERANKER, SpanKind.RETRIEVER))
    if reranked:
        return reranked, retrieved, _origin(spans[SpanKind.RERANKER], FieldPlace.RERANKERS)
    if retrieved:
        return retrieved, (), _origin(spans[SpanKind.RETRIEVER], FieldPlace.RETRIEVERS)
    given = [span for span in tree if span.passages and span.kind not in FOUND]
    if given:
        return _together(given[:1]), (), Origin(given[0].origins.get("contexts", ""))
    model = _last_model(tree)
    prompted = next((span for span in (model, *tree) if span is not None and span.prompt), None)
    if prompted is None:
        return (), (), None
    place = FieldPlace.MODEL_INPUT if prompted.kind is SpanKind.MODEL else FieldPlace.PATH
    return prompted.prompt, (), Origin(prompted.origins.get("prompt", ""), place)


def _origin(spans: Sequence[Span], place: FieldPlace) -> Origin:
    return Origin(
        next((span.origins[name] for span in spans if (name := "contexts") in span.origins), ""), place, len(spans)
    )


def _outermost(spans: Sequence[Span], tree: Sequence[Span]) -> list[Span]:
    """Leave out spans below another of the same kind, which hands on what they found."""
    ids, parents = {span.id for span in spans}, {span.id: span.parent for span in tree}

    def is_below(span: Span) -> bool:
        parent, seen = span.parent, {span.id}
        while parent is not None and parent not in seen:
            if parent in ids:
                return True
            seen.add(parent)
            parent = parents.get(parent)
        return False

    return [span for span in spans if not is_below(span)]


def _together(spans: Iterable[Span]) -> Passages:
    """Return the passages of spans in their order, each once."""
    passages: dict[tuple[object, object], Mapping[str, object]] = {}
    for span in spans:
        for passage in span.passages:
            passages.setdefault((passage.get("id"), passage.get("text")), passage)
    return tuple(passages.values())
