"""Estimate quality by window of time, and run the monitors for drift and for changes of judges.

Labels that chose the rule's threshold never score the rule here either; of the traffic's correctness they may speak.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import compress
from typing import NamedTuple

import numpy as np

from annotate.analysis import evidence_ledger
from annotate.analysis.drift.judge_changes import JudgeChange, changes_of
from annotate.analysis.excluded_draws import excluded_from_rule
from annotate.analysis.labelled_draws import AnswerGround, LabelledDraw, evidence_by, ground
from annotate.analysis.rule_in_force import rule_in_force
from annotate.domain.gate_limits import DriftLimits
from annotate.store import Store
from annotate.store.traffic.windows import WindowCounts, WindowThumbs
from proxy.drift.drift import FEWEST_BEFORE, Alarm, Plan, Watched, Window, watch
from proxy.evaluation.agreement import NEGLIGIBLE, correctness_of, measure, pass_rate
from proxy.evaluation.domains import Evidence, part, unreachable
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.evidence_ledger import Doubt, Objection, SilentShare, can_turn
from proxy.evaluation.ledger import DECIDED
from proxy.reason import Reason
from proxy.records import Verdict
from proxy.rule import Rule
from proxy.stats.intervals import wilson
from proxy.stats.sampling.permanent_random import permanent_random_number
from proxy.stats.sampling.survey import Proportion
from proxy.stats.sampling.thinning import equal_chance
from proxy.stats.testing.cusum import Rate
from proxy.text.numbers import several

# Chosen: with 4 of 5 labels right the interval goes from 38 to 96 %; with fewer a rate says hardly anything.
THIN = 5
# Chosen: a quarter of a report's draws, as each window needs its own: faster, and a little less even.
DRAWS = 1000
LOTS = "drift"
# The part of the judge's false alarms that its monitors by window may spend; its tests after a change spend the rest, so that the
# sum is kept. Chosen: changes are rare, windows come every week.
JUDGE_SHARE = 0.8
# The share of draws without a right or wrong up to which nothing is said of them where nothing has changed.
HIDING = 0.05
# An alarm is left open where such draws could take away more than this part of its difference.
TAKEN = 0.25
UNDECIDED = (
    "{since} of {all_since} answers drawn since and {before} of {all_before} before "
    "have no right or wrong, and could turn it"
)
REMEDY = "label them, or have them read by a second annotator"
NOT_DRAWN = Estimate(estimate=None, reason="not measurable: no wave framed these items; run `assay sample`")
# A month is 365 / 12 days.
WEEK_DAYS, MONTH_DAYS = 7, 30.4


class By(StrEnum):
    """The length of a window."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"

    def windows_in(self, weeks: int) -> int:
        """Return the number of windows in so many weeks."""
        match self:
            case By.DAY:
                return weeks * WEEK_DAYS
            case By.WEEK:
                return weeks
        return max(1, math.ceil(weeks * WEEK_DAYS / MONTH_DAYS))


class Supply(NamedTuple):
    """The sources of more labels: new traffic that no wave framed, draws that wait, answers never drawn."""

    has_new: bool
    open: int
    has_undrawn: bool

    @property
    def ask(self) -> str:
        """The advice on how a window comes to more labels."""
        if self.has_new:
            return "`assay sample --rate R` draws from each"
        if self.open:
            return f"drawn and without a label, in all windows: {self.open:,}"
        if self.has_undrawn:
            return "`assay sample --labels N` draws from all that is left"
        return "every answer has been drawn, so only new traffic brings more"


class Thin(NamedTuple):
    """The facts for the message to a window with too few labels."""

    by: By
    items: int
    supply: Supply

    def reason(self, labels: int) -> str:
        """Say why there is no rate; never asks for more labels than there are answers."""
        if self.items < THIN:
            by = By.WEEK if self.by is By.DAY else By.MONTH
            longer = "" if self.by is By.MONTH else f"; longer windows have more (`--by {by}`)"
            return f"not measurable: {THIN} labels are needed, and this {self.by} has {several(self.items, 'answer')}{longer}"
        return f"not measurable: label {THIN - labels} more items of this window; {self.supply.ask}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Drift:
    """All windows with all alarms; `kept` of the `labels` are of equal chance, one to a question and to a group.

    `is_shorter_enough`: there is one window alone, and its labels could be watched by day. `objection` is what leaves an alarm
    on quality open; `limits` are those of the gate.
    """

    by: By
    weeks: int
    plan: Plan
    rule: Rule
    windows: tuple[Window, ...]
    watched: Watched
    changes: tuple[JudgeChange, ...]
    labels: int
    kept: int
    items: int
    without_time: int
    supply: Supply
    is_shorter_enough: bool
    objection: Objection | None = None
    limits: DriftLimits = field(default_factory=DriftLimits)

    @property
    def tries_days(self) -> bool:
        """Whether days would make windows enough where there is one longer window."""
        return self.by is not By.DAY and self.is_shorter_enough


