"""Does the effect of neighbours lie in its interval, is a planted one found, and none where there is none?

Blocks, their order and the questions read apart are those of a real push; an annotator's verdict on an answer is its own, or with a
planted chance the opposite of the one given just before it on the same question.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from typing import NamedTuple

import numpy as np
import pytest

from annotate.domain.reading_order import ToPlace, reading_order
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.neighbours import neighbour_effect, share_apart, share_next
from support.simulation import assert_held, repeated

pytestmark = pytest.mark.slow

CONCENTRATION = 3.0  # of the share right by question: its answers err together


class Cell(NamedTuple):
    """Questions, the answers to each, the share right, and the chance that a neighbour turns a verdict."""

    questions: int
    answers: int
    right: float
    contrast: float


CELLS = [
    Cell(questions, answers, right, contrast)
    for questions, answers in ((100, 2), (300, 2), (300, 4))
    for right in (0.75, 0.95)
    for contrast in (0.0, 0.25)
]


def verdicts(own: np.ndarray, turned: np.ndarray) -> list[bool]:
    """The verdicts on a block in its order: the first is its own."""
    given = [bool(own[0])]
    for verdict, is_turned in zip(own[1:], turned[1:], strict=True):
        given.append(not given[-1] if is_turned else bool(verdict))
    return given


def planted(cell: Cell) -> float:
    """The true effect for two answers: a turned one differs for sure, another as often as two answers to a question do."""
    alike = 2 * cell.right * (1 - cell.right) * CONCENTRATION / (CONCENTRATION + 1)
    return cell.contrast * (1 - alike)


def run_once(cell: Cell, rng: np.random.Generator) -> Estimate:
    """Push the answers, have them read, and measure."""
    salt = str(rng.integers(1 << 62))
    placed = reading_order(
        ToPlace(question * cell.answers + n, 1, f"q{question}", f"{question} {n}", salt, is_pair=False)
        for question in range(cell.questions)
        for n in range(cell.answers)
    )
    shape = (cell.questions, cell.answers)
    share = rng.beta(CONCENTRATION * cell.right, CONCENTRATION * (1 - cell.right), cell.questions)
    own, turned = rng.random(shape) < share[:, None], rng.random(shape) < cell.contrast
    in_order: dict[int, list[tuple[int, int]]] = defaultdict(list)
    spread = {}
    for place in placed:
        question, answer = divmod(place.draw, cell.answers)
        in_order[question].append((question, answer))
        spread[question] = bool(place.is_spread)
    together, apart = [], []
    for question, rows in in_order.items():
        columns = [answer for _, answer in rows]
        if spread[question]:
            apart.append(share_apart([bool(verdict) for verdict in own[question, columns]]))
        else:
            together.append(share_next(verdicts(own[question, columns], turned[question, columns])))
    return neighbour_effect(together, apart)


@repeated(15, 600)
def test_the_interval_holds_the_effect_of_neighbours(repetitions: int) -> None:
    """With and without one; few questions are read apart, and those tell how wide it is."""

    def run(count: int, stream: int) -> dict[Hashable, list[bool]]:
        held: dict[Hashable, list[bool]] = {}
        for place, cell in enumerate(cell for cell in CELLS if cell.answers == 2 or not cell.contrast):
            rng = np.random.default_rng([stream, place])
            effects = [run_once(cell, rng) for _ in range(count)]
            held[cell] = [
                effect.low <= planted(cell) <= effect.high
                for effect in effects
                if effect.low is not None and effect.high is not None
            ]
        return held

    assert_held(run, repetitions)


@repeated(15, 200)
def test_a_planted_contrast_is_found_and_none_where_there_is_none(repetitions: int) -> None:
    """300 questions of four systems: found in four of five runs and more; without it said in no more than chance allows."""
    for right in (0.75, 0.95):
        rng = np.random.default_rng([7, int(100 * right)])
        shown = {
            contrast: sum(run_once(Cell(300, 4, right, contrast), rng).excludes_zero for _ in range(repetitions))
            for contrast in (0.0, 0.25)
        }
        assert shown[0.25] >= 0.8 * repetitions
        assert shown[0.0] <= 0.05 * repetitions + 3 * (0.05 * repetitions) ** 0.5
