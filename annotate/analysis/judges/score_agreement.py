"""Measure how far two scores agree on the same items: a judge against annotators, or against another judge.

Only matched items are measured, and their number is given; labels count for what they were drawn to stand for; what the report
has measured of a judge is taken from it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import NamedTuple

import numpy as np

from annotate.analysis.excluded_draws import excluded_from_judges
from annotate.analysis.labelled_draws import AnswerGround, Labelled, LabelledDraw, ground
from annotate.analysis.report.compared_rules import JudgeReport
from annotate.analysis.rule_in_force import rule_in_force
from annotate.domain.selection import Selection
from annotate.store import Store
from annotate.store.scores.judge_totals import JudgeTotals
from proxy.comparison.graded import GRADERS, scale_of
from proxy.evaluation import score_agreement
from proxy.evaluation.discrimination import Valued
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.score_agreement import THRESHOLD, THRESHOLDS, Associations, Numbers, ScorePairs
from proxy.stats.calibration.reliability import bins_for, equal_mass, equal_width
from proxy.stats.sampling.clusters import Ways
from proxy.stats.sampling.survey import Indices, Mask

# Chosen: a rank correlation of 100,000 pairs is known to .01; of more pairs as many are drawn, by a fixed seed, so that the same
# store gives the same numbers.
MOST, SEED = 100_000, 0
# Chosen: tenths, as the thresholds beside them are; and a screen of the pairs that lie farthest apart.
BINS, WORST = 10, 20
PERIODS = ("day", "week", "month")
MEASURED = ("accuracy", "f1", "kappa")
# Both pass, only the first, only the second, neither.
CELLS = 4
UNDATED = ""


class Worst(NamedTuple):
    """An item on which the two are far apart."""

    item: int
    item_id: str
    first: float
    second: float

    @property
    def distance(self) -> float:
        """The distance between the two scores."""
        return abs(self.first - self.second)


class Period(NamedTuple):
    """The matched items of a day, week or month: how many, and the mean of both scores ("" is what has no time)."""

    period: str
    n: int
    first: Estimate
    second: Estimate


class ScoreBin(NamedTuple):
    """Matched items with about the same first score: how many, and the mean of both scores."""

    n: int
    first: Estimate
    second: Estimate


class ThresholdTable(NamedTuple):
    """The 2x2 table at a threshold: how many matched items each cell holds, and the share of all that they stand for.

    In the order right_pass, wrong_pass, right_fail, wrong_fail, where the second's pass stands for right.
    """

    threshold: float
    counts: tuple[int, ...]
    shares: tuple[Estimate, ...]


class BinShares(NamedTuple):
    """One score in BINS bins of equal width: the share of the matched (each for what it stands for) and of all in each.

    `counts` are those of the matched.
    """

    matched: tuple[float, ...]
    all: tuple[float, ...]
    total: int
    counts: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class SideBySide:
    """Two scores on `matched` items, of the `whole` that have both; the second is None for annotators.

    `grid` counts matched items by bin of the first (rows) and of the second; `agreement` is by name at the threshold 0.5;
    `reason` is why labels cannot speak of all that was scored: then there are counts, and no shares, bins or periods. `seed`
    is that of the sample, None where nothing was left out.
    """

    first: JudgeTotals
    second: JudgeTotals | None
    matched: int
    whole: int
    labelled: int
    seed: int | None
    reason: str | None
    associations: Associations
    agreement: dict[str, Estimate]
    thresholds: Sequence[ThresholdTable]
    bins: Sequence[ScoreBin]
    grid: Sequence[Sequence[int]]
    spread: tuple[BinShares, ...]
    worst: Sequence[Worst]
    by: str
    periods: Sequence[Period]

    @property
    def is_census(self) -> bool:
        """Whether annotators have labelled all that the first scored."""
        return self.second is None and self.matched == self.first.scored

    @property
    def is_sample(self) -> bool:
        """Whether some of what both scored was left out."""
        return self.matched < self.whole


def with_labels(store: Store, judge: JudgeReport, *, by: str = "week") -> SideBySide:
    """Compare a judge with annotators' labels that were drawn; the report's own measures of it are taken over."""
    key, rule = rule_in_force(store)
    totals = judge.totals
    with store.snapshot():
        basis = ground(store, key, rule)
        labelled, (_, matched) = _matched(store, basis.labelled, (totals.judge, totals.signature))
        all_scores = store.scores.matched.values(totals.key)
        are_grades = _are_grades(store, totals, all_scores)
    reason = _reason(basis)
    alone = judge.alone
    whole = len(labelled.rows)
    beside = _side_by_side(matched, _periods(labelled.rows, by), by, THRESHOLDS)
    return replace(
        beside if reason is None else _of_a_part(beside, reason),
        first=totals,
        matched=whole,
        whole=whole,
        labelled=len(basis.labelled.rows),
        reason=reason,
        associations=score_agreement.associations(matched, reason=reason, are_grades=are_grades),
        agreement={name: getattr(alone.agreement, name) for name in MEASURED} | {"auroc": _known(alone.auroc, reason)},
        spread=(_shares(matched.first, matched.weight, all_scores),),
        worst=[
            Worst(labelled.rows[place].about.item, labelled.rows[place].about.item_id, *pair)
            for place, pair in _furthest(matched)
        ],
    )


class MatchedLabels(NamedTuple):
    """The drawn labels that a judge has scored, with both scores and weights in the same order."""

    rows: Sequence[LabelledDraw]
    pairs: ScorePairs

    def in_cell(self, threshold: float, place: int) -> list[int]:
        """Return the items of a cell of the 2x2 table at a threshold."""
        return self._at(score_agreement.cells(self.pairs.first > threshold, self.pairs.second > THRESHOLD) == place)

    def in_square(self, first: int, second: int) -> list[int]:
        """Return the items whose scores lie in these bins of equal width."""
        return self._at(
            (equal_width(self.pairs.first, BINS) == first) & (equal_width(self.pairs.second, BINS) == second)
        )

    def in_tenth(self, number: int) -> list[int]:
        """Return the items whose score by the judge lies in this bin of equal width."""
        return self._at(equal_width(self.pairs.first, BINS) == number)

    def in_period(self, by: str, name: str) -> list[int]:
        """Return the items of a day, week or month."""
        return self._at(np.array(_periods(self.rows, by), dtype=np.str_) == name)

    def in_bin(self, number: int) -> list[int]:
        """Return the items of a bin of equal weight, numbered from the lowest score."""
        _, part = np.unique(_equal(self.pairs), return_inverse=True)
        return self._at(part == number)

    def _at(self, kept: Mask) -> list[int]:
        return [row.about.item for row, keep in zip(self.rows, kept, strict=True) if keep]


def matched_labels(store: Store, judge: str, signature: str) -> MatchedLabels:
    """Match a judge with the labels that were drawn, as `with_labels` does."""
    with store.snapshot():
        return _matched(store, ground(store, *rule_in_force(store)).labelled, (judge, signature))[1]


def _matched(store: Store, every: Labelled, judge: tuple[str, str]) -> tuple[Labelled, MatchedLabels]:
    """Return the labels that this judge has scored, without those of questions that may have taught it."""
    scores = store.scores.of_drawn([row.about.item for row in every.rows], [judge])[judge]
    never = excluded_from_judges(store, [judge[1]])
    has = ~np.isnan(scores) & np.array([row.about.draw not in never for row in every.rows], dtype=np.bool_)
    labelled = every.only(has)
    pairs = score_agreement.of_annotators(Valued(draws=labelled.draws, values=scores[has]))
    return labelled, MatchedLabels(labelled.rows, pairs)


def with_judge(
    store: Store, first: JudgeTotals, second: JudgeTotals, *, by: str = "week", most: int = MOST, seed: int = SEED
) -> SideBySide:
    """Compare a judge with another on all that both scored, or on so many of it that the seed draws."""
    with store.snapshot():
        scored = store.scores.matched.both((first.key, second.key), by, most=most, seed=seed)
        all_scores = [store.scores.matched.values(judge.key) for judge in (first, second)]
        matched = score_agreement.of_judges(
            scored.first, scored.second, Ways.of(scored.group, scored.question), scored.whole
        )
        furthest = _furthest(matched)
        texts = store.traffic.items.read([int(scored.item[place]) for place, _ in furthest])
    n = len(scored.item)
    return replace(
        _side_by_side(matched, scored.period.tolist(), by, (THRESHOLD,)),
        first=first,
        second=second,
        matched=n,
        whole=scored.whole,
        seed=seed if n < scored.whole else None,
        associations=score_agreement.associations(matched),
        agreement=score_agreement.agreement(matched),
        spread=(
            _shares(matched.first, matched.weight, all_scores[0]),
            _shares(matched.second, matched.weight, all_scores[1]),
        ),
        worst=[Worst(int(scored.item[place]), texts[int(scored.item[place])].id, *pair) for place, pair in furthest],
    )


def _side_by_side(matched: ScorePairs, periods: Sequence[str], by: str, thresholds: Sequence[float]) -> SideBySide:
    """Compute what is the same for annotators and judges; the rest is filled in by the caller."""
    nothing = JudgeTotals(0, "", "", 0, 0, None)
    return SideBySide(
        first=nothing,
        second=None,
        matched=0,
        whole=0,
        labelled=0,
        seed=None,
        reason=None,
        associations=score_agreement.associations(replace(matched, n=0)),
        agreement={},
        thresholds=[_at_threshold(matched, threshold) for threshold in thresholds] if matched.n else [],
        bins=_bins(matched) if matched.n else [],
        grid=_grid(matched),
        spread=(),
        worst=[],
        by=by,
        periods=_means(matched, periods) if matched.n else [],
    )


def _of_a_part(beside: SideBySide, reason: str) -> SideBySide:
    """Keep the counts alone, as labels that reached a selected part of what was scored stand for nothing known."""
    unknown = Estimate(estimate=None, reason=reason)
    return replace(
        beside,
        thresholds=[at_threshold._replace(shares=(unknown,) * CELLS) for at_threshold in beside.thresholds],
        bins=[],
        periods=[],
    )


def _reason(basis: AnswerGround) -> str | None:
    """Say why the labels cannot speak of all that has a verdict, or None."""
    traffic = basis.traffic
    return score_agreement.unseen(traffic.evidence(traffic.rules[0]))


def _known(estimate: Estimate, reason: str | None) -> Estimate:
    """Return the report's number, unless labels reached a selected part of what was scored alone."""
    return estimate if reason is None else Estimate(estimate=None, n=estimate.n, reason=reason)


