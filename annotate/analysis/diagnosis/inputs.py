"""Read the labelled answers, each with all that speaks for a stage and its causes.

A list before reranking that cannot be read is ignored and counted; it never stops a diagnosis.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from annotate.store import Store
from annotate.store.scores.stage_scores import FAITHFULNESS, RELEVANCE, ItemStageScores, Quartered
from proxy.diagnosis import THRESHOLD, Clue, Lost, Stage, StageEvidence, lost, place_of
from proxy.errors import InputError, UsageError
from proxy.judges import OfflineContextRelevance, retrieval_fields
from proxy.records import Context, Item, Judgement, Label, Support
from proxy.rule import Rule
from proxy.text.tokens import content_words

REFUSAL = "refusal"
# Chosen: items with their texts in memory at a time; the result does not depend on it.
BATCH = 200
# The refusal judge says 0 or 1; half way parts them.
FLAGGED = 0.5


class Thresholds(NamedTuple):
    """Above which score passages are relevant and an answer is faithful, strictly."""

    relevance: float = THRESHOLD
    faithfulness: float = THRESHOLD


@dataclass(frozen=True, kw_only=True, slots=True)
class StageJudges:
    """The scores that are read: the signature of each judge, the newest but for those that the rule in force reads."""

    signatures: Mapping[str, str]
    thresholds: Thresholds

    def field(self, store: Store) -> Quartered:
        """Return the field that tells where an answer stands."""
        return store.scores.stage_scores.field(self.signatures, *self.thresholds)

    def place(self, standing: ItemStageScores) -> StageEvidence:
        """Return the place of an answer with these scores."""
        return place_of(
            standing.relevance,
            standing.faithfulness,
            has_passages=standing.has_passages,
            relevance_threshold=self.thresholds.relevance,
            faithfulness_threshold=self.thresholds.faithfulness,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelledAnswer:
    """A labelled answer: its row, label, scores, place, and the stage that it points to if it is wrong.

    `is_malformed` marks a wrong one whose list before reranking cannot be read.
    """

    row: int
    label: Label
    standing: ItemStageScores
    place: StageEvidence
    stage: Stage
    clue: Clue
    is_malformed: bool

    @property
    def is_wrong(self) -> bool:
        """Whether annotators call it wrong."""
        return self.label.judgement is Judgement.WRONG


class Before(NamedTuple):
    """The list before reranking and the ids known to be relevant, as far as they could be read."""

    retrieved: tuple[Context, ...]
    relevant: frozenset[str]
    is_malformed: bool


def check_system(store: Store, system: str | None) -> None:
    """Raise UsageError where no answer comes from this system; WITHOUT_SYSTEM is of those that name none, None of all."""
    sizes = store.traffic.partitions.sizes("system")
    if system is not None and (system or None) not in sizes:
        known = ", ".join(sorted(filter(None, sizes))) or "none: no answer names its system"
        raise UsageError(f"no answer comes from the system {system!r}; the systems are: {known}")


def stage_judges(store: Store, rule: Rule, thresholds: Thresholds) -> StageJudges:
    """Return the signatures that the rule in force reads, where they have scores, else the newest of each judge."""
    available = store.scores.signatures()
    newest = {name: signatures[-1] for name, signatures in available.items()}
    in_force = {name: signature for name, signature in rule.signatures.items() if signature in available.get(name, ())}
    return StageJudges(signatures=newest | in_force, thresholds=thresholds)


def answers(store: Store, chosen: StageJudges) -> list[LabelledAnswer]:
    """Read every labelled current answer."""
    labels = store.labels.that_count()
    field, labelled = chosen.field(store), list[LabelledAnswer]()
    standings = store.scores.stage_scores.standings(list(labels), field)
    wrong = [row for row, label in labels.items() if label.judgement is Judgement.WRONG]
    elsewhere, lacking = (
        store.scores.stage_scores.found_elsewhere(wrong, field),
        store.scores.stage_scores.lacking_knowledge(wrong),
    )
    flag = (REFUSAL, chosen.signatures.get(REFUSAL, ""))
    refusal = store.scores.known_keys([flag])[flag]
    for row, item in _items(store, list(labels)):
        place, label = chosen.place(standings[row]), labels[row]
        stage, fate, is_malformed = place.stage, Lost(None), False
        if stage is Stage.RETRIEVAL and label.judgement is Judgement.WRONG:
            before = before_reranking(item)
            is_malformed = before.is_malformed
            fate = lost(item, before.retrieved, before.relevant, OfflineContextRelevance(), chosen.thresholds.relevance)
            stage = Stage.RERANK if fate.is_lost else stage
        clue = replace(
            _clue(store, chosen, item, standings[row], refusal),
            lacks_knowledge=row in lacking,
            elsewhere=tuple(elsewhere.get(row, ())),
            first_relevant=fate.rank,
            ids_found=fate.rank is not None or fate.was_kept if fate.by_ids else None,
            ids_kept=fate.was_kept if fate.by_ids else None,
            named=frozenset(label.causes),
        )
        labelled.append(
            LabelledAnswer(
                row=row,
                label=label,
                standing=standings[row],
                place=place,
                stage=stage,
                clue=clue,
                is_malformed=is_malformed,
            )
        )
    return labelled


def before_reranking(item: Item) -> Before:
    """Read the passages before reranking from the traffic."""
    is_malformed = False
    passages, relevant = tuple[Context, ...](), frozenset[str]()
    try:
        passages = retrieval_fields.retrieved(item) or ()
    except InputError:
        is_malformed = True
    try:
        relevant = frozenset(retrieval_fields.relevant_grades(item) or ())
    except InputError:
        is_malformed = True
    return Before(passages, relevant, is_malformed)


def _items(store: Store, rows: Sequence[int]) -> Iterator[tuple[int, Item]]:
    """Yield the items in these rows, a batch in memory at a time."""
    for start in range(0, len(rows), BATCH):
        yield from store.traffic.items.read(rows[start : start + BATCH]).items()


def _clue(store: Store, chosen: StageJudges, item: Item, standing: ItemStageScores, key: int) -> Clue:
    """Collect what the item and its judges tell of it; `key` is the row of the judge of refusal."""
    row, names = standing.item, chosen.signatures
    relevance = store.scores.detail(row, RELEVANCE, names.get(RELEVANCE, ""))
    sentences = store.scores.detail(row, FAITHFULNESS, names.get(FAITHFULNESS, "")).sentences
    supports = [sentence.support for sentence in sentences]
    refusal = store.scores.value(row, key)
    thresholds, scores = chosen.thresholds, (standing.relevance, standing.faithfulness)
    margins = [score - threshold for score, threshold in zip(scores, thresholds, strict=True) if score is not None]
    return Clue(
        contexts=len(item.contexts),
        contexts_chars=sum(len(context.text) for context in item.contexts),
        question_words=len(content_words(item.question)),
        has_history=bool(item.history),
        relevance=standing.relevance,
        passages=relevance.passages,
        contradicted=supports.count(Support.CONTRADICTED),
        not_found=supports.count(Support.NOT_FOUND),
        refuses=(refusal or 0.0) > FLAGGED,
        margin=min(margins, default=None),
    )
