"""Plans keep their promises at any sizes; draws are random, reproducible, and have the probability they state."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping

import pytest
from scipy import stats

from annotate.sampling import (
    FrameRow,
    Stratum,
    StratumPlan,
    count_strata,
    draw,
    permanent_random_number,
    plan,
    stratum_of,
)
from annotate.store import Store
from fixtures_store import Assay, traffic_row
from proxy.cells import SampledItem, Total
from proxy.errors import UsageError
from proxy.records import Verdict

DOWN, UNSCORED, PASSED, FAILED = Stratum


def frame(sizes: Mapping[Stratum, int]) -> list[FrameRow]:
    """Rows whose ids tell nothing of the stratum."""
    names = [stratum for stratum, size in sizes.items() for _ in range(size)]
    return [FrameRow(key, f"trace-{key:06}", stratum) for key, stratum in enumerate(names)]


def drawn(sizes: Mapping[Stratum, int], labels: int, audit: float = 0.25, **options: bool) -> dict[Stratum, int]:
    return {one.stratum: one.drawn for one in plan(sizes, labels, audit, **options)}


def test_the_permanent_random_number_gives_the_vector() -> None:
    """blake2b, 8 bytes, big-endian, over 2^64: anyone can check a draw years later."""
    assert permanent_random_number("trace-000001", "salt-2026w47") == 0.08596085328193553
    assert permanent_random_number("trace-000002", "salt-2026w47") == 0.7711956848682521


def test_any_text_has_a_permanent_random_number() -> None:
    """Also ids that UTF-8 cannot hold."""
    assert 0 <= permanent_random_number("a\ud800", "s") < 1


@pytest.mark.parametrize(
    ("verdict", "down", "stratum"),
    [(Verdict.PASS, False, PASSED), (Verdict.FAIL, False, FAILED), (Verdict.UNSCORED, False, UNSCORED)]
    + [(verdict, True, DOWN) for verdict in Verdict],
)
def test_a_thumb_down_comes_before_the_verdict(verdict: Verdict, down: bool, stratum: Stratum) -> None:
    """Every item is in exactly one stratum."""
    assert stratum_of(verdict, is_thumbed_down=down) is stratum


def test_the_audit_share_is_a_floor() -> None:
    """100 labels of 900 passed and 100 failed: proportional would give the failed 10, the audit share gives 25."""
    assert drawn({PASSED: 900, FAILED: 100}, 100) == {PASSED: 75, FAILED: 25}
    assert drawn({PASSED: 900, FAILED: 100}, 100, audit=0.5) == {PASSED: 50, FAILED: 50}


def test_above_the_floor_the_share_is_proportional() -> None:
    """100 labels of 400 passed and 600 failed: 40 and 60, as the audit share of 25 asks for less."""
    assert drawn({PASSED: 400, FAILED: 600}, 100) == {PASSED: 40, FAILED: 60}


def test_an_audit_of_more_than_there_is_takes_all_failed() -> None:
    """8 failed items cannot give 25 labels."""
    assert drawn({PASSED: 992, FAILED: 8}, 100) == {PASSED: 92, FAILED: 8}


def test_no_audit_draws_no_failed_item() -> None:
    """The plan still names the stratum, with its size and nothing drawn."""
    assert drawn({PASSED: 900, FAILED: 100}, 100, audit=0) == {PASSED: 100, FAILED: 0}
    assert drawn({PASSED: 30, FAILED: 100}, 100, audit=0) == {PASSED: 30, FAILED: 0}


def test_no_audit_with_only_failed_items_is_refused() -> None:
    """A wave without a single draw would be a wave for nothing."""
    with pytest.raises(UsageError, match="audit"):
        plan({FAILED: 100}, 10, 0)


def test_thumbs_down_is_taken_whole_if_it_fits_half_the_budget() -> None:
    """50 of 100 labels at most; the rest is divided as ever."""
    assert drawn({DOWN: 50, PASSED: 800, FAILED: 200}, 100)[DOWN] == 50
    assert drawn({DOWN: 7, PASSED: 800, FAILED: 200}, 100)[DOWN] == 7
    assert drawn({DOWN: 51, PASSED: 800, FAILED: 200}, 100) == {DOWN: 50, PASSED: 25, FAILED: 25}
    assert drawn({DOWN: 5_000, PASSED: 800, FAILED: 200}, 101)[DOWN] == 50


def test_thumbs_down_takes_more_where_the_others_cannot_use_the_budget() -> None:
    """No label that was asked for is left undrawn while there are items."""
    assert drawn({DOWN: 100}, 50) == {DOWN: 50}
    assert drawn({DOWN: 100, PASSED: 10}, 50) == {DOWN: 40, PASSED: 10}


def test_small_strata_are_taken_whole() -> None:
    """Below five items there is nothing to save."""
    assert drawn({UNSCORED: 4, PASSED: 9_000, FAILED: 3}, 50) == {UNSCORED: 4, PASSED: 43, FAILED: 3}


def test_every_stratum_gets_five_at_least() -> None:
    """1 in 1,000 unscored items would get no label in proportion, and its share could not be estimated."""
    assert drawn({UNSCORED: 10, PASSED: 9_000, FAILED: 990}, 50)[UNSCORED] == 5


def test_all_passed_takes_every_passed_item() -> None:
    """The rest of the labels goes to the others, with the audit share as far as it fits."""
    assert drawn({PASSED: 60, FAILED: 500}, 100, all_passed=True) == {PASSED: 60, FAILED: 40}
    with pytest.raises(UsageError, match="at least 65 are needed"):
        plan({PASSED: 60, FAILED: 500}, 64, 0.25, all_passed=True)


def test_a_budget_as_large_as_the_frame_takes_all() -> None:
    """A census: every probability is 1."""
    sizes = {DOWN: 3, UNSCORED: 2, PASSED: 40, FAILED: 9}
    for labels in (54, 55, 10**6):
        assert drawn(sizes, labels) == sizes
        assert {one.inclusion_probability for one in plan(sizes, labels, 0.25)} == {1.0}


def test_a_budget_too_small_is_refused_with_the_number_that_is_enough() -> None:
    """What the message asks for is then accepted, and one less is not."""
    for sizes in (
        {PASSED: 100, FAILED: 100},
        {DOWN: 100, PASSED: 100, FAILED: 100},
        {DOWN: 3, UNSCORED: 100, PASSED: 4, FAILED: 100},
    ):
        needed = sum(min(5, size) for size in sizes.values())
        with pytest.raises(UsageError, match=f"at least {needed} are needed"):
            plan(sizes, needed - 1, 0.25)
        assert sum(drawn(sizes, needed).values()) == needed


@pytest.mark.parametrize("sizes", [{}, {PASSED: 0, FAILED: 0}])
def test_an_empty_frame_is_refused(sizes: Mapping[Stratum, int]) -> None:
    """Everything was drawn before, or nothing came in."""
    with pytest.raises(UsageError, match="nothing to draw"):
        plan(sizes, 10, 0.25)


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
        floors = {s: n if whole and s is PASSED else min(5, n) for s, n in usable.items()}
        try:
            plans = plan(sizes, labels, audit, all_passed=whole)
        except UsageError:
            refused += 1
            assert not usable or labels < sum(floors.values()), case
            continue
        got = {one.stratum: one.drawn for one in plans}
        assert {one.stratum: one.size for one in plans} == {s: n for s, n in sizes.items() if n}, case
        assert sum(got.values()) == min(labels, sum(usable.values())), case
        assert all(floors[s] <= got[s] <= sizes[s] for s in usable), case
        assert audit or not got.get(FAILED), case
        if labels >= sum(usable.values()):
            continue
        others = sum(n for s, n in usable.items() if s is not DOWN)
        room = labels - sum(n for s, n in floors.items() if s is not DOWN)
        if DOWN in usable:
            half = max(labels // 2, labels - others, floors[DOWN])
            assert got[DOWN] == min(sizes[DOWN], half, room), case
        if FAILED in usable:
            spare = labels - got.get(DOWN, 0) - sum(n for s, n in floors.items() if s not in {DOWN, FAILED})
            assert got[FAILED] >= min(math.ceil(audit * labels), sizes[FAILED], spare), case
    assert 100 < refused < 2_000


def test_draws_are_those_of_the_plan() -> None:
    """N_h distinct items of each stratum, each with the probability n_h / N_h."""
    sizes = {DOWN: 6, UNSCORED: 10, PASSED: 700, FAILED: 300}
    rows = frame(sizes)
    plans = plan(sizes, 100, 0.25)
    draws = draw(rows, plans, "salt")
    stratum = {row.key: row.stratum for row in rows}

    assert Counter(one.stratum for one in draws) == {one.stratum: one.drawn for one in plans}
    assert len({one.item for one in draws}) == len(draws) == 100
    assert len({one.task_key for one in draws}) == 100
    assert all(stratum[one.item] is one.stratum for one in draws)
    share = {one.stratum: one.drawn / one.size for one in plans}
    assert all(one.inclusion_probability == share[one.stratum] for one in draws)


def test_draws_are_the_smallest_numbers_of_each_stratum() -> None:
    """Whoever has the salt can check that nobody chose."""
    sizes = {PASSED: 40, FAILED: 20}
    rows = frame(sizes)
    got = {one.item for one in draw(rows, plan(sizes, 20, 0.25), "salt")}

    for name, count in drawn(sizes, 20).items():
        members = sorted(
            (row for row in rows if row.stratum is name), key=lambda row: permanent_random_number(row.item_id, "salt")
        )
        assert {row.key for row in members[:count]} <= got


def test_the_same_salt_draws_the_same_whatever_the_order_of_the_rows() -> None:
    """And in the same order; another salt draws others."""
    sizes = {PASSED: 300, FAILED: 100}
    rows, plans = frame(sizes), plan(sizes, 60, 0.25)
    shuffled = random.Random(1).sample(rows, len(rows))

    assert draw(rows, plans, "salt") == draw(shuffled, plans, "salt")
    assert {one.item for one in draw(rows, plans, "salt")} != {one.item for one in draw(rows, plans, "salt2")}


def test_what_is_not_eligible_is_neither_counted_nor_drawn() -> None:
    """Items of earlier waves stay in the frame and out of the draw."""
    rows = [row._replace(is_eligible=row.key % 3 != 0) for row in frame({PASSED: 60, FAILED: 30})]
    counts = count_strata(rows)
    draws = draw(rows, plan(counts, 10**6, 0.25), "salt")

    assert counts == {PASSED: 40, FAILED: 20}
    assert {one.item for one in draws} == {row.key for row in rows if row.is_eligible}


def test_items_are_drawn_as_often_as_their_probability_says() -> None:
    """Over 2,000 salts: a chi-square of every item's count (its variance n (1 - f) for a draw without replacement)."""
    sizes = {PASSED: 30, FAILED: 12}
    rows, plans = frame(sizes), plan(sizes, 16, 0.25)
    rounds = 2_000
    counts = Counter(one.item for seed in range(rounds) for one in draw(rows, plans, f"seed-{seed}"))

    for part in plans:
        pi, members = part.inclusion_probability, [row.key for row in rows if row.stratum is part.stratum]
        # Sum over items of (count - R pi)^2 / (R pi (1 - pi)) times (N - 1) / N is chi-square with N - 1 degrees.
        spread = sum((counts[key] - rounds * pi) ** 2 for key in members) / (rounds * pi * (1 - pi))
        statistic = spread * (part.size - 1) / part.size
        assert 1e-4 < stats.chi2.cdf(statistic, part.size - 1) < 1 - 1e-4, part
        for key in members:
            assert stats.binomtest(counts[key], rounds, pi).pvalue > 1e-5


