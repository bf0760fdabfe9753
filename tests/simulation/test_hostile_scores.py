"""Estimates hold the truth whatever the scores are: no crash, no nan, no interval without width.

400 answers (700 in uneven clusters), of which 80 are labelled: 40 by strata, then 40 where these leave the most doubt, so that
every part that leans on the predictor has been through it. Truth is the share right of all answers, known to the simulation.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from annotate.analysis.planning.synthetic_waves import DrawnWaves, SyntheticTraffic, draw_waves, simulate_waves
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.proposal import ProposalRequest
from proxy.evaluation.agreement import AgreementReport, measure
from proxy.evaluation.confusion_rates import DERIVED
from proxy.evaluation.domains import Evidence
from proxy.evaluation.effective_labels import effective_labels_of
from proxy.evaluation.estimate import Estimate, as_long_run
from proxy.evaluation.rule_comparison import differences
from proxy.records import Judgement, Verdict
from proxy.stats.agreement import confusion
from proxy.stats.sampling.survey import explained
from support.parts import evidence_in, verdict_groups
from support.simulation import assert_held, at_least, repeated
from support.tiers import shortly

Numbers = NDArray[np.float64]
ITEMS, RIGHT, AUROC = 400, 0.8, 0.85
WAVES = [ProposalRequest(labels=40, seed=0), ProposalRequest(labels=40, seed=0, design=WaveDesign.ACTIVE)]
RATES = ("pass_precision", "npv", "accuracy", "f1")
# Of a rule that passes everything these are 1 and 0 whatever is right: no width is the truth there.
BY_VERDICT = ("sensitivity", "specificity")
BETA_DRAWS = 16
# Ends of an interval need more than what only has to be sound.
EVEN_DRAWS = 512


def traffic(right: Numbers, scores: Numbers, questions: list[str] | None = None) -> SyntheticTraffic:
    """Items whose rule is the first score; an item without it has no verdict."""
    value = scores[:, 0]
    verdicts = np.where(value > 0.5, Verdict.PASS.value, Verdict.FAIL.value)
    names = [str(row) for row in range(len(right))]
    return SyntheticTraffic(
        verdicts=np.where(np.isnan(value), Verdict.UNSCORED.value, verdicts),
        values=value,
        is_thumbed_down=np.zeros(len(right), dtype=np.bool_),
        is_disputed=np.zeros(len(right), dtype=np.bool_),
        right=right,
        groups=questions or names,
        questions=questions or names,
        scores=scores,
    )


def judged(rng: np.random.Generator, right: Numbers) -> Numbers:
    """A binormal judge of this AUROC."""
    return np.asarray(ndtr(rng.normal(size=len(right)) + np.sqrt(2) * ndtri(AUROC) * (right - 0.5)), dtype=np.float64)


def usual(rng: np.random.Generator) -> SyntheticTraffic:
    """A good judge beside one that says nothing."""
    right = (rng.random(ITEMS) < RIGHT).astype(np.float64)
    return traffic(right, np.column_stack([judged(rng, right), rng.random(ITEMS)]))


def labels_flipped(rng: np.random.Generator) -> SyntheticTraffic:
    """What the judge likes is wrong."""
    now = usual(rng)
    return replace(now, right=1 - now.right)


def judges_duplicated(rng: np.random.Generator) -> SyntheticTraffic:
    """The same score five times."""
    now = usual(rng)
    return replace(now, scores=np.repeat(now.values[:, None], 5, axis=1))


def copies_of_other_labels(rng: np.random.Generator) -> SyntheticTraffic:
    """Two answers to each question, and a judge that says of one what is known of the other: it looks informed and is not."""
    right = (rng.random(ITEMS) < RIGHT).astype(np.float64)
    twin = np.arange(ITEMS) ^ 1
    return traffic(right, np.column_stack([rng.random(ITEMS), right[twin]]), [f"q{row // 2}" for row in range(ITEMS)])


def constant_judge(rng: np.random.Generator) -> SyntheticTraffic:
    """One score for every item, above the threshold."""
    return traffic((rng.random(ITEMS) < RIGHT).astype(np.float64), np.full((ITEMS, 2), 0.7))


def separable(rng: np.random.Generator) -> SyntheticTraffic:
    """A judge that is never mistaken."""
    right = (rng.random(ITEMS) < RIGHT).astype(np.float64)
    return traffic(right, np.column_stack([0.2 + 0.6 * right, rng.random(ITEMS)]))


def all_right(rng: np.random.Generator) -> SyntheticTraffic:
    """Nothing to find."""
    return replace(usual(rng), right=np.ones(ITEMS))


def one_wrong(rng: np.random.Generator) -> SyntheticTraffic:
    """One wrong answer of all."""
    right = np.ones(ITEMS)
    right[int(rng.integers(ITEMS))] = 0
    return replace(usual(rng), right=right)


def one_group(rng: np.random.Generator) -> SyntheticTraffic:
    """Every answer is to one question: all labels lie in one fold, and nothing may be learned from them."""
    now = usual(rng)
    return replace(now, groups=["g"] * ITEMS, questions=["q"] * ITEMS)


def uneven_clusters(rng: np.random.Generator) -> SyntheticTraffic:
    """200 questions with one answer and 5 with 100, whose answers are mostly all right or all wrong."""
    questions = [f"q{row}" for row in range(200)] + [f"q{200 + row // 100}" for row in range(500)]
    rate = np.concatenate([np.full(200, RIGHT), np.repeat(rng.choice([0.95, 0.2], 5, p=[0.8, 0.2]), 100)])
    right = (rng.random(700) < rate).astype(np.float64)
    return traffic(right, np.column_stack([judged(rng, right), rng.random(700)]), questions)


def column_missing(rng: np.random.Generator) -> SyntheticTraffic:
    """A judge that never scored, and the rule's own score missing of one item in ten."""
    now = usual(rng)
    value = np.where(rng.random(ITEMS) < 0.1, np.nan, now.values)
    return traffic(now.right, np.column_stack([value, np.full(ITEMS, np.nan)]))


