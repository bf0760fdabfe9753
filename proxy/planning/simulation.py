"""Simulate the next wave on the traffic that is there: the width of an interval once a wave of n labels has come back.

Each simulation makes up the answers that nobody has read, draws the wave as it would be drawn, refits the predictor to all labels
and measures as the report does. Answers follow what earlier labels predict, at shares that these labels leave open.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.agreement import correctness_of, proportions_of
from proxy.evaluation.confusion_rates import DERIVED, derived
from proxy.evaluation.domains import Evidence
from proxy.evaluation.effective_labels import width_of
from proxy.evaluation.estimate import of_proportion
from proxy.evaluation.ledger import DECIDED, Drawing, SampledItem, Total
from proxy.evaluation.levels import SHARES, UNKNOWN, levels_of
from proxy.evaluation.predictor import PredictorScores, fit
from proxy.planning import allocation, strata
from proxy.planning.allocation import StratumPlan
from proxy.planning.coded import Coded, blocks
from proxy.planning.expected_width import Outlook
from proxy.planning.priors import from_labels
from proxy.planning.strata import Known
from proxy.records import Judgement, Verdict
from proxy.stats.sampling.survey import Proportion

Numbers = NDArray[np.float64]
Rows = NDArray[np.intp]
POOL = 1000  # answers of each kind that stand for all of it
POOL_SEED = 20_260_102  # the pool is the same each time
DRAWS = 1024
_Drawn = tuple[int, int, Judgement, int]  # its place in the pool, the number of its stratum, its label, its level
MADE_UP = "made up"
ALL = "all"
SIMULATED = ("correctness", "pass_precision", *DERIVED)


class PastWaves(NamedTuple):
    """Every draw of earlier waves, the row of the frame that it is of, and the drawings; an open draw has no judgement."""

    sample: Sequence[SampledItem]
    rows: Rows
    drawings: Sequence[Drawing]


class Stratification(NamedTuple):
    """All traffic cut into strata, counted once for all waves that are drawn from them.

    `items` has the stratum of each item, `of_pool` that of each item of the pool, by number. `cells` counts items by stratum,
    verdict and whether an earlier wave could have drawn them, `sizes` those that may still be drawn, and `known` is what
    earlier labels say.
    """

    items: Coded
    of_pool: Rows
    verdicts: tuple[str, ...]
    verdict_of_pool: Rows
    cells: NDArray[np.intp]
    sizes: Mapping[str, int]
    known: Mapping[str, Known]

    @classmethod
    def of(cls, outlook: Outlook, pool: Rows, strata_of: Coded) -> Stratification:
        """Count the traffic under the stratum of each item."""
        items, verdicts = strata_of.in_order(), outlook.verdicts.in_order()
        shape = len(items.names), len(verdicts.names), 2
        cells = np.zeros(math.prod(shape), dtype=np.intp)
        for block in blocks(len(items)):
            number = items.codes[block].astype(np.intp) * len(verdicts.names) + verdicts.codes[block]
            cells += np.bincount(number * 2 + (outlook.chance[block] > 0), minlength=len(cells))
        return cls(
            items=items,
            of_pool=items.codes[pool].astype(np.intp),
            verdicts=verdicts.names,
            verdict_of_pool=verdicts.codes[pool].astype(np.intp),
            cells=cells.reshape(shape),
            sizes=strata.count(outlook.frame, items),
            known=strata.known(outlook.frame, items),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the strata, by number."""
        return self.items.names


class NextWave(NamedTuple):
    """A wave as it would be drawn: its plan, and the chance of an item of each stratum."""

    plans: tuple[StratumPlan, ...]
    strata: Stratification
    chances: Numbers

    @classmethod
    def of(cls, plans: tuple[StratumPlan, ...], strata_of: Stratification) -> NextWave:
        """Return the wave with these plans."""
        chances = {part.stratum: part.inclusion_probability for part in plans}
        return cls(plans, strata_of, np.array([chances.get(name, 0.0) for name in strata_of.names]))


def pool_of(outlook: Outlook, rng: np.random.Generator) -> Rows:
    """Return the rows that simulations read: all that was drawn, and of each kind POOL drawn at random."""
    kinds, is_eligible = outlook.frame.kinds.in_order(), outlook.frame.is_eligible
    rows = [np.flatnonzero(~is_eligible)]
    for name in kinds.names:
        undrawn = kinds.among(name) & is_eligible
        count = int(np.count_nonzero(undrawn))
        places = np.arange(count) if count <= POOL else np.sort(rng.choice(count, POOL, replace=False))
        rows.append(_rows_at(undrawn, places))
    return np.sort(np.concatenate(rows))