def test_two_items_are_drawn_together_as_often_as_without_replacement() -> None:
    """P(both) = n (n - 1) / (N (N - 1)): draws of one stratum do not stick together."""
    rows, plans = frame({PASSED: 12}), (StratumPlan(stratum=PASSED, size=12, drawn=6),)
    rounds = 3_000
    both = sum({0, 1} <= {one.item for one in draw(rows, plans, f"seed-{seed}")} for seed in range(rounds))

    assert stats.binomtest(both, rounds, 6 * 5 / (12 * 11)).pvalue > 1e-4


def test_the_order_of_the_tasks_tells_nothing_of_the_stratum() -> None:
    """Places of failed items among the tasks, over 300 salts: their mean is that of a random order."""
    sizes = {PASSED: 200, FAILED: 100}
    rows, plans = frame(sizes), plan(sizes, 40, 0.5)
    places = [
        place
        for seed in range(300)
        for place, one in enumerate(draw(rows, plans, f"seed-{seed}"))
        if one.stratum is FAILED
    ]

    # A place is uniform on 0..39: mean 19.5, variance (40^2 - 1) / 12; half of the 40 without replacement.
    error = math.sqrt((40**2 - 1) / 12 * (20 / 39) / len(places))
    assert abs(sum(places) / len(places) - 19.5) < 4 * error


