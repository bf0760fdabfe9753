"""What the draws without a right or wrong could change: the ledger's evidence in, a share and a range out.

Every draw that came back stands for itself and, with the weight that response adds, for those of its drawing that did not.
Taking that part back shows how far the silent ones, and the unsure ones, could move the share of right answers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from proxy.domains import Evidence


class Response(NamedTuple):
    """The share of draws that people called right or wrong, weighted by what they stand for.

    `low` and `high` are the share of right answers if all the others were wrong, or right: no interval, but how far open and
    unsure draws could move the estimate.
    """

    rate: float
    low: float
    high: float


def response_of(evidence: Evidence) -> Response | None:
    """Sum of w r over the decided, the right, and all but the wrong, over sum of w; r is the response of the draw's drawing.

    None before a label has come back.
    """
    items = evidence.returned
    if not items:
        return None
    draws = evidence.arrays.draws
    share = draws.weight / draws.weight.sum() * np.array([evidence.drawings[one.drawing].response for one in items])
    right = float(np.sum(share * draws.judged * draws.right))
    wrong = float(np.sum(share * draws.judged * (1 - draws.right)))
    return Response(rate=min(1.0, right + wrong), low=right, high=1 - wrong)
