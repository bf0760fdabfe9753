"""What tests of vectors share: a judge that compares two texts, a keeper in memory, and the command with an embedding model."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from proxy.judges.llm.base import Outcome, Steps, failed, scored
from proxy.judges.llm.embedding import FLOAT32, NoCosine, TextsToEmbed, Vector, cosine
from proxy.llm.attempt import RequestOutcome
from proxy.llm.budget import Spending
from proxy.llm.embeddings import EmbeddingEndpoint
from proxy.llm.runner import Embeddings, Ended, Job, JobEvent, RequestSettings, call
from proxy.records import FailureKind, Item, Score
from support.endpoint import Endpoint
from support.model import quick
from support.store import Assay, traffic_row

PARTIAL = 4


def vector(*numbers: float) -> Vector:
    return Vector(FLOAT32, numbers)


@dataclass
class Kept:
    """A keeper in memory."""

    vectors: dict[str, Vector] = field(default_factory=dict)
    items: dict[str, set[int]] = field(default_factory=dict)
    requests: list[RequestOutcome] = field(default_factory=list)

    def known(self, texts: Sequence[str], item: int | None) -> Mapping[str, Vector]:
        return {text: self.vectors[text] for text in texts if text in self.vectors}

    def keep(self, exchange: RequestOutcome, vectors: Mapping[str, tuple[Vector, Collection[int]]]) -> None:
        self.requests.append(exchange)
        for text, (given, items) in vectors.items():
            self.vectors[text] = given
            self.items[text] = set(items)


class Likeness:
    """A judge of how alike question and answer are."""

    judges = (("likeness", "likeness|llm|e|v1|0"),)
    settings: Mapping[str, object] = {}

    def steps(self, item: Item) -> Steps:
        first, second = yield TextsToEmbed((item.question, item.answer))
        try:
            return (scored(item, self.judges[0], cosine(first, second), ""),)
        except NoCosine as fault:
            return (failed(item, self.judges[0], FailureKind.INVALID, str(fault)),)


def judged(
    client: EmbeddingEndpoint, pairs: Sequence[tuple[str, str]], kept: Kept | None = None, **how: object
) -> tuple[Ended, dict[str, Outcome]]:
    """How a run ended, and the outcome of each pair of texts by its number."""
    budget = how.pop("spending", None) or Spending()
    assert isinstance(budget, Spending)
    settings = RequestSettings(**{"parameters": {}, **how})  # type: ignore[arg-type]
    work = [
        Job(key=n, item=Item(id=str(n), question=first, answer=second), judge=Likeness())
        for n, (first, second) in enumerate(pairs)
    ]
    outcomes: dict[str, Outcome] = {}

    def keep(event: JobEvent) -> None:
        outcomes.update({outcome.item_id: outcome for outcome in event.outcomes or ()})

    async def run() -> Ended:
        embeddings = Embeddings(endpoint=client, spending=budget, keeper=kept or Kept())
        try:
            return await call(
                iter(work), None, settings, Spending(beside=budget), keep, random.Random(0), embeddings=embeddings
            )
        finally:
            await client.close()

    with quick():
        return asyncio.run(run()), outcomes


def value(outcome: Outcome) -> float:
    assert isinstance(outcome, Score), outcome
    return outcome.value


def similar(endpoint: Endpoint, *more: str, judges: str = "semantic_similarity") -> tuple[str, ...]:
    """The command with an embedding model and no other."""
    place = ("--embedding-model", "e", "--embedding-url", endpoint.url)
    return ("judge", "--backend", "openai", "--judges", judges, *place, *more)


def ingest_pairs(assay: Assay, count: int, **changes: object) -> None:
    """Items whose answers and references are all different, and whose question is the same."""
    rows = [
        traffic_row(f"i{n}", question="The same?", answer=f"Answer {n}.", reference=f"Reference {n}.", **changes)
        for n in range(count)
    ]
    assay("ingest", assay.write("traffic.jsonl", rows))


def values(assay: Assay, judge: str = "semantic_similarity") -> dict[str, float]:
    query = "SELECT i.id, s.value FROM scores s JOIN items i ON i.key = s.item JOIN judges j ON j.key = s.judge WHERE j.judge = ?"
    return dict(assay.sql(query, [judge]))  # type: ignore[arg-type]