def infinite_scores(rng: np.random.Generator) -> SyntheticTraffic:
    """A judge whose scores are infinite, or none, at random."""
    now = usual(rng)
    column = rng.choice([-np.inf, np.inf, np.nan, 0.5], ITEMS)
    return replace(now, scores=np.column_stack([now.values, column]))


def weights_scaled(rng: np.random.Generator) -> SyntheticTraffic:
    """The one judge writes millions, the other millionths."""
    now = usual(rng)
    assert now.scores is not None
    return replace(now, scores=now.scores * [1e6, 1e-6])


def one_system(rng: np.random.Generator) -> SyntheticTraffic:
    """All answers are of one system: a number that goes with systems is the same for all of them."""
    now = usual(rng)
    return replace(now, scores=np.column_stack([now.values, np.ones(ITEMS)]))


CASES: Mapping[str, Callable[[np.random.Generator], SyntheticTraffic]] = {
    made.__name__: made
    for made in (
        labels_flipped,
        judges_duplicated,
        copies_of_other_labels,
        constant_judge,
        separable,
        all_right,
        one_wrong,
        one_group,
        uneven_clusters,
        column_missing,
        infinite_scores,
        weights_scaled,
        one_system,
    )
}
# Where nothing, or nearly nothing, is left open an interval always holds: there are no teeth in these.
DECIDED = ("separable", "all_right", "one_wrong")


def assert_sound(report: AgreementReport, rates: tuple[str, ...]) -> None:
    """Each number is finite with an interval that has a width around it, or is not there and says why."""
    for estimate in (report.correctness, report.correctness_long_run, *(getattr(report, name) for name in rates)):
        if estimate.estimate is None:
            assert estimate.reason
            continue
        assert estimate.low is not None
        assert estimate.high is not None
        assert 0 <= estimate.low <= estimate.estimate <= estimate.high <= 1
        assert estimate.high > estimate.low


def held_in(name: str, repetitions: int, stream: int) -> dict[Hashable, list[bool]]:
    """Note what correctness and precision of this window hold, and that every number of the report is sound."""
    held: dict[Hashable, list[bool]] = defaultdict(list)
    for number in range(repetitions):
        rng = np.random.default_rng([23, number, stream])
        now = CASES[name](rng)
        evidence = simulate_waves(now, WAVES, rng)
        report = measure(evidence, BETA_DRAWS)
        assert_sound(report, RATES if len(np.unique(now.verdicts)) == 1 else RATES + BY_VERDICT)
        effective = effective_labels_of(evidence)
        assert effective.reason or (effective.estimate is not None and math.isfinite(effective.estimate))
        note(held, "correctness", report.correctness, float(now.right.mean()))
        note(held, "pass_precision", report.pass_precision, float(now.right[now.verdicts == "pass"].mean()))
    return held


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_no_scores_make_an_interval_lie(name: str) -> None:
    """Coverage in each case, and every number of the report sound."""
    assert_held(lambda count, stream: held_in(name, count, len(name) + 1_000 * stream), 600)