def test_a_task_key_neither_holds_nor_repeats_the_item() -> None:
    """The name outside is a hash with the salt: it differs by wave and shows no id."""
    sizes = {PASSED: 20}
    first, second = (draw(frame(sizes), plan(sizes, 20, 0.25), salt) for salt in ("one", "two"))

    assert not {one.task_key for one in first} & {one.task_key for one in second}
    assert all("trace" not in one.task_key and len(one.task_key) == 24 for one in first)


def ingested(assay: Assay, passed: int, failed: int, unscored: int = 0, *, start: int = 0) -> list[str]:
    """Traffic with scores of a judge `s` and the rule s > 0.5 in force; the ids."""
    values = [0.9] * passed + [0.1] * failed + [None] * unscored
    ids = [f"t{start + k:04}" for k in range(len(values))]
    assay("ingest", assay.write(f"traffic{start}.jsonl", [traffic_row(name) for name in ids]))
    scores = [{"item_id": i, "judge": "s", "value": v} for i, v in zip(ids, values, strict=True) if v is not None]
    assay("scores", "import", assay.write(f"scores{start}.jsonl", scores))
    assay("rule", "set", "s > 0.5")
    return ids


def in_store(assay: Assay) -> tuple[list[Total], list[SampledItem]]:
    """What the estimators are given under the rule in force."""
    store = Store(assay.db)
    try:
        current = store.rules.in_force()
        assert current is not None
        rule = current[0]
        return sorted(store.waves.totals(rule)), sorted(store.waves.sample(rule), key=str)
    finally:
        store.close()


