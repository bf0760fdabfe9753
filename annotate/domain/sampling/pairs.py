"""Design a wave of the answers that tell most about the difference between systems.

Two systems: all answers to a question are drawn with one lot, because only both answers tell which is better. More: each answer
has a lot of its own. Every answer in the frame has a known chance, and that chance does not depend on whether earlier waves drew
it.

Which tell most follows from what the labels of other questions predict from all scores, as far as these labels prove it. Before
that, and with so few pairs that their interval makes no use of it, every question has the same chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from annotate.domain.sampling import designs
from annotate.domain.sampling.proposal import Proposal, by_chance
from proxy.planning import strata
from proxy.planning.allocation import NothingToDraw
from proxy.planning.strata import SamplingFrame
from proxy.stats.sampling.permanent_random import drawing_number
from proxy.stats.sampling.survey import shrunk_slopes
from proxy.stats.testing.paired_power import FEWEST_POWERED

TWO = 2
ALIKE = 0.5  # how alike two answers to a question are taken to err
BEFORE = 0.75  # of answers are right, while no label tells
Numbers = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)  # without slots: what is proven is worked out once
class Pool:
    """The answers that are compared: their part of the frame, which system gave each, and the question (of `keys`) it answers."""

    frame: SamplingFrame
    system: Indices
    question: Indices
    keys: tuple[str, ...]

    def only(self, kept: NDArray[np.bool_]) -> Pool:
        """Return these answers; questions are numbered anew."""
        names, question = np.unique(self.question[kept], return_inverse=True)
        return Pool(
            frame=self.frame.only(kept),
            system=self.system[kept],
            question=question,
            keys=tuple(self.keys[name] for name in names),
        )

    @property
    def expected(self) -> Numbers:
        """P(right) of each answer as the labels of other questions predict it from all scores; the same for all before any."""
        predicted = self.frame.predicted
        return np.full(len(self.system), BEFORE) if predicted is None else predicted

    @cached_property
    def proven(self) -> float:
        """How far the labels prove what is predicted, from 0 to 1: the slope of right answers on it, shrunk by its error."""
        labelled = self.frame.labelled
        if not len(labelled):
            return 0.0
        right, expected = self.frame.right[labelled].astype(np.float64), self.expected[labelled]
        alike = np.ones(len(labelled))
        return shrunk_slopes(right - right.mean(), expected - expected.mean(), alike)[0]

    @property
    def complete(self) -> int:
        """The number of questions whose every answer was drawn before."""
        return int((np.bincount(self.question, self.frame.is_eligible, len(self.keys)) == 0).sum())

    def by_question(self, share: Numbers) -> tuple[Numbers, Numbers]:
        """Return the mean of a number of each answer over the answers of either system to each question."""
        count = len(self.keys)
        first, second = (
            np.bincount(self.question[rows], share[rows], count)
            / np.maximum(np.bincount(self.question[rows], minlength=count), 1)
            for rows in (self.system == side for side in range(TWO))
        )
        return first, second

    def complete_with(self, rows: Indices) -> int:
        """Count the questions whose every answer is drawn, by these rows or before."""
        drawn = ~self.frame.is_eligible
        drawn[rows] = True
        return int((np.bincount(self.question, ~drawn, len(self.keys)) == 0).sum())


def proposal(pool: Pool, labels: int, salt: str, numbers: Numbers | None = None) -> Proposal:
    """Decide the wave: the chance of each answer, and what is drawn.

    Each question has one lot; with the permanent random `numbers` of the answers each answer has its own.
    """
    chances, rows = _pairs(pool, labels, salt) if numbers is None else _answers(pool, labels, salt, numbers)
    kinds = pool.frame.kinds
    return Proposal(kinds, chances, by_chance(strata.count(pool.frame, kinds), kinds[rows], without=()), rows)


def _pairs(pool: Pool, labels: int, salt: str) -> tuple[Numbers, Indices]:
    """Draw one lot a question, its chance by how unsure the difference of its answers is, as far as that is proven.

    NothingToDraw where less than one question is expected: that is known before any lot, so that no lot is ever taken back.
    """
    eligible = pool.frame.is_eligible
    cost = np.bincount(pool.question, eligible).astype(np.float64)
    chance = designs.information_chances(information(pool, labels), cost, labels)
    drawable = chance * (cost > 0)
    if float(drawable.sum()) < 1 - 1e-9:
        raise NothingToDraw(
            f"{labels} may draw nothing: both answers to a question go out together; draw {cost.max():.0f} at least"
        )
    numbers = np.array([drawing_number(key, salt) for key in pool.keys])
    drawn = designs.spread(drawable, np.argsort(numbers, kind="stable"), _start(salt))
    return chance[pool.question], np.flatnonzero(np.isin(pool.question, drawn) & eligible)


def _answers(pool: Pool, labels: int, salt: str, numbers: Numbers) -> tuple[Numbers, Indices]:
    """Draw one lot an answer, its chance by its uncertainty among its system's; systems share the labels about evenly.

    By P(right) alone a system that the judge favours would get few labels, which are what finds the favour out.
    """
    share = pool.expected
    drawable = pool.frame.is_eligible.astype(np.float64)
    unsure = np.sqrt(share * (1 - share))
    of_system = np.bincount(pool.system, unsure)[pool.system]
    chance = designs.information_chances(unsure / np.where(of_system > 0, of_system, 1.0), drawable, labels)
    order = np.lexsort((numbers, pool.system))
    return chance, np.sort(designs.spread(chance * drawable, order, _start(salt)))


def information(pool: Pool, labels: int) -> Numbers:
    """Return what a label pair of each question tells: the root of the variance of D - d, as far as it is proven.

    V = va + vb - 2 ALIKE sqrt(va vb), v = p (1 - p) of either system's P(right). It is pulled to its mean as far as labels do not
    prove P(right); wholly, where fewer than FEWEST_POWERED pairs will have both labels: their interval takes unequal chances as a
    loss and makes nothing of the scores.
    """
    spread = spread_of_difference(*pool.by_question(pool.expected))
    pairs = pool.complete + labels / TWO
    proven = pool.proven if pairs >= FEWEST_POWERED else 0.0
    mean = float(spread.mean())
    return np.asarray(mean + proven * (spread - mean), dtype=np.float64)


def spread_of_difference(first: Numbers, second: Numbers) -> Numbers:
    """Return the root of the variance of D - d."""
    a, b = first * (1 - first), second * (1 - second)
    return np.asarray(np.sqrt(a + b - 2 * ALIKE * np.sqrt(a * b)), dtype=np.float64)


def _start(salt: str) -> float:
    return drawing_number("start", salt)
