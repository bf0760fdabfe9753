"""Count the scores of a metric that compare an answer with the reference that was written when that answer was labelled.

Only a wrong answer gets such a reference, so whether the metric scores an answer depends on its label: the AUROC tells nothing.
"""

from __future__ import annotations

from annotate.store import Store
from annotate.store.scores.judge_totals import JudgeTotals
from proxy.judges.metrics.catalogue import metric_of
from proxy.judges.metrics.metric import MetricNeed


def own_references(store: Store, totals: JudgeTotals) -> int:
    """Count the scores of this judge that rest on a reference of the answer's own label; 0 for judges that read no reference."""
    metric = metric_of(totals.judge)
    if metric is None or MetricNeed.REFERENCE not in metric.needs:
        return 0
    return store.gold.statistics.scored_by_own(totals.key)