@pytest.mark.long
def test_no_scores_make_intervals_lie_together() -> None:
    """Every case sound, and together, where chance has a part, .95 but for three errors of all their samples.

    The samples of all cases are independent, and where each holds with a chance of .95 or more the share that holds has at most
    the error of one case with as many samples: .927 of 800 are asked. Intervals narrower by a fifth hold .91 of them.
    """
    held = {name: held_in(name, 80, 100 + number) for number, name in enumerate(CASES)}
    together: dict[str, list[bool]] = {
        quantity: [is_held for name in CASES if name not in DECIDED for is_held in held[name][quantity]]
        for quantity in ("correctness", "pass_precision")
    }
    shares = {quantity: (float(np.mean(values)), len(values)) for quantity, values in together.items()}

    assert all(np.mean(times) >= at_least(0.95, len(times)) for each in held.values() for times in each.values()), held
    assert all(n >= 700 for _, n in shares.values()), shares
    assert all(share >= at_least(0.95, n) for share, n in shares.values()), shares


QUANTITIES = ("correctness", "pass_precision", "npv", "sensitivity", "specificity", "accuracy", "f1", "kappa", "mcc")


def independent(rng: np.random.Generator, items: int = ITEMS) -> SyntheticTraffic:
    """A judge of AUROC .85 and one of .6: b > 0 in nearly all samples."""
    right = (rng.random(items) < RIGHT).astype(np.float64)
    second_judge = ndtr(rng.normal(size=items) + np.sqrt(2) * ndtri(0.6) * (right - 0.5))
    return traffic(right, np.column_stack([judged(rng, right), second_judge]))


def plain(rng: np.random.Generator) -> SyntheticTraffic:
    """Nothing hostile."""
    return independent(rng)


def truths(now: SyntheticTraffic, rows: NDArray[np.bool_]) -> dict[str, float]:
    """Each quantity of the 2x2 table of these items, nan where it is undefined."""
    passed, failed = (rows & (now.verdicts == word) for word in ("pass", "fail"))
    scored = passed | failed
    p1, p0 = (float(now.right[side].mean()) if side.any() else math.nan for side in (passed, failed))
    table = confusion.cells(p1, p0, passed.sum() / max(1, scored.sum()))
    derived = {name: float(DERIVED[name](table)) for name in QUANTITIES if name in DERIVED}
    return {"correctness": float(now.right[scored].mean()), "pass_precision": p1, "npv": 1 - p0, **derived}


def unsure_by_lot(evidence: Evidence, is_judgeable: NDArray[np.bool_]) -> Evidence:
    """The answers that nobody can judge come back unsure; each group is named by the row of its one answer."""
    if is_judgeable.all():
        return evidence
    unsure = {str(row) for row in np.flatnonzero(~is_judgeable)}
    return evidence.with_sample(
        [item._replace(judgement=Judgement.UNSURE) if item.group in unsure else item for item in evidence.sample]
    )


def note(held: dict[Hashable, list[bool]], key: Hashable, estimate: Estimate, true: float) -> None:
    """Note whether the interval holds the truth; what was not measured or is not defined has none."""
    if estimate.estimate is None or estimate.low is None or estimate.high is None or math.isnan(true):
        return
    assert estimate.low <= estimate.estimate <= estimate.high
    held[key].append(estimate.low - 1e-9 <= true <= estimate.high + 1e-9)


def other_rule(now: SyntheticTraffic) -> NDArray[np.str_]:
    """The verdicts of a second rule: the last score above .45, or the first where that is missing."""
    last = np.column_stack([now.values, now.scores if now.scores is not None else now.values])[:, -1]
    value = np.where(np.isfinite(last), last, now.values)
    return np.where(value > 0.45, Verdict.PASS.value, Verdict.FAIL.value)


@pytest.mark.slow
@repeated(24, 300)
@pytest.mark.parametrize(
    "name",
    shortly([*CASES, "plain", "unsure"], "labels_flipped", "unsure"),
)
def test_no_scores_make_any_quantity_lie(name: str, repetitions: int) -> None:
    """Every quantity of all traffic, of a system that the scores go with, of a window, and of two rules' difference."""
    assert_held(lambda count, stream: all_held_in(name, count, stream), repetitions)