def _are_grades(store: Store, totals: JudgeTotals, values: Numbers) -> bool:
    """Whether the judge gives grades from 1 to 5, which nobody labels."""
    if totals.judge not in GRADERS:
        return False
    signed = {
        signature.key: signature.settings
        for signature in store.traffic.selections.signatures(totals.judge, Selection())
    }
    right_from = json.loads(signed.get(totals.key, "{}")).get("right_from")
    return scale_of(totals.judge, right_from, np.unique(values).tolist()).top is not None


def _at_threshold(matched: ScorePairs, threshold: float) -> ThresholdTable:
    cell = score_agreement.cells(matched.first > threshold, matched.second > THRESHOLD)
    counts = np.bincount(cell, minlength=CELLS)
    return ThresholdTable(
        threshold, tuple(int(count) for count in counts), tuple(score_agreement.shares(matched, cell, CELLS))
    )


def _bins(matched: ScorePairs) -> list[ScoreBin]:
    """Equal shares of the weight by the first score, and the mean of the second in each."""
    names, part = np.unique(_equal(matched), return_inverse=True)
    return [ScoreBin(first.n, first, second) for first, second in score_agreement.means(matched, part, len(names))]


def _equal(matched: ScorePairs) -> Indices:
    return equal_mass(matched.first, bins_for(matched.n), matched.weight)


