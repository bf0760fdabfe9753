"""The store in, a Drift out: estimates by window of time, what the monitors say of them, and what changes of judges did.

Labels that chose the rule's cut never score the rule here either; of the traffic's correctness they may speak.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from annotate import exchange
from annotate.anchoring import Change, changes_of
from annotate.judging import rule_in_force
from annotate.parts import Ground, LabelledDraw, evidence_by, ground
from annotate.sampling import permanent_random_number
from annotate.store import Store
from annotate.store.windows import Shown, Thumbs
from proxy.agreement import NEGLIGIBLE, correctness_of, measure, pass_rate
from proxy.domains import Evidence, part, unreachable
from proxy.drift import FEWEST_BEFORE, Plan, Watched, Window, watch
from proxy.estimate import Estimate
from proxy.records import Verdict
from proxy.stats.cusum import Rate
from proxy.stats.intervals import wilson
from proxy.stats.survey import Proportion
from proxy.stats.thinning import equal_chance
from proxy.text import several
from proxy.verdict import Rule

THIN = 5
DRAWS = 1000
LOTS = "drift"
JUDGE_SHARE = 0.8
NOT_DRAWN = Estimate(estimate=None, reason="not measurable: no wave framed these items; run `assay sample`")
WEEK_DAYS, MONTH_DAYS = 7, 30.4


class By(StrEnum):
    """The length of a window."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"

    def windows_in(self, weeks: int) -> int:
        """How many windows so many weeks have."""
        match self:
            case By.DAY:
                return weeks * WEEK_DAYS
            case By.WEEK:
                return weeks
        return max(1, math.ceil(weeks * WEEK_DAYS / MONTH_DAYS))


class Supply(NamedTuple):
    """What more labels can come from: new traffic that no wave framed, draws that wait; `is_sent`: Label Studio is known."""

    has_new: bool
    open: int
    is_sent: bool

    @property
    def ask(self) -> str:
        """How a window comes to more labels."""
        if self.has_new:
            return "`assay sample --rate R` draws from each"
        if self.open:
            return f"drawn and without a label, in all windows: {self.open:,}"
        return "`assay sample --labels N` draws from all that is left"


class Thin(NamedTuple):
    """What a window with too few labels is told."""

    by: By
    items: int
    supply: Supply

    def reason(self, labels: int) -> str:
        """Why there is no rate; never asks for more labels than there are answers."""
        if self.items < THIN:
            by = By.WEEK if self.by is By.DAY else By.MONTH
            longer = "" if self.by is By.MONTH else f"; longer windows have more (`--by {by}`)"
            return f"not measurable: {THIN} labels are needed, and this {self.by} has {several(self.items, 'answer')}{longer}"
        return f"not measurable: label {THIN - labels} more items of this window; {self.supply.ask}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Drift:
    """All windows with all alarms; `kept` of the `labels` are of equal chance, one to a question.

    `is_shorter_enough`: there is one window alone, and its labels could be watched by day.
    """

    by: By
    weeks: int
    plan: Plan
    rule: Rule
    windows: tuple[Window, ...]
    watched: Watched
    changes: tuple[Change, ...]
    labels: int
    kept: int
    items: int
    without_time: int
    supply: Supply
    is_shorter_enough: bool


def drift(store: Store, plan: Plan, *, by: By, weeks: int, since: str | None, now: str) -> Drift:
    """Watch the rule in force over all windows that begin at `since` or later."""
    key, rule = rule_in_force(store, now=now)
    with store.snapshot():
        whole = ground(store, key, rule, scores_itself=False)
        scoring = ground(store, key, rule) if store.guarantees.silent(key) else whole
        shown = store.windows.shown(key, by)
        supply = Supply(store.waves.has_new(), store.waves.progress().open, exchange.is_known(store.path))
        windows = _windows(store, (whole, scoring), shown, by, since or "", supply)
        is_shorter_enough = len(windows) == 1 and _is_enough_by_day(store, whole, windows[0], plan)
        changes = changes_of(store, scoring, plan.false_alarms * (1 - JUDGE_SHARE), since or "")
    return Drift(
        by=by,
        weeks=weeks,
        plan=plan,
        rule=rule,
        windows=windows,
        watched=watch(windows, plan, plan.false_alarms * JUDGE_SHARE),
        changes=changes,
        labels=sum(one.labels for one in windows),
        kept=sum(one.right.size for one in windows),
        items=sum(one.items for one in shown.values()),
        without_time=shown[None].items if None in shown else 0,
        supply=supply,
        is_shorter_enough=is_shorter_enough,
    )


def _is_enough_by_day(store: Store, whole: Ground, only: Window, plan: Plan) -> bool:
    """Whether the labels of this window could be watched by day."""
    if plan.good is None and only.labels < FEWEST_BEFORE:
        return False
    return sum(name is not None for name in _by_window(store, whole, By.DAY)) > plan.baseline


