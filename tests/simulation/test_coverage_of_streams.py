"""Do intervals hold where answers are drawn as they arrive, over days and beside a wave of the usual kind?"""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest

from annotate.analysis.report.report import build
from annotate.domain.sampling.proposal import ProposalRequest
from annotate.store import Store
from annotate.workflow.judging import rules
from annotate.workflow.sampling.draw import draw_wave
from annotate.workflow.sampling.stream import draw_arrived, open_stream
from proxy.records import Score
from support.simulation import assert_covers, repeated
from support.store import add, item, take_labels

DAYS = tuple(f"2026-11-{day:02}T08:00:00.000Z" for day in range(1, 5))
A_DAY, TOGETHER = 150, 50
SIGNATURE = "s|imported"


def truth(rng: np.random.Generator) -> dict[str, tuple[float, bool]]:
    """A score and whether it is right of each answer; the last days are worse."""
    answers = {}
    for day in range(len(DAYS)):
        for number in range(A_DAY):
            value = float(rng.uniform())
            is_right = bool(rng.uniform() < (0.3 + 0.6 * value) * (0.7 if day > 1 else 1.0))
            answers[f"d{day}-{number:03}"] = value, is_right
    return answers


def arrive(store: Store, values: dict[str, float], now: str) -> None:
    add(store, *(item(name, question=f"Where is {name}?") for name in values), now=now)
    keys = store.traffic.items.keys(list(values))
    with store.atomic():
        store.scores.judge_key("s", SIGNATURE)
        scores = {
            keys[name]: [Score(item_id=name, judge="s", signature=SIGNATURE, value=value)]
            for name, value in values.items()
        }
        store.scores.keep(scores, now=now)


def label(store: Store, answers: dict[str, tuple[float, bool]], now: str) -> None:
    """Label every draw that is open."""
    rows = [
        {"item_id": name, "label": "right" if answers[name][1] else "wrong", "annotator": "ann"}
        for name in (draw.item_id for draw in store.sampling.waves.open_draws())
    ]
    take_labels(store, rows, now=now)


@pytest.mark.slow
@repeated(25, 300)
def test_intervals_hold_for_a_stream_that_is_open(repetitions: int) -> None:
    """Twelve arrivals over four days, getting worse; labels after each day, and a wave by strata between them."""
    hits = {"correctness": 0, "pass_precision": 0, "specificity": 0}
    for seed in range(repetitions):
        answers = truth(np.random.default_rng(seed))
        with closing(Store(":memory:")) as store:
            days = [[name for name in answers if name.startswith(f"d{day}")] for day in range(len(DAYS))]
            arrive(store, {"before": 0.7}, DAYS[0])
            rules.set_rule(store, "s", "s > 0.5", {}, who="ann", now=DAYS[0])
            answers["before"] = 0.7, True
            open_stream(store, 0.15, 0.3, seed, who="ann", now=DAYS[0])
            for number, (names, now) in enumerate(zip(days, DAYS, strict=True)):
                for start in range(0, A_DAY, TOGETHER):
                    arrive(store, {name: answers[name][0] for name in names[start : start + TOGETHER]}, now)
                    draw_arrived(store, who="ann", now=now)
                label(store, answers, now)
                if number == 1:
                    draw_wave(store, ProposalRequest(labels=30, seed=seed), now=now)
                    label(store, answers, now)
            report = build(store)
        right = [is_right for _, is_right in answers.values()]
        passed = [is_right for value, is_right in answers.values() if value > 0.5]
        wrong_fails = [value <= 0.5 for value, is_right in answers.values() if not is_right]
        true = {
            "correctness": np.mean(right),
            "pass_precision": np.mean(passed),
            "specificity": np.mean(wrong_fails),
        }
        estimates = {
            "correctness": report.agreement.correctness,
            "pass_precision": report.agreement.pass_precision,
            "specificity": report.agreement.specificity,
        }
        for name, estimate in estimates.items():
            assert estimate.low is not None
            assert estimate.high is not None
            hits[name] += estimate.low <= true[name] <= estimate.high

    assert_covers({name: count / repetitions for name, count in hits.items()}, repetitions)
