"""Estimate what experts say of passages, from a known sub-sample of the labelled draws.

A draw with the inclusion probability pi is asked with the known chance s, whatever else is drawn, so an answer stands for
1 / (pi s) items. The variance is that of independent draws with these chances, sum (1 - pi s) (w e)^2 with e taken from the mean
of a cell: where the draws of a cell are a simple random sample it is that of both phases, (1 - pi) / pi e^2 and then
(1 - s) / (pi s) e^2, and where cells are merged it is larger. Särndal, Swensson, Wretman (1992), ch. 9.

Draws that were asked and not answered count as missing at random among the asked: the weights of the others grow, and both
numbers are told. Answers without passages have nothing to be asked about, and are outside of what is estimated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.agreement import NEGLIGIBLE
from proxy.evaluation.discrimination import Valued, auroc_of
from proxy.evaluation.estimate import Estimate, of_proportion
from proxy.evaluation.ledger import Drawing, PlacedDraws, SampledItem, Total, cells_of, draws_of
from proxy.reason import Reason
from proxy.stats.calibration.auroc import MIN_PER_CLASS
from proxy.stats.intervals import Interval, with_unknown
from proxy.stats.sampling.survey import Draws, proportion

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]
# A variance needs two.
FEWEST = 2
NOT_ASKED = (
    "not measurable: no labelled answer was asked about its passages; send draws with `assay push --ask passages`"
)
FEW = (
    "not measurable: annotators answered this for {count} answers, and 2 are needed; "
    "label more draws that are asked about passages"
)
OUT_OF_REACH = (
    "not measurable: {missing} of {size} answers had no chance to be asked about passages; "
    "draw a wave and send it with `assay push --ask passages`"
)
UNSPOKEN = "not measurable: no answer about passages speaks for some of the traffic; label more draws that are asked"
FEW_PASSAGES = (
    "not measurable: the judge scored {yes} relevant passages and {no} that are not relevant; "
    "{needed} of each are needed"
)
FEW_SUFFICIENT = (
    "not measurable: the judge scored {yes} answers to which nothing is missing and {no} to which something is; "
    "{needed} of each are needed"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class AskedSample:
    """The labelled draws that were asked about passages, each with its chance to be drawn and asked, and what they speak for."""

    totals: Sequence[Total]
    items: Sequence[SampledItem]
    has_passages: Mask
    drawings: Sequence[Drawing]

    def draws(self, values: Numbers) -> tuple[Draws, Mask]:
        """Return the draws with a value (nan: not answered) and those without passages, which are judged nothing, and their rows.

        The weight of an answer is that of its draw over the share of the asked that answered.
        """
        answered = self.has_passages & ~np.isnan(values)
        rows = answered | ~self.has_passages
        response = float(answered.sum() / max(1, self.has_passages.sum()))
        kept = [item for item, keep in zip(self.items, rows, strict=True) if keep]
        draws = draws_of(kept, [drawing._replace(is_fixed=False) for drawing in self.drawings])
        factor = np.where(answered[rows], response, 1.0)
        return (
            replace(
                draws,
                right=np.where(answered[rows], values[rows], 0.0),
                judged=answered[rows].astype(np.float64),
                weight=draws.weight / factor,
                step=draws.step / factor,
                missed=1 - (1 - draws.missed) * factor,
            ),
            rows,
        )


def mean_answer(sample: AskedSample, values: Numbers) -> Estimate:
    """Estimate the mean over all answers with passages of a value in [0, 1] that experts give.

    Parameters
    ----------
    sample : AskedSample
        The draws that were asked.
    values : array of float
        The value of each, nan where it was not answered.

    Returns
    -------
    Estimate
        With the interval for this window and, groups counted once, for the long run.
    """
    if not len(sample.items):
        return Estimate(estimate=None, reason=NOT_ASKED)
    count = int((sample.has_passages & ~np.isnan(values)).sum())
    if count < FEWEST:
        return Estimate(estimate=None, n=count, reason=Reason(FEW, count=count))
    size = sum(total.size for total in sample.totals)
    missing = sum(total.size for total in sample.totals if not total.is_reachable)
    if missing > NEGLIGIBLE * size:
        return Estimate(estimate=None, n=count, reason=Reason(OUT_OF_REACH, missing=missing, size=size))
    draws, rows = sample.draws(values)
    placed = PlacedDraws.of(item for item, keep in zip(sample.items, rows, strict=True) if keep)
    cells = cells_of([total for total in sample.totals if total.is_reachable and total.size], placed)
    if not cells.total(np.ones(len(draws.right))).all():
        return Estimate(estimate=None, n=count, reason=UNSPOKEN)
    known = of_proportion(proportion(draws, cells))
    if not missing or known.low is None or known.high is None:
        return known
    low, high = with_unknown(Interval(known.low, known.high), missing / size)
    return replace(known, low=low, high=high, long_run=known.long_run and with_unknown(known.long_run, missing / size))


def agrees_sufficient(sample: AskedSample, is_sufficient: Numbers, scores: Numbers, threshold: float) -> Estimate:
    """Estimate the share of answers of which a score above the threshold says as experts do whether nothing is missing.

    Parameters
    ----------
    sample : AskedSample
        The draws that were asked.
    is_sufficient : array of float
        1 where nothing needed is missing, 0 where something is, nan where it was not answered.
    scores : array of float
        The judge's score of each answer, nan where it has none; such answers count as not answered.
    threshold : float
        Strictly above it a score says yes.

    Returns
    -------
    Estimate
    """
    agrees = ((scores > threshold) == (is_sufficient > 0)).astype(np.float64)
    return mean_answer(sample, np.where(np.isnan(scores) | np.isnan(is_sufficient), np.nan, agrees))


def agrees_relevant(
    sample: AskedSample, relevant: Sequence[Numbers], scores: Sequence[Numbers], threshold: float
) -> Estimate:
    """Estimate the share of an answer's passages on which judge and experts agree, averaged over answers.

    Parameters
    ----------
    sample, relevant, scores
        As for `ranks_relevant`.
    threshold : float
        Strictly above it a score says that the passage is relevant.

    Returns
    -------
    Estimate
        Its n counts answers of which every passage has an answer and a score.
    """
    agrees = [
        float(np.mean((values > threshold) == (answers > 0))) if len(answers) and not np.isnan(values).any() else np.nan
        for answers, values in zip(relevant, scores, strict=True)
    ]
    return mean_answer(sample, np.array(agrees, dtype=np.float64))


def ranks_sufficient(sample: AskedSample, is_sufficient: Numbers, scores: Numbers) -> Estimate:
    """Estimate P(answers to which nothing is missing score above those to which something is), ties half.

    Parameters
    ----------
    sample : AskedSample
        The draws that were asked.
    is_sufficient : array of float
        1 where nothing needed is missing, 0 where something is, nan where it was not answered.
    scores : array of float
        The judge's score of each answer, nan where it has none.

    Returns
    -------
    Estimate
    """
    values = np.where(np.isnan(scores), np.nan, is_sufficient)
    draws, rows = sample.draws(values)
    known = draws.judged > 0
    return _auroc(draws.only(known), scores[rows][known], FEW_SUFFICIENT)


def ranks_relevant(sample: AskedSample, relevant: Sequence[Numbers], scores: Sequence[Numbers]) -> Estimate:
    """Estimate P(a relevant passage scores above one that is not), ties half; each passage stands for what its answer does.

    The passages of an answer were drawn and asked together, so their errors add up before they are squared.

    Parameters
    ----------
    sample : AskedSample
        The draws that were asked.
    relevant : sequence of array of float
        For each draw the answers by rank: 1 relevant, 0 not; empty where not every passage has an answer.
    scores : sequence of array of float
        The judge's scores by rank, nan where it has none; as long as the answers where these are not empty.

    Returns
    -------
    Estimate
        Its n counts passages.
    """
    scored = [len(answers) > 0 and not np.isnan(values).any() for answers, values in zip(relevant, scores, strict=True)]
    draws, rows = sample.draws(np.where(scored, 1.0, np.nan))
    known = draws.judged > 0
    draws, places = draws.only(known), np.flatnonzero(rows)[known]
    counts = [len(relevant[place]) for place in places]
    owner = np.repeat(np.arange(len(places)), counts)
    together = np.arange(len(places)) if draws.together is None else draws.together
    passages = replace(
        replace(draws, together=together).only(owner),
        right=np.concatenate([np.zeros(0), *(relevant[place] for place in places)]),
    )
    return _auroc(passages, np.concatenate([np.zeros(0), *(scores[place] for place in places)]), FEW_PASSAGES)


def _auroc(draws: Draws, values: Numbers, few: str) -> Estimate:
    yes = int(draws.right.sum())
    no = len(values) - yes
    if min(yes, no) < MIN_PER_CLASS:
        reason = Reason(few, yes=yes, no=no, needed=MIN_PER_CLASS)
        return Estimate(estimate=None, n=len(values), reason=reason)
    return auroc_of(Valued(draws=draws, values=values))