def _windows(
    store: Store,
    grounds: tuple[Ground, Ground],
    shown: Mapping[str | None, Shown],
    by: By,
    since: str,
    supply: Supply,
) -> tuple[Window, ...]:
    """Every window with items, oldest first, from the ground of correctness and that of the rule."""
    whole, scoring = grounds
    evidence = evidence_by(store, whole, by)
    judged = evidence if scoring is whole else evidence_by(store, scoring, by)
    labels = _by_window(store, whole, by)
    theirs = labels if scoring is whole else _by_window(store, scoring, by)
    thumbs = store.windows.thumbs(by)
    names = sorted(name for name in shown if name is not None and first_day(name) >= since)
    return tuple(
        _window(
            name,
            shown[name],
            thumbs.get(name),
            (evidence.get(name), judged.get(name)),
            (labels[name], theirs[name]),
            Thin(by, shown[name].items, supply),
        )
        for name in names
    )


def _by_window(store: Store, found: Ground, by: By) -> defaultdict[str | None, list[LabelledDraw]]:
    """The labelled draws of each window, in the order of their items' times."""
    windows = store.parts.of_items([row.about.item for row in found.labelled.rows], by)
    rows = defaultdict[str | None, list[LabelledDraw]](list)
    for row in sorted(found.labelled.rows, key=lambda one: (one.about.timestamp or "", one.about.item)):
        rows[windows[row.about.item]].append(row)
    return rows


def _window(
    name: str,
    shown: Shown,
    thumbs: Thumbs | None,
    evidence: tuple[Evidence | None, Evidence | None],
    labels: tuple[Sequence[LabelledDraw], Sequence[LabelledDraw]],
    thin: Thin,
) -> Window:
    """One window; what its labels cannot speak for has no rate and no labels of equal chance."""
    whole, judged = evidence
    report = measure(judged, DRAWS) if judged else None
    arm = _equal(labels[0])
    correctness, rate = _correctness(whole, len(labels[0]), arm, thin)
    arm = arm if rate else []
    theirs = [one for one in (_equal(labels[1]) if rate else []) if one.verdict is not Verdict.UNSCORED]
    return Window(
        name=name,
        **shown._asdict(),
        labels=len(labels[0]),
        correctness=correctness,
        pass_precision=report.pass_precision if report else NOT_DRAWN,
        agreement=report.accuracy if report else NOT_DRAWN,
        thumbs_down=_thumbs_down(thumbs),
        pass_rate=pass_rate(shown.passed, shown.scored - shown.passed),
        rate=rate,
        right=np.array([one.is_right for one in arm], dtype=np.float64),
        right_passed=np.array([one.verdict is Verdict.PASS for one in theirs if one.is_right], dtype=np.float64),
        wrong_passed=np.array([one.verdict is Verdict.PASS for one in theirs if not one.is_right], dtype=np.float64),
    )


def _correctness(
    evidence: Evidence | None, labels: int, arm: Sequence[LabelledDraw], thin: Thin
) -> tuple[Estimate, Rate | None]:
    """The corrected rate as shown, and for the monitors with the number of labels that it is worth in the long run.

    Where labels are too few for the strata those of equal chance are read alone; where they speak for a part only there is none.
    """
    if evidence is None:
        return NOT_DRAWN, None
    found, everything = correctness_of(evidence), tuple(Verdict)
    if unreachable(evidence, everything) > NEGLIGIBLE * sum(one.size for one in evidence.totals):
        return found, None
    known = part(evidence, everything, powered=any(not one.is_fixed for one in evidence.drawings))
    rate = None
    if isinstance(known, Proportion):
        rate = Rate(known.p, known.whole.n_long_run)
    elif arm:
        rate = Rate(sum(one.is_right for one in arm) / len(arm), float(len(arm)))
    if labels < THIN:
        found = Estimate(estimate=None, n=labels, reason=thin.reason(labels))
    return found, rate


def _equal(labels: Sequence[LabelledDraw]) -> list[LabelledDraw]:
    """Those whose lot gives all items of the window the same chance; of several answers to one question, one by another lot.

    Answers to one question err alike: a chart that took them for as many draws would raise false alarms.
    """
    lots = [permanent_random_number(one.about.item_id, LOTS) for one in labels]
    kept = equal_chance([one.weight for one in labels], lots)
    alike = defaultdict[str, list[LabelledDraw]](list)
    for one, keep in zip(labels, kept, strict=True):
        if keep:
            alike[one.about.group].append(one)
    chosen = {
        min(theirs, key=lambda one: permanent_random_number(one.about.item_id, f"{LOTS}-question")).about.draw
        for theirs in alike.values()
    }
    return [one for one in labels if one.about.draw in chosen]


def first_day(name: str) -> str:
    """The first day of a window."""
    return name if len(name) > len("2026-06") else f"{name}-01"


def _thumbs_down(thumbs: Thumbs | None) -> Estimate:
    if thumbs is None or not thumbs.rated:
        return Estimate(estimate=None, reason="no feedback")
    share = thumbs.down / thumbs.rated
    low, high = wilson(share, thumbs.rated)
    return Estimate(estimate=share, low=low, high=high, n=thumbs.rated, method="Wilson; of items with a thumb")
