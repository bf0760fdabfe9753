"""Tell how many labels fit into an expert's time, from past annotations or else from the length of the texts."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotate.domain.evenly_spaced import evenly_spaced
from annotate.domain.reading_time import reading_seconds
from annotate.domain.working_time import FEWEST_TIMED, mean_seconds
from annotate.store import Store

# Chosen: their mean is steady, and reading them takes no time that anybody notices.
MOST_READ = 200


class LabelTime(NamedTuple):
    """The mean time of a label, the median, the half of them in the middle (`low` to `high`), and over how many.

    It `is_assumed` where too few annotations were timed: then it is the time that reading question, answer and passages takes.
    """

    mean: float
    median: float
    low: float
    high: float
    n: int
    is_assumed: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeBudget:
    """What fits into `minutes` of an expert: `labels`, of which `further` are to be drawn, and the width that they reach.

    `width` is None where it is not measurable with so many, or where not even the open draws fit.
    """

    minutes: float
    label_time: LabelTime
    labels: int
    further: int
    width: float | None


def label_time(store: Store) -> LabelTime | None:
    """Return how long a label takes: of timed annotations, or assumed from the texts that wait; None without any text."""
    timed = store.labels.seconds()
    if len(timed) >= FEWEST_TIMED:
        return _summary(timed, is_assumed=False)
    keys = [draw.item for draw in store.sampling.waves.open_draws()] or store.traffic.items.every_key()
    items = store.traffic.items.read(evenly_spaced(keys, MOST_READ)).values()
    read = [reading_seconds(item.question, item.answer, *(context.text for context in item.contexts)) for item in items]
    return _summary([seconds for seconds in read if seconds], is_assumed=True)


def _summary(seconds: Sequence[float], *, is_assumed: bool) -> LabelTime | None:
    mean = statistics.fmean(seconds) if seconds and is_assumed else mean_seconds(seconds)
    if mean is None:
        return None
    low, median, high = statistics.quantiles(seconds, n=4, method="inclusive") if len(seconds) > 1 else [seconds[0]] * 3
    return LabelTime(mean, median, low, high, len(seconds), is_assumed)