def drift(
    store: Store, plan: Plan, *, by: By, weeks: int, since: str | None, limits: DriftLimits | None = None
) -> Drift:
    """Watch the rule in force over all windows that begin at `since` or later."""
    key, rule = rule_in_force(store)
    objections = evidence_ledger.objections(store)
    with store.snapshot():
        whole = ground(store, key, rule, scores_itself=False)
        scoring = ground(store, key, rule) if excluded_from_rule(store, key, rule) else whole
        shown = store.traffic.windows.shown(key, by)
        supply = Supply(
            has_new=store.sampling.waves.has_new(),
            open=store.sampling.waves.progress().open,
            has_undrawn=store.sampling.waves.has_undrawn(),
        )
        windows = _windows(store, (whole, scoring), shown, by, since or "", supply)
        is_shorter_enough = len(windows) == 1 and _is_enough_by_day(store, whole, windows[0], plan)
        changes = changes_of(store, scoring, plan.false_alarms * (1 - JUDGE_SHARE), since or "")
        watched = watch(windows, plan, plan.false_alarms * JUDGE_SHARE)
        for against in objections:
            watched = replace(watched, quality=replace(watched.quality, alarm=None, reason=against.reason))
        objection = _turned(store, whole, watched.quality.alarm, by)
    return Drift(
        by=by,
        weeks=weeks,
        plan=plan,
        rule=rule,
        windows=windows,
        watched=watched,
        changes=changes,
        labels=sum(window.labels for window in windows),
        kept=sum(window.right.size for window in windows),
        items=sum(window.items for window in shown.values()),
        without_time=shown[None].items if None in shown else 0,
        supply=supply,
        is_shorter_enough=is_shorter_enough,
        objection=objection,
        limits=limits or DriftLimits(),
    )


def _turned(store: Store, basis: AnswerGround, alarm: Alarm | None, by: By) -> Objection | None:
    """Return an objection where draws without a right or wrong could turn an alarm, or hide a change where there is none."""
    drawn = basis.traffic.drawn
    if alarm is None:
        hidden = sum(draw.judgement not in DECIDED for draw in drawn)
        if hidden <= HIDING * len(drawn):
            return None
        words = f"{hidden:,} of {len(drawn):,} drawn answers have no right or wrong, and could hide a change"
        return Objection(Doubt.MISSING, words, REMEDY)
    if alarm.before.estimate is None or alarm.since.estimate is None:
        return None
    window = store.traffic.partitions.of_items([draw.item for draw in drawn], by)
    draws_by_period = {
        is_since: [draw for draw in drawn if ((window[draw.item] or "") >= alarm.began) is is_since]
        for is_since in (False, True)
    }
    silent = {key: [draw for draw in rows if draw.judgement not in DECIDED] for key, rows in draws_by_period.items()}
    before, since = (len(silent[key]) / max(1, len(draws_by_period[key])) for key in (False, True))
    gap = (alarm.before.low or 0.0) - (1.0 if alarm.since.high is None else alarm.since.high)
    # An alarm looks at many weeks: it may stand where these two intervals meet.
    difference = max(gap, TAKEN * (alarm.before.estimate - alarm.since.estimate))
    if not can_turn(difference, SilentShare(alarm.before.estimate, before), SilentShare(alarm.since.estimate, since)):
        return None
    words = Reason(
        UNDECIDED,
        since=len(silent[True]),
        all_since=len(draws_by_period[True]),
        before=len(silent[False]),
        all_before=len(draws_by_period[False]),
    )
    return Objection(Doubt.MISSING, words, REMEDY)


def _is_enough_by_day(store: Store, whole: AnswerGround, only: Window, plan: Plan) -> bool:
    """Whether the labels of this window could be watched by day."""
    if plan.good is None and only.labels < FEWEST_BEFORE:
        return False
    return sum(name is not None for name in _by_window(store, whole, By.DAY)) > plan.baseline


