"""Draw waves in memory from a frame whose every answer is known or made up, and return the evidence that they would give.

It draws with the very functions that the store's waves use, so what it shows of coverage and width holds for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.domain.sampling.proposal import Proposal, ProposalRequest, drawing
from proxy.evaluation import ledger
from proxy.evaluation.domains import Evidence
from proxy.evaluation.ledger import SampledItem, Total
from proxy.evaluation.levels import LEVELS, Levels
from proxy.evaluation.predictor import PredictorScores, fit, fold_of
from proxy.planning.coded import Coded
from proxy.planning.strata import SamplingFrame, Stratum, kind_of
from proxy.records import Judgement, Verdict


@dataclass(frozen=True, kw_only=True)  # without slots: what the predictor knows is worked out once
class SyntheticTraffic:
    """Traffic with an answer to every question: arrays of one length.

    `verdicts` and `values` are those of the rule that samples and is measured (nan where it is unscored), `right` 1 or 0;
    without `questions` each group is one. `scores` has a row an item and a column a judge, for the predictor; without it
    there is the rule's value alone.
    """

    verdicts: NDArray[np.str_]
    values: NDArray[np.float64]
    is_thumbed_down: NDArray[np.bool_]
    is_disputed: NDArray[np.bool_]
    right: NDArray[np.float64]
    groups: Sequence[str]
    questions: Sequence[str] | None = None
    scores: NDArray[np.float64] | None = None

    @cached_property
    def known(self) -> PredictorScores:
        """What the predictor knows of each item: the rule's value, then each judge's score."""
        columns = [self.values] if self.scores is None else [self.values, *self.scores.T]
        return PredictorScores(
            np.column_stack(columns), np.array([_fold_of(name) for name in self.questions or self.groups])
        )

    @cached_property
    def kinds(self) -> Coded:
        """The kind that each item is sampled as."""
        codes, names = np.zeros(len(self.verdicts), dtype=np.uint8), tuple(stratum.value for stratum in Stratum)
        for verdict in Verdict:
            has_verdict = self.verdicts == verdict.value
            for down, disputed in product((False, True), repeat=2):
                rows = has_verdict & (self.is_thumbed_down == down) & (self.is_disputed == disputed)
                codes[rows] = names.index(kind_of(verdict, is_thumbed_down=down, is_disputed=disputed))
        return Coded(names, codes)


# Windows of a simulation have the same names again and again.
_fold_of = lru_cache(maxsize=100_000)(fold_of)


@lru_cache(maxsize=4)
def _names(count: int) -> tuple[str, ...]:
    return tuple(str(n) for n in range(count))


def window(verdicts: NDArray[np.str_], values: NDArray[np.float64], right: NDArray[np.float64]) -> SyntheticTraffic:
    """Make a window in which every item stands alone, nobody pressed a thumb and no judge disputes another."""
    return SyntheticTraffic(
        verdicts=verdicts,
        values=values,
        is_thumbed_down=np.zeros(len(right), dtype=np.bool_),
        is_disputed=np.zeros(len(right), dtype=np.bool_),
        right=right,
        groups=_names(len(right)),
    )


class DrawnWaves(NamedTuple):
    """Labelled waves: their plans, the wave that drew each item (-1: none), and the level that is predicted of each item."""

    waves: Sequence[Proposal]
    own: NDArray[np.int64]
    level: Levels


def simulate_waves(
    traffic: SyntheticTraffic,
    requests: Sequence[ProposalRequest],
    rng: np.random.Generator,
    *,
    guide: SyntheticTraffic | None = None,
    measured: NDArray[np.str_] | None = None,
) -> Evidence:
    """Draw the waves one after the other, each with the labels of those before, and label every draw.

    `guide` holds labelled items of an earlier window: they tell where labels are worth most, and speak for nothing.
    `measured` are the verdicts of another rule, which is measured in place of the one that samples.
    """
    return evidence_of(traffic, draw_waves(traffic, requests, rng, guide=guide), measured)


def draw_waves(
    traffic: SyntheticTraffic,
    requests: Sequence[ProposalRequest],
    rng: np.random.Generator,
    *,
    guide: SyntheticTraffic | None = None,
) -> DrawnWaves:
    """Draw the waves as `simulate_waves` does; `evidence_of` may then measure any rule on the same labels."""
    own = np.full(len(traffic.right), -1)
    waves: list[Proposal] = []
    for number, request in enumerate(requests):
        waves.append(_wave(traffic, own < 0, request, rng, guide))
        own[waves[-1].rows] = number
    known, labelled = traffic.known, np.flatnonzero(own >= 0)
    level = fit((), PredictorScores(known.table[labelled], known.fold[labelled]), traffic.right[labelled]).levels(known)
    return DrawnWaves(waves, own, level)


def _wave(
    traffic: SyntheticTraffic,
    is_open: NDArray[np.bool_],
    request: ProposalRequest,
    rng: np.random.Generator,
    guide: SyntheticTraffic | None,
) -> Proposal:
    """Draw one wave of what is still open."""
    count, extra = len(traffic.right), 0 if guide is None else len(guide.right)
    windows = [traffic] if guide is None else [traffic, guide]
    is_eligible = np.concatenate([is_open, np.zeros(extra, dtype=np.bool_)])
    frame = SamplingFrame(
        keys=np.arange(count + extra),
        kinds=Coded(traffic.kinds.names, np.concatenate([part.kinds.codes for part in windows])),
        values=np.concatenate([part.values for part in windows]),
        right=np.where(is_eligible, np.nan, np.concatenate([part.right for part in windows])),
        is_eligible=is_eligible,
    )
    knowns = [part.known for part in windows]
    known = PredictorScores(
        np.concatenate([part.table for part in knowns]), np.concatenate([part.fold for part in knowns])
    )
    drawn = drawing(frame.foreseen(known), request, np.where(is_eligible, rng.random(count + extra), 2.0))
    return drawn._replace(strata=drawn.strata[slice(count)], own=None if drawn.own is None else drawn.own[:count])


def evidence_of(traffic: SyntheticTraffic, drawn: DrawnWaves, measured: NDArray[np.str_] | None = None) -> Evidence:
    """Return what the waves tell of the rule that sampled, or of one that gives the verdicts `measured`."""
    waves, own, level = drawn
    measured = traffic.verdicts if measured is None else measured
    drawings = [
        ledger.Drawing(number, part.stratum, part.size, part.drawn, part.drawn, part.drawn, part.is_fixed)
        for number, wave in enumerate(waves)
        for part in wave.plans
    ]
    place = {(stratum.wave, stratum.stratum): n for n, stratum in enumerate(drawings)}
    # A stratum of which nothing was left to draw gave no chance in that wave.
    chances = np.nan_to_num(np.array([wave.chances for wave in waves]))
    strata, stratum_of = waves[-1].strata, [wave.strata.tolist() for wave in waves]
    labelled = np.flatnonzero(own >= 0)
    judgements = {1.0: Judgement.RIGHT, 0.0: Judgement.WRONG}
    verdicts = {verdict.value: verdict for verdict in Verdict}
    of_draws = zip(
        labelled.tolist(),
        strata[labelled].tolist(),
        measured[labelled].tolist(),
        traffic.right[labelled].tolist(),
        chances.T[labelled].tolist(),
        own[labelled].tolist(),
        level[labelled].tolist(),
        strict=True,
    )
    sample = [
        SampledItem(
            stratum=stratum,
            verdict=verdicts[verdict],
            judgement=judgements[right],
            group=traffic.groups[row],
            question=None if traffic.questions is None else traffic.questions[row],
            drawing=place[wave, stratum_of[wave][row]],
            chances=tuple(chance),
            own=wave,
            level=band,
        )
        for row, stratum, verdict, right, chance, wave, band in of_draws
    ]
    return Evidence(totals=_totals(measured, strata, chances.sum(axis=0) > 0, level), sample=sample, drawings=drawings)


def _totals(verdicts: NDArray[np.str_], strata: Coded, is_reachable: NDArray[np.bool_], level: Levels) -> list[Total]:
    of_strata, of_verdicts = strata.in_order(), Coded.of(verdicts)
    names, verdict_names = of_strata.names, of_verdicts.names
    place = of_strata.codes.astype(np.intp)
    code = ((place * len(verdict_names) + of_verdicts.codes) * 2 + is_reachable) * LEVELS + level
    sizes = np.bincount(code)
    totals = []
    for cell in np.flatnonzero(sizes):
        rest, band = divmod(int(cell), LEVELS)
        rest, reached = divmod(rest, 2)
        stratum, verdict = divmod(rest, len(verdict_names))
        size = int(sizes[cell])
        totals.append(Total(names[stratum], Verdict(verdict_names[verdict]), size, band, bool(reached)))
    return totals
