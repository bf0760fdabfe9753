"""WaveSimulation tell what a sample would give: the truth is counted, the seed decides, and intervals hold it as they say."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from annotate.analysis.planning import simulate as planning_simulate
from annotate.analysis.planning.simulate import SimulatedQuantity, requests, simulate, subset, truths
from annotate.analysis.planning.synthetic_waves import SyntheticTraffic
from annotate.domain.sampling.designs import WaveDesign
from proxy.errors import UsageError
from proxy.evaluation.predictor import FOLDS, PredictorScores
from proxy.planning.coded import Coded
from proxy.planning.priors import Guess, from_labels, from_numbers
from proxy.planning.strata import SamplingFrame
from support.scored import scored
from support.store import Assay, draw, label, traffic_row


def traffic(count: int = 600) -> SyntheticTraffic:
    """Passed, failed and unscored answers, some with a thumb down, two to a conversation."""
    rng = np.random.default_rng(2)
    values = np.where(rng.random(count) < 0.05, np.nan, rng.random(count))
    return SyntheticTraffic(
        verdicts=np.where(np.isnan(values), "unscored", np.where(values > 0.4, "pass", "fail")),
        values=values,
        is_thumbed_down=rng.random(count) < 0.05,
        is_disputed=np.zeros(count, dtype=np.bool_),
        right=np.zeros(count),
        groups=[str(n // 2) for n in range(count)],
    )


def chances(window: SyntheticTraffic) -> np.ndarray:
    """P(right) that rises with the score."""
    return np.where(np.isnan(window.values), 0.5, 0.2 + 0.7 * np.nan_to_num(window.values))


def test_the_truth_is_counted() -> None:
    """4 passed of which 3 right, 2 failed of which 1 right, 1 unscored and wrong.

    Correct 4/7; sensitivity 3/4, specificity 1/2, accuracy 4/6, F1 6/8; chance agreement 4/6 4/6 + 2/6 2/6 = 20/36, so
    kappa = (24/36 - 20/36) / (16/36) = 1/4.
    """
    window = SyntheticTraffic(
        verdicts=np.array(["pass"] * 4 + ["fail"] * 2 + ["unscored"]),
        values=np.array([0.9] * 4 + [0.1] * 2 + [np.nan]),
        is_thumbed_down=np.zeros(7, dtype=np.bool_),
        is_disputed=np.zeros(7, dtype=np.bool_),
        right=np.array([1.0, 1, 1, 0, 1, 0, 0]),
        groups=list("abcdefg"),
    )
    expected = {"correctness": 4 / 7, "pass_precision": 3 / 4, "npv": 1 / 2, "sensitivity": 3 / 4, "specificity": 1 / 2}

    truth = truths(window)

    for name, value in (expected | {"accuracy": 2 / 3, "f1": 3 / 4, "kappa": 1 / 4}).items():
        assert truth[name] == pytest.approx(value), name
    assert math.isnan(truths(replace(window, verdicts=np.full(7, "unscored")))["kappa"])


def test_waves_are_equal_and_only_later_ones_are_active() -> None:
    """100 labels in three waves: 34, 33, 33; the first has no labels to go by."""
    waves = requests(100, 3, 0.25, is_active=True)

    assert [simulated_wave.labels for simulated_wave in waves] == [34, 33, 33]
    assert [simulated_wave.design for simulated_wave in waves] == [
        WaveDesign.STRATIFIED,
        WaveDesign.ACTIVE,
        WaveDesign.ACTIVE,
    ]
    with pytest.raises(UsageError, match="--waves 2"):
        requests(100, 1, 0.25, is_active=True)
    with pytest.raises(UsageError, match="fewer waves"):
        requests(2, 3, 0.25, is_active=False)


def test_guessed_numbers_become_shares_by_bayes() -> None:
    """.8 x .9 = .72 of .80 passed are right: .9; .08 of .20 failed: .4; what was not scored: .8."""
    expected_right = from_numbers(Coded.of(["pass", "fail", "unscored"]), Guess(0.8, 0.9, 0.6)).right.every

    assert expected_right == pytest.approx([0.9, 0.4, 0.8])


@pytest.mark.slow
def test_numbers_that_give_another_pass_rate_say_on_the_first_screen_what_was_taken(assay: Assay) -> None:
    """.8 x .9 + .2 x .4 = .80 would pass, and 10 of 20 do: (.9 + .4) / 2 = .65 are right."""
    scored(assay, [traffic_row(f"i{n}", question=f"Q{n}?") for n in range(20)], [0.2, 0.9] * 10)
    brief = assay.words("simulate", "--labels", "8", "--repetitions", "3", "--right", "0.8")

    assert "assumed, not measured: 80 % of the answers right, sensitivity 0.9, specificity 0.6." in brief
    assert (
        "have the proxy pass 80 %, and it passes 50 % of your answers: that was kept, so that 65 % are right." in brief
    )


def test_labels_set_each_cells_share_and_the_score_its_slope() -> None:
    """30 labelled passes of which 20 right have a mean of 21/32; a kind without a label is one half."""
    values = np.concatenate([np.linspace(0.51, 1, 60), np.full(10, np.nan)])
    right = np.full(70, np.nan)
    right[:60:2] = (np.arange(30) >= 10).astype(float)
    frame = SamplingFrame(
        keys=np.arange(70),
        kinds=Coded.of(np.array(["passed"] * 60 + ["unscored"] * 10)),
        values=values,
        right=right,
        is_eligible=np.isnan(right),
    )

    frame = frame.foreseen(PredictorScores(values[:, None], np.arange(70) // 2 % FOLDS))
    expected_right = from_labels(frame, Coded.of(["pass"] * 60 + ["unscored"] * 10))
    right = expected_right.right.every

    assert right[:60:2].mean() == pytest.approx(21 / 32)
    assert (np.diff(right[:60]) > -0.06).all()  # neighbours of other folds have other models
    assert right[0] < 0.4
    assert right[59] > 0.8
    assert (right[60:] == 0.5).all()
    assert expected_right.unlabelled == 10


@pytest.mark.slow
def test_the_seed_decides_everything() -> None:
    """The same seed gives the same numbers, another one others."""
    window = traffic(200)

    def run(seed: int) -> list[SimulatedQuantity]:
        return simulate(window, chances(window), requests(60, 2, 0.25, is_active=True), 3, np.random.default_rng(seed))

    assert run(1) == run(1)
    assert run(1) != run(2)


@pytest.mark.slow
@pytest.mark.parametrize(("waves", "is_active"), [(1, False), (3, True)])
def test_intervals_hold_the_truth_of_made_up_windows(waves: int, is_active: bool) -> None:
    """Thumbs, unscored items and several waves: at 100 repetitions each coverage is at least .95 - 3 sqrt(.05 .95 / 100)."""
    window = traffic()

    simulated = simulate(
        window, chances(window), requests(120, waves, 0.25, is_active=is_active), 100, np.random.default_rng(7)
    )

    for simulated_wave in simulated:
        assert simulated_wave.measured == 100
        assert simulated_wave.coverage >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / 100), simulated_wave
    assert np.mean([outcome.coverage for outcome in simulated]) >= 0.94
    assert 0.05 < simulated[0].width < 0.25


def test_a_census_holds_the_truth_with_no_width() -> None:
    """As many labels as items: every interval is the truth itself, and the error of its coverage is still no 0."""
    window = traffic(80)

    for outcome in simulate(
        window, chances(window), requests(80, 1, 0.25, is_active=False), 3, np.random.default_rng(0)
    ):
        assert (outcome.coverage, outcome.width) == (1.0, pytest.approx(0.0, abs=1e-9)), outcome
        assert outcome.error == pytest.approx(math.sqrt(0.75 * 0.25 / 3))


def test_what_is_not_measured_has_no_coverage() -> None:
    """Without an audit specificity cannot be measured in any repetition."""
    window = traffic(200)

    simulated = simulate(window, chances(window), requests(60, 1, 0, is_active=False), 2, np.random.default_rng(0))

    specificity = next(simulated_wave for simulated_wave in simulated if simulated_wave.quantity == "specificity")
    assert (specificity.measured, specificity.coverage, specificity.error, specificity.width) == (0, None, None, None)


def test_many_items_are_stood_for_by_some() -> None:
    """20,000 rows of more, each once and in their order; all of fewer."""
    rng = np.random.default_rng(0)
    subset_rows = subset(50_000, rng)

    assert len(subset_rows) == planning_simulate.MOST_ITEMS == len(np.unique(subset_rows))
    assert (np.diff(subset_rows) > 0).all()
    assert (subset(10, rng) == np.arange(10)).all()


@pytest.fixture
def judged(assay: Assay) -> Assay:
    """60 judged answers, a third made up, one with a thumb down."""
    rows = [traffic_row(f"q{n}") | ({"answer": "Bring an umbrella."} if n % 3 == 0 else {}) for n in range(60)]
    assay("ingest", assay.write("traffic.jsonl", rows))
    assay("feedback", assay.write("thumbs.jsonl", [{"item_id": "q1", "value": -1}]))
    assay("judge")
    return assay


@pytest.mark.slow
def test_the_command_says_what_it_assumes(judged: Assay) -> None:
    """Without labels the usual numbers, then what labels say, and numbers of one's own above both."""
    args = ("simulate", "--labels", "30", "--repetitions", "5")
    before = judged.json(*args)
    names = draw(judged, 20)
    rows = [label(name, "wrong" if n % 4 == 0 else "right") for n, name in enumerate(names)]
    judged("labels", "import", judged.write("labels.jsonl", rows))
    after, given = judged.json(*args), judged.json(*args, "--right", "0.5")

    assert before["assumed"][0].startswith("assumed, not measured: 80 % of the answers right")
    assert "20 labels at hand" in after["assumed"][0]
    assert given["assumed"][0].startswith("assumed, not measured: 50 %")
    assert after == judged.json(*args, "--seed", "0")
    assert after["quantities"]["correctness"]["mean_width"] > 0
    assert set(after["quantities"]) == set(planning_simulate.QUANTITIES)
    assert (before["labels_left_out"], before["next"][0]["commands"][0]) == (0, "assay sample --labels 30")
    assert (after["labels_left_out"], after["next"][0]["commands"]) == (20, ["assay plan"])
    assert "These labels alone: the 20 that are there already are left out." in judged(*args).stdout


@pytest.mark.slow
def test_the_command_for_people(judged: Assay) -> None:
    """The answer first, a row for each quantity, the next command last; too few labels are refused, and too many."""
    words = judged("simulate", "--labels", "30", "--repetitions", "5", "--audit", "0").stdout

    assert words.startswith("30 labels gave no interval in any of 5 simulations")
    assert sum("—" in line for line in words.splitlines()) >= 5
    assert "    assay sample --labels 30 --audit 0\n" in words
    assert "at least" in judged("simulate", "--labels", "1", status=2).stderr
    assert "the 60 items there are" in judged("simulate", "--labels", "61", status=2).stderr
