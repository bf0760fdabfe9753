"""Estimate a proportion from labels that were drawn with known probabilities, in one wave or several.

Every draw that came back stands for `weight` items of its cell, a post-stratum whose size is known, so the estimate is
p = sum_c N_c p_c / sum_c N_c with p_c the weighted mean of the cell: the stratified estimator where the cells are the
strata, the domain estimator where they are not. Särndal, Swensson, Wretman (1992), Model Assisted Survey Sampling, ch. 7.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.stats.effective import effective_n, window_n
from proxy.stats.intervals import CONFIDENCE, Interval, wilson
from proxy.stats.remembered import remembered
from proxy.stats.sampling.clusters import Effective, Ways, effective, shared

Numbers = NDArray[np.float64]
Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]
PSEUDO_LABELS = 0.3
STEADY = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Draws:
    """The draws that came back, as arrays of one length n.

    `right` is 1 or 0; `judged` is 0 where annotators could not tell. `weight` is the number of items that the draw stands for,
    all waves together, `step` the part of it that chance decided. `missed` is 1 - pi in its drawing, `returned` how many
    draws came back from that drawing, numbered `drawing`; where it `is_fixed` in size they are a simple random sample, else
    each item had its own chance. `cluster` numbers the groups and `question` the questions (None: the groups are the questions),
    `together` what one lot drew at once (None: each had its own); `score` is a number that is known of all items.
    """

    right: Numbers
    judged: Numbers
    weight: Numbers
    step: Numbers
    missed: Numbers
    drawing: Indices
    returned: Numbers
    is_fixed: Mask
    cluster: Indices
    score: Numbers
    together: Indices | None = None
    question: Indices | None = None

    @property
    def ways(self) -> Ways:
        """The two ways in which labels belong together."""
        return Ways.of(self.cluster, self.question)

    def only(self, rows: Mask | Indices) -> Draws:
        """Select the draws in these rows; a row that is named twice comes twice."""
        columns: dict[str, Any] = {}
        for field in fields(self):
            column = getattr(self, field.name)
            columns[field.name] = None if column is None else column[rows]
        return Draws(**columns)


@dataclass(frozen=True, kw_only=True, slots=True)
class PostStrata:
    """The post-strata: how many items each holds and their mean score, and the cell of each draw."""

    size: Numbers
    score: Numbers
    of_draw: Indices

    def total(self, values: Numbers) -> Numbers:
        """Sum a value of the draws by cell."""
        return np.asarray(np.bincount(self.of_draw, values, len(self.size)), dtype=np.float64)

    def only(self, kept: Mask, rows: Mask) -> PostStrata:
        """Select these cells with these draws, numbered anew."""
        number = np.cumsum(kept) - 1
        return PostStrata(size=self.size[kept], score=self.score[kept], of_draw=number[self.of_draw[rows]])


class SampledShare(NamedTuple):
    """A proportion estimated from a part: p, and the n of the simple random sample that would tell as much, with its df.

    `n_window` speaks of the items at hand and is infinite once all were seen, `n_long_run` of the rate behind them, of which
    `no_long_run` says why nothing can be told.
    """

    p: float
    n_window: float
    df_window: float
    n_long_run: float
    df_long_run: float
    no_long_run: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Proportion:
    """An estimated proportion: exact on the cells that were seen whole, sampled on the rest.

    `n` is the number of labels, `size` the estimated number of items that annotators can judge. `rest` is None for a census;
    `whole` treats all cells as sampled, which is what the long-run rate asks for.
    """

    p: float
    n: int
    size: float
    seen_share: float
    seen_p: float
    rest: SampledShare | None
    whole: SampledShare

    def window(self, confidence: float = CONFIDENCE) -> Interval:
        """Compute the interval for this finite population; a census has zero width."""
        if self.rest is None:
            return Interval(self.p, self.p)
        low, high = wilson(self.rest.p, self.rest.n_window, df=self.rest.df_window, confidence=confidence)
        return Interval(min(self.mixed(low), self.p), max(self.mixed(high), self.p))

    def mixed(self, p_rest: float) -> float:
        """Compute the proportion over all cells if the rest's were `p_rest`."""
        return self.seen_share * self.seen_p + (1 - self.seen_share) * p_rest

    def long_run(self, confidence: float = CONFIDENCE) -> Interval | None:
        """Compute the interval for the rate behind this window; None with too few clusters.

        Labels of one cluster count as far as they agree. It holds the window's interval: what these items leave open of
        themselves they leave open of what is behind them, however few degrees of freedom a small stratum leaves the window.
        """
        if self.whole.no_long_run:
            return None
        low, high = wilson(self.p, self.whole.n_long_run, df=self.whole.df_long_run, confidence=confidence)
        window = self.window(confidence)
        return Interval(min(low, window.low), max(high, window.high))


