"""Watch time windows for a drop of quality and for a change of the judge, with a stated rate of false alarms.

Two monitors watch quality: a CUSUM on labels of equal chance, which is quick, and a confidence sequence on the corrected
rates, which no label is left out of. Others watch how the judge treats right and wrong answers. The rule: every alarm holds
at all looks together at the stated rate, and none rests on what users or judges think of quality.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from proxy.evaluation.agreement import pass_rate as counted_pass_rate
from proxy.evaluation.estimate import Estimate
from proxy.reason import Reason
from proxy.stats.intervals import wilson
from proxy.stats.testing.cusum import AlphaSpending, CusumChart, Numbers, Rate, chart, shifted
from proxy.stats.testing.sequential import ALPHA, Bounds, change, change_below
from proxy.text import numbers

DROP = 0.12
JUDGE_SHIFT = 0.15
FEWEST_BEFORE = 30
FEWEST_OF_A_KIND = 10
CUSUM_SHARE = 0.8
NOTICEABLE = 0.02
NOTHING: Numbers = np.zeros(0)
FEW = (
    "not measurable: the first {learnt} windows have {effective} effective labels; label {more} more there{longer}, "
    "or say with --good what rate counts as good"
)
FEW_IN_ONE = (
    "not measurable: the first window has {effective} effective labels; label {more} more there{longer}, "
    "or say with --good what rate counts as good"
)
LONGER = ", learn from more windows with --baseline {count}"
NO_WINDOW = "not measurable yet: windows so far {count}, needed {needed}; time brings more, not labels"
NO_LATER_LABEL = (
    "not measurable yet: {labelled} of {count} windows have labels, and it takes {needed}; label later answers"
)
EQUAL_CHANCE = "Wilson; of labels of equal chance, one to a question"


class WatchedRate(StrEnum):
    """The rate that a monitor watches and its direction: `quality` is P(right), the others are P(pass | right or wrong)."""

    QUALITY = "quality"
    PASSES_WRONG_MORE = "passes wrong answers more often"
    PASSES_WRONG_LESS = "passes wrong answers less often"
    PASSES_RIGHT_MORE = "passes right answers more often"
    PASSES_RIGHT_LESS = "passes right answers less often"


OF_RIGHT = frozenset({WatchedRate.PASSES_RIGHT_MORE, WatchedRate.PASSES_RIGHT_LESS})


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """How the windows are watched: `baseline` windows to learn from, `horizon` windows in half a year, the rates given."""

    baseline: int = 4
    horizon: int = 26
    good: float | None = None
    bad: float | None = None
    false_alarms: float = ALPHA

    @property
    def fewest_windows(self) -> int:
        """The windows that it takes to watch quality: those to learn from and a later one, or one where the rate was given."""
        return self.baseline + 1 if self.good is None else 1

    def drop(self, good: float) -> float:
        """Compute the change of the rate that the CUSUM looks for, below 0."""
        return float(shifted(np.array(good), -DROP)) - good if self.bad is None else self.bad - good

    def spending(self, share: float) -> AlphaSpending:
        """Allot a share of the stated rate of false alarms."""
        return AlphaSpending(self.false_alarms * share, self.horizon)


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """A time window with its items, its estimates, and its labels of equal chance in time order.

    `rate` is the corrected rate and its effective labels. `right` says of each label of equal chance whether it is
    right; `right_passed` and `wrong_passed` say of the right and of the wrong ones whether the proxy passes them.
    """

    name: str
    items: int = 0
    scored: int = 0
    passed: int = 0
    labels: int = 0
    correctness: Estimate
    pass_precision: Estimate
    agreement: Estimate
    thumbs_down: Estimate
    pass_rate: Estimate = field(default_factory=lambda: Estimate(estimate=None))
    rate: Rate | None = None
    right: Numbers = field(default_factory=lambda: NOTHING)
    right_passed: Numbers = field(default_factory=lambda: NOTHING)
    wrong_passed: Numbers = field(default_factory=lambda: NOTHING)


class Alarm(NamedTuple):
    """The monitor that raised it, the window, and the rate before and since the change seems to have begun."""

    kind: WatchedRate
    window: str
    began: str
    before: Estimate
    since: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class Monitor:
    """A watched rate: the rate before, the windows watched, and the charts by window; `reason` is why nothing is watched."""

    kind: WatchedRate
    before: Estimate
    windows: tuple[str, ...] = ()
    cusum: CusumChart | None = None
    sequence: Bounds | None = None
    alarm: Alarm | None = None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PassRate:
    """The move of the pass rate since the first windows, valid at every look; only a hint, as traffic moves it too."""

    before: Estimate
    difference: Estimate
    is_moved: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Watched:
    """All monitors: of quality, of the judge, and of the pass rate."""

    quality: Monitor
    judge: tuple[Monitor, ...]
    pass_rate: PassRate | None

    @property
    def judge_basis(self) -> tuple[int, int]:
        """The right and the wrong answers, of labels of equal chance, that the rates of the judge were learnt from."""
        right, wrong = (
            max((monitor.before.n for monitor in self.judge if monitor.kind in kinds), default=0)
            for kinds in (OF_RIGHT, frozenset(WatchedRate) - OF_RIGHT)
        )
        return right, wrong

    @property
    def judge_alarms(self) -> list[Alarm]:
        """The alarms of the judge's monitors."""
        return [monitor.alarm for monitor in self.judge if monitor.alarm]


