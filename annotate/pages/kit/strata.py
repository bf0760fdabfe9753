"""The name of a stratum in, its words out."""

from __future__ import annotations

from annotate.pages.kit.messages import say
from proxy.planning.strata import kind


def stratum_words(stratum: str) -> str:
    """What its items are sampled as; `passed_2` is the second band of the passed, 1 holding the lowest values."""
    words, number = say(f"strata.{kind(stratum).value}"), stratum.rpartition("_")[2]
    return say("strata.band", words=words, number=int(number)) if number.isdigit() else words
