"""The words and numbers that all parts of the page share."""

from __future__ import annotations

from annotate.present.messages import one_line
from proxy.diagnosis import Stage
from proxy.evaluation.estimate import Estimate

INDENT = "    "
TITLES = {
    Stage.RETRIEVAL: "Passages scored low",
    Stage.RERANK: "Passages lost in reranking",
    Stage.SYNTHESIS: "Passages scored high, answer not faithful",
    Stage.PROXY: "Passages and answer scored high (the proxy's own misses)",
    Stage.NO_PASSAGES: "No passages logged",
    Stage.UNTOLD: "Scores missing",
}


def hundred(share: Estimate) -> str:
    """A share per 100, with its interval."""
    if share.estimate is None or share.low is None or share.high is None:
        return "—"
    wide = "exact" if is_exact(share) else f"{_per_100(share.low)} to {_per_100(share.high)}"
    return f"{_per_100(share.estimate)} ({wide})"


def is_exact(share: Estimate) -> bool:
    """Whether every answer that it speaks of was seen."""
    return share.low == share.high


def _per_100(share: float) -> str:
    return f"{100 * share:.1f}".removesuffix(".0")


def plain(name: str) -> str:
    """A name without underscores, on one line."""
    return one_line(name.replace("_", " "))