def _windows(
    store: Store,
    grounds: tuple[AnswerGround, AnswerGround],
    shown: Mapping[str | None, WindowCounts],
    by: By,
    since: str,
    supply: Supply,
) -> tuple[Window, ...]:
    """Build every window with items, oldest first, from the ground of correctness and that of the rule."""
    whole, scoring = grounds
    evidence = evidence_by(store, whole, by)
    judged = evidence if scoring is whole else evidence_by(store, scoring, by)
    labels = _by_window(store, whole, by)
    judged_labels = labels if scoring is whole else _by_window(store, scoring, by)
    thumbs = store.traffic.windows.thumbs(by)
    names = sorted(name for name in shown if name is not None and first_day(name) >= since)
    return tuple(
        _window(
            name,
            shown[name],
            thumbs.get(name),
            (evidence.get(name), judged.get(name)),
            (labels[name], judged_labels[name]),
            Thin(by, shown[name].items, supply),
        )
        for name in names
    )


def _by_window(store: Store, basis: AnswerGround, by: By) -> defaultdict[str | None, list[LabelledDraw]]:
    """Return the labelled draws of each window, in the order of their items' times."""
    windows = store.traffic.partitions.of_items([row.about.item for row in basis.labelled.rows], by)
    rows = defaultdict[str | None, list[LabelledDraw]](list)
    for row in sorted(basis.labelled.rows, key=lambda draw: (draw.about.timestamp or "", draw.about.item)):
        rows[windows[row.about.item]].append(row)
    return rows


def _window(
    name: str,
    shown: WindowCounts,
    thumbs: WindowThumbs | None,
    evidence: tuple[Evidence | None, Evidence | None],
    labels: tuple[Sequence[LabelledDraw], Sequence[LabelledDraw]],
    thin: Thin,
) -> Window:
    """Build one window; what its labels cannot speak for has no rate and no labels of equal chance."""
    whole, judged = evidence
    report = measure(judged, DRAWS) if judged else None
    arm = _equal(labels[0])
    correctness, rate = _correctness(whole, len(labels[0]), arm, thin)
    arm = arm if rate else []
    scored = [draw for draw in (_equal(labels[1]) if rate else []) if draw.verdict is not Verdict.UNSCORED]
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
        right=np.array([draw.is_right for draw in arm], dtype=np.float64),
        right_passed=np.array([draw.verdict is Verdict.PASS for draw in scored if draw.is_right], dtype=np.float64),
        wrong_passed=np.array([draw.verdict is Verdict.PASS for draw in scored if not draw.is_right], dtype=np.float64),
    )


def _correctness(
    evidence: Evidence | None, labels: int, arm: Sequence[LabelledDraw], thin: Thin
) -> tuple[Estimate, Rate | None]:
    """Return the corrected rate as shown, and for the monitors with the number of labels that it is worth in the long run.

    Where labels are too few for the strata, or lie in one conversation, those of equal chance are read alone; where they speak
    for a part only there is none.
    """
    if evidence is None:
        return NOT_DRAWN, None
    estimate, everything = correctness_of(evidence), tuple(Verdict)
    if unreachable(evidence, everything) > NEGLIGIBLE * sum(total.size for total in evidence.totals):
        return estimate, None
    known = part(evidence, everything)
    rate = None
    if isinstance(known, Proportion) and not known.whole.no_long_run:
        rate = Rate(known.p, known.whole.n_long_run)
    elif arm:
        rate = Rate(sum(draw.is_right for draw in arm) / len(arm), float(len(arm)))
    if labels < THIN:
        estimate = Estimate(estimate=None, n=labels, reason=thin.reason(labels))
    return estimate, rate


def _equal(labels: Sequence[LabelledDraw]) -> list[LabelledDraw]:
    """Keep labels whose lot gives all items of the window the same chance; of several in a group or to a question, one by lot.

    They err alike: a chart that took them for as many draws would raise false alarms.
    """
    lots = [permanent_random_number(draw.about.item_id, LOTS) for draw in labels]
    is_kept = equal_chance([draw.weight for draw in labels], lots)
    chosen, groups, questions = set[int](), set[str](), set[str]()
    for draw in sorted(
        compress(labels, is_kept),
        key=lambda candidate: permanent_random_number(candidate.about.item_id, f"{LOTS}-question"),
    ):
        if draw.about.group not in groups and draw.about.question not in questions:
            chosen.add(draw.about.draw)
            groups.add(draw.about.group)
            questions.add(draw.about.question)
    return [draw for draw in labels if draw.about.draw in chosen]


def first_day(name: str) -> str:
    """Return the first day of a window."""
    return name if len(name) > len("2026-06") else f"{name}-01"


def _thumbs_down(thumbs: WindowThumbs | None) -> Estimate:
    if thumbs is None or not thumbs.rated:
        return Estimate(estimate=None, reason="no feedback")
    share = thumbs.down / thumbs.rated
    low, high = wilson(share, thumbs.rated)
    return Estimate(estimate=share, low=low, high=high, n=thumbs.rated, method="Wilson; of items with a thumb")