def watch(windows: Sequence[Window], plan: Plan, judge_false_alarms: float) -> Watched:
    """Monitor these windows, in time order; the judge's monitors share the rate of false alarms given for them."""
    kinds = [kind for kind in WatchedRate if kind is not WatchedRate.QUALITY]
    spending = AlphaSpending(judge_false_alarms / len(kinds), plan.horizon)
    return Watched(
        quality=quality(windows, plan),
        judge=tuple(_judge(windows, kind, plan.baseline, spending) for kind in kinds),
        pass_rate=pass_rate(windows, plan),
    )


def quality(windows: Sequence[Window], plan: Plan) -> Monitor:
    """Watch P(right) for a drop by a CUSUM with 4 / 5 of the stated rate and a confidence sequence with the rest.

    In simulation this split finds a drop as soon as a CUSUM alone, and the sequence, which uses all labels, catches what a
    CUSUM on few labels of equal chance misses.
    """
    labelled = [window for window in windows if window.rate]
    if not labelled:
        return _unwatched(WatchedRate.QUALITY, _no_rate(windows))
    count = plan.baseline if plan.good is None else 0
    learnt, watched = labelled[:count], labelled[count:]
    before = _pooled([window.rate for window in learnt if window.rate]) if plan.good is None else Rate(plan.good)
    known = _given(before.share) if before.n is None else _interval(before)
    if before.n is not None and before.n < FEWEST_BEFORE:
        return _unwatched(WatchedRate.QUALITY, _few(labelled, len(learnt), before.n), known)
    if not watched:
        return _unwatched(WatchedRate.QUALITY, _too_early(len(windows), len(labelled), count), known)
    start = before.share if before.n is None else (before.share * before.n + 0.5) / (before.n + 1)
    cusum = chart(
        [window.right for window in watched],
        before,
        plan.drop(start),
        plan.spending(CUSUM_SHARE),
        lag=plan.baseline,
    )
    sequence = _sequence([window.rate for window in watched if window.rate], before, plan)
    below = np.flatnonzero(sequence.high < 0)
    alarms = [at for at in (cusum.alarm, int(below[0]) if below.size else None) if at is not None]
    return Monitor(
        kind=WatchedRate.QUALITY,
        before=known,
        windows=tuple(window.name for window in watched),
        cusum=cusum,
        sequence=sequence,
        alarm=_quality_alarm(watched, known, min(alarms), cusum) if alarms else None,
    )


def _sequence(rates: Sequence[Rate], before: Rate, plan: Plan) -> Bounds:
    """Compute the confidence sequence on the mean of the windows' rates, each weighted by its effective labels.

    Errors are those of the rate before, so that no window's own luck weights it; tuned in advance for half the horizon.
    """
    n = np.array([rate.n for rate in rates], dtype=np.float64)
    share = before.share if before.n is None else (before.share * before.n + 2) / (before.n + 4)
    variance = share * (1 - share)
    error = 0.0 if before.n is None else float(np.sqrt(variance / before.n))
    planned = n[0] if before.n is None else before.n / plan.baseline
    information = 1 / (error**2 + variance / (planned * max(1.0, plan.horizon / 2)))
    return change_below(
        [rate.share for rate in rates],
        np.sqrt(variance / n),
        (before.share, error),
        tightest_at=information,
        alpha=plan.false_alarms * (1 - CUSUM_SHARE),
    )


def _quality_alarm(watched: Sequence[Window], before: Estimate, at: int, cusum: CusumChart) -> Alarm:
    began = cusum.starts[at]
    since = _interval(_pooled([window.rate for window in watched[began:] if window.rate]))
    return Alarm(WatchedRate.QUALITY, watched[at].name, watched[began].name, before, since)


def _judge(windows: Sequence[Window], kind: WatchedRate, baseline: int, spending: AlphaSpending) -> Monitor:
    """Watch P(pass | right) or P(pass | wrong) on labels of equal chance for a move in one direction."""
    of_right = kind in OF_RIGHT
    shift = JUDGE_SHIFT if kind in {WatchedRate.PASSES_RIGHT_MORE, WatchedRate.PASSES_WRONG_MORE} else -JUDGE_SHIFT
    labelled = [window for window in windows if window.right_passed.size + window.wrong_passed.size]
    streams = [window.right_passed if of_right else window.wrong_passed for window in labelled]
    learnt = np.concatenate([NOTHING, *streams[:baseline]])
    what = "right" if of_right else "wrong"
    watched, watched_streams = labelled[baseline:], streams[baseline:]
    is_early = bool(labelled) and len(windows) <= baseline
    if learnt.size < FEWEST_OF_A_KIND and not is_early:
        seen = f"{learnt.size} {what} answer{'' if learnt.size == 1 else 's'}"
        return _unwatched(kind, f"not measurable: {seen} in the first windows, {FEWEST_OF_A_KIND} are needed")
    before = Rate(float(learnt.mean()) if learnt.size else 0.0, float(learnt.size))
    known = _interval(before, EQUAL_CHANCE) if learnt.size >= FEWEST_OF_A_KIND else None
    if known is None or not watched:
        return _unwatched(kind, _too_early(len(windows), len(labelled), baseline), known)
    cusum = chart(watched_streams, before, shift, spending, lag=baseline, seed=list(WatchedRate).index(kind))
    alarm = None
    if cusum.alarm is not None:
        began = cusum.starts[cusum.alarm]
        labels = np.concatenate(watched_streams[began:])
        since = _interval(Rate(float(labels.mean()), float(labels.size)), EQUAL_CHANCE)
        alarm = Alarm(kind, watched[cusum.alarm].name, watched[began].name, known, since)
    return Monitor(kind=kind, before=known, windows=tuple(window.name for window in watched), cusum=cusum, alarm=alarm)


