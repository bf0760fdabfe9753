"""Say on how many labels the proxy and annotators differ, and what share of traffic these stand for."""

from __future__ import annotations

from annotate.analysis.disagreements import WeighedDisagreements
from annotate.domain.message import EvidenceText, IntervalBasis, Kind, Message, message, share
from annotate.present.document import Figures
from annotate.present.quantity import quantity

SHARES = ("differ", "wrong_among_passed", "right_among_failed")


def headline(differing: int, labelled: int) -> Message:
    """Say in how many of the labelled answers the proxy is wrong."""
    return message("disagreements.in_some" if differing else "disagreements.in_none", count=differing, labels=labelled)


def counted(misses: int, false_fails: int, serious: int) -> Message:
    """Say what these are: misses, false fails, and how many of them are seriously harmful, where any is marked."""
    if not serious:
        return message("disagreements.counted_unmarked", misses=misses, false_fails=false_fails)
    return message("disagreements.counted", misses=misses, false_fails=false_fails, serious=serious)


def weighed(result: WeighedDisagreements) -> Message:
    """Say what share of traffic they stand for, or why nobody knows."""
    if result.differ.estimate is None or result.misses is None or result.false_fails is None:
        return message("disagreements.no_share", reason=result.differ.reason)
    return message(
        "disagreements.share",
        labels=result.labels,
        share=EvidenceText(result.differ, Kind.SHARE, IntervalBasis.WINDOW),
        misses=share(result.misses),
        false_fails=share(result.false_fails),
    )


def figures(result: WeighedDisagreements, *, is_exact: bool) -> Figures:
    """Give the shares with their intervals."""
    return Figures(tuple(quantity(name, getattr(result, name), is_exact=is_exact) for name in SHARES))