@remembered(most=512)
def proportion(draws: Draws, cells: PostStrata) -> Proportion:
    """Estimate P(right) among the items of the cells that annotators can judge.

    Every cell needs a draw, and some draw a judgement.
    """
    whole, size = _sampled(draws, cells)
    is_seen = cells.total(np.ones(len(draws.right))) >= cells.size
    in_rest = ~is_seen[cells.of_draw]
    rest, rest_size = None, 0.0
    if not is_seen.any():
        rest, rest_size = whole, size
    elif draws.judged[in_rest].any():
        rest, rest_size = _sampled(draws.only(in_rest), cells.only(~is_seen, in_rest))
    seen = draws.judged * ~in_rest
    seen_p = float(np.sum(seen * draws.right) / max(seen.sum(), 1.0))
    seen_share = float(seen.sum()) / (float(seen.sum()) + rest_size)
    p = seen_share * seen_p + ((1 - seen_share) * rest.p if rest else 0.0)
    return Proportion(
        p=p,
        n=int(draws.judged.sum()),
        size=float(seen.sum()) + rest_size,
        seen_share=seen_share,
        seen_p=seen_p,
        rest=rest,
        whole=whole._replace(p=p),
    )


def _sampled(draws: Draws, cells: PostStrata) -> tuple[SampledShare, float]:
    """Compute the estimate with its effective sizes, and the number of items that can be judged."""
    scale = cells.size / cells.total(draws.weight)
    judged = float(np.sum(scale * cells.total(draws.weight * draws.judged)))
    p = float(np.sum(scale * cells.total(draws.weight * draws.judged * draws.right))) / judged
    unit = draws.step * scale[cells.of_draw] / judged
    residual, shift = _residuals(draws, cells, p, unit)
    p = min(1.0, max(0.0, p + shift / judged))
    drawn = _variances(draws, cells, residual, p, unit)
    window, df = float(np.sum(drawn.window)), satterthwaite(_steadied(draws, drawn.window, p, unit), drawn.df)
    n, square = float(draws.judged.sum()), float(np.sum(_squares(draws, draws.judged * unit)))
    kish = 1 / square if square > 0 else n  # no judged draw was left to chance: its variance is 0, too
    weight = draws.weight * scale[cells.of_draw]
    ways = draws.ways
    left = effective(ways, weight * draws.judged)
    behind = beyond(ways, weight * draws.judged * (draws.right - p) / judged, weight, left)
    return (
        SampledShare(
            p=p,
            n_window=window_n(p, window, float(np.sum(drawn.whole)), n, kish),
            df_window=df,
            n_long_run=effective_n(p, window + behind.variance, n, left.clusters),
            df_long_run=_df_long_run(window, df, behind, ways),
            no_long_run=left.reason,
        ),
        judged,
    )


