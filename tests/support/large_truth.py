"""What is true of the large made-up store: which answer is right, whether its passage was found, and when it was asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

START, WEEKS = datetime(2026, 5, 23, 6, tzinfo=UTC), 26
SYSTEMS = {"search-v1": 0.72, "search-v2": 0.8, "rerank-v1": 0.84, "agent-v1": 0.78}  # how often each is right
LANGUAGES = {"en": 0.6, "zh-Hant": 0.25, "ko": 0.15}


@dataclass(frozen=True)
class Truth:
    """What is true of every item, by its place."""

    right: NDArray[np.bool_]
    retrieved: NDArray[np.bool_]
    language: NDArray[np.str_]
    week: NDArray[np.int_]


def moment(week: float) -> str:
    """The time so many weeks after the start."""
    return (START + timedelta(weeks=float(week))).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def drawn_truth(rng: np.random.Generator, items: int) -> Truth:
    """Right or wrong by system, language and luck that all systems share on a question."""
    place = np.arange(items)
    language = np.repeat(rng.choice(list(LANGUAGES), p=list(LANGUAGES.values()), size=items // 4 + 1), 4)[:items]
    luck = np.repeat(rng.random(items // 4 + 1), 4)[:items] * 0.7 + rng.random(items) * 0.3
    rate = np.array(list(SYSTEMS.values()))[place % 4] - 0.06 * (language == "ko")
    right = luck < np.quantile(luck, rate.mean()) + (rate - rate.mean())
    retrieved = np.where(right, rng.random(items) < 0.95, rng.random(items) < 0.45)
    return Truth(right, retrieved, language, (place / items * WEEKS).astype(int))
