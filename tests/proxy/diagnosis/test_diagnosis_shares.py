"""Wrong answers by place as shares of all traffic: against the formula by hand, and how often the interval holds the truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from proxy.diagnosis import wrong_share
from proxy.evaluation.domains import Evidence
from proxy.evaluation.ledger import Drawing, SampledItem, Total
from proxy.records import Judgement, Verdict
from support.tiers import shortly

RIGHT, WRONG, UNSURE = Judgement
STRATA = (("failed", Verdict.FAIL), ("passed", Verdict.PASS))
# Share of the traffic and share of wrong answers: own misses, synthesis, retrieval, both.
PLACES = ((0.62, 0.08), (0.1, 0.55), (0.18, 0.6), (0.1, 0.85))


class Traffic:
    """Answers with a place from 0 (relevant and faithful, the passed ones) to 3, wrong or not, one question each."""

    def __init__(self, size: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.place = rng.choice(4, size, p=[share for share, _ in PLACES])
        self.wrong = rng.random(size) < np.array([wrong for _, wrong in PLACES])[self.place]
        self.is_lost = rng.random(size) < 0.4  # of wrong retrieval answers, those that reranking lost
        self.passed = self.place == 0

    def drawn(self, labels: tuple[int, int], seed: int) -> NDArray[np.intp]:
        """A simple random sample of each stratum, failed first."""
        rng = np.random.default_rng(seed)
        sides = (np.flatnonzero(~self.passed), np.flatnonzero(self.passed))
        return np.concatenate([rng.choice(rows, n, replace=False) for rows, n in zip(sides, labels, strict=True)])

    def evidence(self, rows: Sequence[int], places: tuple[int, ...]) -> tuple[Evidence, list[int]]:
        """The evidence on these places, and the rows of its sample."""
        sizes = (int((~self.passed).sum()), int(self.passed.sum()))
        taken = (sum(not self.passed[row] for row in rows), sum(bool(self.passed[row]) for row in rows))
        drawings = [Drawing(1, name, size, n, n, n) for (name, _), size, n in zip(STRATA, sizes, taken, strict=True)]
        chance = [n / size for n, size in zip(taken, sizes, strict=True)]

        def part(wanted: tuple[int, ...], whole: Evidence | None) -> Evidence:
            here = np.isin(self.place, wanted)
            return Evidence(
                totals=[
                    Total(name, verdict, int((here & (self.passed == side)).sum()))
                    for side, (name, verdict) in enumerate(STRATA)
                ],
                sample=[
                    SampledItem(
                        *STRATA[side],
                        WRONG if self.wrong[row] else RIGHT,
                        str(row),
                        side,
                        (chance[side],),
                    )
                    for row in rows
                    if here[row]
                    for side in (int(self.passed[row]),)
                ],
                drawings=drawings,
                whole=whole,
            )

        return part(places, part((0, 1, 2, 3), None)), [int(row) for row in rows if self.place[row] in places]


def test_a_share_is_the_known_size_times_the_domain_mean() -> None:
    """(N_q / N) x wrong / labelled, by hand: inside one stratum every draw of the place weighs the same."""
    traffic = Traffic(1000, 1)
    rows = traffic.drawn((90, 60), 2)
    for place in range(4):
        evidence, mine = traffic.evidence(rows, (place,))
        known, wrong = int((traffic.place == place).sum()), int(traffic.wrong[mine].sum())

        estimate = wrong_share(evidence, 1000)

        assert estimate.estimate == pytest.approx(known / 1000 * wrong / len(mine))
        assert estimate.n == len(mine)


def test_labels_on_all_answers_give_the_exact_share() -> None:
    """A census has no interval, and the places add up to the share of wrong answers."""
    traffic = Traffic(60, 3)
    shares = [wrong_share(traffic.evidence(range(60), (place,))[0], 60) for place in range(4)]

    assert all(share.low == share.estimate == share.high for share in shares)
    assert sum(share.estimate or 0 for share in shares) == pytest.approx(traffic.wrong.mean())


@pytest.mark.slow
@pytest.mark.parametrize(("size", "labels"), shortly([(600, (60, 40)), (1500, (100, 100))], (600, (60, 40))))
def test_the_interval_holds_the_truth(size: int, labels: tuple[int, int]) -> None:
    """Each place, retrieval as a whole, and what reranking lost: a share of 200 seeds within 3 standard errors of 95 %."""
    traffic, repetitions = Traffic(size, 5), 200
    domains = {"0": (0,), "1": (1,), "2": (2,), "3": (3,), "retrieval": (2, 3)}
    truth = {name: float((traffic.wrong & np.isin(traffic.place, places)).mean()) for name, places in domains.items()}
    lost = traffic.wrong & traffic.is_lost & np.isin(traffic.place, (2, 3))
    truth["lost"] = float(lost.mean())
    hits = {name: list[bool]() for name in truth}
    for seed in range(repetitions):
        rows = traffic.drawn(labels, seed)
        for name in truth:
            evidence, mine = traffic.evidence(rows, domains.get(name, (2, 3)))
            estimate = wrong_share(evidence, size, [bool(lost[row]) for row in mine] if name == "lost" else None)
            assert estimate.low is not None
            assert estimate.high is not None
            hits[name].append(estimate.low - 1e-9 <= truth[name] <= estimate.high + 1e-9)
    covered = {name: float(np.mean(held)) for name, held in hits.items()}

    assert min(covered.values()) >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / repetitions), covered
    assert np.mean(list(covered.values())) >= 0.93, covered


def test_what_is_blamed_and_what_is_not_add_up() -> None:
    """Splitting the wrong answers of a place in two splits their share."""
    traffic = Traffic(800, 7)
    evidence, mine = traffic.evidence(traffic.drawn((120, 60), 8), (2, 3))
    blamed = [[bool(traffic.wrong[row] and traffic.is_lost[row] == lost) for row in mine] for lost in (True, False)]
    parts = [wrong_share(evidence, 800, each) for each in blamed]

    assert sum(part.estimate or 0 for part in parts) == pytest.approx(wrong_share(evidence, 800).estimate)


def test_a_place_without_answers_has_no_wrong_ones() -> None:
    """Known of all traffic, so exact."""
    traffic = Traffic(300, 9)
    estimate = wrong_share(traffic.evidence(traffic.drawn((30, 30), 1), ())[0], 300)

    assert (estimate.estimate, estimate.low, estimate.high) == (0.0, 0.0, 0.0)


def test_a_place_without_labels_is_bounded_by_its_size() -> None:
    """Nothing is guessed: between none and all of its answers are wrong, and the reason says what to label."""
    traffic = Traffic(300, 9)
    whole, _ = traffic.evidence(traffic.drawn((30, 30), 1), (1,))
    estimate = wrong_share(replace(whole, sample=[]), 300)

    assert estimate.estimate is None
    assert estimate.low == 0.0
    assert estimate.high == pytest.approx(sum(total.size for total in whole.totals) / 300)
    assert estimate.reason
    assert "label" in estimate.reason


def test_before_the_first_wave_nothing_is_a_share() -> None:
    """There is no answer of which it could be one."""
    estimate = wrong_share(Evidence(totals=(), sample=(), drawings=()), 0)

    assert estimate.estimate is None
    assert estimate.reason
    assert "assay sample" in estimate.reason
