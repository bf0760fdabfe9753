"""The judges: each scores one criterion of one item; `offline()` needs no model, no key and no network."""

from proxy.judges.offline.answer_relevance import OfflineAnswerRelevance
from proxy.judges.base import Judge
from proxy.judges.offline.context_relevance import OfflineContextRelevance
from proxy.judges.offline.faithfulness import OfflineFaithfulness

__all__ = ["Judge", "OfflineAnswerRelevance", "OfflineContextRelevance", "OfflineFaithfulness", "offline"]


def offline() -> tuple[Judge, ...]:
    """The default judges: the two that the default rule needs, then answer relevance."""
    return (OfflineContextRelevance(), OfflineFaithfulness(), OfflineAnswerRelevance())
