"""One rule against another on the same labels: zero against itself, the opposite the other way round, and an honest interval."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from annotate.present.messages import text
from annotate.present.rule_comparison import best_rule as best_rule_words
from proxy.evaluation.agreement import AgreementReport, measure
from proxy.evaluation.confusion_rates import exact
from proxy.evaluation.domains import Evidence
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.ledger import SampledItem, Total
from proxy.evaluation.rule_comparison import PAIRS, RuleDifference, VerdictGroups, differences
from proxy.evaluation.rule_selection import Choice, Rival, best_rule
from proxy.records import Verdict
from proxy.stats.intervals import Interval, clopper_pearson, quantile
from support.agreement import FAIL, PASS, RIGHT, WRONG, one_wave, width
from support.simulation import assert_covers, repeated

NAMES = ("sensitivity", "specificity", "accuracy", "f1", "kappa", "mcc", "ac1")
# (stratum, verdict of the one rule, of the other, size, right, wrong): each pair of verdicts was a stratum of its own.
Row = tuple[str, Verdict, Verdict, int, int, int]
APART: Sequence[Row] = (
    *(("a", PASS, PASS, 5_000, 90, 10), ("b", PASS, FAIL, 800, 20, 30)),
    *(("c", FAIL, PASS, 1_200, 35, 15), ("d", FAIL, FAIL, 3_000, 15, 65)),
)


class Pair:
    """Evidence on two rules from the same sample."""

    def __init__(self, rows: Sequence[Row]) -> None:
        totals = [Total(stratum, PASS, size) for stratum, _, _, size, _, _ in rows]
        said = [
            (row, SampledItem(row[0], PASS, word, f"{k}-{n}"))
            for k, row in enumerate(rows)
            for n, word in enumerate([RIGHT] * row[4] + [WRONG] * row[5])
        ]
        self._rows = rows
        self._of = [row for row, _ in said]
        self._drawn = one_wave(totals, [draw for _, draw in said])

    def rule(self, which: int) -> AgreementReport:
        """The report on one of the two rules."""
        totals = [
            total._replace(verdict=row[1 + which]) for total, row in zip(self._drawn.totals, self._rows, strict=True)
        ]
        sample = [draw._replace(verdict=row[1 + which]) for draw, row in zip(self._drawn.sample, self._of, strict=True)]
        return measure(Evidence(totals=totals, sample=sample, drawings=self._drawn.drawings))

    def minus(self, *, turned: bool = False, compared: int = 1) -> dict[str, RuleDifference]:
        """The first rule minus the second, or the other way round."""
        first, second = self.rule(int(turned)), self.rule(1 - int(turned))
        estimates = {name: (getattr(first, name), getattr(second, name)) for name in NAMES}
        return differences(self.groups(turned=turned), estimates, compared)

    def groups(self, *, turned: bool = False) -> VerdictGroups:
        """The evidence by pair of verdicts."""
        groups = {}
        for pair in PAIRS:
            wanted = pair[::-1] if turned else pair
            groups[pair] = Evidence(
                totals=[
                    total._replace(verdict=pair[0])
                    for total, row in zip(self._drawn.totals, self._rows, strict=True)
                    if (row[1], row[2]) == wanted
                ],
                sample=[
                    draw._replace(verdict=pair[0])
                    for draw, row in zip(self._drawn.sample, self._of, strict=True)
                    if (row[1], row[2]) == wanted
                ],
                drawings=self._drawn.drawings,
            )
        return VerdictGroups(evidence=groups)


def test_a_rule_does_not_differ_from_itself() -> None:
    """Exactly 0, without width, whatever the labels are."""
    for difference in Pair([row for row in APART if row[1] is row[2]]).minus().values():
        assert (difference.estimate.estimate, difference.estimate.low, difference.estimate.high) == (0, 0, 0)


def test_the_difference_is_that_of_the_two_reports() -> None:
    """Where both rules' cells are the strata, both tables are sums over the same four shares, which the draws surround."""
    pair = Pair(APART)
    first, second = pair.rule(0), pair.rule(1)

    for name, difference in pair.minus().items():
        expected = getattr(first, name).estimate - getattr(second, name).estimate
        assert difference.estimate.estimate == pytest.approx(expected, abs=1e-12), name
        assert difference.estimate.low is not None, name
        assert difference.estimate.high is not None, name
        assert difference.estimate.low < expected < difference.estimate.high, name


def test_the_other_way_round_it_is_the_opposite() -> None:
    """The estimate to the last digit, the interval as far as 4,096 draws in another order agree."""
    pair = Pair(APART)
    turned = pair.minus(turned=True)

    for name, difference in pair.minus().items():
        opposite = turned[name].estimate
        assert difference.estimate.estimate == pytest.approx(-(opposite.estimate or 0), abs=1e-12), name
        assert difference.estimate.low == pytest.approx(-(opposite.high or 0), abs=0.004), name
        assert difference.estimate.high == pytest.approx(-(opposite.low or 0), abs=0.004), name


