"""Read the answers that judges may be trained on: of the gold set, of test questions, and those that came with the traffic.

What is read here is the only source of training. A reference teaches with the passages that are known to hold it
(`reference_contexts`, or those of an imported entry); else with the one retrieved passage that supports it most by words, if any
does. A question teaches only where its role is to teach, whether or not the traffic asks it yet: then the labels of the others
can score what was trained, also of traffic that comes later. Test entries of the gold set, and those that are flagged, teach
nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from annotate.domain.gold import GoldEntry, GoldRole, GoldStatus
from annotate.domain.question_key import question_key
from annotate.store import Store
from annotate.store.audit.tombstones import FORGOTTEN
from proxy.errors import InputError
from proxy.evaluation.learned_rule import is_training_unit
from proxy.judges.offline.faithfulness import OfflineFaithfulness
from proxy.judges.retrieval_fields import reference_contexts
from proxy.judges.trained.supported_answers import SupportedAnswer
from proxy.records import Context, Item, Score
from proxy.text.alternatives import alternatives

# Chosen: twice as many as training reads at most, since some have no passage that supports them.
MOST_OF_TRAFFIC = 4_000
# The offline judge calls a sentence supported above it.
SUPPORTED = 0.5
NEVER = frozenset({GoldRole.TEST, GoldRole.BETWEEN})


class _Source(StrEnum):
    GOLD = "gold"
    ACCEPTED_QUESTION = "accepted question"
    UNREVIEWED_QUESTION = "unreviewed question"
    TRAFFIC = "traffic"


class _Reference(NamedTuple):
    """An item with the reference that may teach, and whether all its passages are known to hold it."""

    item: Item
    is_known: bool
    source: _Source


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainingAnswers:
    """The answers to train on, with counts of what was read.

    Attributes
    ----------
    answers
        Each question with one passage or more that support the answer.
    of_gold, of_traffic
        How many of them are references of accepted gold entries, and how many came with the traffic.
    of_questions, unreviewed
        How many of them answer test questions that were built from passages, and how many of these nobody has accepted yet.
    scoring
        Questions with a reference that were left out, because their labels score judges, now or later.
    unsupported
        References that no passage supports.
    """

    answers: tuple[SupportedAnswer, ...]
    of_gold: int
    of_traffic: int
    of_questions: int
    unreviewed: int
    scoring: int
    unsupported: int


def training_answers(store: Store) -> TrainingAnswers:
    """Read every answer that may teach, each question and reference once; those of the gold set count first."""
    references = [*_of_gold(store), *_of_traffic(store)]
    keys = [question_key(reference.item.question, reference.item.history) for reference in references]
    answers: dict[SupportedAnswer, _Source] = {}
    scoring, unsupported = set[str](), set[tuple[str, str]]()
    for reference, key in zip(references, keys, strict=True):
        if not is_training_unit(key):
            scoring.add(key)
            continue
        answer = _supported(reference)
        if answer is None:
            unsupported.add((key, reference.item.answer))
        else:
            answers.setdefault(answer, reference.source)
    counts = Counter(answers.values())
    unreviewed = counts[_Source.UNREVIEWED_QUESTION]
    return TrainingAnswers(
        answers=tuple(answers),
        of_gold=counts[_Source.GOLD],
        of_traffic=counts[_Source.TRAFFIC],
        of_questions=counts[_Source.ACCEPTED_QUESTION] + unreviewed,
        unreviewed=unreviewed,
        scoring=len(scoring),
        unsupported=len(unsupported),
    )


def _of_gold(store: Store) -> Iterator[_Reference]:
    # Questions built from passages passed the round trip: they teach before anybody reviews them, until somebody retires them.
    known = [*store.gold.entries(GoldStatus.ACCEPTED), *store.gold.synthetic()]
    entries = [entry for entry in known if _teaches(entry)]
    items = store.gold.items(entries)
    for entry in entries:
        item = items[entry.gold_id]
        yield from _references(replace(item, reference=entry.reference), _source(entry), is_own=entry.item is None)


def _source(entry: GoldEntry) -> _Source:
    if entry.role is not GoldRole.SYNTHETIC:
        return _Source.GOLD
    return _Source.ACCEPTED_QUESTION if entry.status is GoldStatus.ACCEPTED else _Source.UNREVIEWED_QUESTION


def _teaches(entry: GoldEntry) -> bool:
    is_dropped = entry.status is GoldStatus.RETIRED or entry.flag is not None
    return not is_dropped and entry.role not in NEVER and not entry.lacks_knowledge


def _of_traffic(store: Store) -> Iterator[_Reference]:
    keys = store.traffic.items.with_reference(MOST_OF_TRAFFIC)
    for item in store.traffic.items.read(keys).values():
        yield from _references(item, _Source.TRAFFIC, is_own=False)


def _references(item: Item, source: _Source, *, is_own: bool) -> Iterable[_Reference]:
    """Return the first alternative of the item's reference with its passages; nothing where one of them is missing."""
    texts = alternatives(item.reference or "")
    known = item.contexts if is_own else _known_passages(item)
    contexts = tuple(context for context in known or item.contexts if context.text.strip())
    if not texts or not contexts or FORGOTTEN in (item.question, item.reference):
        return ()
    return (_Reference(replace(item, answer=texts[0], contexts=contexts), is_known=bool(known), source=source),)


def _known_passages(item: Item) -> tuple[Context, ...] | None:
    try:
        return reference_contexts(item)
    except InputError:  # a malformed field of one row is no reason to train on nothing
        return None


def _supported(reference: _Reference) -> SupportedAnswer | None:
    """Return the reference with its passages, or with the one that supports it most; None where none does."""
    item, contexts = reference.item, reference.item.contexts
    if not reference.is_known:
        support: Mapping[Context, float] = {context: _support(item, context) for context in contexts}
        best = max(contexts, key=lambda context: support[context])
        if support[best] <= SUPPORTED:
            return None
        contexts = (best,)
    return SupportedAnswer(
        question=item.question,
        contexts=contexts,
        answer=item.answer,
        history=item.history,
        document=contexts[0].title,
    )


def _support(item: Item, context: Context) -> float:
    outcome = OfflineFaithfulness().judge(replace(item, contexts=(context,)))
    return outcome.value if isinstance(outcome, Score) else 0.0
