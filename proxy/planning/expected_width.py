"""Expect the width of a plan's intervals before anyone labels, from a frame with assumed answers.

Labels are taken at their expected numbers and go through the estimators' own formulas: the weights of several waves
(`proxy.evaluation.ledger`), effective n and Wilson for a share, Beta draws for what needs both sides. It is no estimate of
anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.confusion_rates import DERIVED, VerdictProportions, derived
from proxy.evaluation.domains import FEWEST_LABELS, Part, Unknown
from proxy.planning.coded import Coded, blocks
from proxy.planning.priors import Tabled
from proxy.planning.strata import SamplingFrame
from proxy.records import Verdict
from proxy.stats.effective import effective_n, window_n
from proxy.stats.sampling.survey import Proportion, SampledShare, satterthwaite

Names = NDArray[np.str_]
Numbers = NDArray[np.float64]
QUANTITIES = ("correctness", "pass_precision", "sensitivity", "specificity", "accuracy", "kappa")
BANDS = 1 << 14  # more than the smallest float has: 20 x 745
NOT_MEASURABLE = Unknown("not measurable", 0, 0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Outlook:
    """A frame with what is assumed of each item: arrays of one length.

    `right` is P(right), and `chance` that of the item to be drawn in any wave so far; 1 - that of the wave that drew it is in
    `missed`, a number a drawn item in the order of their rows. Annotators can tell right from wrong of the share `decided`.
    """

    frame: SamplingFrame
    verdicts: Coded
    right: Tabled
    chance: Numbers
    missed: Numbers
    decided: float = 1.0

    @property
    def is_drawn(self) -> NDArray[np.bool_]:
        """Whether an item was drawn: labelled items, and open draws, whose labels are on their way."""
        return ~self.frame.is_eligible

    def only(self, rows: NDArray[np.intp]) -> Outlook:
        """Return these rows, with every drawn one among them."""
        return replace(
            self,
            frame=self.frame.only(rows),
            verdicts=self.verdicts[rows],
            right=self.right._replace(place=self.right.place[rows]),
            chance=self.chance[rows],
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemGroups:
    """Items of one stratum, verdict and about one chance so far, counted: arrays with a number a group.

    `eligible` may still be drawn, `past` were drawn and `missed` sums what those drawings left to chance; `right` and
    `spread` are the means of p and p (1 - p). `stratum` and `cell` number what they lie in.
    """

    names: tuple[str, ...]
    stratum: NDArray[np.intp]
    cell: NDArray[np.intp]
    verdict: Names
    size: Numbers
    eligible: Numbers
    past: Numbers
    missed: Numbers
    chance: Numbers
    right: Numbers
    spread: Numbers
    decided: float

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of items that may still be drawn, by stratum: `strata.count` without another pass over the items."""
        counts = np.bincount(self.stratum, self.eligible, len(self.names))
        return {name: int(count) for name, count in zip(self.names, counts, strict=True) if count}


class _Moments(NamedTuple):
    """The variance that a group's labels add to a share, for the window and the long run, and its labels and kish terms."""

    window: Numbers
    long_run: Numbers
    labels: Numbers
    square: Numbers


def group(outlook: Outlook, strata: Coded) -> ItemGroups:
    """Count the items of an outlook under a stratification, block by block: sums are as if they were added one by one."""
    verdicts = outlook.verdicts
    groups = np.unique(np.concatenate([np.unique(_groups(outlook, strata, block)) for block in _blocks(outlook)]))
    size, eligible, chance, right, spread, missed = np.zeros((6, len(groups)))
    drawn_before = 0
    for block in _blocks(outlook):
        place = np.searchsorted(groups, _groups(outlook, strata, block))
        is_eligible, expected = outlook.frame.is_eligible[block], outlook.right.of(block)
        drawn = place[~is_eligible]
        size += np.bincount(place, minlength=len(groups))
        eligible += np.bincount(place[is_eligible], minlength=len(groups))
        np.add.at(chance, place, outlook.chance[block])
        np.add.at(right, place, expected)
        np.add.at(spread, place, expected * (1 - expected))
        np.add.at(missed, drawn, outlook.missed[drawn_before : drawn_before + len(drawn)])
        drawn_before += len(drawn)
    cell = groups // BANDS
    stratum, verdict = np.divmod(cell, len(verdicts.names))
    return ItemGroups(
        names=strata.names,
        stratum=stratum,
        cell=cell,
        verdict=np.array(verdicts.names)[verdict],
        size=size,
        eligible=eligible,
        past=size - eligible,
        missed=missed,
        chance=chance / size,
        right=right / size,
        spread=spread / size,
        decided=outlook.decided,
    )


def _blocks(outlook: Outlook) -> Iterator[slice]:
    return blocks(len(outlook.frame.keys))


def _groups(outlook: Outlook, strata: Coded, block: slice) -> NDArray[np.intp]:
    """Return the number of each item's group: by stratum, verdict, and its chance so far in bands of a twentieth."""
    chance = outlook.chance[block]
    known = chance > 0
    band = np.where(known, np.round(20 * np.log(np.where(known, chance, 1.0))).astype(np.intp), 1 - BANDS)
    cell = strata.codes[block].astype(np.intp) * len(outlook.verdicts.names) + outlook.verdicts.codes[block]
    return np.asarray(cell * BANDS + band + BANDS - 1, dtype=np.intp)


