"""Coverage of the estimates of a part of the traffic, through the store: clusters, unsure answers, two waves, a thin part.

The truth is that of all the part's answers that annotators could judge. Each repetition draws two waves of all traffic, labels
them, and is taken back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import numpy as np
import pytest

from annotate.analysis.evidence import gather
from annotate.analysis.rule_in_force import built_in, rule_in_force
from annotate.analysis.selected_items import selected_items
from annotate.domain.annotation import Annotation
from annotate.domain.sampling.proposal import ProposalRequest
from annotate.domain.selection import Selection
from annotate.store import Store
from annotate.store.labels.resolution import PlacedAnnotation
from annotate.workflow.sampling.draw import draw_wave
from proxy.evaluation.agreement import measure
from proxy.evaluation.false_passes import false_passes
from proxy.records import Item, Judgement, Score
from support.simulation import assert_held, repeated

pytestmark = pytest.mark.slow

ITEMS, LABELS, NOW = 900, 90, "2026-11-21T08:00:00.000Z"
DRAWS = 256
PARTS = {
    "half": Selection(system="a"),
    "a sixth": Selection(system="b"),
    "a window": Selection(until="2026-03-01T00:00:00.000Z"),
}


class Known:
    """What is true of every answer, by its row: groups of five that are alike, one answer in twelve that nobody can judge."""

    def __init__(self) -> None:
        rng = np.random.default_rng(5)
        group = np.arange(ITEMS) // 5
        self.group = group
        self.right = rng.random(ITEMS) < rng.beta(3, 1.2, ITEMS // 5)[group]
        self.value = np.clip(rng.normal(np.where(self.right, 0.66, 0.44), 0.16), 0.01, 0.99)
        self.system = np.array([("a", "a", "a", "b", "c", "c")[n % 6] for n in group])
        self.month = 1 + group % 4
        # Wrong answers are harder to judge.
        self.is_judged = rng.random(ITEMS) > np.where(self.right, 0.06, 0.13)

    def truth(self, part: Selection) -> dict[str, float]:
        inside = self.is_judged & (self.system == part.system if part.system else self.month < 3)
        passed, right = self.value > 0.5, self.right
        return {
            "correctness": right[inside].mean(),
            "pass_precision": right[inside & passed].mean(),
            "npv": 1 - right[inside & ~passed].mean(),
            "sensitivity": passed[inside & right].mean(),
            "specificity": 1 - passed[inside & ~right].mean(),
            "false_passes": (passed & ~right)[inside].mean(),
        }


KNOWN = Known()


@pytest.fixture(scope="module")
def traffic() -> Iterator[Store]:
    """The answers with both scores of the usual rule."""
    store, signatures = Store(":memory:"), {name: judge.signature for name, judge in built_in().items()}
    with store.atomic():
        store.traffic.items.add(
            [
                Item(
                    id=f"i{n}",
                    question=f"Where is room {n}?",
                    answer="Here.",
                    group=f"g{KNOWN.group[n]}",
                    system=str(KNOWN.system[n]),
                    timestamp=f"2026-0{KNOWN.month[n]}-05T08:00:00.000Z",
                )
                for n in range(ITEMS)
            ],
            now=NOW,
        )
        scores = {
            row: [
                Score(item_id=f"i{row - 1}", judge=judge, signature=signatures[judge], value=float(value))
                for judge, value in (("context_relevance", KNOWN.value[row - 1]), ("faithfulness", 1.0))
            ]
            for row in range(1, ITEMS + 1)
        }
        store.scores.keep(scores, now=NOW)
    yield store
    store.close()


class _TakenBack(Exception):
    """Ends a repetition."""


def _take_back() -> None:
    raise _TakenBack


@contextmanager
def labelled(store: Store, seed: int) -> Iterator[None]:
    """Two waves with labels, which are gone afterwards."""
    with suppress(_TakenBack), store.atomic():
        for wave in range(2):
            draw_wave(store, ProposalRequest(labels=LABELS, seed=2 * seed + wave), now=NOW)
            store.labels.keep(
                [
                    PlacedAnnotation(_label(draw.item, draw.item_id), draw.item, draw.key)
                    for draw in store.sampling.waves.open_draws()
                ],
                now=NOW,
            )
        yield
        _take_back()


def _label(item: int, item_id: str) -> Annotation:
    right = Judgement.RIGHT if KNOWN.right[item - 1] else Judgement.WRONG
    judgement = right if KNOWN.is_judged[item - 1] else Judgement.UNSURE
    return Annotation(source="file", id=item_id, item_id=item_id, annotator="ann", judgement=judgement)


@repeated(25, 400)
def test_intervals_hold_the_truth_of_a_part(traffic: Store, repetitions: int) -> None:
    """Each window interval of each part holds what labels on all of the part's answers would say."""
    truths = {name: KNOWN.truth(part) for name, part in PARTS.items()}

    def run(count: int, stream: int) -> dict[tuple[str, str], list[bool]]:
        held: dict[tuple[str, str], list[bool]] = defaultdict(list)
        for seed in range(count):
            with labelled(traffic, 10_000 * stream + seed):
                key, rule = rule_in_force(traffic)
                for name, part in PARTS.items():
                    of_part = gather(traffic, key, [rule], within=selected_items(traffic, part))
                    evidence = of_part.evidence(of_part.rules[0])
                    report, passes = measure(evidence, DRAWS), false_passes(evidence)
                    for quantity, true in truths[name].items():
                        estimate = passes if quantity == "false_passes" else getattr(report, quantity)
                        if estimate.low is not None:
                            held[name, quantity].append(estimate.low - 1e-9 <= true <= estimate.high + 1e-9)
        assert min(map(len, held.values())) >= 0.95 * count, {cell: len(values) for cell, values in held.items()}
        return held

    assert_held(run, repetitions)
