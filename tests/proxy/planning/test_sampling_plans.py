"""Plans keep their promises at any sizes: the audit share, thumbs-down, disputed items, small strata and the budget."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping

import pytest

from proxy.errors import UsageError
from proxy.planning.allocation import plan, usual_audit
from proxy.planning.strata import Known, Stratum, kind, kind_of
from proxy.records import Verdict
from support.sampling import DISPUTED, DOWN, FAILED, NOTHING, PASSED, UNSCORED, drawn

EVERY = {DOWN: 500, DISPUTED: 500, PASSED: 500, FAILED: 500}


@pytest.mark.parametrize(
    ("verdict", "down", "stratum"),
    [(Verdict.PASS, False, PASSED), (Verdict.FAIL, False, FAILED), (Verdict.UNSCORED, False, UNSCORED)]
    + [(verdict, True, DOWN) for verdict in Verdict],
)
def test_a_thumb_down_comes_before_the_verdict(verdict: Verdict, down: bool, stratum: Stratum) -> None:
    """Every item is in exactly one stratum; of what the judges dispute only a pass without a thumb moves."""
    disputed = DISPUTED if stratum is PASSED else stratum

    assert kind_of(verdict, is_thumbed_down=down, is_disputed=False) is stratum
    assert kind_of(verdict, is_thumbed_down=down, is_disputed=True) is disputed


@pytest.mark.parametrize(
    ("sizes", "labels", "audit", "expected"),
    [
        # The audit share is a floor: proportional would give the failed 10, the audit share gives 25; above it, by size.
        ({PASSED: 900, FAILED: 100}, 100, 0.25, {PASSED: 75, FAILED: 25}),
        ({PASSED: 900, FAILED: 100}, 100, 0.5, {PASSED: 50, FAILED: 50}),
        ({PASSED: 400, FAILED: 600}, 100, 0.25, {PASSED: 40, FAILED: 60}),
        # 8 failed items cannot give 25 labels.
        ({PASSED: 992, FAILED: 8}, 100, 0.25, {PASSED: 92, FAILED: 8}),
        # Without an audit the plan still names the stratum, with nothing drawn.
        ({PASSED: 900, FAILED: 100}, 100, 0, {PASSED: 100, FAILED: 0}),
        ({PASSED: 30, FAILED: 100}, 100, 0, {PASSED: 30, FAILED: 0}),
        # Thumbs-down is taken whole if it fits an eighth of the budget; the rest is divided as ever.
        ({DOWN: 50, PASSED: 800, FAILED: 200}, 100, 0.25, {DOWN: 12}),
        ({DOWN: 12, PASSED: 800, FAILED: 200}, 100, 0.25, {DOWN: 12}),
        ({DOWN: 7, PASSED: 800, FAILED: 200}, 100, 0.25, {DOWN: 7}),
        ({DOWN: 51, PASSED: 800, FAILED: 200}, 100, 0.25, {DOWN: 12, PASSED: 63, FAILED: 25}),
        # Never less than its share of the traffic: 101 x 5,000 / 6,000 = 84.2.
        ({DOWN: 5_000, PASSED: 800, FAILED: 200}, 101, 0.25, {DOWN: 84}),
        # No label that was asked for is left undrawn while there are items.
        ({DOWN: 100}, 50, 0.25, {DOWN: 50}),
        ({DOWN: 100, PASSED: 10}, 50, 0.25, {DOWN: 45, PASSED: 5}),
        # Disputed items likewise; the audit of a quarter is in the rest.
        ({DISPUTED: 7, PASSED: 800, FAILED: 200}, 100, 0.25, {DISPUTED: 7}),
        ({DISPUTED: 12, PASSED: 800, FAILED: 100}, 100, 0.25, {DISPUTED: 12, PASSED: 63, FAILED: 25}),
        ({DISPUTED: 13, PASSED: 800, FAILED: 100}, 100, 0.25, {DISPUTED: 12, PASSED: 63, FAILED: 25}),
        # Its share would be 85; the audit needs 26, passed items five.
        ({DISPUTED: 5_000, PASSED: 800, FAILED: 200}, 103, 0.25, {DISPUTED: 72}),
        ({DISPUTED: 100}, 50, 0.25, {DISPUTED: 50}),
        ({DISPUTED: 100, PASSED: 10}, 50, 0.25, {DISPUTED: 45, PASSED: 5}),
        # Their shares of the traffic. An audit of all leaves five to the disputed, and none of thumbs-down's.
        (EVERY, 100, 0.25, {DOWN: 25, DISPUTED: 25, PASSED: 25, FAILED: 25}),
        (EVERY, 100, 0, {DOWN: 33, DISPUTED: 33, PASSED: 34, FAILED: 0}),
        (EVERY, 100, 1, {DOWN: 25, DISPUTED: 5, PASSED: 5, FAILED: 65}),
        ({DISPUTED: 500, PASSED: 500, FAILED: 500}, 100, 0.6, {DISPUTED: 33, PASSED: 7, FAILED: 60}),
        # A small stratum costs its part, and one label at least: without any, nothing could be said of all traffic.
        ({UNSCORED: 4, PASSED: 9_000, FAILED: 3}, 50, 0.25, {UNSCORED: 1, PASSED: 46, FAILED: 3}),
        ({UNSCORED: 10, PASSED: 9_000, FAILED: 990}, 50, 0.25, {UNSCORED: 1}),
        ({UNSCORED: 400, PASSED: 9_000, FAILED: 600}, 50, 0.25, {UNSCORED: 2}),
    ],
)
def test_labels_are_divided_by_the_rules_of_the_plan(
    sizes: Mapping[Stratum, int], labels: int, audit: float, expected: Mapping[Stratum, int]
) -> None:
    """The strata that are named get so many; where all are named, no other is in the plan."""
    allocation = drawn(sizes, labels, audit=audit)

    assert {name: allocation[name] for name in expected} == expected
    assert sum(allocation.values()) == min(labels, sum(n for name, n in sizes.items() if audit or name is not FAILED))


def test_what_no_judge_scored_needs_a_label_once() -> None:
    """2 of 100 items are unscored: one label in the first wave, none once earlier waves have looked; at 20 % their part."""
    sizes = {UNSCORED: 2, PASSED: 98}

    assert drawn(sizes, 10, known={UNSCORED: Known(1, 1)}) == {UNSCORED: 0, PASSED: 10}
    assert drawn(sizes, 10) == {UNSCORED: 1, PASSED: 9}


@pytest.mark.parametrize("share", [0.01, 0.05, 0.1, 0.15])
@pytest.mark.parametrize("right", [(0.9, 0.9), (0.5, 0.5)])
def test_the_usual_audit_costs_correctness_little(share: float, right: tuple[float, float]) -> None:
    """Where the proxy tells nothing, strata of one spread: the variance is 1.03 times that of a plain random sample."""
    audit = usual_audit({FAILED: round(10_000 * share), PASSED: round(10_000 * (1 - share))})
    spread = [p * (1 - p) for p in right]
    stratified = share**2 * spread[0] / audit + (1 - share) ** 2 * spread[1] / (1 - audit)

    assert share < audit < 0.25
    assert stratified == pytest.approx(1.03 * spread[0], rel=1e-9)


def test_the_usual_audit_is_a_quarter_at_most() -> None:
    assert usual_audit({FAILED: 400, PASSED: 600}) == 0.25
    assert 0 < usual_audit({PASSED: 600}) < 0.03


def test_labels_go_where_earlier_ones_leave_the_most_doubt() -> None:
    """N_h S_h with p = (x + 1) / (n + 2): 5,000 x .5 and 5,000 x .3 give 62.5 and 37.5; .8 of that and .2 x 50.

    48 of 98 right is p = .49 + 1/100 = .5, 89 of 98 is .9, S = .3: 60 and 40 of 100 labels.
    """
    sizes = {"passed_1": 5_000, "passed_2": 5_000}
    known = {"passed_1": Known(98, 49), "passed_2": Known(98, 89)}

    assert drawn(sizes, 100, known=known) == {"passed_1": 60, "passed_2": 40}


def test_five_strata_by_hand() -> None:
    """Neyman's 52.0910, 55.6877, 45.4688, 30.8384, 15.9141 of 200 (the vector), mixed with 40 each: largest remainders."""
    n, neyman = 10**8, (52.0910, 55.6877, 45.4688, 30.8384, 15.9141)
    shares = (0.3, 0.6, 0.8, 0.92, 0.98)
    names = [f"passed_{k}" for k in range(5)]
    known = {name: Known(n, round(n * share)) for name, share in zip(names, shares, strict=True)}
    mixed = [0.8 * part + 0.2 * 40 for part in neyman]

    assert mixed == pytest.approx([49.6728, 52.5502, 44.3750, 32.6707, 20.7313], abs=1e-4)
    # floors 49 + 52 + 44 + 32 + 20 = 197; the three left go to the remainders .73, .67 and .67
    assert list(drawn(dict.fromkeys(names, 4_000), 200, known=known).values()) == [50, 52, 44, 33, 21]


