"""Estimate what a run of LLM judges would take: calls, tokens and money, worked out on the first items to be judged.

Prompts are the real ones, replies are taken to be short, and nothing is sent.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice
from typing import NamedTuple

from annotate.store import Store
from annotate.workflow.judging.guided import judges_of
from annotate.workflow.judging.model import missing
from annotate.workflow.judging.runs import Options
from annotate.workflow.judging.setups import known_to, place_of, setup_of
from proxy.judges.llm.asking import Ask, Reply
from proxy.judges.llm.base import LlmJudge
from proxy.judges.llm.embedding import FLOAT32, TextsToEmbed, Vector
from proxy.judges.llm.form import ENTRIES, LAST_LINE, Mode, Question
from proxy.llm.attempt import Usage
from proxy.llm.budget import Endpoint, prompt_size
from proxy.llm.embedding_batches import MOST_TEXTS
from proxy.llm.probing import Capability
from proxy.llm.runner import Job

SAMPLE_ITEMS = 100
_PER_QUESTION = 40
# Chosen: as many statements as an answer of a few sentences makes.
_LIST = ("-",) * 6


@dataclass(frozen=True, kw_only=True, slots=True)
class CallEstimate:
    """Items to be judged, and about how many calls and tokens that takes; `cost` None without prices."""

    items: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


def estimate(store: Store, endpoint: Endpoint | None, options: Options, usual: Mapping[str, object]) -> CallEstimate:
    """Count the first items' real prompts, and scale them up to all items that lack an outcome."""
    judges = _judges(store, endpoint, options, usual)
    keys = _keys(store, judges)
    count = store.traffic.items.count_without_outcome(list(keys.values()), retries=options.asks_failed_again)
    items = count if options.most_items is None else min(count, options.most_items)
    sampled = calls = prompt = completion = 0
    texts = set[str]()
    for _, jobs in islice(groupby(missing(store, judges, keys, options), key=lambda job: job.key), SAMPLE_ITEMS):
        sampled += 1
        for ask in chain.from_iterable(map(asks_of, jobs)):
            if isinstance(ask, TextsToEmbed):
                texts.update(ask.texts)
                continue
            calls += 1
            prompt += prompt_size(ask)
            completion += reply_size(ask)
    factor = items / sampled if sampled else 0.0
    usage = Usage(prompt=round(prompt * factor), completion=round(completion * factor))
    vectors = _of_vectors(store, texts, options, factor)
    of_texts = options.embeddings.prices if options.embeddings else None
    parts = [(prices, used) for prices, used in ((options.prices, usage), (of_texts, vectors.usage)) if used.prompt]
    return CallEstimate(
        items=items,
        calls=round(calls * factor) + vectors.calls,
        prompt_tokens=usage.prompt + vectors.usage.prompt,
        completion_tokens=usage.completion,
        cost=sum(prices.cost(used) for prices, used in parts if prices) if all(prices for prices, _ in parts) else None,
    )


def waiting(store: Store, endpoint: Endpoint | None, options: Options, usual: Mapping[str, object]) -> list[int]:
    """Return the rows of the items that the run would ask about, in its order."""
    keys = list(_keys(store, _judges(store, endpoint, options, usual)).values())
    rows = store.traffic.items.keys_without_outcome(keys, retries=options.asks_failed_again)
    return rows[: options.most_items]


def _judges(
    store: Store, endpoint: Endpoint | None, options: Options, usual: Mapping[str, object]
) -> Sequence[LlmJudge]:
    """Return the judges of the run, for what is known of the endpoint."""
    place = place_of(endpoint, options)
    capability = store.scores.calls.capability(place.url, place.model) or Capability(
        mode=Mode.JSON_SCHEMA, parameters=usual
    )
    return judges_of(store, setup_of(place, known_to(capability, options), options), options)


def _keys(store: Store, judges: Iterable[LlmJudge]) -> dict[tuple[str, str], int]:
    """Return the rows of those of these judges that are known, by name and signature."""
    return store.scores.known_keys([identity for judge in judges for identity in judge.judges])


class _Vectors(NamedTuple):
    """The requests for vectors."""

    calls: int
    usage: Usage


def _of_vectors(store: Store, texts: set[str], options: Options, factor: float) -> _Vectors:
    """Count what the vectors of these texts and of as many more take that are not kept."""
    if options.embeddings is None or options.embeddings.function is not None:
        return _Vectors(0, Usage(prompt=0, completion=0))
    left = texts - store.scores.vectors.known(options.embeddings.identity, texts).keys()
    tokens = round(prompt_size(TextsToEmbed(tuple(left))) * factor)
    return _Vectors(math.ceil(len(left) * factor / MOST_TEXTS), Usage(prompt=tokens, completion=0))


def reply_size(ask: Ask) -> int:
    """Return about how many tokens a short reply has."""
    return _PER_QUESTION * sum(map(_size, ask.form.questions))


def asks_of(job: Job) -> list[Ask | TextsToEmbed]:
    """List every ask that a judge would make on its item if each reply could be read."""
    steps, asks = job.judge.steps(job.item), list[Ask | TextsToEmbed]()
    answer: Reply | tuple[Vector, ...] | None = None
    while True:
        try:
            ask = next(steps) if answer is None else steps.send(answer)
        except Exception:  # noqa: BLE001 - StopIteration, or an item on which the judge will fail
            return asks
        asks.append(ask)
        answer = tuple(Vector(FLOAT32, [1.0]) for _ in ask.texts) if isinstance(ask, TextsToEmbed) else _filled(ask)


def _size(question: Question) -> int:
    return len(_LIST) if question.note == ENTRIES else 1


def _filled(ask: Ask) -> Reply:
    """Return a reply that can be read: the first choice to every question, with a note, or a list of a few texts."""
    if ask.mode is Mode.LAST_LINE:
        pairs = "; ".join(f"{question.key}={question.choices[0]}" for question in ask.form.questions)
        return Reply(text=f"{LAST_LINE} {pairs}")
    return Reply(
        text=json.dumps(
            {
                question.key: {
                    question.note: _LIST if question.note == ENTRIES else "-",
                    "verdict": question.choices[0],
                }
                for question in ask.form.questions
            }
        )
    )