def _residuals(draws: Draws, cells: PostStrata, p: float, unit: Numbers) -> tuple[Numbers, float]:
    """Compute what cells and score do not explain of judged (right - p), and the score's shift of the estimate's total.

    One slope in [0, 1] for all cells, fitted by the squared units (prediction-powered inference with power tuning,
    Angelopoulos et al. 2023, pooled over strata) and shrunk as far as it is unproved. Each residual takes the slope of the
    other draws, which pays for fitting and shrinking it.
    """
    weight = cells.total(draws.weight)

    def centred(values: Numbers) -> Numbers:
        return values - (cells.total(draws.weight * values) / weight)[cells.of_draw]

    outcome, score = centred(draws.judged * (draws.right - p)), centred(draws.score)
    slope, of_others = shrunk_slopes(outcome, score, unit)
    shift = slope * float(np.sum(cells.size * (cells.score - cells.total(draws.weight * draws.score) / weight)))
    return outcome - of_others * score, shift


def shrunk_slopes(outcome: Numbers, score: Numbers, unit: Numbers) -> tuple[float, Numbers]:
    """Fit the slope of outcome on score by the squared units, shrunk, and that of all draws but each one.

    b = sum u^2 x y / sum u^2 x^2 with se^2 = sum (u^2 x (y - b x))^2 / (sum u^2 x^2)^2; then b max(0, 1 - se^2 / b^2), between
    0 and 1: the positive-part James-Stein estimate of one coefficient.
    """
    product, square = unit**2 * score * outcome, unit**2 * score**2
    whole = float(square.sum())
    if not whole > 0:
        return 0.0, np.zeros(len(score))
    squared_error = (product - float(product.sum()) / whole * square) ** 2

    def shrunk(products: Numbers, squares: Numbers, errors: Numbers) -> Numbers:
        squares = np.maximum(squares, 1e-12 * whole)
        slope = products / squares
        noise = errors / squares**2
        return np.where(slope > 0, np.clip(slope - noise / np.where(slope > 0, slope, 1.0), 0.0, 1.0), 0.0)

    sums = [np.array([part.sum()]) for part in (product, square, squared_error)]
    others = shrunk(*(total - part for total, part in zip(sums, (product, square, squared_error), strict=True)))
    return float(shrunk(*sums)[0]), others


class Terms(NamedTuple):
    """What each draw adds: `error` to the estimate's error, `square` to its variance, had the drawing seen nothing."""

    p: float
    error: Numbers
    square: Numbers


def terms(draws: Draws, cells: PostStrata) -> Terms:
    """Take the estimate apart by draw; where all labels of a cell agree the squares hold nothing for them."""
    scale = cells.size / cells.total(draws.weight)
    judged = float(np.sum(scale * cells.total(draws.weight * draws.judged)))
    p = float(np.sum(scale * cells.total(draws.weight * draws.judged * draws.right))) / judged
    unit = draws.step * scale[cells.of_draw] / judged
    error = unit * _residuals(draws, cells, p, unit)[0]
    count = np.bincount(draws.drawing).astype(np.float64)
    centre = np.where(draws.is_fixed, (np.bincount(draws.drawing, error) / np.maximum(count, 1))[draws.drawing], 0.0)
    return Terms(p, error, (error - centre) ** 2)


class ExplainedErrors(NamedTuple):
    """How a score splits right - p: what it `explains`, what it `leaves`; `share` is what a draw is of all traffic."""

    explains: Numbers
    leaves: Numbers
    share: Numbers


def explained(draws: Draws, score: Numbers) -> ExplainedErrors:
    """Explain right answers in all traffic by a score: no cells, so that neither the strata nor the audit enter.

    Each draw takes the score's slope from the others, by weight (`shrunk_slopes`).
    """
    weight = draws.weight * draws.judged
    share = weight / weight.sum()

    def centred(values: Numbers) -> Numbers:
        return values - float(np.sum(share * values))

    outcome, known = centred(draws.right), centred(score)
    explains = shrunk_slopes(outcome, known, np.sqrt(weight))[1] * known
    return ExplainedErrors(explains, outcome - explains, share)