def test_no_item_stands_for_too_many() -> None:
    """However sure earlier labels are of a stratum, its weight stays below N / (.2 n), rounding and floors apart."""
    known = {"failed": Known(10**6, 500_000), "passed": Known(10**6, 10**6)}
    allocation = drawn({"failed": 1_000, "passed": 99_000}, 1_000, known=known)

    assert 99_000 / allocation["passed"] <= 100_000 / (0.2 * 1_000) * 1.01


def test_the_audit_share_goes_to_failed_bins_as_they_need_it() -> None:
    """40 % of 100 labels on two failed bins of one size, of which only the second is in doubt; the rest by size."""
    sizes = {"failed_1": 500, "failed_2": 500, "passed_1": 4_500, "passed_2": 4_500}
    allocation = drawn(sizes, 100, audit=0.4, known={"failed_1": Known(998, 9), "failed_2": Known(998, 499)})

    assert allocation["failed_1"] + allocation["failed_2"] == 40
    assert allocation["failed_1"] < allocation["failed_2"]
    assert allocation["passed_1"] == allocation["passed_2"] == 30


@pytest.mark.parametrize(
    ("stratum", "of"),
    [("passed", PASSED), ("passed_3", PASSED), ("failed_2", FAILED), ("thumbs_down", DOWN), ("unscored", UNSCORED)],
)
def test_a_bin_is_of_its_kind(stratum: str, of: Stratum) -> None:
    """Only a number after the last underscore is a bin."""
    assert kind(stratum) is of


