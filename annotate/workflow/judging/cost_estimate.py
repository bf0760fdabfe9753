"""Estimate what a run of LLM judges would take: calls, tokens and money, worked out on the first items to be judged.

Prompts are the real ones, replies are taken to be short, and nothing is sent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby, islice

from annotate.store import Store
from annotate.workflow.judging.model import known_to, missing, setup_of
from annotate.workflow.judging.runs import Options
from proxy.judges.llm.asking import Ask, Reply
from proxy.judges.llm.form import LAST_LINE, Mode
from proxy.judges.menu import build
from proxy.llm.attempt import Usage
from proxy.llm.budget import Endpoint, prompt_size
from proxy.llm.probing import Capability
from proxy.llm.runner import Job

SAMPLE_ITEMS = 100
_PER_QUESTION = 40


@dataclass(frozen=True, kw_only=True, slots=True)
class CallEstimate:
    """Items to be judged, and about how many calls and tokens that takes; `cost` None without prices."""

    items: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


def estimate(store: Store, endpoint: Endpoint, options: Options, usual: Mapping[str, object]) -> CallEstimate:
    """Count the first items' real prompts, and scale them up to all items that lack an outcome."""
    capability = store.scores.calls.capability(endpoint.url, endpoint.model) or Capability(
        mode=Mode.JSON_SCHEMA, parameters=usual
    )
    judges = build(setup_of(endpoint, known_to(capability, options), options), options.choice)
    keys = store.scores.known_keys([identity for judge in judges for identity in judge.judges])
    count = store.traffic.items.count_without_outcome(list(keys.values()), retries=options.asks_failed_again)
    items = count if options.most_items is None else min(count, options.most_items)
    sampled = calls = prompt = completion = 0
    for _, jobs in islice(groupby(missing(store, judges, keys, options), key=lambda job: job.key), SAMPLE_ITEMS):
        sampled += 1
        for job in jobs:
            for ask in _asks(job):
                calls += 1
                prompt += prompt_size(ask)
                completion += _PER_QUESTION * len(ask.form.questions)
    factor = items / sampled if sampled else 0.0
    usage = Usage(prompt=round(prompt * factor), completion=round(completion * factor))
    return CallEstimate(
        items=items,
        calls=round(calls * factor),
        prompt_tokens=usage.prompt,
        completion_tokens=usage.completion,
        cost=options.prices.cost(usage) if options.prices else None,
    )


def _asks(job: Job) -> list[Ask]:
    """List every ask that a judge would make on its item if each reply could be read."""
    steps, asks = job.judge.steps(job.item), list[Ask]()
    reply: Reply | None = None
    while True:
        try:
            ask = next(steps) if reply is None else steps.send(reply)
        except Exception:  # noqa: BLE001 - StopIteration, or an item on which the judge will fail
            return asks
        asks.append(ask)
        reply = _filled(ask)


def _filled(ask: Ask) -> Reply:
    """Return a reply that can be read: the first choice to every question, with a note."""
    if ask.mode is Mode.LAST_LINE:
        pairs = "; ".join(f"{question.key}={question.choices[0]}" for question in ask.form.questions)
        return Reply(text=f"{LAST_LINE} {pairs}")
    return Reply(
        text=json.dumps(
            {question.key: {question.note: "-", "verdict": question.choices[0]} for question in ask.form.questions}
        )
    )
