"""The verdict on the proxy: its status, why it is so, and how many labels would settle it."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from proxy.evaluation.agreement import AgreementReport, measure
from proxy.evaluation.domains import Evidence
from proxy.evaluation.trust import BEYOND_REACH, Case, Needed, Trust, judge_trust, percent
from proxy.text.numbers import several, two_decimals
from support.agreement import FAIL, PASS, wave


def report(passed: tuple[int, int], failed: tuple[int, int] = (0, 0), size: int = 100_000) -> AgreementReport:
    """(right, wrong) labels on each side, of `size` passed and as many failed items."""
    return measure(wave(("passed", PASS, size, *passed), ("failed", FAIL, size, *failed)))


NOTHING = Evidence(totals=[], sample=[], drawings=[])


@pytest.mark.parametrize(
    ("measured", "status", "case", "said"),
    [
        # The whole long-run interval of precision is above the limit, and kappa's is above 0.
        (report((980, 20), (20, 180)), Trust.YES, Case.ABOVE, "None"),
        (report((700, 300), (20, 180)), Trust.NO, Case.BELOW, "None"),
        # 95 % of what it passes is right, and 99 % of what it fails: worse than chance.
        (report((950, 50), (990, 10)), Trust.NO, Case.NO_BETTER, "None"),
        # Precision is high enough; with eight failed labels kappa may still be 0.
        (report((970, 30), (7, 1)), Trust.OPEN, Case.KAPPA_OPEN, "None"),
        # All 20 passed items of a small window are right: [.836, 1] of the traffic to come, so not yet.
        (report((20, 0), (2, 18), size=20), Trust.OPEN, Case.LIMIT_OPEN, "None"),
        # Half an answer, and what to label for the other half.
        (report((980, 20)), Trust.UNKNOWN, Case.HALF_WAY, "label 30 items below the threshold"),
        # 9 of 10 passed ones right is [.54, .99]: with nothing known of the failed ones, nothing can be said yet.
        (report((9, 1)), Trust.UNKNOWN, Case.KAPPA_UNKNOWN, "label 30 items below the threshold"),
        (
            measure(wave(("passed", PASS, 1_000, 50, 0))),
            Trust.UNKNOWN,
            Case.HALF_WAY,
            "undefined: every item has the same verdict",
        ),
        (report((0, 0), (5, 45)), Trust.UNKNOWN, Case.UNMEASURED, "label 30 items above the threshold"),
        (measure(NOTHING), Trust.UNKNOWN, Case.UNMEASURED, "assay sample"),
    ],
)
def test_the_status_and_why_it_is_so(measured: AgreementReport, status: Trust, case: Case, said: str) -> None:
    """Both conditions on the long run decide; where something is unknown, the reason says what to do."""
    trust = judge_trust(measured)

    assert (trust.status, trust.case) == (status, case)
    assert said in str(trust.reason)
    assert (trust.needed is not None) == (case is Case.LIMIT_OPEN)


def test_open_because_the_limit_lies_inside_the_interval() -> None:
    """86 of 100: [.778, .915] holds .9, so nobody can tell yet."""
    trust = judge_trust(report((86, 14), (10, 40)))

    assert (trust.status, trust.case) == (Trust.OPEN, Case.LIMIT_OPEN)
    # Wilson's end is .9 where n (.9 - .86)^2 = z^2 .9 x .1; the interval at hand, t at 99 degrees, is worth n = 99 z^2 / t^2.
    t = stats.t.ppf(0.975, 99)
    more = math.ceil((100 * t**2 * 0.9 * 0.1 / 0.04**2 / 99 - 100) / 10) * 10
    assert trust.needed is not None
    assert trust.needed[:4] == Needed(more, None, kappa_open=False)[:4]


def wilson_reaches(right: int, n: int, limit: float) -> bool:
    """Whether another's Wilson interval of right / n lies at or above the limit."""
    return bool(proportion_confint(right, n, method="wilson")[0] >= limit)


@pytest.mark.parametrize(("limit", "wanted"), [(0.9, 35), (0.95, 73), (0.88, 29)])
def test_all_right_so_far_asks_for_few_more_labels(limit: float, wanted: int) -> None:
    """25 of 25 right: n / (n + z^2) reaches .9 at 35; t with 24 degrees in place of z makes the 25 worth 24 z^2 / t^2."""
    trust = judge_trust(report((25, 0), (10, 40)), limit)
    worth = 24 * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 24)) ** 2
    asked = trust.needed.more if trust.needed else None

    assert wilson_reaches(wanted, wanted, limit)
    assert not wilson_reaches(wanted - 1, wanted - 1, limit)
    assert trust.status is Trust.OPEN
    assert asked is not None
    assert 25 * ((wanted - 1) / worth - 1) <= asked <= 25 * (wanted / worth - 1) + 10


def test_the_limit_is_the_callers() -> None:
    """The same labels are enough for .7, open at .85 and too little for .95."""
    measured = report((860, 140), (20, 180))

    assert [judge_trust(measured, limit).status for limit in (0.7, 0.85, 0.95)] == [Trust.YES, Trust.OPEN, Trust.NO]
    assert judge_trust(measured, 0.7).limit == 0.7


@pytest.mark.slow
def test_nobody_is_sent_to_label_thousands() -> None:
    """Close to the limit the needed labels explode: that is said, and never as a precise number."""
    for wrong in range(60, 141, 5):
        trust = judge_trust(report((1_000 - wrong, wrong), (20, 180)))
        if trust.needed and trust.needed.more:
            assert 10 <= trust.needed.more <= BEYOND_REACH
            assert trust.needed.more % 10 == 0
    for right in (900, 893):
        assert judge_trust(report((right, 1_000 - right), (20, 180))).needed == Needed(None, None, kappa_open=False)