def test_accuracy_by_hand_hangs_on_the_items_that_part_the_rules() -> None:
    """Both agree on 8,000 of 10,000; of the others .04 x (.4 x 2 - 1) x 2 = .08 x -.2 and .12 x (1 - 1.4)."""
    expected = 0.08 * (2 * 20 / 50 - 1) - 0.12 * (2 * 35 / 50 - 1)

    assert Pair(APART).minus()["accuracy"].estimate.estimate == pytest.approx(expected, abs=1e-12)


def test_sensitivity_and_kappa_by_hand_from_the_four_groups() -> None:
    """Right ones by group: 4,500, 320, 840, 562.5; each rule's table is put together from two groups a side."""
    right = np.array([5_000 * 0.9, 800 * 0.4, 1_200 * 0.7, 3_000 * 15 / 80])
    wrong = np.array([5_000, 800, 1_200, 3_000]) - right

    def of(passed: Sequence[int]) -> tuple[float, float]:
        failed = [k for k in range(4) if k not in passed]
        accurate = (right[passed].sum() + wrong[failed].sum()) / 10_000
        share = (right[passed].sum() + wrong[passed].sum()) / 10_000
        chance = share * right.sum() / 10_000 + (1 - share) * wrong.sum() / 10_000
        return right[passed].sum() / right.sum(), (accurate - chance) / (1 - chance)

    (ours, our_kappa), (theirs, their_kappa) = of([0, 1]), of([0, 2])
    differences = Pair(APART).minus()

    assert differences["sensitivity"].estimate.estimate == pytest.approx(ours - theirs, abs=1e-12)
    assert differences["kappa"].estimate.estimate == pytest.approx(our_kappa - their_kappa, abs=1e-12)


def test_the_same_labels_tell_more_than_two_separate_estimates() -> None:
    """Rules that agree on most items: the interval is narrower than that of a difference of independent ones."""
    pair = Pair(APART)
    apart = (width(pair.rule(0).accuracy) ** 2 + width(pair.rule(1).accuracy) ** 2) ** 0.5

    assert width(pair.minus()["accuracy"].estimate) < 0.8 * apart


def test_a_group_with_one_label_may_be_anything() -> None:
    """12 % of the items part the rules and have one label: the interval is at least as wide as what they could do."""
    rows = [("b", PASS, FAIL, 1_200, 1, 0) if row[0] == "b" else row for row in APART]
    estimate = Pair(rows).minus()["accuracy"].estimate

    assert width(estimate) > 0.95 * 2 * 1_200 / 10_400


def test_a_rule_that_was_not_audited_is_not_compared() -> None:
    """No label on what both fail: no number, and the reason says what is missing."""
    estimate = Pair([(*row[:4], 0, 0) if row[0] == "d" else row for row in APART]).minus()["kappa"].estimate

    assert estimate.estimate is None
    assert "label items that it fails" in str(estimate.reason)


@pytest.mark.parametrize("compared", [1, 3])
def test_the_interval_holds_its_estimate_and_what_the_groups_say(compared: int) -> None:
    """Two estimates 0.04 above the groups' difference: the upper end moves by as much, the lower one stays."""
    groups = Pair(APART).groups()
    centre = 0.08 * (2 * 20 / 50 - 1) - 0.12 * (2 * 35 / 50 - 1)
    far = {"accuracy": (Estimate(estimate=0.5), Estimate(estimate=0.5 - centre - 0.04))}
    near = {"accuracy": (Estimate(estimate=0.5), Estimate(estimate=0.5 - centre))}
    wide, plain = (differences(groups, pair, compared)["accuracy"] for pair in (far, near))

    for difference in (wide, plain):
        assert difference.of_all is not None
        assert difference.estimate.low is not None
        assert difference.estimate.high is not None
        assert (
            difference.of_all.low
            <= difference.estimate.low
            < (difference.estimate.estimate or 0)
            < difference.estimate.high
            <= difference.of_all.high
        )
    assert wide.estimate.estimate == pytest.approx(centre + 0.04, abs=1e-12)
    assert wide.estimate.low == pytest.approx(plain.estimate.low, abs=1e-12)
    assert wide.estimate.high == pytest.approx((plain.estimate.high or 0) + 0.04, abs=1e-12)


