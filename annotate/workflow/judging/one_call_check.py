"""Measure how far one call for context relevance and faithfulness agrees with two, by asking some items both ways.

The result is the agreement of each judge with an interval. The items are drawn at random from those that one call scored, and
what was asked both ways before is not asked again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from statistics import fmean
from typing import NamedTuple

from annotate.store import Store
from annotate.workflow.judging.model import judge
from annotate.workflow.judging.runs import ModelJudged, Options
from proxy.evaluation.estimate import Estimate
from proxy.judges.llm.base import LlmJudge
from proxy.judges.menu import DEFAULT
from proxy.llm.budget import Endpoint
from proxy.stats.intervals import wilson

THRESHOLD = 0.5


@dataclass(frozen=True, kw_only=True, slots=True)
class OneCallAgreement:
    """The agreement of a judge asked both ways: the share of scores on one side of 0.5, and their mean distance."""

    judge: str
    same: Estimate
    distance: float


class OneCallCheck(NamedTuple):
    """The agreement of each judge asked both ways, and the run that asked in two calls."""

    agreements: tuple[OneCallAgreement, ...]
    run: ModelJudged


def check(
    store: Store,
    together: LlmJudge,
    count: int,
    make: Callable[[], Endpoint | None],
    options: Options,
    usual: Mapping[str, object],
    clock: Callable[[], str],
) -> OneCallCheck:
    """Ask `count` items, drawn at random, in two calls as well, and compare their results."""
    keys = store.scores.known_keys(together.judges)
    rows = store.scores.scored(keys[together.judges[0]])
    # The same seed draws the same items, so that a second check goes on with the first one's.
    chosen = random.Random(0).sample(rows, min(count, len(rows)))  # noqa: S311
    apart = replace(
        options,
        choice=replace(options.choice, names=DEFAULT, aspects={}, one_call=False),
        rows=sorted(chosen),
        most_items=None,
        asks_failed_again=False,
        probes_again=False,
    )
    run = judge(store, make(), apart, usual, clock)
    single = {name: signature for llm_judge in run.judges for name, signature in llm_judge.judges}
    drawn = set(chosen)
    agreements: list[OneCallAgreement] = []
    for name, signature in together.judges:
        pairs = store.scores.pairs((name, signature), (name, single[name])) if name in single else {}
        if scores := [pair for item, pair in pairs.items() if item in drawn]:
            agreements.append(_agreement(name, scores))
    return OneCallCheck(tuple(agreements), run)


def _agreement(name: str, pairs: list[tuple[float, float]]) -> OneCallAgreement:
    """Return the agreement of pairs of scores, with Wilson's interval."""
    share = sum((first > THRESHOLD) == (second > THRESHOLD) for first, second in pairs) / len(pairs)
    low, high = wilson(share, len(pairs))
    return OneCallAgreement(
        judge=name,
        same=Estimate(estimate=share, low=low, high=high, n=len(pairs), method="Wilson"),
        distance=fmean(abs(first - second) for first, second in pairs),
    )
