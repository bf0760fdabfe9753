"""How many labels a wanted width asks for, where they go, and what the present ones are worth: the store in, a Plan out.

The allocation is the one that draws and the formulas are the ones that measure, so a plan differs from what comes back by
the luck of the draw and by what had to be assumed of unread answers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from annotate import allocation, assumptions, expectation, strata
from annotate.allocation import StratumPlan
from annotate.evidence import gather
from annotate.expectation import Groups, Outlook
from annotate.judging import rule_in_force
from annotate.store import Store
from annotate.store.labels import Pace
from annotate.strata import Frame, Known
from proxy.agreement import AgreementReport, measure
from proxy.errors import UsageError
from proxy.estimate import Estimate
from proxy.records import Verdict
from proxy.stats.intervals import wilson

FEWEST_ERRORS = 5
FEWEST_TIMED = 5


class Status(StrEnum):
    """What stands between the present and the wanted width."""

    MET = "met"
    OPEN = "label the open draws"
    MORE = "draw more"
    ALL = "draw everything that is left"
    NEVER = "not measurable"


class Found(NamedTuple):
    """The fewest labels that do, the width to expect of them, and their plan."""

    labels: int
    width: float
    strata: tuple[StratumPlan, ...]


class Worth(NamedTuple):
    """`labels` drawn and weighted by design tell as much of correctness as `effective` of a simple random sample.

    `effective` is None where the labels cannot show it yet; `reason` says why.
    """

    labels: int
    effective: float | None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """The answer. `labels` are there and say right or wrong, `open` draws wait, `further` items are to be drawn.

    `width` is expected once open and further draws are labelled, None where nothing makes the quantity measurable. Of
    `unlabelled` items nothing is known, so that one half of them is taken to be right.
    """

    quantity: str
    wanted: float
    audit: float
    status: Status
    present: Estimate
    labels: int
    open: int
    further: int
    width: float | None
    strata: tuple[StratumPlan, ...]
    worth: Worth
    pace: Pace
    items: int
    unlabelled: int
    reason: str | None = None

    @property
    def present_width(self) -> float | None:
        """The width of the window interval that the labels give now."""
        return width_of(self.present)

    @property
    def minutes(self) -> float | None:
        """The expert time for all that is left to label; None before enough annotations were timed."""
        if self.pace.seconds is None or self.pace.n < FEWEST_TIMED:
            return None
        return (self.open + self.further) * self.pace.seconds / 60


def build(store: Store, *, now: str, quantity: str, wanted: float, audit: float) -> Plan:
    """Plan under the rule in force. UsageError where there is no item."""
    key, rule = rule_in_force(store, now=now)
    frame = store.waves.frame(key)
    if not len(frame.keys):
        raise UsageError("there is no item to plan for: bring traffic in with `assay ingest FILE`")
    verdicts = assumptions.verdicts_of(frame, rule)
    expected, progress = assumptions.from_labels(frame, verdicts), store.waves.progress()
    decided = (progress.right + progress.wrong + 1) / (progress.labelled + 1)
    outlook = _outlook(store, frame, verdicts, expected.right, decided)
    traffic = gather(store, key, [rule])
    report = measure(traffic.evidence(traffic.rules[0]))
    present = getattr(report, quantity)
    # What the labels tell so far leaves out items that came after the last wave.
    now_width = None if traffic.rules[0].uncovered else width_of(present)
    status, found = _needed(outlook, now_width, progress.open, quantity, wanted, audit)
    return Plan(
        quantity=quantity,
        wanted=wanted,
        audit=audit,
        status=status,
        present=present,
        labels=progress.right + progress.wrong,
        open=0 if status is Status.MET else progress.open,
        further=found.labels if found else 0,
        width=found.width if found else None,
        strata=found.strata if found else (),
        worth=worth_of(report),
        pace=store.labels.median_seconds(),
        items=len(frame.keys),
        unlabelled=expected.unlabelled,
        reason=None if found else _reason(outlook, present, audit),
    )


def _outlook(
    store: Store, frame: Frame, verdicts: assumptions.Names, right: assumptions.Numbers, decided: float
) -> Outlook:
    """The frame with its past: what each item's chances were, and which were drawn."""
    chance, missed = np.zeros(len(frame.keys)), np.zeros(len(frame.keys))
    framed = store.ledger.chances()
    chance[np.searchsorted(frame.keys, framed.keys)] = framed.total
    draws = store.waves.all_draws()
    own = np.array([(one.item, one.inclusion_probability) for one in draws], dtype=np.float64).reshape(-1, 2)
    is_current = np.isin(own[:, 0], frame.keys)  # a superseded item is drawn but no longer in the frame
    missed[np.searchsorted(frame.keys, own[is_current, 0])] = 1 - own[is_current, 1]
    return Outlook(
        frame=frame,
        verdicts=verdicts,
        right=right,
        chance=chance,
        missed=missed,
        is_drawn=~frame.is_eligible,
        decided=decided,
    )