def _grid(matched: ScorePairs) -> list[list[int]]:
    """Count the matched items in each of 10 x 10 bins."""
    place = BINS * equal_width(matched.first, BINS) + equal_width(matched.second, BINS)
    counts: list[list[int]] = np.bincount(place, minlength=BINS * BINS).reshape(BINS, BINS).tolist()
    return counts


def _shares(values: Numbers, weight: Numbers, every: Numbers) -> BinShares:
    matched = np.bincount(equal_width(values, BINS), weight, BINS)
    whole = np.bincount(equal_width(every, BINS), minlength=BINS)
    return BinShares(
        tuple((matched / max(matched.sum(), 1e-12)).tolist()),
        tuple((whole / max(1, whole.sum())).tolist()),
        len(every),
        tuple(np.bincount(equal_width(values, BINS), minlength=BINS).tolist()),
    )


def _furthest(matched: ScorePairs) -> list[tuple[int, tuple[float, float]]]:
    """Return the places of the items with the largest distance, and both scores."""
    order = np.argsort(-np.abs(matched.first - matched.second), kind="stable")[:WORST]
    rows = [(int(place), (float(matched.first[place]), float(matched.second[place]))) for place in order]
    return [(place, (first, second)) for place, (first, second) in rows if first != second]


def _periods(rows: Sequence[LabelledDraw], by: str) -> list[str]:
    """Return the day, the Monday of the week, or the month of each, in UTC as the store counts them."""
    return [period(row.about.timestamp, by) for row in rows]


def period(at: str | None, by: str) -> str:
    """Return the day, the Monday of the week, or the month of a time; "" for none."""
    if not at:
        return UNDATED
    if by == "month":
        return at[:7]
    day = date.fromisoformat(at[:10])
    return (day if by == "day" else day - timedelta(days=day.weekday())).isoformat()


def _means(matched: ScorePairs, periods: Sequence[str]) -> list[Period]:
    names, part = np.unique(np.array(periods, dtype=np.str_), return_inverse=True)
    means = score_agreement.means(matched, np.asarray(part, dtype=np.intp), len(names))
    return [Period(str(name), first.n, first, second) for name, (first, second) in zip(names, means, strict=True)]