def test_no_audit_with_only_failed_items_is_refused() -> None:
    """A wave without a single draw would be a wave for nothing."""
    with pytest.raises(UsageError, match="audit"):
        plan({FAILED: 100}, NOTHING, 10, 0)


def test_all_passed_takes_every_passed_item() -> None:
    """The rest of the labels goes to the others, with the audit share as far as it fits."""
    assert drawn({PASSED: 60, FAILED: 500}, 100, all_passed=True) == {PASSED: 60, FAILED: 40}
    both = {DISPUTED: 40, PASSED: 20, FAILED: 500}
    assert drawn(both, 100, all_passed=True) == both | {FAILED: 40}, "disputed items passed"
    with pytest.raises(UsageError, match="at least 65 are needed"):
        plan({PASSED: 60, FAILED: 500}, NOTHING, 64, 0.25, all_passed=True)


def test_a_budget_as_large_as_the_frame_takes_all() -> None:
    """A census: every probability is 1."""
    sizes = {DOWN: 3, UNSCORED: 2, PASSED: 40, FAILED: 9}
    for labels in (54, 55, 10**6):
        assert drawn(sizes, labels) == sizes
        assert {part.inclusion_probability for part in plan(sizes, NOTHING, labels, 0.25)} == {1.0}


def test_a_budget_too_small_is_refused_with_the_number_that_is_enough() -> None:
    """What the message asks for is then accepted, and one less is not."""
    for sizes in (
        {PASSED: 100, FAILED: 100},
        {DOWN: 100, PASSED: 100, FAILED: 100},
        {DOWN: 3, UNSCORED: 100, PASSED: 4, FAILED: 100},
    ):
        needed = len(sizes)
        with pytest.raises(UsageError, match=f"at least {needed} are needed"):
            plan(sizes, NOTHING, needed - 1, 0.25)
        assert sum(drawn(sizes, needed).values()) == needed


