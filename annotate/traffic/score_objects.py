"""Scores that a row holds within an object, as Braintrust's logs have them: `"scores": {"Factuality": 0.6}`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from annotate.domain.judge_names import folded
from annotate.traffic.content import loaded
from annotate.traffic.metrics import is_of_users, metric_name
from annotate.traffic.source_format import Row

# Every number in [0, 1] in an object of this name is a judge's; beside durations and counts only those of known metrics are.
OF_JUDGES = frozenset(map(folded, ("scores", "evaluations", "evals", "evaluation_scores", "eval_scores")))
MIXED = frozenset(map(folded, ("metrics", "evaluation_metrics", "eval_metrics")))


class RowCell(NamedTuple):
    """A value of a row, the name of its column, the path to it, and whether it stands in an object of judges' scores."""

    name: str
    value: object
    path: str
    is_of_judges: bool = False


def cells(row: Row) -> Iterator[RowCell]:
    """Yield the values of a row; in place of an object of scores what it holds, unless a column has that name."""
    for name, value in row.items():
        inner = loaded(value) if is_score_object(str(name)) else None
        if not isinstance(inner, Mapping):
            yield RowCell(name, value, name)
            continue
        for judge, number in inner.items():
            if judge not in row:
                yield RowCell(str(judge), number, f"{name}.{judge}", folded(str(name)) in OF_JUDGES)


@lru_cache(maxsize=1024)
def is_score_object(name: str) -> bool:
    """Return whether an object of this name may hold scores."""
    return folded(name) in OF_JUDGES | MIXED


def scores_within(name: str, value: object) -> list[str]:
    """Return the names of what seem to be another tool's scores in an object."""
    return [
        cell.name
        for cell in cells({name: value})
        if cell.path != name
        and _is_share(cell.value)
        and (metric_name(cell.name) or (cell.is_of_judges and not is_of_users(cell.name)))
    ]


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
