"""What experts say of passages: by hand, against the weighted share of independent arithmetic, and against simulated truth."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import rankdata

from annotate.analysis.planning.synthetic_waves import DrawnWaves, SyntheticTraffic, draw_waves, evidence_of
from annotate.domain.sampling.proposal import ProposalRequest
from proxy.evaluation.ledger import Drawing, SampledItem, Total
from proxy.evaluation.passages import AskedSample, mean_answer, ranks_relevant, ranks_sufficient
from proxy.records import Judgement
from support.agreement import FAIL, PASS
from support.simulation import assert_covers, repeated

Numbers = NDArray[np.float64]
NOT = np.nan


def sample_of(cells: Sequence[tuple[str, int, int, int, float]], without: int = 0, *, group: int = 1) -> AskedSample:
    """One wave of cells (stratum, size, drawn, asked, share): the asked draws of each, the last `without` of all lack passages."""
    items, totals, drawings = [], [], []
    for number, (name, size, drawn, asked, share) in enumerate(cells):
        verdict = PASS if name.startswith("p") else FAIL
        totals.append(Total(name, verdict, size, is_reachable=share > 0))
        drawings.append(Drawing(1, name, size, drawn, drawn, drawn))
        items += [
            SampledItem(name, verdict, Judgement.RIGHT, f"{name}{row // group}", number, (drawn / size * share,))
            for row in range(asked)
        ]
    has = np.ones(len(items), dtype=np.bool_)
    has[len(items) - without :] = False
    return AskedSample(totals=totals, items=items, has_passages=has, drawings=drawings)


def test_an_answer_stands_for_what_its_draw_does_over_the_share() -> None:
    """600 pass with mean .7 and 400 fail with mean .3: .6 x .7 + .4 x .3 = .54; a census of both is exact.

    Five of each stratum were asked; the sizes are known, so the strata weigh 600 and 400 whatever came back.
    """
    sample = sample_of([("p", 600, 50, 5, 0.1), ("f", 400, 50, 5, 0.1)])
    values = np.array([1.0, 1.0, 0.5, 0.5, 0.5, 0.0, 0.0, 0.5, 0.5, 0.5])
    estimate = mean_answer(sample, values)

    assert estimate.estimate == pytest.approx(0.54)
    assert estimate.n == 10
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.long_run is not None
    assert estimate.low < 0.54 < estimate.high
    assert estimate.long_run == pytest.approx((estimate.low, estimate.high), abs=1e-3)  # hardly any of it was seen

    whole = mean_answer(sample_of([("p", 5, 5, 5, 1.0), ("f", 5, 5, 5, 1.0)]), values)
    assert (whole.estimate, whole.low, whole.high) == (pytest.approx(0.5),) * 3
    assert whole.long_run is not None
    assert whole.long_run.low < 0.5 < whole.long_run.high


def test_the_variance_is_that_of_both_phases() -> None:
    """Two strata of 1,000 with 100 draws each and a share of .5: by hand, and both phases added up.

    With e the distance to the stratum's mean and w = 1 / (.1 x .5) = 20 the phases give sum (1 - .1) / .1^2 / .5 e^2 and
    sum (1 - .5) / (.1 x .5)^2 e^2, together (1 - .05) x 20^2 e^2: of 40 ones and 10 zeros in each stratum 8 x .95 x 400
    over 2,000^2. The interval is Wilson's at the number of plain labels with this variance.
    """
    sample = sample_of([("p", 1000, 100, 50, 0.5), ("f", 1000, 100, 50, 0.5)])
    values = np.array(([1.0] * 40 + [0.0] * 10) * 2)
    estimate = mean_answer(sample, values)
    phases = 2 * 8 * (0.9 / 0.1**2 / 0.5 + 0.5 / (0.1 * 0.5) ** 2) / 2000**2
    together = 2 * 8 * 0.95 * 400 / 2000**2

    assert phases == pytest.approx(together)
    assert estimate.low is not None
    assert estimate.high is not None
    assert (estimate.high - estimate.low) / 2 == pytest.approx(1.98 * together**0.5, rel=0.05)


@pytest.mark.parametrize(
    "cells",
    [
        [("p", 1000, 100, 4, 0.1)],
        [("p", 20, 10, 4, 0.5)],
        [("p", 8, 8, 4, 0.5)],
        [("p", 600, 50, 2, 0.1), ("f", 400, 50, 2, 0.1)],
        [("p", 16, 8, 3, 0.5), ("f", 8, 2, 1, 0.5)],
    ],
)
def test_four_answers_leave_the_long_run_no_narrower_than_the_window(
    cells: Sequence[tuple[str, int, int, int, float]],
) -> None:
    """Every pattern of four values, in designs of which nearly nothing, half or all was drawn."""
    sample = sample_of(cells)
    for values in product((0.0, 0.5, 1.0), repeat=4):
        estimate = mean_answer(sample, np.array(values))

        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.long_run is not None
        assert estimate.long_run.low <= estimate.low, values
        assert estimate.long_run.high >= estimate.high, values


def test_who_does_not_answer_is_missing_among_the_asked() -> None:
    """Of ten that were asked six answered: they stand for all, and a draw without passages is of no such answer."""
    sample = sample_of([("p", 1000, 100, 12, 0.1)], without=2)
    values = np.array([1, 1, 1, 0, 0, 1, *[NOT] * 4, NOT, NOT], dtype=np.float64)
    estimate = mean_answer(sample, values)

    assert (estimate.estimate, estimate.n) == (pytest.approx(4 / 6), 6)
    answered = mean_answer(sample_of([("p", 1000, 100, 6, 0.1)]), values[:6])
    assert answered.estimate == pytest.approx(4 / 6)


@pytest.mark.parametrize(
    ("cells", "values", "reason"),
    [
        ([("p", 100, 10, 0, 0.5)], [], "assay push --ask passages"),
        ([("p", 100, 10, 3, 0.5)], [1.0, NOT, NOT], "for 1 answers"),
        ([("p", 100, 10, 3, 0.5), ("f", 100, 10, 0, 0.0)], [1.0, 1.0, 0.0], "100 of 200 answers had no chance"),
        ([("p", 3, 3, 3, 1.0), ("f", 9, 3, 0, 0.5)], [1.0, 1.0, 0.0], "speaks for some"),
    ],
)
def test_what_cannot_be_known_says_so(
    cells: Sequence[tuple[str, int, int, int, float]], values: Sequence[float], reason: str
) -> None:
    """Nobody asked, one answer, a stratum that had no chance, and one that is left without an answer beside a census."""
    estimate = mean_answer(sample_of(cells), np.array(values))

    assert estimate.estimate is None
    assert reason in (estimate.reason or "")


def test_a_little_without_a_chance_widens_the_interval() -> None:
    """Ten of 1,010 items could not be asked: the interval holds whatever they are."""
    reached = mean_answer(sample_of([("p", 1000, 100, 6, 0.1)]), np.array([1, 1, 1, 0, 0, 1.0]))
    beside = sample_of([("p", 1000, 100, 6, 0.1), ("f", 10, 5, 0, 0.0)])
    estimate = mean_answer(beside, np.array([1, 1, 1, 0, 0, 1.0]))

    assert estimate.estimate == reached.estimate
    assert reached.low is not None
    assert reached.high is not None
    assert estimate.low == pytest.approx(reached.low * 1000 / 1010)
    assert estimate.high == pytest.approx(reached.high * 1000 / 1010 + 10 / 1010)


def test_passages_are_ranked_by_what_their_answers_stand_for() -> None:
    """Mann-Whitney with weights by hand: the passages of failed answers stand for four times those of passed ones."""
    sample = sample_of([("p", 100, 10, 5, 1.0), ("f", 400, 10, 5, 1.0)])
    relevant = [np.array([1.0, 0.0])] * 10
    scores = [np.array([0.9, 0.2])] * 5 + [np.array([0.5, 0.6])] * 5
    ranked = ranks_relevant(sample, relevant, scores)
    # Of relevant passages weights 1 (.9) and 4 (.5), of others 1 (.2) and 4 (.6): .9 beats both, .5 beats .2 alone.
    by_hand = (1 * (1 + 4) + 4 * 1) / (5 * 5)

    assert ranked.estimate == pytest.approx(by_hand)
    assert ranked.n == 20


def test_answers_are_ranked_by_what_they_stand_for() -> None:
    """Weights 10 and 40: of those with nothing missing the passed score .9 and the failed .5, of the others .2 and .5, a tie."""
    sample = sample_of([("p", 100, 10, 6, 1.0), ("f", 400, 10, 6, 1.0)])
    sufficient = np.array([1.0, 0.0] * 6)
    scores = np.array([0.9, 0.2] * 3 + [0.5, 0.5] * 3)
    estimate = ranks_sufficient(sample, sufficient, scores)

    assert estimate.estimate == pytest.approx((10 * (10 + 40) + 40 * (10 + 40 / 2)) / (50 * 50))
    assert estimate.n == 12
    unscored = np.where(np.arange(12) < 4, NOT, scores)
    few = ranks_sufficient(sample, sufficient, unscored)
    assert (few.estimate, few.n) == (None, 8)
    assert "4 answers to which nothing is missing and 4 to which something is" in (few.reason or "")


def test_passages_of_one_answer_are_no_independent_answers() -> None:
    """Ten copies of each passage tell no more of the ranking than one: the interval for this window is as wide as before."""
    sample = sample_of([("p", 10_000, 60, 60, 1.0)])
    rng = np.random.default_rng(3)
    is_relevant = (np.arange(60) % 2).astype(np.float64)
    score = np.clip(rng.normal(0.4 + 0.2 * is_relevant, 0.2), 0, 1)
    once = ranks_relevant(sample, [np.array([value]) for value in is_relevant], [np.array([value]) for value in score])
    copied = ranks_relevant(
        sample, [np.repeat(value, 10) for value in is_relevant], [np.repeat(value, 10) for value in score]
    )

    assert copied.estimate == pytest.approx(once.estimate)
    assert None not in (once.low, once.high, copied.low, copied.high)
    assert copied.high - copied.low == pytest.approx(once.high - once.low, rel=0.12)  # type: ignore[operator]


def traffic(rng: np.random.Generator, size: int, group: int) -> tuple[SyntheticTraffic, Numbers]:
    """Items in groups that share how good retrieval is; failed ones have worse passages. Beside: how good each item's are."""
    of_group = np.repeat(rng.beta(4, 2, size // group + 1), group)[:size]
    passes = rng.random(size) < 0.3 + 0.6 * of_group
    passages = rng.binomial(4, np.clip(of_group - 0.25 * ~passes, 0, 1)) / 4
    right = (rng.random(size) < np.where(passes, 0.85, 0.3)).astype(np.float64)
    value = np.where(passes, rng.uniform(0.51, 1, size), rng.uniform(0, 0.5, size))
    made = SyntheticTraffic(
        verdicts=np.where(passes, "pass", "fail"),
        values=value,
        is_thumbed_down=rng.random(size) < 0.05,
        is_disputed=np.zeros(size, dtype=np.bool_),
        right=right,
        groups=[str(row // group) for row in range(size)],
    )
    return made, passages


def asked(
    made: SyntheticTraffic, waves: DrawnWaves, share: Sequence[float], rng: np.random.Generator
) -> tuple[AskedSample, NDArray[np.intp]]:
    """The draws that chance asks with the share of their wave, with their chances to be drawn and asked, and their rows."""
    evidence = evidence_of(made, waves)
    rows = np.flatnonzero(waves.own >= 0)
    is_asked = rng.random(len(rows)) < np.array(share)[waves.own[rows]]
    items = []
    for item, keep in zip(evidence.sample, is_asked, strict=True):
        if keep:
            waiting, chances = 1.0, []
            for chance, part in zip(item.chances, share, strict=True):
                chances.append(chance * part * waiting)
                waiting *= (1 - chance) / (1 - chances[-1])
            items.append(item._replace(chances=tuple(chances)))
    sample = AskedSample(
        totals=evidence.totals,
        items=items,
        has_passages=np.ones(len(items), dtype=np.bool_),
        drawings=evidence.drawings,
    )
    return sample, rows[is_asked]


@pytest.mark.slow
@repeated(20, 400)
def test_intervals_hold_the_truth_of_the_window(repetitions: int) -> None:
    """Unequal draw chances, one wave and two, a wave that was not asked, groups of three, silent experts; shares and yes or no.

    The truth of the window is counted, that of the long run is the mean of 300,000 more such answers.
    """
    cases = {
        "one wave": ((120,), (0.4,), 1),
        "groups": ((150,), (0.5,), 3),
        "silent": ((150,), (0.6,), 1),
        "two waves": ((80, 100), (0.5, 0.3), 1),
        "asked from the second wave on": ((80, 100), (0.0, 0.5), 1),
    }
    behind = {group: traffic(np.random.default_rng(group), 300_000, group)[1] for group in (1, 3)}
    held: dict[tuple[str, str, str], list[bool]] = {}
    for seed in range(repetitions):
        for name, (labels, share, group) in cases.items():
            rng = np.random.default_rng([seed, 77, len(name)])
            made, passages = traffic(rng, 900, group)
            waves = draw_waves(made, [ProposalRequest(labels=count, seed=0) for count in labels], rng)
            sample, rows = asked(made, waves, share, rng)
            is_silent = rng.random(len(rows)) < (0.3 if name == "silent" else 0.0)
            for kind, truth, rate in (
                ("share", passages, behind[group].mean()),
                ("whole", (passages == 1).astype(np.float64), (behind[group] == 1).mean()),
            ):
                estimate = mean_answer(sample, np.where(is_silent, NOT, truth[rows]))
                assert estimate.low is not None, estimate.reason
                assert estimate.high is not None
                assert estimate.long_run is not None
                held.setdefault((name, kind, "window"), []).append(estimate.low <= truth.mean() <= estimate.high)
                long_run = estimate.long_run.low <= rate <= estimate.long_run.high
                held.setdefault((name, kind, "long run"), []).append(long_run)

    assert_covers({key: float(np.mean(values)) for key, values in held.items()}, repetitions)


def area(scores: Numbers, is_yes: NDArray[np.bool_]) -> float:
    """P(a yes scores above a no), ties half, from ranks: the Mann-Whitney statistic of all that there is."""
    yes, no = int(is_yes.sum()), int((~is_yes).sum())
    return float((rankdata(scores)[is_yes].sum() - yes * (yes + 1) / 2) / (yes * no))


@pytest.mark.slow
@repeated(20, 400)
def test_intervals_of_rankings_hold_the_truth_of_the_window(repetitions: int) -> None:
    """Four passages an answer whose scores share a part; one by one, and the whole answer's score against what is missing."""
    held: dict[str, list[bool]] = {"relevant": [], "sufficient": []}
    for seed in range(repetitions):
        rng = np.random.default_rng([seed, 91])
        made, passages = traffic(rng, 900, 3)
        relevant = (rng.permuted(np.tile(np.arange(4), (900, 1)), axis=1) < 4 * passages[:, None]).astype(np.float64)
        noise = 0.1 * rng.normal(size=(900, 1)) + 0.2 * rng.normal(size=(900, 4))
        scores = np.clip(0.4 + 0.2 * relevant + noise, 0, 1)
        sufficient = (rng.random(900) < 0.1 + 0.8 * passages).astype(np.float64)
        waves = draw_waves(made, [ProposalRequest(labels=count, seed=0) for count in (100, 80)], rng)
        sample, rows = asked(made, waves, (0.5, 0.4), rng)
        mean = scores.mean(axis=1)
        for name, estimate, truth in (
            (
                "relevant",
                ranks_relevant(sample, list(relevant[rows]), list(scores[rows])),
                area(scores.ravel(), relevant.ravel() > 0),
            ),
            ("sufficient", ranks_sufficient(sample, sufficient[rows], mean[rows]), area(mean, sufficient > 0)),
        ):
            assert estimate.low is not None, estimate.reason
            assert estimate.high is not None
            held[name].append(estimate.low <= truth <= estimate.high)

    assert_covers({key: float(np.mean(values)) for key, values in held.items()}, repetitions)