def _rows_at(mask: NDArray[np.bool_], places: Rows) -> Rows:
    """Return the rows of the true ones at these places among them, ascending; without a list of all of them."""
    rows, before = [np.zeros(0, dtype=np.intp)], 0
    for block in blocks(len(mask)):
        true = np.flatnonzero(mask[block])
        first, last = np.searchsorted(places, [before, before + len(true)])
        rows.append(block.start + true[places[first:last] - before])
        before += len(true)
    return np.concatenate(rows)


@dataclass(frozen=True, kw_only=True)  # without slots: what the pool knows is worked out once
class WaveSimulation:
    """The traffic with its past, ready to simulate waves on.

    Attributes
    ----------
    outlook : Outlook
        Every item.
    past : PastWaves
        What earlier waves drew.
    pool : rows
        The items that stand for all, by row of the frame.
    scores : PredictorScores
        What predicts each item of the pool.
    quantity : str
        What is measured, one of SIMULATED; ValueError for another.
    """

    outlook: Outlook
    past: PastWaves
    pool: Rows
    scores: PredictorScores
    quantity: str

    def __post_init__(self) -> None:
        """Refuse what cannot be measured."""
        if self.quantity not in SIMULATED:
            raise ValueError(f"{self.quantity}: give one of {', '.join(SIMULATED)}")

    @cached_property
    def _of_pool(self) -> Outlook:
        """The pool as an outlook."""
        return self.outlook.only(self.pool)

    @cached_property
    def _listed(self) -> tuple[list[Verdict], list[float]]:
        """The verdict of each item of the pool, and its chance so far."""
        verdicts = {verdict.value: verdict for verdict in Verdict}
        return [verdicts[verdict] for verdict in self._of_pool.verdicts.tolist()], self._of_pool.chance.tolist()

    @cached_property
    def _telling(self) -> PredictorScores:
        """What the predictor is fitted to: before any label no column, as answers are then made up whatever the scores."""
        if self.outlook.frame.level is not None:
            return self.scores
        return PredictorScores(np.zeros((len(self.pool), 0)), self.scores.fold)

    @cached_property
    def _place(self) -> Rows:
        """The place in the pool of each earlier draw."""
        return np.searchsorted(self.pool, self.past.rows)

    @cached_property
    def _stratifications(self) -> dict[tuple[int, ...], Stratification]:
        """The stratifications so far, by their numbers of bins: they are the same for most numbers of labels."""
        return {}

    def stratification(self, labels: int) -> Stratification:
        """Return how a wave of so many labels divides the traffic."""
        bins = tuple(strata.bins_for(self.outlook.frame, labels).values())
        if bins not in self._stratifications:
            names = strata.stratify(self.outlook.frame, labels)
            self._stratifications[bins] = Stratification.of(self.outlook, self.pool, names)
        return self._stratifications[bins]

    def next_wave(self, labels: int, audit: float | None) -> NextWave:
        """Plan a stratified wave of so many labels, as it is drawn. UsageError where they cannot be divided."""
        strata_of = self.stratification(labels)
        if not labels:
            return NextWave.of((), strata_of)
        least = allocation.usual_audit(strata_of.sizes) if audit is None else audit
        return NextWave.of(allocation.plan(strata_of.sizes, strata_of.known, labels, least), strata_of)

    def of_wave(self, wave: NextWave, repetitions: int, rng: np.random.Generator) -> Numbers:
        """Simulate a wave so many times; return the widths, infinite where the quantity was not measurable."""
        cells = _Cells.of(self, wave)
        if self.outlook.frame.level is None and self.outlook.decided == 1:
            return self._of_coins(wave, cells, repetitions, rng)
        return np.array(
            [self._width(self._evidence(wave, cells, self._draw(cells, rng), rng)) for _ in range(repetitions)]
        )

    def _of_coins(self, wave: NextWave, cells: _Cells, repetitions: int, rng: np.random.Generator) -> Numbers:
        """Simulate a wave before any label: every label is a fair coin flip, so that one draw of the wave serves them all."""
        share, at = self._draw(cells, rng)
        once = self._evidence(wave, cells, (share, at), rng)
        chance = share[np.concatenate([self._place, at])]
        throws = (rng.random((repetitions, len(chance))) < chance).astype(np.float64)
        return np.array([self._width(replace(once, columns=replace(once.arrays, right=right))) for right in throws])

    def _draw(self, cells: _Cells, rng: np.random.Generator) -> tuple[Numbers, Rows]:
        """Return P(right) of each item of the pool, as it may be, and the places in it that a wave draws."""
        share = from_labels(self._of_pool.frame, self._of_pool.verdicts, rng).right.every
        return share, np.concatenate([np.zeros(0, dtype=np.intp), *(part.draw(rng) for part in cells.drawable)])

    def shares(self, repetitions: int, rng: np.random.Generator) -> Numbers:
        """Return the shares right that the traffic may have, as far as the labels leave them open."""
        pool, cells = self._of_pool, _Cells.of(self, self.next_wave(0, None))
        return np.array(
            [float(cells.weight @ from_labels(pool.frame, pool.verdicts, rng).right.every) for _ in range(repetitions)]
        )

    def of_plain_sample(self, labels: int, repetitions: int, rng: np.random.Generator) -> Numbers:
        """Simulate a plain random sample of all traffic in place of every wave; return the widths."""
        blank, size = self._blank, len(self.outlook.frame.keys)
        plans = (StratumPlan(stratum=ALL, size=size, drawn=min(labels, size)),)
        return blank.of_wave(NextWave.of(plans, blank.undivided), repetitions, rng)

    @cached_property
    def undivided(self) -> Stratification:
        """The traffic as one stratum."""
        size = len(self.outlook.frame.keys)
        return Stratification.of(self.outlook, self.pool, Coded((ALL,), np.zeros(size, dtype=np.uint8)))

    @cached_property
    def _blank(self) -> WaveSimulation:
        """The same traffic with the same belief about it, of which nothing was drawn and nothing is predicted."""
        size = len(self.outlook.frame.keys)
        outlook = replace(
            self.outlook,
            frame=replace(self.outlook.frame, is_eligible=np.broadcast_to(np.True_, size)),
            chance=np.broadcast_to(0.0, size),
            missed=np.zeros(0),
        )
        return replace(
            self,
            outlook=outlook,
            past=PastWaves((), np.zeros(0, dtype=np.intp), ()),
            scores=PredictorScores(np.zeros((len(self.pool), 0)), self.scores.fold),
        )

    def _evidence(
        self, wave: NextWave, cells: _Cells, drawn: tuple[Numbers, Rows], rng: np.random.Generator
    ) -> Evidence:
        """Make labels up for these draws, and return what the wave brings."""
        share, places = drawn
        at, past = np.concatenate([self._place, places]), self.past.sample
        made_up = self._labels(share[self._place], rng)
        labels = [item.judgement or label for item, label in zip(past, made_up, strict=True)]
        labels += self._labels(share[places], rng)
        decided = np.array([label in DECIDED for label in labels], dtype=np.bool_)
        right = np.array([label is Judgement.RIGHT for label in labels], dtype=np.float64)[decided]
        scores = self._telling
        known = PredictorScores(scores.table[at[decided]], scores.fold[at[decided]])
        level = fit((), known, right).levels(scores)
        rows = list(zip(at.tolist(), wave.strata.of_pool[at].tolist(), labels, level[at].tolist(), strict=True))
        return Evidence(
            totals=cells.totals(level),
            sample=[*self._past_sample(wave, rows[: len(past)]), *self._new_sample(wave, rows[len(past) :])],
            drawings=[
                *(drawing._replace(returned=drawing.asked) for drawing in self.past.drawings),
                *(Drawing(-1, part.stratum, part.size, part.drawn, part.drawn, part.drawn) for part in wave.plans),
            ],
        )

    def _width(self, evidence: Evidence) -> float:
        """Return the width of the quantity's interval for this window, infinite where it is not measurable."""
        if self.quantity == "correctness":
            width = width_of(correctness_of(evidence))
        elif self.quantity in DERIVED:
            width = width_of(
                derived(proportions_of(evidence), evidence.grouping, DRAWS, (self.quantity,))[self.quantity]
            )
        else:
            passed = proportions_of(evidence).passed
            width = width_of(of_proportion(passed)) if isinstance(passed, Proportion) else None
        return math.inf if width is None else width

    def _past_sample(self, wave: NextWave, drawn: Sequence[_Drawn]) -> list[SampledItem]:
        """Return the earlier draws with their chance in this wave."""
        names, chances = wave.strata.names, wave.chances.tolist()
        return [
            item._replace(
                stratum=names[number],
                judgement=label,
                chances=(*item.chances, chances[number]),
                level=level,
            )
            for item, (_, number, label, level) in zip(self.past.sample, drawn, strict=True)
        ]

    def _new_sample(self, wave: NextWave, drawn: Sequence[_Drawn]) -> list[SampledItem]:
        """Return the draws of this wave."""
        names, chances, (verdicts, before) = wave.strata.names, wave.chances.tolist(), self._listed
        drawing = {part.stratum: len(self.past.drawings) + place for place, part in enumerate(wave.plans)}
        return [
            SampledItem(
                stratum=names[number],
                verdict=verdicts[place],
                judgement=label,
                group=f"{MADE_UP} {nth}",
                drawing=drawing[names[number]],
                chances=(before[place], chances[number]),
                own=1,
                level=level,
            )
            for nth, (place, number, label, level) in enumerate(drawn)
        ]

    def _labels(self, share: Numbers, rng: np.random.Generator) -> list[Judgement]:
        """Make up labels; annotators can tell right from wrong of a part of the answers."""
        is_right, is_decided = rng.random(len(share)) < share, rng.random(len(share)) < self.outlook.decided
        return [
            (Judgement.RIGHT if right else Judgement.WRONG) if decided else Judgement.UNSURE
            for right, decided in zip(is_right, is_decided, strict=True)
        ]