def pass_rate(windows: Sequence[Window], plan: Plan) -> PassRate | None:
    """Compare the pass rate with that of the first windows; None with too few.

    The variation among the first windows is taken to be usual.
    """
    scored = [window for window in windows if window.scored]
    learnt, watched = scored[: plan.baseline], scored[plan.baseline :]
    if len(learnt) < 2 or not watched:
        return None
    shares = np.array([window.passed / window.scored for window in scored])
    sizes = np.array([window.scored for window in scored], dtype=np.float64)
    first = slice(0, len(learnt))
    before = float(np.average(shares[first], weights=sizes[first]))
    counted = max(before * (1 - before), 1 / sizes[first].sum())
    usual = max(0.0, float(np.var(shares[first], ddof=1)) - counted * float(np.mean(1 / sizes[first])))
    variance = counted / sizes + usual
    errors, error = np.sqrt(variance[len(learnt) :]), float(np.sqrt(np.mean(variance[first]) / len(learnt)))
    information = 1 / (error**2 + float(np.mean(variance[first])) / max(1.0, plan.horizon / 2))
    difference = change(
        shares[len(learnt) :], errors, (before, error), tightest_at=information, alpha=plan.false_alarms
    )
    apart = (difference.low > NOTICEABLE) | (difference.high < -NOTICEABLE)
    mean, low, high = (float(bound[-1]) for bound in difference)
    passed, seen, now = (sum(window.passed for window in learnt), int(sizes[first].sum()), int(sizes.sum()))
    return PassRate(
        before=counted_pass_rate(passed, seen - passed),
        difference=Estimate(estimate=mean, low=low, high=high, n=now, method=sequence_at(plan.false_alarms)),
        is_moved=bool(apart.any()),
    )


def sequence_at(alpha: float) -> str:
    """Name the method of bounds that are wrong at any look with at most this probability."""
    return f"confidence sequence, {numbers.percent(1 - alpha)} over all looks"


def _pooled(rates: Sequence[Rate]) -> Rate:
    """Pool windows, each weighted by its effective labels."""
    n = np.array([rate.n for rate in rates], dtype=np.float64)
    return Rate(float(np.average([rate.share for rate in rates], weights=n)), float(n.sum()))


def _interval(rate: Rate, method: str = "Wilson at the effective sample size") -> Estimate:
    """Put Wilson's interval around a pooled rate, at its effective labels."""
    low, high = wilson(rate.share, rate.n or 1.0)
    return Estimate(estimate=rate.share, low=low, high=high, n=round(rate.n or 0), method=method)


def _given(share: float) -> Estimate:
    return Estimate(estimate=share, low=share, high=share, method="given")


def _unwatched(kind: WatchedRate, reason: str, before: Estimate | None = None) -> Monitor:
    return Monitor(kind=kind, before=before or Estimate(estimate=None, reason=reason), reason=reason)


def _few(labelled: Sequence[Window], learnt: int, effective: float) -> str:
    """Explain why nothing was learnt, with the number of windows to learn from where those at hand suffice."""
    sums = np.cumsum([window.rate.n for window in labelled if window.rate])
    enough = int(np.searchsorted(sums, FEWEST_BEFORE)) + 1
    longer = Reason(LONGER, count=enough) if enough < len(labelled) else ""
    counts = {"effective": round(effective), "more": int(np.ceil(FEWEST_BEFORE - effective))}
    if learnt > 1:
        return Reason(FEW, learnt=learnt, longer=longer, **counts)
    return Reason(FEW_IN_ONE, longer=longer, **counts)


def _too_early(windows: int, labelled: int, baseline: int) -> Reason:
    """Explain that all labels lie in the windows that are learnt from: time brings more windows, labels make more count."""
    if windows <= baseline:
        return Reason(NO_WINDOW, count=windows, needed=baseline + 1)
    return Reason(NO_LATER_LABEL, labelled=labelled, count=windows, needed=baseline + 1)


def _no_rate(windows: Sequence[Window]) -> str:
    """Explain why no window has a rate."""
    reasons = [window.correctness.reason for window in windows if window.labels and window.correctness.reason]
    return reasons[0] if reasons else "not measurable: no drawn item with a timestamp has a label yet"
