"""Bins of the value, and waves in which each item has a chance of its own."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from annotate.domain.sampling import designs
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.proposal import ProposalRequest, drawing
from proxy.errors import UsageError
from proxy.evaluation.predictor import FOLDS, PredictorScores
from proxy.planning import strata
from proxy.planning.strata import Known, SamplingFrame
from support.sampling import DOWN, FAILED, PASSED, UNSCORED, frame

SIZES = {DOWN: 12, UNSCORED: 40, PASSED: 600, FAILED: 200}


def values_of(frame_: SamplingFrame, values: np.ndarray) -> SamplingFrame:
    return replace(frame_, values=np.asarray(values, dtype=np.float64))


def foreseen(rows: SamplingFrame) -> SamplingFrame:
    """The frame with what its labels let expect of each item, by its value."""
    return rows.foreseen(PredictorScores(rows.values[:, None], np.arange(len(rows.keys)) % FOLDS))


def labelled(rows: SamplingFrame, count: int = 60, seed: int = 1) -> SamplingFrame:
    """The frame after a first wave of `count` items, whose labels go with the value."""
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(rows.keys), count, replace=False)
    right, eligible = rows.right.copy(), rows.is_eligible.copy()
    right[chosen] = (rng.random(count) < np.nan_to_num(rows.values[chosen], nan=0.5)).astype(float)
    eligible[chosen] = False
    return foreseen(replace(rows, right=right, is_eligible=eligible))


def test_a_bin_never_parts_equal_values() -> None:
    """Random ties: every value lies in one bin, bins follow the values, and there are no more than were asked for."""
    rng = np.random.default_rng(2)
    for _ in range(300):
        values = rng.integers(0, int(rng.integers(1, 12)), int(rng.integers(1, 80))) / 10
        wanted = int(rng.integers(2, 5))
        bins = strata.bins_of(values, wanted)

        assert all(len(set(bins[values == value])) == 1 for value in values)
        assert (np.diff(bins[np.argsort(values, kind="stable")]) >= 0).all()
        assert bins.min() == 0
        assert bins.max() < wanted


def test_bins_without_ties_are_as_even_as_they_can_be() -> None:
    """100 different values in three: 33, 34 and 33."""
    bins = strata.bins_of(np.random.default_rng(3).permutation(100).astype(float), 3)

    assert sorted(Counter(bins.tolist()).values()) == [33, 33, 34]
    assert strata.bins_of(np.full(9, 0.7), 3).max() == 0


@pytest.mark.parametrize(
    ("labels", "bins"),
    [(49, (1, 1)), (100, (2, 1)), (150, (3, 1)), (200, (3, 2)), (5_000, (3, 2))],
)
def test_more_labels_make_more_bins(labels: int, bins: tuple[int, int]) -> None:
    """50 labels a passed bin and 100 a failed one, three and two at most; thumbs-down and unscored stay whole."""
    names = {*strata.stratify(frame(SIZES), labels).in_order().names}

    assert sum(name.startswith("passed") for name in names) == bins[0]
    assert sum(name.startswith("failed") for name in names) == bins[1]
    assert {"thumbs_down", "unscored"} <= names


def test_bins_by_what_labels_say_take_fewer_labels() -> None:
    """Once labels rank the items 20 make a passed bin and 40 a failed one, and bin 1 is what they expect least of."""
    rows = labelled(frame(SIZES))
    names = strata.stratify(rows, 80)

    assert {f"passed_{n}" for n in (1, 2, 3)} | {"failed_1", "failed_2"} <= {*names.in_order().names}
    assert rows.predicted is not None
    assert rows.predicted[names.among("passed_1")].max() <= rows.predicted[names.among("passed_2")].min()


def test_a_bin_never_reaches_across_the_threshold() -> None:
    """Each bin is of one side, and bin 1 holds its lowest values."""
    rows = frame(SIZES)
    names = strata.stratify(rows, 500)

    for side in ("passed", "failed"):
        assert {str(name)[:6] for name in names[rows.kinds.among(side)].tolist()} == {side}
    assert rows.values[names.among("passed_1")].max() < rows.values[names.among("passed_2")].min()


def test_earlier_labels_are_counted_in_the_strata_as_they_are_cut_now() -> None:
    """Unsure labels and open draws are nan and tell nothing."""
    rows = frame({PASSED: 6, FAILED: 3})
    rows = replace(rows, right=np.array([1, 1, 0, np.nan, np.nan, np.nan, 0, np.nan, np.nan]))

    assert strata.known(rows, rows.kinds) == {"passed": Known(3, 2), "failed": Known(1, 0)}


def by_hand(rows: SamplingFrame, labels: float) -> np.ndarray:
    """.8 n u / sum u + .2 n / N over what is eligible, for any u, from the chances themselves: u is what remains of them."""
    drawable = rows.is_eligible & ~rows.kinds.among(DOWN)
    chances = designs.active_chances(rows, labels, 0.0)[drawable]
    return (chances - 0.2 * labels / drawable.sum()) / (0.8 * labels)


def test_active_chances_add_up_to_the_labels_and_starve_nobody() -> None:
    """Their sum over what may be drawn is n, each at least .2 n / N and at most 1; thumbs-down are left to their stratum."""
    rows = labelled(frame(SIZES))
    drawable = rows.is_eligible & ~rows.kinds.among(DOWN)
    for labels in (10, 100, 400, 700):
        chances = designs.active_chances(rows, labels, 0.25)

        assert np.isnan(chances[rows.kinds.among(DOWN)]).all()
        assert chances[drawable].sum() == pytest.approx(labels, rel=1e-6)
        assert chances[drawable].min() >= 0.2 * labels / drawable.sum() * (1 - 1e-9) or labels == 10
        assert chances[drawable].max() <= 1


def test_active_chances_follow_the_doubt() -> None:
    """What remains above the floor adds up to 1 and is largest where about half are right; unscored items by their own labels."""
    rows = frame({UNSCORED: 40, PASSED: 600, FAILED: 200})
    rng = np.random.default_rng(6)
    rank = np.where(np.isnan(rows.values), 0.5, np.argsort(np.argsort(rows.values)) / 800)
    right = np.where(np.arange(840) % 4 == 0, (rng.random(840) < rank**2).astype(float), np.nan)
    rows = foreseen(replace(rows, right=right, is_eligible=np.isnan(right)))
    chances, rank = by_hand(rows, 100), rank[rows.is_eligible]
    unscored = rows.kinds[rows.is_eligible].among(UNSCORED)

    assert chances.sum() == pytest.approx(1)
    assert chances[(rank > 0.6) & (rank < 0.8)].mean() > 1.5 * chances[rank < 0.1].mean()
    assert 0 < np.nanmean(rows.right[rows.kinds.among(UNSCORED)]) < 0.4
    assert np.ptp(chances[unscored]) < 0.15 * chances.max()  # a model a fold
    assert 0.8 * chances.max() < chances[unscored].mean() < chances.max()


def test_the_audit_share_of_active_chances_goes_to_failed_items() -> None:
    """200 of 840 items fail: at an audit of .6 they get 60 of 100 expected draws, and the others 40."""
    rows = labelled(frame({UNSCORED: 40, PASSED: 600, FAILED: 200}))
    chances, failed = designs.active_chances(rows, 100, 0.6), rows.kinds.among(FAILED)

    assert chances[failed & rows.is_eligible].sum() == pytest.approx(60, rel=1e-6)
    assert chances[~failed & rows.is_eligible].sum() == pytest.approx(40, rel=1e-6)


DOWNVOTED = {DOWN: 200, PASSED: 500, FAILED: 300}


@pytest.mark.parametrize("failed", [300, 20, 0])
@pytest.mark.parametrize("audit", [0.6, 0.9, 1.2, 1.8])
def test_an_audit_beyond_the_labels_takes_no_more_than_there_are(audit: float, failed: int) -> None:
    """Failed items get all 50 labels or all of themselves, the others what is left; no chance is below 0 or above 1."""
    rows = frame(DOWNVOTED | {FAILED: failed})
    rows = replace(rows, right=np.where(np.arange(len(rows.keys)) == 300, 1.0, np.nan))
    is_failed, rest = rows.kinds.among(FAILED), rows.kinds.among(PASSED)
    chances = designs.active_chances(rows, 50, audit)
    drawable = chances[is_failed | rest]
    least = min(audit * 50, 50, failed)

    assert np.isnan(chances[rows.kinds.among(DOWN)]).all()
    assert (drawable >= 0).all()
    assert (drawable <= 1).all()
    assert drawable.sum() == pytest.approx(50, rel=1e-6)
    assert chances[is_failed].sum() >= least * (1 - 1e-6)
    assert chances[rest].sum() <= (50 - least) * (1 + 1e-6) + 1e-9


@pytest.mark.parametrize(("audit", "draws_passed"), [(0.25, True), (0.6, True), (0.9, False)])
def test_an_active_wave_draws_by_its_chances_and_thumbs_down_by_their_stratum(audit: float, draws_passed: bool) -> None:
    """Thumbs-down, 20 % of the traffic, take 20 of 100 labels; the others are drawn systematically, so that just as many come as were asked for.

    An audit of 90 gets the 80 that are left, and passed items none. What was drawn before never comes again.
    """
    rows = labelled(frame(DOWNVOTED))
    numbers = np.where(rows.is_eligible, np.random.default_rng(7).random(1_000), 2.0)
    proposal = drawing(rows, ProposalRequest(labels=100, audit=audit, seed=1, design=WaveDesign.ACTIVE), numbers)
    drawn, is_down = set(proposal.rows.tolist()), rows.kinds.among(DOWN)

    assert proposal.chances[rows.is_eligible].sum() == pytest.approx(100, rel=1e-6)
    assert ((proposal.chances >= 0) & (proposal.chances <= 1)).all()
    assert len(drawn) == 100
    assert rows.is_eligible[proposal.rows].all()
    assert rows.kinds[proposal.rows].among(PASSED).any() == draws_passed
    assert {part.stratum: part.drawn for part in proposal.plans if part.is_fixed} == {DOWN: 20}
    assert len(drawn & set(np.flatnonzero(is_down & rows.is_eligible))) == 20


@pytest.mark.slow
def test_an_active_wave_draws_each_item_by_its_chance() -> None:
    """4,000 drawings of the same frame: each item comes as often as its chance says, within five standard errors."""
    rows, often = labelled(frame({PASSED: 150, FAILED: 50})), np.zeros(200)
    rng, request = np.random.default_rng(8), ProposalRequest(labels=40, audit=0.25, seed=1, design=WaveDesign.ACTIVE)
    for _ in range(4_000):
        proposal = drawing(rows, request, np.where(rows.is_eligible, rng.random(200), 2.0))
        assert len(proposal.rows) == 40
        often[proposal.rows] += 1
    chances = np.where(rows.is_eligible, proposal.chances, 0.0)

    assert np.abs(often / 4_000 - chances).max() < 5 * np.sqrt(0.25 / 4_000)
    assert np.corrcoef(often, chances)[0, 1] > 0.95


def test_no_label_left_for_chance_draws_nothing() -> None:
    """Labels of 0, or below where thumbs-down took more: every chance is 0."""
    rows = labelled(frame(DOWNVOTED))
    for labels in (0, -3):
        chances = designs.active_chances(rows, labels, 0.25)
        assert (chances[~rows.kinds.among(DOWN)] == 0).all()


@pytest.mark.parametrize("change", [np.exp, np.cbrt, np.arctan, np.expm1])
def test_no_monotone_change_of_the_scale_changes_a_chance(change: np.ufunc) -> None:
    """The order of the labelled values counts; between two of them the scale moves an item by one level at most."""
    rows = labelled(frame(SIZES))
    changed = foreseen(values_of(rows, change(rows.values)))

    assert designs.active_chances(changed, 100, 0.25) == pytest.approx(
        designs.active_chances(rows, 100, 0.25), nan_ok=True, rel=0.05
    )


def test_an_active_wave_needs_a_label() -> None:
    """Before any, nothing says what is unsure."""
    rows = frame(SIZES)
    with pytest.raises(UsageError, match="first wave without --active"):
        drawing(
            rows,
            ProposalRequest(labels=50, seed=1, design=WaveDesign.ACTIVE),
            np.random.default_rng(1).random(len(rows.keys)),
        )


def test_a_stream_has_fixed_chances() -> None:
    """One rate for all, another for failed and thumbed-down items, whatever else is in the frame."""
    chances = designs.stream_chances(frame(SIZES), 0.05, 0.2)

    assert dict(zip(frame(SIZES).kinds.tolist(), chances.tolist(), strict=True)) == {
        **{"thumbs_down": 0.2, "unscored": 0.05, "passed": 0.05, "failed": 0.2}
    }


def test_items_without_a_score_do_not_eat_the_budget() -> None:
    """Two of 500: one label of the first 30, none that is owed to them later, and one draw of 60 at most where chances differ."""
    sizes = {UNSCORED: 2, PASSED: 398, FAILED: 100}
    first = drawing(frame(sizes), ProposalRequest(labels=30, seed=1), np.random.default_rng(1).random(500))
    rows = labelled(frame(sizes))
    unscored = rows.kinds.among(UNSCORED)
    right, eligible = rows.right.copy(), rows.is_eligible.copy()
    right[0], eligible[0] = 1.0, False  # one of them was labelled
    later = foreseen(replace(rows, right=right, is_eligible=eligible))
    second = drawing(
        later, ProposalRequest(labels=60, seed=1), np.where(eligible, np.random.default_rng(2).random(500), 2.0)
    )
    active = designs.active_chances(rows, 60, 0.25)

    assert int(first.strata[first.rows].among(UNSCORED).sum()) == 1
    assert {part.stratum: part.drawn for part in second.plans}[UNSCORED] <= 1
    assert active[unscored].sum() <= 1


def test_every_item_that_may_be_drawn_keeps_a_chance_in_every_wave() -> None:
    """So that everything stays identifiable: strata and chances of a second wave leave nobody out, whatever is predicted."""
    rows = labelled(frame({UNSCORED: 40, PASSED: 600, FAILED: 200}))
    for design in (WaveDesign.STRATIFIED, WaveDesign.ACTIVE):
        proposal = drawing(
            rows,
            ProposalRequest(labels=60, seed=1, design=design),
            np.where(rows.is_eligible, np.random.default_rng(3).random(840), 2.0),
        )
        scored = rows.is_eligible & ~rows.kinds.among(UNSCORED)

        assert (proposal.chances[scored] >= 0.2 * 60 / 840 * 0.9).all(), design
        assert {str(name)[:6] for name in proposal.strata[proposal.rows]} >= {"passed", "failed"}


def test_the_chances_of_a_wave_are_fixed_before_it() -> None:
    """They follow from the frame alone: other lots draw others, and change neither strata nor chances; an audit of one's own holds."""
    rows = labelled(frame({PASSED: 600, FAILED: 200}))
    for design in (WaveDesign.STRATIFIED, WaveDesign.ACTIVE):
        request = ProposalRequest(labels=80, audit=0.5, seed=1, design=design)
        proposal, second = (
            drawing(rows, request, np.where(rows.is_eligible, np.random.default_rng(seed).random(800), 2.0))
            for seed in (4, 5)
        )
        drawn = np.array([str(name)[:6] for name in rows.kinds[proposal.rows].tolist()])

        assert set(proposal.rows.tolist()) != set(second.rows.tolist())
        assert list(proposal.strata) == list(second.strata)
        assert proposal.chances[rows.is_eligible] == pytest.approx(second.chances[rows.is_eligible])
        assert proposal.audit == 0.5
        assert (drawn == FAILED).sum() >= 38