class _ByDrawing(NamedTuple):
    """The variance that each drawing adds for the items at hand, what it would add had it seen nothing, and its df."""

    window: Numbers
    whole: Numbers
    df: Numbers


class Beyond(NamedTuple):
    """The variance that the items at hand add as a sample of the traffic behind them, and its degrees of freedom."""

    variance: float
    df: float


def beyond(ways: Ways, influence: Numbers, weight: Numbers, left: Effective) -> Beyond:
    """Sum z^2 / w over the draws, and over clusters (sum z)^2 - sum z^2 where positive; the wider of two ways.

    With z = w e / N the first estimates sum e^2 / N^2 over all items, e not centred in any stratum, because the strata's sizes
    are themselves a sample; the second sum e_i e_j / N^2 over the pairs of a cluster. Särndal et al. (1992), 4.2 and 8.5.
    """
    return Beyond(float(np.sum(influence**2 / weight)) + shared(influence, ways), left.df)


def _df_long_run(window: float, df: float, behind: Beyond, ways: Ways) -> float:
    """Compute df of the sum of both variances; where groups and questions cross, of the clusters alone.

    Both are estimated from the same labels and err together, so that their standard errors add up and not their variances:
    (V1 + V2)^2 / (V1 / sqrt(df1) + V2 / sqrt(df2))^2, which is n - 1 for a simple random sample, as for its s^2.
    """
    if ways.crosses or not behind.variance:
        return min(df, behind.df)
    return (window + behind.variance) ** 2 / (window / math.sqrt(df) + behind.variance / math.sqrt(behind.df)) ** 2


class DesignVariance(NamedTuple):
    """The variance of an estimate for the window and for the long run; `no_long_run` says why the latter is not known."""

    window: float
    long_run: float
    no_long_run: str | None


@remembered(most=512)
def design_variance(draws: Draws, influence: Numbers) -> DesignVariance:
    """Compute the variance of an estimate whose error is the sum of the draws' influences.

    `influence` is weight times residual over N, as linearisation gives it; for the window only what chance decided counts.
    """
    window = float(np.sum(_by_drawing(draws, influence * draws.step / draws.weight).window))
    ways = draws.ways
    left = effective(ways, draws.weight * draws.judged)
    return DesignVariance(window, window + beyond(ways, influence, draws.weight, left).variance, left.reason)


def _variances(draws: Draws, cells: PostStrata, residual: Numbers, p: float, unit: Numbers) -> _ByDrawing:
    """Compute the variance by drawing.

    Where all labels of a drawing in a cell agree they add what PSEUDO_LABELS at the common share would: never 0.
    """
    drawn = _by_drawing(draws, unit * residual, cells.total(np.ones(len(unit)))[cells.of_draw])
    agreed = _agreed(draws, cells, p, unit)
    return drawn._replace(
        window=drawn.window + _squares(draws, agreed * np.sqrt(draws.missed)),
        whole=drawn.whole + _squares(draws, agreed),
    )


def _by_drawing(draws: Draws, term: Numbers, behind: Numbers | None = None) -> _ByDrawing:
    """Compute each drawing's n / (n - 1) (sum a^2 - (sum a)^2 / n).

    a are the summed terms of a lot; a Poisson drawing is not centred. Nor is a drawing of one lot: a was taken from the mean
    of as many draws as are `behind` it, and n is that number; 2 where it is not known.
    """
    count = int(draws.drawing.max()) + 1
    rows = np.bincount(draws.drawing, minlength=count)
    returned = np.maximum(1.0, np.bincount(draws.drawing, draws.returned, count) / np.maximum(rows, 1))
    fixed = np.bincount(draws.drawing, draws.is_fixed, count) > 0
    centre = np.where(fixed & (returned > 1), np.bincount(draws.drawing, term, count) / returned, 0.0)
    # The rows of a drawing that lie outside these cells have a = 0.
    left, outside = term - centre[draws.drawing], (returned - rows) * centre**2
    lots = np.bincount(_lots(draws)[1], minlength=count)
    returned = np.maximum(1.0, returned * lots / np.maximum(rows, 1))
    others = np.ones(count) if behind is None else np.bincount(draws.drawing, behind, count) / np.maximum(rows, 1) - 1
    factor = 1 + 1 / np.where(returned > 1, np.maximum(returned - 1, 1), np.maximum(others, 1))
    missed = np.bincount(draws.drawing, draws.missed, count) / np.maximum(rows, 1)
    return _ByDrawing(
        window=factor * (_squares(draws, left * np.sqrt(draws.missed)) + outside * missed),
        whole=factor * (_squares(draws, left) + outside),
        df=np.maximum(1.0, lots - 1),
    )


