"""Rehearse the next wave on the traffic that is there: the width of an interval once a wave of n labels has come back.

Each rehearsal makes up the answers that nobody has read, draws the wave as it would be drawn, refits the predictor to all labels
and measures as the report does. Answers follow what earlier labels predict, at shares that these labels leave open.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.agreement import correctness_of, sides_of
from proxy.evaluation.confusion_rates import DERIVED, derived
from proxy.evaluation.domains import Evidence
from proxy.evaluation.effective_labels import width_of
from proxy.evaluation.estimate import of_proportion
from proxy.evaluation.ledger import DECIDED, Drawing, SampledItem, Total
from proxy.evaluation.levels import SHARES, UNKNOWN, levels_of
from proxy.evaluation.predictor import Scores, fit
from proxy.planning import allocation, strata
from proxy.planning.allocation import StratumPlan
from proxy.planning.expected_width import Outlook
from proxy.planning.priors import coded, from_labels
from proxy.records import Judgement, Verdict
from proxy.stats.sampling.survey import Proportion

Names = NDArray[np.str_]
Numbers = NDArray[np.float64]
Rows = NDArray[np.intp]
POOL = 1000  # answers of each kind that stand for all of it
POOL_SEED = 20_260_102  # the pool is the same each time
DRAWS = 1024
MADE_UP = "made up"
REHEARSED = ("correctness", "pass_precision", *DERIVED)


class PastWaves(NamedTuple):
    """Every draw of earlier waves, the row of the frame that it is of, and the drawings; an open draw has no judgement."""

    sample: Sequence[SampledItem]
    rows: Rows
    drawings: Sequence[Drawing]


class NextWave(NamedTuple):
    """A wave as it would be drawn: its plan, the stratum of each row and its chance."""

    plans: tuple[StratumPlan, ...]
    strata: Names
    chances: Numbers


def pool_of(outlook: Outlook, rng: np.random.Generator) -> Rows:
    """Return the rows that rehearsals read: all that was drawn, and of each kind POOL drawn at random."""
    kinds = coded(outlook.frame.kinds)
    rows = [np.flatnonzero(outlook.is_drawn)]
    for kind in range(len(kinds.names)):
        undrawn = np.flatnonzero((kinds.code == kind) & ~outlook.is_drawn)
        rows.append(undrawn if len(undrawn) <= POOL else rng.choice(undrawn, POOL, replace=False))
    return np.sort(np.concatenate(rows))


def next_wave(outlook: Outlook, labels: int, audit: float | None) -> NextWave:
    """Plan a stratified wave of so many labels, as it is drawn. UsageError where they cannot be divided."""
    names = strata.stratify(outlook.frame, labels)
    sizes = strata.count(outlook.frame, names)
    chances = np.zeros(len(names))
    if not labels:
        return NextWave((), names, chances)
    least = allocation.usual_audit(sizes) if audit is None else audit
    plans = allocation.plan(sizes, strata.known(outlook.frame, names), labels, least)
    for part in plans:
        chances[names == part.stratum] = part.inclusion_probability
    return NextWave(plans, names, chances)


@dataclass(frozen=True, kw_only=True)  # without slots: what the pool knows is worked out once
class Rehearsals:
    """The traffic with its past, ready to rehearse waves on.

    Attributes
    ----------
    outlook : Outlook
        Every item.
    past : PastWaves
        What earlier waves drew.
    pool : rows
        The items that stand for all, by row of the frame.
    scores : Scores
        What predicts each item of the pool.
    quantity : str
        What is measured, one of REHEARSED; ValueError for another.
    """

    outlook: Outlook
    past: PastWaves
    pool: Rows
    scores: Scores
    quantity: str

    def __post_init__(self) -> None:
        """Refuse what cannot be measured."""
        if self.quantity not in REHEARSED:
            raise ValueError(f"{self.quantity}: give one of {', '.join(REHEARSED)}")

    @cached_property
    def _of_pool(self) -> Outlook:
        """The pool as an outlook."""
        whole, rows = self.outlook, self.pool
        frame = whole.frame
        return replace(
            whole,
            frame=replace(
                frame,
                keys=frame.keys[rows],
                ids=(),
                kinds=frame.kinds[rows],
                values=frame.values[rows],
                right=frame.right[rows],
                is_eligible=frame.is_eligible[rows],
                predicted=None if frame.predicted is None else frame.predicted[rows],
            ),
            verdicts=whole.verdicts[rows],
            right=whole.right[rows],
            chance=whole.chance[rows],
            missed=whole.missed[rows],
            is_drawn=whole.is_drawn[rows],
        )

    @cached_property
    def _place(self) -> Rows:
        """The place in the pool of each earlier draw."""
        return np.searchsorted(self.pool, self.past.rows)

    def of_wave(self, wave: NextWave, repetitions: int, rng: np.random.Generator) -> Numbers:
        """Rehearse a wave so many times; return the widths, infinite where the quantity was not measurable."""
        cells = _Cells.of(self, wave)
        return np.array([self._once(wave, cells, rng) for _ in range(repetitions)])

    def shares(self, repetitions: int, rng: np.random.Generator) -> Numbers:
        """Return the shares right that the traffic may have, as far as the labels leave them open."""
        pool, cells = self._of_pool, _Cells.of(self, next_wave(self.outlook, 0, None))
        return np.array(
            [float(cells.weight @ from_labels(pool.frame, pool.verdicts, rng).right) for _ in range(repetitions)]
        )

    def of_plain_sample(self, labels: int, repetitions: int, rng: np.random.Generator) -> Numbers:
        """Rehearse a plain random sample of all traffic in place of every wave; return the widths."""
        alone = self._blank()
        size = len(self.outlook.frame.keys)
        chance = min(1.0, labels / size)
        plans = (StratumPlan(stratum="all", size=size, drawn=labels),)
        wave = NextWave(plans, np.full(size, "all"), np.full(size, chance))
        return alone.of_wave(wave, repetitions, rng)

    def _blank(self) -> Rehearsals:
        """The same traffic with the same belief about it, of which nothing was drawn and nothing is predicted."""
        size = len(self.outlook.frame.keys)
        nothing = np.zeros(size)
        outlook = replace(
            self.outlook,
            frame=replace(self.outlook.frame, is_eligible=np.ones(size, dtype=np.bool_)),
            chance=nothing,
            missed=nothing,
            is_drawn=np.zeros(size, dtype=np.bool_),
        )
        return replace(
            self,
            outlook=outlook,
            past=PastWaves((), np.zeros(0, dtype=np.intp), ()),
            scores=Scores(np.zeros((len(self.pool), 0)), self.scores.fold),
        )

    def _once(self, wave: NextWave, cells: _Cells, rng: np.random.Generator) -> float:
        """Rehearse a wave, and return the width."""
        pool = self._of_pool
        share = from_labels(pool.frame, pool.verdicts, rng).right
        places = np.concatenate([np.zeros(0, dtype=np.intp), *(part.draw(rng) for part in cells.drawable)])
        sample = self._past_sample(wave, share, rng) + self._new_sample(wave, places, share, rng)
        at = np.concatenate([self._place, places])
        decided = np.array([item.judgement in DECIDED for item in sample], dtype=np.bool_)
        right = np.array([item.judgement is Judgement.RIGHT for item in sample], dtype=np.float64)[decided]
        known = Scores(self.scores.table[at[decided]], self.scores.fold[at[decided]])
        level = fit((), known, right).levels(self.scores)
        evidence = Evidence(
            totals=cells.totals(level),
            sample=[item._replace(level=int(level[place])) for item, place in zip(sample, at, strict=True)],
            drawings=[
                *(drawing._replace(returned=drawing.asked) for drawing in self.past.drawings),
                *(Drawing(-1, part.stratum, part.size, part.drawn, part.drawn, part.drawn) for part in wave.plans),
            ],
        )
        width = self._width(evidence)
        return math.inf if width is None else width

    def _width(self, evidence: Evidence) -> float | None:
        """Return the width of the quantity's interval for this window."""
        if self.quantity == "correctness":
            return width_of(correctness_of(evidence))
        sides = sides_of(evidence)
        if self.quantity in DERIVED:
            return width_of(derived(sides, evidence.grouping, DRAWS)[self.quantity])
        return width_of(of_proportion(sides.passed)) if isinstance(sides.passed, Proportion) else None

    def _past_sample(self, wave: NextWave, share: Numbers, rng: np.random.Generator) -> list[SampledItem]:
        """Return the earlier draws with their chance in this wave; open ones with a label made up."""
        made_up = self._labels(share[self._place], rng)
        return [
            item._replace(
                stratum=str(wave.strata[row]),
                judgement=item.judgement or label,
                chances=(*item.chances, float(wave.chances[row])),
            )
            for item, row, label in zip(self.past.sample, self.past.rows, made_up, strict=True)
        ]

    def _new_sample(self, wave: NextWave, places: Rows, share: Numbers, rng: np.random.Generator) -> list[SampledItem]:
        """Return the draws of this wave with labels made up."""
        pool, made_up = self._of_pool, self._labels(share[places], rng)
        rows = self.pool[places]
        number = {part.stratum: len(self.past.drawings) + place for place, part in enumerate(wave.plans)}
        return [
            SampledItem(
                stratum=str(wave.strata[row]),
                verdict=Verdict(str(pool.verdicts[place])),
                judgement=label,
                group=f"{MADE_UP} {nth}",
                drawing=number[str(wave.strata[row])],
                chances=(float(pool.chance[place]), float(wave.chances[row])),
                own=1,
            )
            for nth, (place, row, label) in enumerate(zip(places, rows, made_up, strict=True))
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
    def of(cls, stage: Rehearsals, wave: NextWave) -> _Cells:
        names, words = coded(wave.strata), coded(stage.outlook.verdicts)
        is_reachable = (stage.outlook.chance > 0) | (wave.chances > 0)
        code = (names.code * len(words.names) + words.code) * 2 + is_reachable
        size = np.bincount(code, minlength=2 * len(names.names) * len(words.names)).astype(np.float64)
        of_pool = code[stage.pool]
        there = np.bincount(of_pool, minlength=len(size))
        stratum_of_pool, eligible = names.code[stage.pool], stage.outlook.frame.is_eligible[stage.pool]
        number = {name: place for place, name in enumerate(names.names)}
        return cls(
            keys=[
                (name, Verdict(word), bool(reach)) for name in names.names for word in words.names for reach in (0, 1)
            ],
            size=size,
            of_pool=of_pool,
            weight=(size / np.maximum(there, 1))[of_pool] / len(code),
            drawable=[
                _Drawable(np.flatnonzero((stratum_of_pool == number[part.stratum]) & eligible), part.drawn)
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
