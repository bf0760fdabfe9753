"""Refuse an import that would count answers twice that are here under other ids, or take fields from those that are here.

Both happen where the same file comes again with other options. Only the first rows are looked at, and the roots of their traces:
a file that came in before begins as it did. An option that is missing takes its field from every answer that has it, and another
way to make ids doubles nearly every answer; what is corrected or asked again concerns few. More than half tells the two apart,
and needs no finer line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from annotate.domain.question_key import normalised, question_key
from annotate.domain.timestamps import Times, shown
from annotate.store import Store
from annotate.traffic.joining import WaitReason, join
from annotate.traffic.near_names import FIRST_ROWS
from annotate.traffic.rows import is_made_id, item_from_row
from annotate.traffic.spans import Span
from annotate.workflow.ingest.batches import Paths, Source, file_name, traffic_batches
from annotate.workflow.ingest.dates import date_order
from annotate.workflow.ingest.joining import kept
from proxy.errors import FileError, InputError
from proxy.records import Item

# What an answer has beside its question and its text; the group of one without is its question's.
HELD: dict[str, Callable[[Item], object]] = {
    "contexts": lambda item: tuple(context.text for context in item.contexts),
    "system": lambda item: item.system,
    "group": lambda item: None if item.group == question_key(item.question, item.history) else item.group,
    "timestamp": lambda item: item.timestamp,
    "history": lambda item: item.history,
    "reference": lambda item: item.reference,
    "language": lambda item: item.language,
}


class _Pair(NamedTuple):
    """An answer of the file and one of the store."""

    new: Item
    kept: Item


def check_known(store: Store, sources: Sequence[Source], paths: Paths, *, revisions: bool = False) -> None:
    """Raise FileError where most of what is new is here under other ids, or most of what is here would only lose fields.

    Parameters
    ----------
    store
        What came in before.
    sources
        The files. Of spans the answers are compared that their traces would give.
    paths
        Where the user says that fields lie.
    revisions
        Whether later content corrects earlier: then fields may go.
    """
    if not store.traffic.items.count():
        return
    for source in sources:
        items = list(_first_traces(store, source) if source.has_spans else _first_items(source))
        known = _kept(store, items)
        if not source.has_spans:
            _check_twice(store, source, [item for item in items if item.id not in known], paths)
        if not revisions:
            _check_losses(source, [_Pair(item, known[item.id]) for item in items if item.id in known])


def _first_items(source: Source) -> Iterator[Item]:
    times = Times(order=date_order(source, "timestamp"))
    for batch in traffic_batches(source._replace(most=min(source.most or FIRST_ROWS, FIRST_ROWS)), times):
        yield from (row.value for row in batch.parsed if isinstance(row.value, Item))


def _first_traces(store: Store, source: Source) -> Iterator[Item]:
    """Yield the answers of the first traces as they would be with what the store has of them."""
    traces: dict[str, dict[str, Span]] = {}
    for span in _spans(source._replace(most=min(source.most or FIRST_ROWS, FIRST_ROWS))):
        _add_state(traces.setdefault(span.trace, {}), span)
    _add_roots(traces, source, store.traffic.items.keys(sorted(traces)))
    for name, contents in store.traffic.spans.of(sorted(traces)):
        spans = {span.id: span for span in map(Span.from_json, contents)}
        for span in traces[name].values():
            _add_state(spans, span)
        rows = join(list(spans.values())) if contents else ()
        for row in () if isinstance(rows, WaitReason) else rows:
            try:
                yield item_from_row(row.fields, {})
            except InputError:
                continue


def _add_roots(traces: dict[str, dict[str, Span]], source: Source, known: Collection[str]) -> None:
    """Add what comes later of those traces whose answer is known, until each has its root: exporters write roots last."""
    waiting = {name for name in known if not _has_root(traces[name].values())}
    if not waiting:
        return
    for span in _spans(source):
        if span.trace in waiting:
            _add_state(traces[span.trace], span)
            if _has_root([span]):
                waiting.remove(span.trace)
                if not waiting:
                    return


def _spans(source: Source) -> Iterator[Span]:
    for batch in traffic_batches(source, Times()):
        yield from (row.value for row in batch.parsed if isinstance(row.value, Span))


def _has_root(spans: Iterable[Span]) -> bool:
    return any(span.parent is None or span.is_entry for span in spans)


def _add_state(spans: dict[str, Span], span: Span) -> None:
    """Put a state of a span in the place of an earlier one."""
    if span.id not in spans or kept(span).rank >= kept(spans[span.id]).rank:
        spans[span.id] = span


def _kept(store: Store, items: Sequence[Item]) -> dict[str, Item]:
    keys = store.traffic.items.keys(sorted({item.id for item in items}))
    return {item.id: item for item in store.traffic.items.read(sorted(keys.values())).values()}


def _check_twice(store: Store, source: Source, items: Sequence[Item], paths: Paths) -> None:
    """Refuse answers of which most are here under an id that was made of the content, or from before the id had a path."""
    asked = [question_key(item.question, item.history) for item in items]
    alone = [question_key(item.question, ()) for item in items]
    keys = store.traffic.items.asking([*asked, *alone])
    known = store.traffic.items.read(sorted({key for several in keys.values() for key in several}))
    pairs = [
        pair
        for item, questions in zip(items, map(dict.fromkeys, zip(asked, alone, strict=True)), strict=True)
        if (pair := _twin(item, _known_to(questions, keys, known), has_path=bool(paths.get("id"))))
    ]
    if not pairs or 2 * len(pairs) <= len(items):
        return
    gained = [
        name for name, value in HELD.items() if any(value(new) and value(new) != value(old) for new, old in pairs)
    ]
    lost = [name for name, value in HELD.items() if any(value(old) and not value(new) for new, old in pairs)]
    ways = (
        [f"to give the answers that are here {', '.join(gained)}, bring all files in anew, with --db NEW.db"]
        if gained
        else []
    )
    ways += [f"add the options of the earlier import ({_options(lost)})"] if lost else []
    raise FileError(
        f"{file_name(source)}: {len(pairs):,} of the first {len(items):,} new answers are here under another id, with the same "
        f"question, answer and passages (for example {shown(pairs[0].new.id)} as {shown(pairs[0].kept.id)}), so each would count "
        f"twice; nothing was taken in: leave out the options that the earlier import did not have; "
        f"{'; '.join([*ways, 'where they are other answers, add --yes'])}"
    )


def _known_to(questions: Iterable[str], keys: Mapping[str, Sequence[int]], known: Mapping[int, Item]) -> list[Item]:
    """Return the answers to these: a question as it is, and without what was said before, which may not have been read then."""
    return [known[key] for question in questions for key in keys.get(question, ())]


def _twin(item: Item, others: Sequence[Item], *, has_path: bool) -> _Pair | None:
    """Return the answer with the one in the store that seems to be the same under another id."""
    return next((_Pair(item, other) for other in others if _is_same(item, other, has_path=has_path)), None)


def _is_same(new: Item, kept: Item, *, has_path: bool) -> bool:
    if normalised(new.answer) != normalised(kept.answer):
        return False
    for name in ("system", "timestamp"):
        ours, theirs = HELD[name](new), HELD[name](kept)
        if ours and theirs and ours != theirs:
            return False
    if not _have_same_passages(new, kept):
        return False
    # Two ids of the caller tell two answers apart, unless the second is mapped and both were given in the same moment.
    is_mapped = has_path and new.timestamp is not None and new.timestamp == kept.timestamp
    return is_made_id(new.id) or is_made_id(kept.id) or is_mapped


def _have_same_passages(new: Item, kept: Item) -> bool:
    """Return whether two answers may have the same passages: one has none, or has them joined in one text."""
    ours, theirs = [context.text for context in new.contexts], [context.text for context in kept.contexts]
    if not ours or not theirs or ours == theirs:
        return True
    joined, several = sorted((ours, theirs), key=len)
    return len(joined) == 1 < len(several) and all(text in joined[0] for text in several)


def _check_losses(source: Source, pairs: Sequence[_Pair]) -> None:
    """Refuse rows that would only take a field from most of the answers that have it."""
    losses = [lost for pair in pairs if (lost := _lost(pair))]
    had = Counter(name for pair in pairs for name, value in HELD.items() if value(pair.kept))
    taken = Counter(name for lost in losses for name in lost)
    names = [name for name, count in taken.most_common() if 2 * count > had[name]]
    if not names:
        return
    count = sum(not lost.isdisjoint(names) for lost in map(set, losses))
    raise FileError(
        f"{file_name(source)}: {count:,} of the first {len(pairs):,} answers are here with {', '.join(names)}, which this "
        f"import would take from them; nothing was taken in: add the options of the earlier import ({_options(names)}); where "
        "the answers are to lose that, add --revisions"
    )


def _lost(pair: _Pair) -> list[str]:
    """Return the fields that the answer would lose; none where anything else is new in it."""
    new, kept = pair
    if (new.question, new.answer) != (kept.question, kept.answer):
        return []
    lost = []
    for name, value in HELD.items():
        if value(new) == value(kept):
            continue
        if value(new):
            return []
        lost.append(name)
    return lost


def _options(names: Sequence[str]) -> str:
    return " ".join(f"--map {name}=PATH" for name in names)