def _steadied(draws: Draws, variances: Numbers, p: float, unit: Numbers) -> Numbers:
    """Return variances by drawing for degrees of freedom: of one with e < STEADY errors (e V + V0) / (e + 1).

    V0 is that of the common p (1 - p). A drawing whose few labels nearly agree seems certain by chance, and then the others
    seem to be all that the estimate rests on.
    """
    count = len(variances)
    right, judged = (np.bincount(draws.drawing, part, count) for part in (draws.judged * draws.right, draws.judged))
    errors = np.minimum(right, judged - right)
    p = _smooth(draws, p)
    common = np.bincount(draws.drawing, draws.judged * draws.missed * unit**2, count) * p * (1 - p)
    return np.where(errors < STEADY, (errors * variances + common) / (errors + 1), variances)


def _squares(draws: Draws, term: Numbers) -> Numbers:
    """Sum, by drawing, the squared terms of its lots."""
    lot, drawing = _lots(draws)
    return np.asarray(np.bincount(drawing, np.bincount(lot, term) ** 2, int(draws.drawing.max()) + 1))


def _lots(draws: Draws) -> tuple[Indices, Indices]:
    """Number the lot of each draw anew, and return the drawing of each lot."""
    if draws.together is None:
        return np.arange(len(draws.drawing)), draws.drawing
    _, first, lot = np.unique(draws.together, return_index=True, return_inverse=True)
    return lot, draws.drawing[first]


def _agreed(draws: Draws, cells: PostStrata, p: float, unit: Numbers) -> Numbers:
    """Compute the spread of a draw whose drawing brought one kind of label to its cell.

    It is that of q (1 - q), PSEUDO_LABELS added of which the common share p is right: the drawings that brought labels to a cell
    share them. As p nears 0 or 1 the spread fades as p (1 - p) does, against which the design effect is held.
    """
    count = int(draws.drawing.max()) + 1
    groups, group = np.unique(cells.of_draw * count + draws.drawing, return_inverse=True)
    right, judged = np.bincount(group, draws.judged * draws.right), np.bincount(group, draws.judged)
    pseudo = PSEUDO_LABELS / np.bincount(groups // count, judged > 0)[groups // count].clip(1)
    share = (right + pseudo * _smooth(draws, p)) / (judged + pseudo)
    agree = (right == 0) | (right == judged)
    return np.asarray(np.where(agree, np.sqrt(share * (1 - share)), 0.0)[group] * draws.judged * unit)


def _smooth(draws: Draws, p: float) -> float:
    """Return the common share with half a label of each kind added: never 0 or 1."""
    judged = float(draws.judged.sum())
    return (judged * p + 0.5) / (judged + 1)


def satterthwaite(variances: Numbers, df: Numbers) -> float:
    """Compute (sum V)^2 / sum(V^2 / df): the degrees of freedom of a sum of estimated variances. Satterthwaite (1946)."""
    top = float(np.sum(variances)) ** 2
    return max(1.0, top / float(np.sum(variances**2 / df))) if top > 0 else math.inf