def _needed(
    outlook: Outlook, now: float | None, waiting: int, quantity: str, wanted: float, audit: float
) -> tuple[Status, Found | None]:
    """What is still to be drawn: nothing where the labels that are there, or on their way, will do."""
    if now is not None and now <= wanted:
        return Status.MET, Found(0, now, ())
    if waiting:
        groups = expectation.group(outlook, strata.stratify(outlook.frame, 0))
        then = expectation.width(groups, {}, quantity)
        if then is not None and then <= wanted:
            return Status.OPEN, Found(0, then, ())
    found = fewest(outlook, quantity, wanted, audit)
    if found is None:
        return Status.NEVER, None
    return Status.ALL if found.labels >= outlook.frame.is_eligible.sum() else Status.MORE, found


def fewest(outlook: Outlook, quantity: str, wanted: float, audit: float) -> Found | None:
    """The fewest further labels whose expected width is at most the wanted one; None if no number makes it measurable.

    The width falls with the labels as long as the strata stay the same, so each range of labels with one stratification is
    searched for itself: doubling, then bisection.
    """
    for design in _designs(outlook, audit):
        found = design.fewest(quantity, wanted)
        if found:
            return found
    return None


def _designs(outlook: Outlook, audit: float) -> Iterator[_Design]:
    """The ranges of labels within which `strata.stratify` cuts the same strata."""
    eligible = int(outlook.frame.is_eligible.sum())
    cuts = {strata.LABELS_A_BIN[side] * bins for side, most in strata.MOST_BINS.items() for bins in range(2, most + 1)}
    starts = sorted({1, *(cut for cut in cuts if cut <= eligible)})
    for low, after in zip(starts, [*starts[1:], eligible + 1], strict=True):
        names = strata.stratify(outlook.frame, low)
        groups = expectation.group(outlook, names)
        yield _Design(
            low=low,
            high=after - 1,
            audit=audit,
            groups=groups,
            sizes=groups.sizes,
            known=strata.known(outlook.frame, names),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Design:
    """The stratification for `low` to `high` labels."""

    low: int
    high: int
    audit: float
    groups: Groups
    sizes: allocation.Sizes
    known: dict[str, Known]

    def at(self, labels: int, quantity: str) -> Found:
        """What to expect of so many labels; of infinite width where they cannot be divided or tell nothing."""
        try:
            parts = allocation.plan(self.sizes, self.known, labels, self.audit)
        except UsageError:
            return Found(labels, math.inf, ())
        width = expectation.width(self.groups, {part.stratum: part.drawn for part in parts}, quantity)
        return Found(labels, math.inf if width is None else width, parts)

    def fewest(self, quantity: str, wanted: float) -> Found | None:
        """The fewest labels of this range that do, or None."""
        found = self.at(self.high, quantity) if self.high >= self.low else None
        if found is None or found.width > wanted:
            return None
        below, step = self.low - 1, 1
        while below + step < found.labels:
            tried = self.at(below + step, quantity)
            if tried.width <= wanted:
                found = tried
                break
            below, step = below + step, 2 * step
        while found.labels - below > 1:
            tried = self.at((below + found.labels) // 2, quantity)
            below, found = (below, tried) if tried.width <= wanted else (tried.labels, found)
        return found


def width_of(one: Estimate) -> float | None:
    """The width of a window interval; None for what is not measured, also where bounds are known."""
    return None if one.estimate is None or one.low is None or one.high is None else one.high - one.low


def worth_of(report: AgreementReport) -> Worth:
    """What the labels are worth for correctness, by the widths of the two intervals for the same window.

    A simple random sample of m of N items at the same p has Wilson's interval at m / (1 - m / N), and widths shrink with the
    root of that: m / (1 - m / N) = n / (1 - n / N) x (its width at n / ours)^2.
    """
    one, width = report.correctness, width_of(report.correctness)
    right, wrong = (sum(getattr(part, word) for part in report.strata) for word in ("right", "wrong"))
    size = sum(part.size for part in report.strata)
    if one.estimate is None or width is None:
        return Worth(right + wrong, None, "correctness is not measurable yet")
    if min(right, wrong) < FEWEST_ERRORS:
        few = "wrong" if wrong < right else "right"
        return Worth(right + wrong, None, f"it takes {FEWEST_ERRORS} {few} answers among the labels")
    if width == 0:
        return Worth(right + wrong, None, "every answer is labelled")
    return Worth(right + wrong, effective_labels(one.estimate, one.n, size, width))


def effective_labels(p: float, n: int, size: int, width: float) -> float:
    """The m of `worth_of` for n labels of `size` items with share p and an interval of this width."""
    left = n / (1 - n / size)
    low, high = wilson(p, left)
    worth = left * ((high - low) / width) ** 2
    return worth / (1 + worth / size)


def _reason(outlook: Outlook, present: Estimate, audit: float) -> str:
    """Why no number of labels will do."""
    if not outlook.frame.is_eligible.any():
        return "every answer has been drawn: bring in the labels that are open, or new traffic"
    if (outlook.verdicts == Verdict.UNSCORED.value).all():
        return "no answer has a verdict: run `assay judge` first"
    if audit == 0:
        return "with --audit 0 no failed answer is labelled: give a larger audit"
    for word in (Verdict.PASS, Verdict.FAIL):
        if not (outlook.verdicts == word.value).any():
            return f"no answer has the verdict {word}: move the cut with `assay rule set`"
    return present.reason or "too few answers"
