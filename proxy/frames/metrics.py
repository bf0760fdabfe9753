"""The metrics as judges for `proxy.judge`, and the catalogue as a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proxy.errors import UsageError
from proxy.judges.base import Judge
from proxy.judges.metrics.catalogue import judge_named, require_runnable, suggestion
from proxy.judges.metrics.catalogue import metrics as declared
from proxy.judges.metrics.listing import listing

if TYPE_CHECKING:
    import pandas as pd


def metric(name: str) -> Judge:
    """Return the judge that scores by a metric.

    Parameters
    ----------
    name : str
        Such as ``"token_f1"``, ``"ndcg@10"`` or ``"recall_before_reranking@20"``; `metrics` lists them.

    Returns
    -------
    Judge
        For ``proxy.judge(frame, [proxy.metric("ndcg@10")])``.

    Raises
    ------
    UsageError
        If no metric has this name, if the metric asks a model, or if its package is not installed.
    """
    require_runnable(name)
    judge = judge_named(name)
    if judge is None:
        names = [entry.name for entry in declared()]
        raise UsageError(f"there is no metric {name}: the metrics are {', '.join(names)}{suggestion(name)}")
    return judge


def metrics() -> pd.DataFrame:
    """List the metrics.

    Returns
    -------
    pandas.DataFrame
        One row a metric, by its name: formula, source, needs, lowest, highest, misses, takes_k, package, is_higher_better,
        and `examples`, a list of worked numbers.
    """
    import pandas as pd

    rows = [entry._asdict() | {"examples": [tuple(number) for number in entry.examples]} for entry in listing().metrics]
    return pd.DataFrame(rows).set_index("name")