def test_few_differing_labels_exclude_nothing_that_is_possible() -> None:
    """The verdicts differ on 3 of 57 answers, one of them labelled: each way to label the other two lies in the interval.

    One of the first rule's two is right. So accuracy differs by (1 + second - third) / 57, each of these 1 or -1.
    """
    rows: Sequence[Row] = (
        *(("s", PASS, PASS, 31, 7, 0), ("s", FAIL, FAIL, 23, 1, 5)),
        *(("s", PASS, FAIL, 2, 1, 0), ("s", FAIL, PASS, 1, 0, 0)),
    )
    pairs = {"accuracy": (Estimate(estimate=1.0), Estimate(estimate=0.94)), "kappa": (Estimate(estimate=1.0),) * 2}
    estimate = differences(Pair(rows).groups(), pairs)["accuracy"].estimate
    possible = [(1 + second - third) / 57 for second in (1, -1) for third in (1, -1)]

    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.low <= min(possible) < max(possible) <= estimate.high + 1e-9
    assert estimate.estimate == pytest.approx(3 / 57), "0.06 is more than 3 of 57"
    assert estimate.high <= 3 / 57 + 1e-9, "nothing impossible either"


@pytest.mark.parametrize(("right", "n"), [(0, 3), (1, 4), (5, 5), (7, 30)])
def test_exact_draws_end_where_clopper_and_pearson_do(right: int, n: int) -> None:
    """The draws at the normal scores of 2.5 and 97.5 % are the ends of the exact interval."""
    drawn = exact(right / n, n, math.inf, np.array([-quantile(), quantile()]))

    assert drawn == pytest.approx(clopper_pearson(right, n), abs=1e-3)


def test_more_compared_rules_widen_the_interval_for_all_and_no_other() -> None:
    """With one comparison both intervals are one."""
    pair = Pair(APART)
    alone, three = (pair.minus(compared=number)["kappa"] for number in (1, 3))
    assert alone.of_all is not None
    assert three.of_all is not None

    assert alone.of_all == (alone.estimate.low, alone.estimate.high) == (three.estimate.low, three.estimate.high)
    assert three.of_all.low < alone.of_all.low < alone.of_all.high < three.of_all.high


def test_the_nearest_rule_is_shown_with_the_interval_that_decides() -> None:
    """By itself the interval leaves 0 out, with all rules at once it does not: a sentence on all of them shows the latter."""
    near = RuleDifference(Estimate(estimate=0.13, low=0.01, high=0.16), Interval(-0.02, 0.21))
    best = best_rule("a > 0.5", [Rival(expression="b > 0.5", kappa=near)])

    assert best.status is Choice.OPEN
    assert best.nearest is not None
    assert "kappa +0.13 (-0.02 to +0.21, wider as it allows for all rules tried)" in text(best_rule_words(best))


def test_a_better_rule_is_shown_with_the_interval_that_decides() -> None:
    """The yes shows the interval for all rules at once, as the no does, and not the narrower one of the rule by itself."""
    better = RuleDifference(Estimate(estimate=0.21, low=0.08, high=0.31), Interval(0.02, 0.36))
    best = best_rule("a > 0.5", [Rival(expression="b > 0.5", kappa=better)])

    assert best.status is Choice.CHANGE
    assert "in force: kappa +0.21 (+0.02 to +0.36, wider as it allows for all rules tried). Rules tried: 1." in text(
        best_rule_words(best)
    )


@pytest.mark.parametrize("which", [0, 1])
def test_without_a_number_for_one_of_the_rules_there_is_no_difference(which: int) -> None:
    """The reason is that of the rule that has none."""
    known, unknown = Estimate(estimate=0.8), Estimate(estimate=None, reason="undefined: no wrong answer")
    kappa = differences(Pair(APART).groups(), {"kappa": (known, unknown) if which else (unknown, known)})["kappa"]

    assert (kappa.estimate.estimate, kappa.estimate.low, kappa.of_all) == (None, None, None)
    assert kappa.estimate.reason == "undefined: no wrong answer"


@pytest.mark.slow
@repeated(80, 300)
def test_the_interval_of_a_difference_covers_it(repetitions: int) -> None:
    """Draws from one population, accuracy and kappa."""
    rng = np.random.default_rng(12)
    rows: list[Row] = [(name, ours, theirs, size, 0, 0) for name, ours, theirs, size, _, _ in APART]
    shares = {row[0]: row[4] / (row[4] + row[5]) for row in APART}
    labels = {"a": 60, "b": 25, "c": 25, "d": 50}
    whole = Pair([(*row[:4], round(row[3] * shares[row[0]]), row[3] - round(row[3] * shares[row[0]])) for row in rows])
    truth = {name: difference.estimate.estimate for name, difference in whole.minus().items()}
    covered = dict.fromkeys(("accuracy", "kappa"), 0)
    for _ in range(repetitions):
        said = [rng.binomial(labels[row[0]], shares[row[0]]) for row in rows]
        drawn = [(*row[:4], int(x), labels[row[0]] - int(x)) for row, x in zip(rows, said, strict=True)]
        differences = Pair(drawn).minus()
        for name in covered:
            estimate = differences[name].estimate
            assert estimate.low is not None
            assert estimate.high is not None
            covered[name] += estimate.low <= (truth[name] or 0) <= estimate.high

    assert_covers({name: count / repetitions for name, count in covered.items()}, repetitions)
