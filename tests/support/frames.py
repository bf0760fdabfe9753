"""A frame of two systems whose truth is plain, and every function that reads such frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

import proxy

RULE = "score > 0.5"
ALL: dict[str, Callable[..., Any]] = {
    "calibrate": proxy.calibrate,
    "compare": lambda frame, **options: proxy.compare(frame, systems=("a", "b"), **options),
    "rank": proxy.rank,
    "find_slices": lambda frame, **options: proxy.find_slices(frame, by=["system"], **options),
    "plan": proxy.plan,
}


def frame(**columns: object) -> pd.DataFrame:
    """Forty answers of each of two systems to the same questions, all labelled; scores fall from 1 to 0.

    System a is right on the first 20 questions, b on the first 30.
    """
    base = {
        "system": ["a"] * 40 + ["b"] * 40,
        "question": [f"q{k}" for k in range(40)] * 2,
        "score": [1 - k / 40 for k in range(40)] * 2,
        "label": [*["right"] * 20, *["wrong"] * 20, *["right"] * 30, *["wrong"] * 10],
    }
    return pd.DataFrame(base | columns)
