"""Draw a wave of the answers that tell most about the difference between systems.

Two systems: all answers to a question are drawn with one lot, because only both answers tell which is better. More: each answer
has a lot of its own. Every answer in the frame has a known chance, and that chance does not depend on whether earlier waves drew
it.

Which tell most follows from what the labels of other questions predict from all scores, as far as these labels prove it. Before
that, and with so few pairs that their interval makes no use of it, every question has the same chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.analysis.comparison.selections import Names, selection_of
from annotate.analysis.predictor import foreseen
from annotate.analysis.rule_in_force import rule_in_force
from annotate.domain.sampling import designs
from annotate.domain.sampling.designs import Design
from annotate.domain.sampling.outcomes import PairsDrawn, Power
from annotate.domain.sampling.proposal import Proposal, by_chance
from annotate.store import Store
from annotate.store.sampling.waves import Wave
from annotate.workflow.judging.rules import follow_scores
from annotate.workflow.sampling.draw import framed
from proxy.comparison.comparison import TELLING
from proxy.comparison.expected import Indices, Numbers
from proxy.comparison.given_answers import GivenAnswers
from proxy.errors import UsageError
from proxy.planning import strata
from proxy.planning.allocation import NothingToDraw
from proxy.planning.strata import Frame
from proxy.stats.intervals import CONFIDENCE
from proxy.stats.sampling.permanent_random import permanent_random_number
from proxy.stats.sampling.survey import shrunk_slopes
from proxy.stats.testing.detectable import detectable_difference, detectable_mean, power_of_mean, power_of_pairs
from proxy.stats.testing.paired_power import FEWEST_POWERED
from proxy.text.language import several

TWO = 2
ALIKE = 0.5  # how alike two answers to a question are taken to err
PRIOR_PAIRS = 20  # what is predicted of the variance counts as much as so many labelled pairs
BEFORE = 0.75  # of answers are right, while no label tells
VERSUS = " vs "


@dataclass(frozen=True, kw_only=True)  # without slots: what is proven is worked out once
class Pool:
    """The answers that are compared: their part of the frame, which system gave each, and the question (of `keys`) it answers."""

    frame: Frame
    system: Indices
    question: Indices
    keys: tuple[str, ...]

    def only(self, kept: NDArray[np.bool_]) -> Pool:
        """Return these answers; questions are numbered anew."""
        names, question = np.unique(self.question[kept], return_inverse=True)
        rows = np.flatnonzero(kept)
        frame = self.frame
        return Pool(
            frame=Frame(
                keys=frame.keys[rows],
                ids=[frame.ids[row] for row in rows],
                kinds=frame.kinds[rows],
                values=frame.values[rows],
                right=frame.right[rows],
                is_eligible=frame.is_eligible[rows],
                predicted=None if frame.predicted is None else frame.predicted[rows],
            ),
            system=self.system[kept],
            question=question,
            keys=tuple(self.keys[name] for name in names),
        )

    @property
    def expected(self) -> Numbers:
        """P(right) of each answer as the labels of other questions predict it from all scores; the same for all before any."""
        return np.full(len(self.system), BEFORE) if self.frame.predicted is None else self.frame.predicted

    @cached_property
    def proven(self) -> float:
        """How far the labels prove what is predicted, from 0 to 1: the slope of right answers on it, shrunk by its error."""
        labelled = np.flatnonzero(~np.isnan(self.frame.right))
        if not len(labelled):
            return 0.0
        right, expected = self.frame.right[labelled], self.expected[labelled]
        alike = np.ones(len(labelled))
        return shrunk_slopes(right - right.mean(), expected - expected.mean(), alike)[0]

    @property
    def complete(self) -> int:
        """The number of questions whose every answer was drawn before."""
        return int((np.bincount(self.question, self.frame.is_eligible, len(self.keys)) == 0).sum())


def draw(
    store: Store,
    names: Sequence[str],
    labels: int,
    *,
    seed: int,
    now: str,
    who: str,
    difference: float = TELLING,
    dry_run: bool = False,
) -> PairsDrawn:
    """Draw about `labels` answers of these systems under the rule in force; `dry_run` writes nothing.

    `difference` is the one whose power is told.

    UsageError for a name that the store does not have, NothingToDraw where no question is shared, all was drawn,
    or so few are asked for that nothing might be.
    """
    known = Names.of(store)
    sides = [selection_of(name, known) for name in names]
    if len(sides) < TWO or labels < 1:
        raise UsageError("name two systems at least, and draw one label at least: `assay compare A B --draw 60`")
    if not 0 < difference <= 1:
        raise UsageError(f"--difference is a share above 0, such as 0.05, not {difference:g}")
    key, rule = rule_in_force(store) if dry_run else follow_scores(store, now=now)
    with store.snapshot() if dry_run else store.atomic():
        number = store.sampling.waves.next_number()
        salt = f"seed-{seed}-wave-{number}"
        design = Design.PAIRS if len(sides) == TWO else Design.ANSWERS
        given = [store.traffic.selections.given(key, side, 0, ()) for side in sides]
        waiting = store.traffic.selections.to_label(sides).waiting
        pool = _comparable(_pool(foreseen(store, rule, store.sampling.waves.frame(key)), given), names, design, waiting)
        proposed = proposal(pool, design, labels, salt)
        if not dry_run:
            part = VERSUS.join(names)
            wave = Wave(
                number, f"{rule.name} v{rule.version}", seed, labels, 0.0, now, proposed.plans, design=design, part=part
            )
            draws = designs.draws(pool.frame, proposed.strata, proposed.rows, proposed.chances, salt)
            store.sampling.waves.write(wave, key, salt, framed(pool.frame, proposed), draws)
            detail = {"wave": number, "labels": len(draws), "seed": seed, "design": design.value, "part": part}
            store.audit.events.append("sample", detail, who=who, now=now)
    return PairsDrawn(
        number=number,
        names=tuple(names),
        design=design,
        seed=seed,
        questions=len(pool.keys),
        answers=len(pool.system),
        draws=len(proposed.rows),
        pairs=_complete(pool, proposed.rows),
        strata=proposed.plans,
        asked=labels,
        left=int(pool.frame.is_eligible.sum()),
        waiting=waiting,
        power=power(pool, proposed, design, difference),
        is_proposal=dry_run,
    )


def power(pool: Pool, proposed: Proposal, design: Design, difference: float) -> Power | None:
    """Return what the draws, all labelled, are expected to show of a difference of two systems; None where they can show none.

    Units have the variance that the scores and earlier labels lead to expect, and count as independent.
    """
    drawn = ~pool.frame.is_eligible
    drawn[proposed.rows] = True
    if design is Design.PAIRS:
        pairs = _by_pairs(pool, drawn, proposed.chances)
        return pairs and Power(
            difference, power_of_pairs(difference, *pairs[:3]), detectable_difference(*pairs[:3]), pairs.basis
        )
    answers = _by_answers(pool, drawn)
    return answers and Power(
        difference, power_of_mean(difference, *answers[:3]), detectable_mean(*answers[:3]), answers.basis
    )


class _Units(NamedTuple):
    """The variance of a unit, the effective number of units, the confidence of the interval, and the labels that tell of it."""

    variance: float
    n: float
    confidence: float
    basis: int


def _by_pairs(pool: Pool, drawn: NDArray[np.bool_], chances: Numbers) -> _Units | None:
    """Return the pairs: a unit is a question with all its answers drawn, now or before; Kish's n of their chances counts.

    The variance of D is what is predicted, as if seen in PRIOR_PAIRS, and that of the labelled pairs, less what the scores are
    proven to explain of it where enough pairs make use of them.
    """
    count = len(pool.keys)
    complete = np.bincount(pool.question, ~drawn, count) == 0
    if not complete.any():
        return None
    first, second = _by_question(pool, pool.expected)
    told = np.bincount(pool.question, np.isnan(pool.frame.right), count) == 0
    right, other = _by_question(pool, np.nan_to_num(pool.frame.right))
    seen = (other - right)[told]
    explained = float(np.var(second - first))
    predicted = explained + float(np.mean(_spread(first, second) ** 2))
    squares = float(np.sum((seen - seen.mean()) ** 2)) if len(seen) else 0.0
    variance = (PRIOR_PAIRS * predicted + squares) / (PRIOR_PAIRS + len(seen))
    chance = np.zeros(count)
    chance[pool.question] = chances
    weight = 1 / np.where(chance > 0, chance, 1.0)[complete]
    if complete.sum() >= FEWEST_POWERED:
        variance = max(variance / 10, variance - pool.proven * explained * (1 - float(complete.mean())))
    return _Units(variance, float(weight.sum() ** 2 / (weight**2).sum()), CONFIDENCE, len(seen))


def _by_answers(pool: Pool, drawn: NDArray[np.bool_]) -> _Units | None:
    """Return the answers: a unit is one; the level is shared by all pairs of systems, which are told apart at once."""
    systems = int(pool.system.max()) + 1
    labels = int(np.bincount(pool.system, drawn, systems).min())
    if not labels:
        return None
    size = np.bincount(pool.system, minlength=systems)
    p = np.bincount(pool.system, pool.expected, systems) / size
    level = (1 - CONFIDENCE) / (systems * (systems - 1) / 2)
    told = int((~np.isnan(pool.frame.right)).sum())
    return _Units(2 * float((p * (1 - p)).max()), labels, 1 - level, told)


def _pool(frame: Frame, sides: Sequence[GivenAnswers]) -> Pool:
    """Return the answers of all sides, in the order of the frame; UsageError where an answer is of two sides."""
    items = np.concatenate([side.items for side in sides])
    keys = [key for side in sides for key in side.questions]
    if len(np.unique(items)) < len(items):
        raise UsageError(
            "some answers belong to more than one of the named systems: name systems or windows that do not overlap"
        )
    number = {key: place for place, key in enumerate(sorted(set(keys)))}
    everyone = Pool(
        frame=frame,
        system=np.zeros(len(frame.keys), dtype=np.intp),
        question=np.zeros(len(frame.keys), dtype=np.intp),
        keys=tuple(number),
    )
    rows = np.searchsorted(frame.keys, items)
    everyone.system[rows] = np.repeat(np.arange(len(sides)), [len(side.items) for side in sides])
    everyone.question[rows] = [number[key] for key in keys]
    return everyone.only(np.isin(frame.keys, items))


def _comparable(pool: Pool, names: Sequence[str], design: Design, waiting: int) -> Pool:
    """Return what may be drawn, of pairs only questions that both answered; NothingToDraw where there is none, or none left."""
    comparable = pool
    if design is Design.PAIRS:
        answered = [np.bincount(pool.question[pool.system == side], minlength=len(pool.keys)) for side in range(TWO)]
        comparable = pool.only(np.minimum(*answered)[pool.question] > 0)
        if not comparable.keys:
            raise NothingToDraw(
                f"{' and '.join(names)} share no question: ingest their answers to the same questions, or draw with "
                "`assay sample`"
            )
    if not comparable.frame.is_eligible.any():
        label = f": label the {several(waiting, 'open draw')} of these" if waiting else ""
        raise NothingToDraw(f"every answer of {', '.join(names)} that could be drawn has been drawn already{label}")
    return comparable


def proposal(pool: Pool, design: Design, labels: int, salt: str) -> Proposal:
    """Decide the wave: the chance of each answer, and what is drawn."""
    chances, rows = DESIGNS[design](pool, labels, salt)
    kinds = pool.frame.kinds
    return Proposal(kinds, chances, by_chance(strata.count(pool.frame, kinds), kinds[rows], without=()), rows)


def _pairs(pool: Pool, labels: int, salt: str) -> tuple[Numbers, Indices]:
    """Draw one lot a question, its chance by how unsure the difference of its answers is, as far as that is proven.

    NothingToDraw where less than one question is expected: that is known before any lot, so that no lot is ever taken back.
    """
    eligible = pool.frame.is_eligible
    cost = np.bincount(pool.question, eligible).astype(np.float64)
    chance = designs.worth_chances(worth(pool, labels), cost, labels)
    drawable = chance * (cost > 0)
    if float(drawable.sum()) < 1 - 1e-9:
        raise NothingToDraw(
            f"{labels} may draw nothing: both answers to a question go out together; draw {cost.max():.0f} at least"
        )
    numbers = np.array([permanent_random_number(key, salt) for key in pool.keys])
    drawn = designs.spread(drawable, np.argsort(numbers, kind="stable"), _start(salt))
    return chance[pool.question], np.flatnonzero(np.isin(pool.question, drawn) & eligible)


def _answers(pool: Pool, labels: int, salt: str) -> tuple[Numbers, Indices]:
    """Draw one lot an answer, its chance by its uncertainty among its system's; systems share the labels about evenly.

    By P(right) alone a system that the judge favours would get few labels, which are what finds the favour out.
    """
    share = pool.expected
    drawable = pool.frame.is_eligible.astype(np.float64)
    unsure = np.sqrt(share * (1 - share))
    of_system = np.bincount(pool.system, unsure)[pool.system]
    chance = designs.worth_chances(unsure / np.where(of_system > 0, of_system, 1.0), drawable, labels)
    order = np.lexsort((designs.permanent_random_numbers(pool.frame, salt), pool.system))
    return chance, np.sort(designs.spread(chance * drawable, order, _start(salt)))


DESIGNS = {Design.PAIRS: _pairs, Design.ANSWERS: _answers}


def worth(pool: Pool, labels: int) -> Numbers:
    """Return what a label pair of each question is worth: the root of the variance of D - d, as far as it is proven.

    V = va + vb - 2 ALIKE sqrt(va vb), v = p (1 - p) of either system's P(right). It is pulled to its mean as far as labels do not
    prove P(right); wholly, where fewer than FEWEST_POWERED pairs will have both labels: their interval takes unequal chances as a
    loss and makes nothing of the scores.
    """
    spread = _spread(*_by_question(pool, pool.expected))
    pairs = pool.complete + labels / TWO
    proven = pool.proven if pairs >= FEWEST_POWERED else 0.0
    mean = float(spread.mean())
    return np.asarray(mean + proven * (spread - mean), dtype=np.float64)


def _by_question(pool: Pool, share: Numbers) -> tuple[Numbers, Numbers]:
    """Return the mean of a number of each answer over the answers of either system to each question."""
    count = len(pool.keys)
    first, second = (
        np.bincount(pool.question[rows], share[rows], count)
        / np.maximum(np.bincount(pool.question[rows], minlength=count), 1)
        for rows in (pool.system == side for side in range(TWO))
    )
    return first, second


def _spread(first: Numbers, second: Numbers) -> Numbers:
    """Return the root of the variance of D - d."""
    a, b = first * (1 - first), second * (1 - second)
    return np.asarray(np.sqrt(a + b - 2 * ALIKE * np.sqrt(a * b)), dtype=np.float64)


def _start(salt: str) -> float:
    return permanent_random_number("start", salt)


def _complete(pool: Pool, rows: Indices) -> int:
    """Count the questions whose every answer is drawn, now or before."""
    drawn = ~pool.frame.is_eligible
    drawn[rows] = True
    return int((np.bincount(pool.question, ~drawn, len(pool.keys)) == 0).sum())
