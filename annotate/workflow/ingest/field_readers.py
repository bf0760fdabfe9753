"""Name the judges whose scores an edited reference, or edited relevant ids, outdates."""

from __future__ import annotations

from annotate.store import Store
from annotate.store.scores.outdated import FieldReaders
from proxy.judges.metrics.catalogue import metric_of
from proxy.judges.metrics.metric import MetricNeed


def field_readers(store: Store) -> FieldReaders:
    """Return the judges of the store by the field that they read; those of no metric read neither."""
    needs = {judge: metric.needs for judge in store.scores.judges() if (metric := metric_of(judge))}
    return FieldReaders(
        reference=frozenset(judge for judge, needed in needs.items() if MetricNeed.REFERENCE in needed),
        relevant_ids=frozenset(judge for judge, needed in needs.items() if MetricNeed.RELEVANT_IDS in needed),
    )