def test_a_wave_writes_its_frame_strata_and_draws(assay: Assay) -> None:
    """Every current item with its stratum, N and n of each stratum, each draw with n / N, and one event."""
    ingested(assay, 60, 30, 10)
    assay("sample", "--labels", "40", "--seed", "7")
    sizes = dict(assay.sql("SELECT stratum, size FROM strata"))
    counts = dict(assay.sql("SELECT stratum, drawn FROM strata"))

    assert dict(assay.sql("SELECT stratum, count(*) FROM frames GROUP BY 1")) == sizes
    assert sizes == {"passed": 60, "failed": 30, "unscored": 10}
    assert dict(assay.sql("SELECT stratum, count(*) FROM draws GROUP BY 1")) == counts
    assert sum(counts.values()) == 40
    for stratum, probability in assay.sql("SELECT DISTINCT stratum, inclusion_probability FROM draws"):
        assert probability == counts[stratum] / sizes[stratum]
    assert assay.sql("SELECT seed, labels, audit FROM waves") == [(7, 40, 0.25)]
    assert assay.sql("SELECT count(*) FROM events WHERE what = 'sample'") == [(1,)]
    wrong_stratum = "SELECT count(*) FROM draws d JOIN frames f ON f.item = d.item WHERE f.stratum != d.stratum"
    assert assay.sql(wrong_stratum) == [(0,)]


def test_a_dry_run_writes_nothing(assay: Assay) -> None:
    """And shows the plan that the real run then has."""
    ingested(assay, 60, 30)
    dry = assay.json("sample", "--labels", "40", "--seed", "7", "--dry-run")

    assert assay.sql("SELECT (SELECT count(*) FROM waves), (SELECT count(*) FROM frames)") == [(0, 0)]
    assert assay.json("sample", "--labels", "40", "--seed", "7")["strata"] == dry["strata"]


def test_waves_never_draw_an_item_twice_until_all_are_drawn(assay: Assay) -> None:
    """Three waves of 40, 40 and the rest of 100: a partition; a fourth is refused."""
    ingested(assay, 70, 30)
    for labels in ("40", "40", "1000"):
        assay("sample", "--labels", labels, "--seed", "7")
    waves = dict(assay.sql("SELECT wave, count(*) FROM draws GROUP BY 1"))

    assert waves == {1: 40, 2: 40, 3: 20}
    assert assay.sql("SELECT count(DISTINCT item) FROM draws") == [(100,)]
    assert "nothing to draw" in assay("sample", "--labels", "1", status=2).stderr