def all_held_in(name: str, repetitions: int, stream: int) -> dict[Hashable, list[bool]]:
    """Note what every quantity holds that was measured in half of the samples at least.

    Two waves, the second adaptive. Beside them the samples in which b > 0 was chosen, by themselves.
    """
    held: dict[Hashable, list[bool]] = defaultdict(list)
    for number in range(repetitions):
        rng, of_waves = (np.random.default_rng([key + 100 * stream, number, len(name)]) for key in (37, 38))
        now = CASES.get(name, plain)(rng)
        value, lot = np.nan_to_num(now.values, nan=0.5), rng.random(len(now.right))
        everything = np.ones(len(value), dtype=np.bool_)
        is_judgeable = lot >= 0.15 if name == "unsure" else everything
        is_of_system = everything if name == "one_system" else rng.random(len(value)) < 0.2 + 0.5 * value
        waves = draw_waves(now, WAVES, of_waves)
        for key, inside in (("all", everything), ("system", is_of_system), ("window", np.arange(len(value)) % 3 == 0)):
            evidence = unsure_by_lot(evidence_in(now, waves, inside), is_judgeable)
            report, true = measure(evidence, EVEN_DRAWS), truths(now, inside & is_judgeable)
            is_leaning = bool(np.any(explained(evidence.arrays, evidence.arrays.score).explains))
            for quantity in QUANTITIES:
                note(held, (key, quantity), getattr(report, quantity), true[quantity])
                if is_leaning:
                    note(held, (f"{key}, b > 0", quantity), getattr(report, quantity), true[quantity])
        if name not in ("unsure", "column_missing"):
            note_difference(held, now, waves)
    return measured_mostly(held, repetitions)


def measured_mostly(held: Mapping[Hashable, list[bool]], repetitions: int) -> dict[Hashable, list[bool]]:
    """Return what was measured in half of the samples at least."""
    return {key: values for key, values in held.items() if len(values) >= repetitions / 2}


def note_difference(held: dict[Hashable, list[bool]], now: SyntheticTraffic, waves: DrawnWaves) -> None:
    """Note the differences between the rule and the other one."""
    everything, other_verdicts = np.ones(len(now.right), dtype=np.bool_), other_rule(now)
    reports = [
        measure(evidence_in(now, waves, everything, verdicts), EVEN_DRAWS)
        for verdicts in (now.verdicts, other_verdicts)
    ]
    true = [truths(replace(now, verdicts=verdicts), everything) for verdicts in (now.verdicts, other_verdicts)]
    pairs = {name: (getattr(reports[0], name), getattr(reports[1], name)) for name in ("accuracy", "kappa")}
    measured = differences(verdict_groups(now, waves, other_verdicts), pairs)
    for name in pairs:
        note(held, ("difference", name), measured[name].estimate, true[0][name] - true[1][name])


def grouped(rng: np.random.Generator, items: int = ITEMS) -> SyntheticTraffic:
    """Answers of groups of four that lean to one side together, with a correlation of .3."""
    group = np.arange(items) // 4
    lean = np.sqrt(0.3) * rng.normal(size=group.max() + 1)[group] + np.sqrt(0.7) * rng.normal(size=items)
    right = (lean < ndtri(RIGHT)).astype(np.float64)
    return traffic(right, np.column_stack([judged(rng, right), rng.random(items)]), [f"q{name}" for name in group])


@pytest.mark.slow
@repeated(24, 300)
@pytest.mark.parametrize("is_grouped", [False, True])
def test_intervals_of_the_long_run_hold_the_rate_behind_the_window(repetitions: int, *, is_grouped: bool) -> None:
    """The truth is that of 200,000 answers made in the same way; alone, or in groups that behave alike."""
    made = grouped if is_grouped else independent
    behind = made(np.random.default_rng(39), 200_000)
    true = truths(behind, np.ones(200_000, dtype=np.bool_))

    def held_in_long_run(count: int, stream: int) -> dict[Hashable, list[bool]]:
        held: dict[Hashable, list[bool]] = defaultdict(list)
        for number in range(count):
            rng, of_waves = (np.random.default_rng([key + 100 * stream, number, is_grouped]) for key in (40, 41))
            now = made(rng, ITEMS)
            waves = draw_waves(now, WAVES, of_waves)
            report = measure(evidence_in(now, waves, np.ones(ITEMS, dtype=np.bool_)), EVEN_DRAWS)
            for quantity in QUANTITIES:
                note(held, quantity, as_long_run(getattr(report, quantity)), true[quantity])
        return measured_mostly(held, count)

    assert_held(held_in_long_run, repetitions)


@pytest.mark.slow
def test_a_judge_that_copies_other_labels_is_worth_nothing() -> None:
    """Folds hold whole questions, so that what one answer's label says of its twin cannot be learned from the twin itself.

    With 200 labels of 400 a leak would narrow the interval; in the mean of 40 draws it is that of the rule's score alone.
    """
    alone, beside = [], []
    for number in range(40):
        now = copies_of_other_labels(np.random.default_rng([29, number]))
        for widths, scores in ((alone, None), (beside, now.scores)):
            chosen = replace(now, scores=scores)
            report = measure(
                simulate_waves(chosen, [ProposalRequest(labels=200, seed=0)], np.random.default_rng(number)), BETA_DRAWS
            )
            assert report.correctness.high is not None
            assert report.correctness.low is not None
            widths.append(report.correctness.high - report.correctness.low)

    assert np.mean(beside) == pytest.approx(np.mean(alone), rel=0.02)