def test_few_labels_tell_roughly_or_not_at_all_how_many_more() -> None:
    """8 of 9 lie next to .9: no number is told. All of 9 right: by the ends of Wilson's interval at even odds."""
    early = judge_trust(report((8, 1), (10, 40))).needed
    measured = report((9, 0), (10, 40))
    told = judge_trust(measured).needed

    assert early is not None
    assert early.is_early
    assert told is not None
    assert not told.is_early
    assert measured.pass_precision.long_run is not None
    # All right, an interval from L is worth n = z^2 L / (1 - L) labels; with even odds it begins at n / (n + .6745^2).
    low = measured.pass_precision.long_run.low
    worth = stats.norm.ppf(0.975) ** 2 * low / (1 - low)
    end = worth / (worth + stats.norm.ppf(0.75) ** 2)
    sizes = range(10, 5_000)
    fewest = next(n for n in sizes if proportion_confint(n, n, method="wilson")[0] >= 0.9)
    most = next(n for n in sizes if proportion_confint(end * n, n, method="wilson")[0] >= 0.9)
    assert told.even_odds is not None
    assert told.even_odds[1] is not None
    assert told.more == told.even_odds[0] == pytest.approx(9 * fewest / worth - 9, abs=11)
    assert told.even_odds[1] == pytest.approx(9 * most / worth - 9, abs=15)


@pytest.mark.slow
@pytest.mark.parametrize("right", [0.8, 0.86, 0.94, 0.97])
def test_the_number_of_labels_lies_between_its_ends_as_often_as_not(right: float) -> None:
    """Of samples of 60 that leave it open and tell a number: what the true share takes lies between the ends with even odds.

    Those that say nothing, since the limit is within the even odds, are the samples nearest to it; without them the odds are
    better than even. So at least half, within three errors of a simulation, minus what t in place of z makes wider.
    """
    rng = np.random.default_rng(7)
    n = next(n for n in range(10, 100_000) if _leaves_out(right, n))
    within = []
    needed_at = cache(lambda passed: judge_trust(report((passed, 60 - passed), (20, 180))).needed)
    for passed in rng.binomial(60, right, 300).tolist():
        needed = needed_at(passed)
        if needed and needed.even_odds and not needed.is_early:
            fewest, most = needed.even_odds
            within.append(fewest <= max(10, n - 60) * 1.2 and (most is None or most * 1.2 >= n - 60))
    assert len(within) > 30
    assert np.mean(within) >= 0.5 - 3 * 0.5 / math.sqrt(len(within))


def _leaves_out(share: float, n: int) -> bool:
    low, high = proportion_confint(share * n, n, method="wilson")
    return bool(low >= 0.9 or high < 0.9)


def test_the_labels_asked_for_do_tell() -> None:
    """Labelled as many as the sentence asks for, at the same share, the limit lies outside the interval, or next to it."""
    for right, n in ((86, 100), (28, 30), (95, 100), (240, 300)):
        needed = judge_trust(report((right, n - right), (20, 180))).needed
        if needed and needed.more:
            total = n + needed.more
            again = report((round(right / n * total), total - round(right / n * total)), (20, 180)).pass_precision
            assert again.long_run is not None
            assert not again.long_run.low + 0.01 < 0.9 < again.long_run.high - 0.01, (right, n, again)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0 %"),
        (1.0, "100 %"),
        (0.5, "50 %"),
        (0.123, "12 %"),
        (0.05, "5 %"),
        (0.95, "95 %"),
        (0.996, "99.6 %"),
        (0.99999, "99.9 %"),
        (0.9996, "99.9 %"),
        (0.004, "0.4 %"),
        (0.0004, "0.1 %"),
        (1e-9, "0.1 %"),
    ],
)
def test_a_share_in_words_is_never_all_or_nothing_unless_it_is(value: float, shown: str) -> None:
    """99.99 % is not 100 %, and 0.01 % is not 0 %."""
    assert percent(value) == shown


def test_both_conditions_are_named_where_both_are_open() -> None:
    """86 of 100, and 40 of 50 failed ones right too: the limit lies inside, and so does a kappa of 0."""
    trust = judge_trust(report((86, 14), (40, 10)))

    plain = judge_trust(report((86, 14), (10, 40)))

    assert trust.status is Trust.OPEN
    assert trust.needed is not None
    assert plain.needed is not None
    assert (trust.needed.more is not None, trust.needed.kappa_open, plain.needed.kappa_open) == (True, True, False)


@pytest.mark.parametrize(("left", "shown"), [(10_000, None), (30, 30), (0, 0)])
def test_no_more_labels_are_asked_for_than_are_left(left: int, shown: int | None) -> None:
    """About 120 more would tell; where fewer passed items have no label, how many there are is said."""
    needed = judge_trust(report((86, 14), (10, 40)), left=left).needed

    assert needed is not None
    assert needed.more is not None
    assert needed.left == shown


def test_no_minus_stands_before_a_zero() -> None:
    """-0.004 is 0.00, and +0.00 where signs are shown."""
    assert [two_decimals(-0.004), two_decimals(-0.004, "+"), two_decimals(-0.006)] == ["0.00", "+0.00", "-0.01"]
    assert [several(1, "label"), several(0, "label"), several(1200, "label")] == ["1 label", "0 labels", "1,200 labels"]
