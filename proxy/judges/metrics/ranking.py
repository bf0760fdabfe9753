"""Score a ranking by the ids of the passages known to be relevant, at any rank k, after and before reranking.

A passage that stands twice in a ranking is credited once, at its first rank. A ranking without any relevant passage scores 0;
an item of which no relevant passage is known has no score.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from proxy.errors import InputError
from proxy.judges.base import Judge, named, not_applicable, scored
from proxy.judges.metrics.metric import Metric, MetricNeed, UndefinedValue, WorkedNumber
from proxy.judges.retrieval_fields import passage_ids, relevant_grades, retrieved
from proxy.records import Context, Item, JudgeFailure, Score

BEFORE = "_before_reranking"
NEEDS = (MetricNeed.RELEVANT_IDS, MetricNeed.CONTEXT_IDS)
# One printable word, as databases and file names identify a passage; a passage of text has more.
_ID = re.compile(r"[\x21-\x7e]{1,200}")


@dataclass(frozen=True, kw_only=True, slots=True)
class IdRanking:
    """The ids of a ranking, the best first, and the grades (above 0) of the passages known to be relevant.

    `ids` holds None for a passage whose id is not known.
    """

    ids: tuple[str | None, ...]
    grades: Mapping[str, float]

    def gains(self, k: int | None = None) -> list[float]:
        """Return the grade at each of the first k ranks, 0 for what is not relevant and for a passage that stood before."""
        seen = set[str | None]()
        gains = list[float]()
        for identity in self.ids[:k]:
            gains.append(0.0 if identity is None or identity in seen else self.grades.get(identity, 0.0))
            seen.add(identity)
        return gains

    def hits(self, k: int | None = None) -> int:
        """Count the relevant passages among the first k."""
        return sum(gain > 0 for gain in self.gains(k))


@dataclass(frozen=True, kw_only=True, slots=True)
class RankingMetric(Metric):
    """A metric of a ranking; `measure` gets the ranking and k, None for all of it.

    `is_cut` False: the metric is defined on the whole ranking alone.
    """

    measure: Callable[[IdRanking, int | None], float | UndefinedValue]
    needs: tuple[MetricNeed, ...] = NEEDS
    is_cut: bool = True

    @property
    def takes_k(self) -> bool:
        """Whether it may be cut at rank k."""
        return self.is_cut

    def judge(self) -> Judge:
        """Return the judge of the whole ranking after reranking."""
        return RankingJudge(metric=self)


@dataclass(frozen=True, kw_only=True, slots=True)
class RankingJudge:
    """A judge of the passages that the answer was given, or of the list before reranking, cut at rank `k`."""

    metric: RankingMetric
    k: int | None = None
    is_before: bool = False

    @property
    def name(self) -> str:
        """The metric, such as `ndcg@10` or `ndcg_before_reranking@10`."""
        return f"{self.metric.name}{BEFORE if self.is_before else ''}{'' if self.k is None else f'@{self.k}'}"

    @property
    def signature(self) -> str:
        """Name, kind and version."""
        return f"{self.name}|offline|v{self.metric.version}"

    def judge(self, item: Item) -> Score | JudgeFailure:
        """Score the ranking, or say why the metric is undefined."""
        ranking = read_ranking(item, is_before=self.is_before)
        value: float | UndefinedValue
        if isinstance(ranking, UndefinedValue):
            value = ranking
        elif None in ranking.ids[: self.k]:
            rank = ranking.ids.index(None) + 1
            value = UndefinedValue(
                f"passage {rank} of {len(ranking.ids)} has no id, so nothing tells whether it is relevant"
            )
        else:
            value = self.metric.measure(ranking, self.k)
        if isinstance(value, UndefinedValue) or isinstance(ranking, UndefinedValue):
            return not_applicable(self, item, value.reason if isinstance(value, UndefinedValue) else "")
        return scored(self, item, value, self._reason(ranking))

    def _reason(self, ranking: IdRanking) -> str:
        read = len(ranking.ids[: self.k])
        known = len(ranking.grades)
        absent = [identity for identity in ranking.grades if identity not in ranking.ids[: self.k]]
        lacking = f"; not among them: {named([identity[:40] for identity in absent])}" if absent else ""
        return f"{ranking.hits(self.k)} of {known} relevant passages among the first {read}{lacking}"


def summed_precision(flags: Iterable[bool]) -> float:
    """Sum the precision at the rank of each relevant passage; `flags` say in rank order which are relevant."""
    ranks = [rank for rank, is_relevant in enumerate(flags, start=1) if is_relevant]
    return math.fsum(hits / rank for hits, rank in enumerate(ranks, start=1))


def read_ranking(item: Item, *, is_before: bool) -> IdRanking | UndefinedValue:
    """Return the ranking of an item with the grades of its relevant passages, or why there is none.

    A passage without an id has that of the same text in the other list; where a relevant passage is named by its text, the text
    is its id.
    """
    try:
        grades, before = relevant_grades(item), retrieved(item)
        if grades is None:
            return UndefinedValue("the item has no relevant_ids")
        if not grades:
            return UndefinedValue("no passage is known to be relevant")
        if is_before:
            if before is None:
                return UndefinedValue("the item has no list before reranking (`retrieved`)")
            return IdRanking(ids=_identities(before, (*before, *item.contexts), grades), grades=grades)
        if not item.contexts and (ids := passage_ids(item)):
            return IdRanking(ids=ids, grades=grades)
    except InputError as error:
        return UndefinedValue(str(error))
    if not item.contexts and before is None:
        return UndefinedValue(
            "the item has neither contexts nor `retrieved`, so nothing tells whether the search found nothing or was not recorded"
        )
    return IdRanking(ids=_identities(item.contexts, (*(before or ()), *item.contexts), grades), grades=grades)


def _identities(
    passages: Sequence[Context], both: Sequence[Context], grades: Mapping[str, float]
) -> tuple[str | None, ...]:
    by_text = {context.text: context.id for context in both if context.id is not None and context.text}
    return tuple(_identity(context, by_text, grades) for context in passages)


def _identity(context: Context, by_text: Mapping[str, str | None], grades: Mapping[str, float]) -> str | None:
    """Return the passage's own id, that of its text elsewhere, or its text where that can be an id; None for no id."""
    identity = context.id or by_text.get(context.text)
    if identity is not None and (identity in grades or context.text not in grades):
        return identity
    return context.text if context.text in grades or _ID.fullmatch(context.text) else None


def worked(
    judge: str, verdicts: Sequence[int], expected: float, *, relevant: int | None = None, also: str = ""
) -> WorkedNumber:
    """Return the worked number of a ranking, given as 1 for a relevant passage and 0 for another.

    `relevant` passages are known, by default those in the ranking.
    """
    ids = [f"d{rank}" for rank, _ in enumerate(verdicts, start=1)]
    known = [identity for identity, verdict in zip(ids, verdicts, strict=True) if verdict]
    known += [f"missed{place}" for place in range((relevant or len(known)) - len(known))]
    contexts = tuple(Context(text="", id=identity) for identity in ids)
    item = Item(id=judge, question="", answer="", contexts=contexts, metadata={"relevant_ids": known})
    given = f"{list(verdicts)}, {len(known)} relevant{also}"
    return WorkedNumber(judge=judge, item=item, expected=expected, given=given)