def width(groups: ItemGroups, drawn: Mapping[str, int], quantity: str) -> float | None:
    """Return the width to expect of a quantity's window interval after `drawn` more labels by stratum; None: not measurable."""
    if quantity == "correctness":
        return _width(_part(groups, drawn, np.ones(len(groups.size), dtype=np.bool_)))
    passed, failed = (_part(groups, drawn, groups.verdict == verdict.value) for verdict in (Verdict.PASS, Verdict.FAIL))
    if quantity == "pass_precision":
        return _width(passed)
    if quantity not in DERIVED:
        raise ValueError(f"{quantity}: give one of {', '.join(QUANTITIES)}")
    sizes = [proportion.size if isinstance(proportion, Proportion) else 0.0 for proportion in (passed, failed)]
    scored = sum(sizes)
    figure = derived(
        VerdictProportions(passed, failed, sizes[0] / scored if scored else 0.0, scored), 1.0, names=(quantity,)
    )[quantity]
    return None if figure.estimate is None or figure.low is None or figure.high is None else figure.high - figure.low


def _width(part: Part) -> float | None:
    if not isinstance(part, Proportion):
        return None
    low, high = part.window()
    return high - low


def _part(groups: ItemGroups, drawn: Mapping[str, int], rows: NDArray[np.bool_]) -> Part:
    """Return P(right) in these groups, as `survey.proportion` would have it of the expected labels."""
    if not rows.any():
        return None
    new = _new(groups, drawn)
    labels = groups.past + new
    if (labels[rows] + groups.chance[rows] == 0).any() or labels[rows].sum() * groups.decided < FEWEST_LABELS:
        return NOT_MEASURABLE
    cells = int(groups.cell.max()) + 1
    by_cell = np.bincount(groups.cell, labels, cells) >= np.bincount(groups.cell, groups.size, cells) - 1e-6
    seen = rows & by_cell[groups.cell]
    rest = rows & ~seen
    if rest.any() and not labels[rest].any():
        return NOT_MEASURABLE
    whole = _sampled(groups, new, rows)
    size, seen_size = float(groups.size[rows].sum()), float(groups.size[seen].sum())
    return Proportion(
        p=whole.p,
        n=round(labels[rows].sum() * groups.decided),
        size=size * groups.decided,
        seen_share=seen_size / size,
        seen_p=float(groups.size[seen] @ groups.right[seen]) / max(seen_size, 1.0),
        rest=_sampled(groups, new, rest) if rest.any() else None,
        whole=whole,
    )


def _new(groups: ItemGroups, drawn: Mapping[str, int]) -> Numbers:
    """Return the labels that each group gets of its stratum's, in proportion to what may be drawn."""
    drawn_by_stratum = np.array([drawn.get(name, 0) for name in groups.names], dtype=np.float64)
    there = np.bincount(groups.stratum, groups.eligible, len(groups.names))
    return np.asarray(groups.eligible * np.minimum(1.0, drawn_by_stratum / np.maximum(there, 1.0))[groups.stratum])


def _sampled(groups: ItemGroups, new: Numbers, rows: NDArray[np.bool_]) -> SampledShare:
    """Return the share over these groups with its effective sizes, as `survey` has them."""
    size = float(groups.size[rows].sum())
    p = float(groups.size[rows] @ groups.right[rows]) / size
    past, fresh = _moments(groups, new, rows)
    window, long_run = np.concatenate([past.window, fresh.window]), np.concatenate([past.long_run, fresh.long_run])
    n = float(past.labels.sum() + fresh.labels.sum())
    kish = 1 / float(past.square.sum() + fresh.square.sum())
    df = np.maximum(1.0, np.concatenate([past.labels, fresh.labels]) - 1)
    v_window, v_long_run = float(window.sum()), float(long_run.sum())
    return SampledShare(
        p=p,
        n_window=window_n(p, v_window, v_long_run, n, kish),
        df_window=satterthwaite(window, df),
        n_long_run=effective_n(p, v_long_run, n, kish),
        df_long_run=satterthwaite(long_run, df),
    )


def _moments(groups: ItemGroups, new: Numbers, rows: NDArray[np.bool_]) -> tuple[_Moments, _Moments]:
    """Return what past and new labels add, by stratum.

    A label counts for 1 / P items, P the chance to be drawn in any wave, so that n labels with spread S^2 add n S^2 / (P N)^2;
    what a new wave looks at as well, with chance p, leaves (1 - p)^2 of what the past leaves to chance.
    Annotators who decide only of a share d of what they see leave d n labels on d N items.
    """
    chance = np.divide(new, groups.eligible, out=np.zeros_like(new), where=groups.eligible > 0)
    of_any = 1 - (1 - groups.chance) * (1 - chance)
    unit = 1 / (np.where(rows, of_any, 1.0) * float(groups.size[rows].sum()) * groups.decided)
    strata = len(groups.names)

    def by_stratum(labels: Numbers, missed: Numbers) -> _Moments:
        def total(values: Numbers) -> Numbers:
            return np.asarray(np.bincount(groups.stratum, np.where(rows, values, 0.0), strata), dtype=np.float64)

        weight = unit**2 * groups.decided
        return _Moments(
            window=total(weight * groups.spread * missed),
            long_run=total(weight * groups.spread * labels),
            labels=total(labels) * groups.decided,
            square=total(weight * labels),
        )

    return by_stratum(groups.past, groups.missed * (1 - chance) ** 2), by_stratum(new, new * (1 - chance))
