"""Scores that other tools gave, and how their values become numbers in [0, 1].

A number is taken as it is where every number of its judge lies in [0, 1]; else the scale has to be said (`quality=1..5`), since 1
is the best mark on one scale and the worst on another. A word counts where it says right or wrong, or stands in a scale of words
(`verdict=bad,fair,good`), which are spaced evenly.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from keyword import iskeyword
from typing import NamedTuple

from annotate.domain.feedback import DOWN, UP
from proxy.errors import InputError, UsageError

PASSED = UP | {"pass", "passed", "1", "1.0"}
FAILED = DOWN | {"fail", "failed", "0", "0.0"}
NUMBERS = re.compile(r"(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)")


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolScore:
    """A score as a tool gave it: `value` is its number or its word, and `judge` a name that a rule can read."""

    item_id: str
    judge: str
    signature: str
    value: float | str
    reason: str = ""

    @property
    def written(self) -> str:
        """The value as the store keeps it."""
        return json.dumps(self.value, ensure_ascii=False)


class Unscaled(NamedTuple):
    """How many scores of a judge wait for its scale, and what numbers it gave."""

    judge: str
    scores: int
    lowest: float
    highest: float


class ScoreScale(NamedTuple):
    """The scale of a judge's values: the worst and the best number, or words from the worst to the best."""

    worst: float = 0.0
    best: float = 1.0
    words: tuple[str, ...] = ()

    def share(self, value: float | str) -> float:
        """Return where a value is between the worst (0) and the best (1); InputError where it is not on the scale."""
        if isinstance(value, str):
            return self._share_of_word(value)
        share = (value - self.worst) / (self.best - self.worst)
        if not 0 <= share <= 1:
            raise InputError(f"value: {value:g} is not on the scale from {self.worst:g} to {self.best:g}")
        return share

    def _share_of_word(self, value: str) -> float:
        word = plain_word(value)
        if self.words:
            if word not in self.words:
                raise InputError(f"value: {value!r} is none of {', '.join(self.words)}")
            return self.words.index(word) / (len(self.words) - 1)
        if word not in PASSED and word not in FAILED:
            raise InputError(
                f"value: {value!r} says neither right nor wrong: give the words from the worst to the best, "
                "as --scale NAME=bad,fair,good"
            )
        return float(word in PASSED)


def judge_name(name: str) -> str:
    """Return a name under which a rule can read another tool's judge: letters, digits and _, no word of the rule's language."""
    name = re.sub(r"\W", "_", unicodedata.normalize("NFKC", name))
    return name if name.isidentifier() and not iskeyword(name) else f"judge_{name}"


def plain_word(value: str) -> str:
    """Return a word as scales compare it."""
    return value.strip().casefold().replace(" ", "_").replace("-", "_")


def read_scales(texts: Mapping[str, str]) -> dict[str, ScoreScale]:
    """Return the scales by judge, as rules name judges."""
    return {judge_name(name): parse_scale(text, f"{name}={text}") for name, text in texts.items()}


def parse_scale(text: str, shown: str = "") -> ScoreScale:
    """Parse a scale of numbers or words; UsageError for what is none."""
    if numbers := NUMBERS.fullmatch(text.strip()):
        worst, best = map(float, numbers.groups())
        if worst != best and math.isfinite(worst) and math.isfinite(best):
            return ScoreScale(worst, best)
    words = tuple(plain_word(word) for word in text.split(",") if word.strip())
    if len(words) < 2 or len(set(words)) < len(words):
        raise UsageError(f"--scale {shown or text}: write NAME=1..5, or NAME=bad,fair,good from the worst to the best")
    return ScoreScale(words=words)


def written_scale(scale: ScoreScale) -> str:
    """Return the scale as `parse_scale` reads it."""
    return ",".join(scale.words) if scale.words else f"{scale.worst:.17g}..{scale.best:.17g}"
