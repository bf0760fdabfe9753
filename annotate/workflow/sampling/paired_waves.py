"""Draw a wave of the answers that tell most about the difference between systems.

Two systems: all answers to a question are drawn with one lot, because only both answers tell which is better. More: each answer
has a lot of its own. Every answer in the frame has a known chance, and that chance does not depend on whether earlier waves drew
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotate.analysis.comparison.selections import Names, selection_of
from annotate.analysis.rule_in_force import rule_in_force
from annotate.domain.sampling import designs
from annotate.domain.sampling.designs import Design
from annotate.domain.sampling.outcomes import PairsDrawn
from annotate.domain.sampling.proposal import Proposal, by_chance
from annotate.store import Store
from annotate.store.sampling.waves import Wave
from annotate.workflow.judging.rules import follow_scores
from annotate.workflow.sampling.draw import framed
from proxy.comparison.expected import Answers, Indices, Numbers, expected
from proxy.comparison.given_answers import GivenAnswers
from proxy.errors import UsageError
from proxy.planning import strata
from proxy.planning.allocation import NothingToDraw
from proxy.planning.strata import Frame
from proxy.stats.intervals import CONFIDENCE
from proxy.stats.sampling.permanent_random import permanent_random_number
from proxy.stats.testing.detectable import detectable_mean
from proxy.text.language import several

TWO = 2
AGREEING = 0.5  # how alike two answers with one verdict are taken to err
VERSUS = " vs "


@dataclass(frozen=True, kw_only=True, slots=True)
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
            ),
            system=self.system[kept],
            question=question,
            keys=tuple(self.keys[name] for name in names),
        )

    def expected(self) -> Numbers:
        """P(right) of each answer, by the labels that earlier waves brought."""
        rows = np.flatnonzero(~np.isnan(self.frame.right))
        answers = Answers(system=self.system, question=self.question, value=self.frame.values)
        return expected(answers, rows, self.frame.right[rows]).share


def draw(
    store: Store, names: Sequence[str], labels: int, *, seed: int, now: str, who: str, dry_run: bool = False
) -> PairsDrawn:
    """Draw about `labels` answers of these systems under the rule in force; `dry_run` writes nothing.

    UsageError for a name that the store does not have, NothingToDraw where no question is shared, all was drawn,
    or so few are asked for that nothing might be.
    """
    known = Names.of(store)
    sides = [selection_of(name, known) for name in names]
    if len(sides) < TWO or labels < 1:
        raise UsageError("name two systems at least, and draw one label at least: `assay compare A B --draw 60`")
    key, rule = rule_in_force(store) if dry_run else follow_scores(store, now=now)
    with store.snapshot() if dry_run else store.atomic():
        number = store.sampling.waves.next_number()
        salt = f"seed-{seed}-wave-{number}"
        design = Design.PAIRS if len(sides) == TWO else Design.ANSWERS
        given = [store.traffic.selections.given(key, side, 0, ()) for side in sides]
        waiting = store.traffic.selections.to_label(sides).waiting
        pool = _comparable(_pool(store.sampling.waves.frame(key), given), names, design, waiting)
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
        detectable=detectable(pool, proposed, design),
        is_proposal=dry_run,
    )


def detectable(pool: Pool, proposed: Proposal, design: Design) -> float | None:
    """Return the least difference of two systems that is shown in 8 of 10 cases; None where the draws can show none.

    Units have the variance that the scores and earlier labels lead to expect, and count as independent.
    """
    drawn = ~pool.frame.is_eligible
    drawn[proposed.rows] = True
    return _by_pairs(pool, drawn, proposed.chances) if design is Design.PAIRS else _by_answers(pool, drawn)


def _by_pairs(pool: Pool, drawn: NDArray[np.bool_], chances: Numbers) -> float | None:
    """Return it by pairs: a unit is a question with all its answers drawn, now or before; Kish's n of their chances counts."""
    count = len(pool.keys)
    complete = np.bincount(pool.question, ~drawn, count) == 0
    if not complete.any():
        return None
    share = pool.expected()
    first, second = (
        np.bincount(pool.question[rows], share[rows], count) / np.bincount(pool.question[rows], minlength=count)
        for rows in (pool.system == side for side in range(TWO))
    )
    chance = np.zeros(count)
    chance[pool.question] = chances
    weight = 1 / np.where(chance > 0, chance, 1.0)[complete]
    variance = float(np.var(second - first) + np.mean(worth(pool) ** 2))
    return detectable_mean(variance, float(weight.sum() ** 2 / (weight**2).sum()))


def _by_answers(pool: Pool, drawn: NDArray[np.bool_]) -> float | None:
    """Return it by answers: a unit is an answer; the level is shared by all pairs of systems, which are told apart at once."""
    systems = int(pool.system.max()) + 1
    labels = int(np.bincount(pool.system, drawn, systems).min())
    if not labels:
        return None
    size = np.bincount(pool.system, minlength=systems)
    p = np.bincount(pool.system, pool.expected(), systems) / size
    level = (1 - CONFIDENCE) / (systems * (systems - 1) / 2)
    return detectable_mean(2 * float((p * (1 - p)).max()), labels, 1 - level)


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
    """Draw one lot a question, its chance by how unsure the difference of its answers is.

    NothingToDraw where less than one question is expected: that is known before any lot, so that no lot is ever taken back.
    """
    eligible = pool.frame.is_eligible
    cost = np.bincount(pool.question, eligible).astype(np.float64)
    chance = designs.worth_chances(worth(pool), cost, labels)
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
    share = pool.expected()
    drawable = pool.frame.is_eligible.astype(np.float64)
    unsure = np.sqrt(share * (1 - share))
    of_system = np.bincount(pool.system, unsure)[pool.system]
    chance = designs.worth_chances(unsure / np.where(of_system > 0, of_system, 1.0), drawable, labels)
    order = np.lexsort((designs.permanent_random_numbers(pool.frame, salt), pool.system))
    return chance, np.sort(designs.spread(chance * drawable, order, _start(salt)))


DESIGNS = {Design.PAIRS: _pairs, Design.ANSWERS: _answers}


def worth(pool: Pool) -> Numbers:
    """Return the root of the variance of D - d of each question: right minus right, less what the values lead to expect.

    V = va + vb - 2 r sqrt(va vb), v = p (1 - p) of either system's P(right); r = AGREEING where both have one verdict, else 0.
    """
    count, share = len(pool.keys), pool.expected()
    p, passed = np.zeros((TWO, count)), np.zeros((TWO, count))
    for side in range(TWO):
        rows = pool.system == side
        size = np.maximum(np.bincount(pool.question[rows], minlength=count), 1)
        p[side] = np.bincount(pool.question[rows], share[rows], count) / size
        is_passed = (pool.frame.kinds[rows] == strata.Stratum.PASSED.value).astype(np.float64)
        passed[side] = np.bincount(pool.question[rows], is_passed, count) / size
    first, second = p * (1 - p)
    alike = np.where(passed[0] == passed[1], AGREEING, 0.0)
    return np.asarray(np.sqrt(first + second - 2 * alike * np.sqrt(first * second)), dtype=np.float64)


def _start(salt: str) -> float:
    return permanent_random_number("start", salt)


def _complete(pool: Pool, rows: Indices) -> int:
    """Count the questions whose every answer is drawn, now or before."""
    drawn = ~pool.frame.is_eligible
    drawn[rows] = True
    return int((np.bincount(pool.question, ~drawn, len(pool.keys)) == 0).sum())
