"""Select the labelled draws that passed or failed, as the arrays in which the proxy's mistakes are looked for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annotate.analysis.labelled_draws import AnswerGround, Labelled
from proxy.evaluation.ledger import DECIDED
from proxy.evaluation.slices import VERDICT_OF, Labels, Mistake

Mask = NDArray[np.bool_]
Numbers = NDArray[np.float64]


def rows_of(labelled: Labelled, mistake: Mistake) -> Mask:
    """Select the rows on the side where this mistake is made."""
    return np.array([row.verdict is VERDICT_OF[mistake] for row in labelled.rows], dtype=np.bool_)


def side(labelled: Labelled, mistake: Mistake, rows: Mask, weight: Numbers | None = None) -> Labels:
    """Return these rows as labels; each stands for the items that the ledger says, or for `weight` (one number a row of all)."""
    is_right = np.array([row.is_right for row in labelled.rows], dtype=np.bool_)[rows]
    return Labels(
        mistake=mistake,
        is_error=is_right if mistake is Mistake.RIGHT_FAIL else ~is_right,
        weight=(labelled.draws.weight if weight is None else weight)[rows],
        cluster=labelled.draws.cluster[rows],
        question=None if labelled.draws.question is None else labelled.draws.question[rows],
    )


def weight_alone(basis: AnswerGround) -> Numbers:
    """Weight each labelled draw within its wave: 1 / (chance there x that no earlier wave drew it)."""
    decided = [draw for draw in basis.traffic.drawn if draw.judgement in DECIDED]
    chances = [
        draw.chances[draw.own] * np.prod([1 - chance for chance in draw.chances[: draw.own]]) for draw in decided
    ]
    return np.array([1 / max(chance, 1e-12) for chance in chances], dtype=np.float64)