class _Drawable(NamedTuple):
    """The places in the pool that a stratum's draws are taken from."""

    places: Rows
    drawn: int

    def draw(self, rng: np.random.Generator) -> Rows:
        """Draw them; one place stands for several answers where the stratum is larger than its part of the pool."""
        return np.asarray(rng.choice(self.places, self.drawn, replace=self.drawn > len(self.places)), dtype=np.intp)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Cells:
    """All traffic by stratum, verdict and reach: the size of each cell, and which of the pool stand for it."""

    keys: Sequence[tuple[str, Verdict, bool]]
    size: Numbers
    of_pool: Rows
    weight: Numbers
    drawable: Sequence[_Drawable]

    @classmethod
    def of(cls, stage: WaveSimulation, wave: NextWave) -> _Cells:
        known, pool = wave.strata, stage._of_pool  # noqa: SLF001 (the cells are of the simulations)
        is_drawn_from = wave.chances > 0
        cells = known.cells.copy()
        cells[is_drawn_from, :, 1] += cells[is_drawn_from, :, 0]
        cells[is_drawn_from, :, 0] = 0
        size = cells.ravel().astype(np.float64)
        is_reachable = (pool.chance > 0) | is_drawn_from[known.of_pool]
        of_pool = (known.of_pool * len(known.verdicts) + known.verdict_of_pool) * 2 + is_reachable
        there = np.bincount(of_pool, minlength=len(size))
        number = {name: place for place, name in enumerate(known.names)}
        return cls(
            keys=[
                (name, Verdict(verdict), reach)
                for name in known.names
                for verdict in known.verdicts
                for reach in (False, True)
            ],
            size=size,
            of_pool=of_pool,
            weight=(size / np.maximum(there, 1))[of_pool] / size.sum(),
            drawable=[
                _Drawable(np.flatnonzero((known.of_pool == number[part.stratum]) & pool.frame.is_eligible), part.drawn)
                for part in wave.plans
                if part.drawn
            ],
        )

    def totals(self, level: NDArray[np.uint8]) -> list[Total]:
        """Return the totals; one level a cell, that of its mean, is all that an estimate reads."""
        there = np.bincount(self.of_pool, minlength=len(self.size))
        total = np.bincount(self.of_pool, SHARES[level], len(self.size))
        mean = np.where(there > 0, total / np.maximum(there, 1), UNKNOWN)
        return [
            Total(stratum, verdict, int(size), int(of_cell), is_reachable)
            for (stratum, verdict, is_reachable), size, of_cell in zip(
                self.keys, self.size, levels_of(mean), strict=True
            )
            if size
        ]
