"""Write both ends of an interval for the parts of pages that no document tells yet."""

from __future__ import annotations

from collections.abc import Callable

from annotate.pages.kit.messages import say
from annotate.present.numbers import has_width


def span(interval: tuple[float, float], words: Callable[[float], str]) -> str:
    """Both ends in words."""
    low, high = interval
    if not has_width(low, high):
        return say("measures.no_width")
    return say("measures.span", low=words(low), high=words(high))
