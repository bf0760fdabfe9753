"""Pair each labelled draw with one judge's score, as points for a chart.

Points come in the order of the ledger. Hand-picked labels are no sample and are left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from annotate.analysis.excluded_draws import excluded_from_judges
from annotate.store import Store
from annotate.store.sampling.ledger import Drawn
from proxy.records import Judgement
from proxy.stats.sampling.permanent_random import permanent_random_number

# Chosen: the points that a browser draws at once; in more, single points can no longer be told.
MOST = 2000
SALT = "picture"


class Scored(NamedTuple):
    """Annotators' judgement of an answer, the judge's score, and the row of the item."""

    judgement: Judgement
    value: float
    item: int


class ScoreQuartiles(NamedTuple):
    """The answers of which annotators said the same: how many, and the middle of their scores with its quarters."""

    judgement: Judgement
    labels: int
    low: float
    median: float
    high: float


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoresByLabel:
    """The points, at most MOST of them chosen by lot; `labels` were drawn and answered, `unscored` of them have no score."""

    points: Sequence[Scored]
    columns: Sequence[ScoreQuartiles]
    labels: int
    unscored: int


def of_judge(store: Store, judge: str, signature: str) -> ScoresByLabel:
    """Return annotators' judgement and this judge's score of every labelled draw of a current item that did not teach it."""
    last, excluded = store.sampling.ledger.last_counted(), excluded_from_judges(store, [signature])
    drawn = store.sampling.ledger.drawn(last, store.sampling.ledger.drawings(last, excluded), excluded)
    return of_values(
        drawn, store.scores.of_drawn([draw.item for draw in drawn], [(judge, signature)])[judge, signature].tolist()
    )


def of_values(drawn: Sequence[Drawn], values: Sequence[float | None]) -> ScoresByLabel:
    """Return the same for any value: one for each draw, None or nan where there is none."""
    answered = [(draw, value) for draw, value in zip(drawn, values, strict=True) if draw.judgement is not None]
    scored = [
        Scored(draw.judgement, value, draw.item)
        for draw, value in answered
        if draw.judgement is not None and value is not None and not math.isnan(value)
    ]
    lots = sorted(scored, key=lambda point: permanent_random_number(str(point.item), SALT))[:MOST]
    columns = [
        _column(judgement, [point.value for point in scored if point.judgement is judgement]) for judgement in Judgement
    ]
    return ScoresByLabel(
        points=sorted(lots, key=lambda point: point.item),
        columns=[column for column in columns if column],
        labels=len(answered),
        unscored=len(answered) - len(scored),
    )


def _column(judgement: Judgement, values: Sequence[float]) -> ScoreQuartiles | None:
    if not values:
        return None
    low, median, high = np.quantile(values, (0.25, 0.5, 0.75)).tolist()
    return ScoreQuartiles(judgement, len(values), low, median, high)