def test_the_path_of_one_wave_is_its_stratum(assay: Assay) -> None:
    """Totals are all framed items by stratum and verdict; the sample has every draw, labelled or not."""
    ingested(assay, 60, 30, 10)
    assay("sample", "--labels", "40", "--seed", "7")
    totals, sample = in_store(assay)

    assert totals == [
        Total("failed", Verdict.FAIL, 30),
        Total("passed", Verdict.PASS, 60),
        Total("unscored", Verdict.UNSCORED, 10),
    ]
    assert len(sample) == 40
    assert {one.judgement for one in sample} == {None}


def test_the_path_of_several_waves_holds_every_stratum(assay: Assay) -> None:
    """A thumb down between two waves moves one item: its path tells both strata, and totals still add up."""
    ids = ingested(assay, 60, 40)
    assay("sample", "--labels", "20", "--seed", "7")
    drawn_first = {row[0] for row in assay.sql("SELECT i.id FROM draws d JOIN items i ON i.key = d.item")}
    moved = next(name for name in ids if name not in drawn_first)
    assay("feedback", assay.write("f.jsonl", [{"item_id": moved, "value": -1}]))
    assay("sample", "--labels", "20", "--seed", "8")
    totals, sample = in_store(assay)

    assert totals == [
        Total("1 failed, 2 failed", Verdict.FAIL, 40),
        Total("1 passed, 2 passed", Verdict.PASS, 59),
        Total("1 passed, 2 thumbs_down", Verdict.PASS, 1),
    ]
    assert len(sample) == 40
    assert sum(one.stratum == "1 passed, 2 thumbs_down" for one in sample) == 1, "a stratum below five is taken whole"


def test_items_that_came_after_the_last_wave_are_uncovered(assay: Assay) -> None:
    """They are in no total until the next wave frames them, on a path of their own."""
    ingested(assay, 60, 40)
    assay("sample", "--labels", "20", "--seed", "7")
    ingested(assay, 10, 0, start=100)
    before, _ = in_store(assay)
    store = Store(assay.db)
    uncovered = store.waves.uncovered()
    store.close()
    report = assay.json("report")

    assert uncovered == 10
    assert sum(total.size for total in before) == 100
    assert any(warning.startswith("10 items came or changed after the last wave") for warning in report["warnings"])

    assay("sample", "--labels", "20", "--seed", "8")
    after, _ = in_store(assay)

    assert sum(total.size for total in after) == 110
    assert Total("2 passed", Verdict.PASS, 10) in after


def test_a_superseded_revision_leaves_the_population(assay: Assay) -> None:
    """With its label: the new revision is another item, uncovered until it is framed."""
    ids = ingested(assay, 20, 10)
    assay("sample", "--labels", "1000", "--seed", "7")
    assay("labels", "import", assay.write("l.jsonl", [{"item_id": name, "label": "right"} for name in ids]))
    assert len(in_store(assay)[1]) == 30
    assay("ingest", assay.write("new.jsonl", [traffic_row(ids[0], answer="Another answer.")]))
    totals, sample = in_store(assay)

    assert sum(total.size for total in totals) == 29
    assert len(sample) == 29
    report = assay.json("report")
    assert (report["correctness"]["n"], report["items"]) == (29, 30)
    assert report["correctness"]["low"] == report["correctness"]["high"] == 1


def test_a_new_rule_never_changes_the_ledger(assay: Assay) -> None:
    """Frames, strata and probabilities stay as drawn; only the verdicts are the new rule's."""
    ingested(assay, 60, 40)
    assay("sample", "--labels", "20", "--seed", "7")
    ledger = "SELECT item, stratum, inclusion_probability FROM draws UNION ALL SELECT item, stratum, wave FROM frames"
    before = assay.sql(ledger)
    assay("rule", "set", "1 - s > 0.5")
    totals, sample = in_store(assay)

    assert assay.sql(ledger) == before
    assert totals == [Total("failed", Verdict.PASS, 40), Total("passed", Verdict.FAIL, 60)]
    assert {(one.stratum, one.verdict) for one in sample} == {("failed", Verdict.PASS), ("passed", Verdict.FAIL)}


def test_a_hand_picked_label_never_enters_the_sample(assay: Assay) -> None:
    """It came without a draw, so nobody knows its probability."""
    ids = ingested(assay, 60, 40)
    assay("labels", "import", assay.write("l.jsonl", [{"item_id": name, "label": "wrong"} for name in ids[:30]]))
    assay("sample", "--labels", "20", "--seed", "7")

    assert {one.judgement for one in in_store(assay)[1]} == {None}
    assert assay.json("report")["label_counts"]["hand_picked"] == 30
