"""The judges: each scores one criterion of one item; those here need no model, no key and no network."""

from proxy.judges.base import Judge
from proxy.judges.metrics.text.correctness_vs_reference import OfflineCorrectnessVsReference
from proxy.judges.offline.answer_relevance import OfflineAnswerRelevance
from proxy.judges.offline.context_relevance import OfflineContextRelevance
from proxy.judges.offline.faithfulness import OfflineFaithfulness
from proxy.judges.offline.refusal import OfflineRefusal

__all__ = [
    "Judge",
    "OfflineAnswerRelevance",
    "OfflineContextRelevance",
    "OfflineCorrectnessVsReference",
    "OfflineFaithfulness",
    "OfflineRefusal",
    "offline",
    "reference_based",
]


def offline() -> tuple[Judge, ...]:
    """Return the default judges: the two that the default rule needs, then answer relevance and refusal."""
    return (OfflineContextRelevance(), OfflineFaithfulness(), OfflineAnswerRelevance(), OfflineRefusal())


def reference_based() -> tuple[Judge, ...]:
    """Return the judges that need a reference; traffic has none, so they are no part of a proxy."""
    return (OfflineCorrectnessVsReference(),)
