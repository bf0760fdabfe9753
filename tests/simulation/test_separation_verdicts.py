"""The verdicts on twenty judges and metrics of a store: a good one and an inverted one are found, noise is not taken for either."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest

from annotate.analysis.report import report as reports
from annotate.domain.sampling.proposal import ProposalRequest
from annotate.store import Store
from annotate.workflow.sampling.draw import draw_wave
from proxy.evaluation.discrimination import Separation
from proxy.records import Item, Score
from proxy.rule import Rule
from proxy.stats.sampling.survey import Mask, Numbers
from support.simulation import deviation, repeated
from support.store import take_labels

NOW = "2026-11-21T09:00:00.000Z"
ANSWERS, LABELS, NOISE = 160, 80, 18
WRONG = {Separation.SEPARATES, Separation.INVERTED}

pytestmark = pytest.mark.slow


def scores(rng: np.random.Generator, right: Mask) -> dict[str, Numbers]:
    """One good metric, one inverted, and noise: even, tied, and on every other answer alone; nan is no score."""
    shift = np.where(right, 0.15, -0.15)
    values = {"good": 0.5 + shift, "inverted": 0.5 - shift}
    values = {name: np.clip(mean + rng.normal(0, 0.15, len(right)), 0, 1) for name, mean in values.items()}
    for number in range(NOISE):
        noise = rng.random(len(right))
        noise = np.round(noise) if number % 3 == 0 else noise
        values[f"noise_{number}"] = np.where(rng.random(len(right)) < 0.5, np.nan, noise) if number % 3 == 1 else noise
    return values


def verdicts(seed: int) -> dict[str, Separation]:
    """The verdicts on one store: a wave that draws failed answers oftener, all of it labelled, two answers to a group."""
    rng = np.random.default_rng([20_261_126, seed])
    right = rng.random(ANSWERS) < 0.7
    values = scores(rng, right)
    items = [
        Item(id=f"i{n}", question=f"Question {n}?", answer=f"Answer {n}.", group=f"g{n // 2}") for n in range(ANSWERS)
    ]
    with closing(Store(":memory:")) as store:
        with store.atomic():
            store.traffic.items.add(items, now=NOW)
            keys = store.traffic.items.keys([item.id for item in items])
            store.scores.keep(
                {
                    keys[item.id]: [
                        Score(item_id=item.id, judge=name, signature=f"{name}|test|v1", value=float(column[place]))
                        for name, column in values.items()
                        if not np.isnan(column[place])
                    ]
                    for place, item in enumerate(items)
                },
                now=NOW,
            )
            rule = Rule(name="r", version=1, expression="noise_2 > 0.5", signatures={"noise_2": "noise_2|test|v1"})
            store.scores.rules.put_in_force(rule, now=NOW)
        draw_wave(store, ProposalRequest(labels=LABELS, audit=0.6, seed=seed), now=NOW)
        take_labels(
            store,
            [
                {"item_id": draw.item_id, "label": "right" if right[int(draw.item_id[1:])] else "wrong"}
                for draw in store.sampling.waves.open_draws()
            ],
        )
        return {judge.totals.judge: judge.separation for judge in reports.build(store).judges}


@repeated(3, 200)
def test_noise_is_rarely_taken_for_a_judge(repetitions: int) -> None:
    """In at most one store of twenty is any noise called telling or misleading; the planted ones are named in most."""
    told = [verdicts(seed) for seed in range(repetitions)]
    errors = [any(store[f"noise_{n}"] in WRONG for n in range(NOISE)) for store in told]
    turned = [store["good"] is Separation.INVERTED or store["inverted"] is Separation.SEPARATES for store in told]

    assert sum(errors) / repetitions <= 0.05 + 3 * deviation(0.05, repetitions)
    assert not any(turned)
    assert sum(store["good"] is Separation.SEPARATES for store in told) > 0.8 * repetitions
    assert sum(store["inverted"] is Separation.INVERTED for store in told) > 0.8 * repetitions
