"""Say on how many labels the proxy and annotators differ, and what share of traffic these stand for."""

from __future__ import annotations

from annotate.analysis.disagreements import WeighedDisagreements
from annotate.domain.message import EvidenceText, IntervalBasis, Kind, Message, message, share
from annotate.present.document import Figures
from annotate.present.quantity import quantity
from proxy.evaluation.estimate import Estimate

SHARES = ("differ", "wrong_among_passed", "right_among_failed")


def counted(misses: int, false_fails: int) -> Message:
    """Say how many labels differ from the proxy."""
    return message("disagreements.counted", misses=misses, false_fails=false_fails)


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


def coming(reason: str) -> Figures:
    """Give the same while they are worked out."""
    return Figures(tuple(quantity(name, Estimate(estimate=None, reason=reason)) for name in SHARES))
