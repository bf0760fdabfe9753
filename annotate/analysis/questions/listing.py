"""List the test questions, and count their items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotate.domain.gold import GoldStatus
from annotate.domain.questions import StoredQuestion
from annotate.store import Store
from proxy.errors import UsageError
from proxy.questions.records import Ability, QuestionItem, QuestionKind
from proxy.text.numbers import several

ITEM_COLUMNS = (
    "id",
    "question_id",
    "kind",
    "ability",
    "noise_rate",
    "question",
    "expected",
    "sources",
    "contexts",
    "original",
    "replacement",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedQuestion:
    """A question with its answer, its sources and how many test items it has, under the id of its gold entry."""

    gold_id: str
    status: GoldStatus
    kind: QuestionKind
    question: str
    reference: str
    sources: tuple[str, ...]
    items: int
    maker: str


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionListing:
    """The questions, how many have each status, and how many items measure each ability."""

    questions: Sequence[ListedQuestion]
    counts: dict[GoldStatus, int]
    abilities: dict[Ability, int]


def listing(store: Store, status: GoldStatus | None = None) -> QuestionListing:
    """Return the questions, all or with one status, in the order of their ids."""
    every = store.questions.all()
    chosen = [stored for stored in every if status in (None, stored.status)]
    return QuestionListing(
        questions=[_listed(stored) for stored in chosen],
        counts=dict(Counter(stored.status for stored in every)),
        abilities=dict(Counter(item.ability for stored in chosen for item in stored.items)),
    )


def item_rows(store: Store) -> Iterator[Mapping[str, object]]:
    """Yield a row for each test item of questions that nobody has retired, with what is expected."""
    for item in items_of(store, accepted=False):
        yield {
            "id": item.id,
            "question_id": item.question_id,
            "kind": item.kind.value,
            "ability": item.ability.value,
            "noise_rate": item.noise_rate,
            "question": item.question,
            "expected": [list(group) for group in item.expected],
            "sources": list(item.sources),
            "contexts": [{"id": passage.id, "text": passage.text} for passage in item.contexts],
            "original": item.change and item.change.original,
            "replacement": item.change and item.change.replacement,
        }


def _listed(stored: StoredQuestion) -> ListedQuestion:
    question = stored.question
    return ListedQuestion(
        gold_id=stored.gold_id,
        status=stored.status,
        kind=question.kind,
        question=question.question,
        reference=question.reference,
        sources=tuple(source.id for source in question.sources),
        items=len(stored.items),
        maker=question.maker,
    )


def items_of(store: Store, *, accepted: bool) -> Iterator[QuestionItem]:
    """Yield the items of accepted questions, or of all that nobody has retired, in the order of their questions."""
    for stored in store.questions.all():
        if stored.status is GoldStatus.ACCEPTED or (not accepted and stored.status is GoldStatus.CANDIDATE):
            yield from stored.items


def items_to_ask(store: Store, *, accepted: bool) -> list[QuestionItem]:
    """Return the items of accepted questions, or of all that nobody has retired.

    Raises
    ------
    UsageError
        Where there are none: says which questions there are, and what would give some.
    """
    if items := list(items_of(store, accepted=accepted)):
        return items
    counts = Counter(stored.status for stored in store.questions.all())
    total = several(counts.total(), "test question")
    if not counts:
        raise UsageError("there are no test questions: build some with `assay questions build`")
    if counts[GoldStatus.RETIRED] == counts.total():
        raise UsageError(f"none of {total} is left, all are retired: take one back with `assay gold accept GOLD_ID`")
    if accepted and not counts[GoldStatus.ACCEPTED]:
        raise UsageError(
            f"none of {total} is accepted: read them with `assay questions list`, and accept some with `assay gold accept "
            "GOLD_ID`; without --accepted all count that nobody has retired"
        )
    raise UsageError(f"of {total} none has an item: build again from more passages with `assay questions build`")