@pytest.mark.parametrize("sizes", [{}, {PASSED: 0, FAILED: 0}])
def test_an_empty_frame_is_refused(sizes: Mapping[Stratum, int]) -> None:
    """Everything was drawn before, or nothing came in."""
    with pytest.raises(UsageError, match="nothing to draw"):
        plan(sizes, NOTHING, 10, 0.25)


@pytest.mark.slow
def test_a_plan_never_breaks_a_promise() -> None:
    """Random sizes, budgets and audit shares: each promise of the docstring, on 3,000 plans."""
    rng = random.Random(20261121)
    refused = 0
    for _ in range(3_000):
        sizes = {s: rng.choice([0, 1, 4, 5, 6, rng.randint(0, 60), rng.randint(0, 5_000)]) for s in Stratum}
        labels, audit = rng.choice([rng.randint(1, 60), rng.randint(1, 3_000)]), rng.choice([0, 0.1, 0.25, 1])
        whole = rng.random() < 0.2
        case = (sizes, labels, audit, whole)
        usable = {s: n for s, n in sizes.items() if n and (audit or s is not FAILED)}
        every = sum(usable.values())
        least = {s: min(n, 5, max(1, labels * n // every)) for s, n in usable.items()}
        least = least if sum(least.values()) <= labels else dict.fromkeys(usable, 1)
        floors = {s: n if whole and s in {PASSED, DISPUTED} else least[s] for s, n in usable.items()}
        try:
            plans = plan(sizes, NOTHING, labels, audit, all_passed=whole)
        except UsageError:
            refused += 1
            assert not usable or labels < sum(floors.values()), case
            continue
        got = {stratum_plan.stratum: stratum_plan.drawn for stratum_plan in plans}
        assert {stratum_plan.stratum: stratum_plan.size for stratum_plan in plans} == {
            s: n for s, n in sizes.items() if n
        }, case
        assert sum(got.values()) == min(labels, sum(usable.values())), case
        assert all(floors[s] <= got[s] <= sizes[s] for s in usable), case
        assert audit or not got.get(FAILED), case
        if labels >= sum(usable.values()):
            continue
        others = sum(n for s, n in usable.items() if s is not DOWN)
        room = labels - sum(n for s, n in floors.items() if s is not DOWN)
        if DOWN in usable:
            part = max(labels // 8, labels * sizes[DOWN] // every, labels - others, floors[DOWN])
            assert got[DOWN] == min(sizes[DOWN], part, room), case
        audited = 0
        if FAILED in usable:
            spare = labels - got.get(DOWN, 0) - sum(n for s, n in floors.items() if s not in {DOWN, FAILED})
            audited = min(math.ceil(audit * labels), sizes[FAILED], spare)
            assert got[FAILED] >= audited, case
        if DISPUTED in usable:
            left = labels - got.get(DOWN, 0)
            others = sum(n for s, n in usable.items() if s not in {DOWN, DISPUTED})
            room = left - max(audited, floors.get(FAILED, 0)) - sum(floors.get(s, 0) for s in (UNSCORED, PASSED))
            part = max(labels // 8, labels * sizes[DISPUTED] // every, left - others, floors[DISPUTED])
            assert got[DISPUTED] == min(sizes[DISPUTED], part, room), case
    assert 100 < refused < 2_000
