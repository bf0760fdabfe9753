"""List candidate rules to compare with the rule in force.

The candidates are every judge alone, and the minimum, product and mean of the judges that the rule in force reads; each over
raw scores with the threshold 0.5, and over percentiles with the threshold 0.3. No label was used to choose them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from proxy.judges.metrics.catalogue import metric_of
from proxy.rule import Percentiles, Rule, judges_of

# The middle of [0, 1], as nothing was learned from labels.
RAW_THRESHOLD = 0.5
# Chosen: one judge alone fails the lowest 30 % of its scores.
PERCENTILE_THRESHOLD = 0.3
COMBINED = ("min", "product", "mean")
USUAL = ("context_relevance", "faithfulness")
# A refusal is neither right nor wrong: it is counted, and is no candidate.
FLAGS = frozenset({"refusal"})


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeKey:
    """A judge with the signature whose scores are read."""

    judge: str
    signature: str


def is_reference_based(judge: str) -> bool:
    """Return whether a judge needs a reference or ids of relevant passages.

    It is measured against annotators like any judge, but is no proxy, because traffic has neither.
    """
    metric = metric_of(judge)
    return metric is not None and not metric.is_reference_free


def is_lower_better(judge: str) -> bool:
    """Return whether a higher score of this judge means a worse answer, as with harm; no rule may pass high scores then."""
    metric = metric_of(judge)
    return metric is not None and not metric.is_higher_better


def misread(rule: Rule) -> tuple[str, ...]:
    """Return the judges of which 1 is bad, and whose higher score yet gives this rule a higher value."""
    return tuple(judge for judge in judges_of(rule.expression)[0] if is_lower_better(judge) and _rises(rule, judge))


def _rises(rule: Rule, judge: str) -> bool:
    """Whether the value is higher at this judge's 1 than at its 0, the others all at 0, one half or 1."""
    others = np.array([0.0, 0.5, 1.0])
    columns = dict.fromkeys(judges_of(rule.expression)[0], others)
    low, high = (rule.values(columns | {judge: np.full(len(others), score)}) for score in (0.0, 1.0))
    return bool((high > low).any())


def single(key: JudgeKey) -> Rule:
    """Make a rule of one judge alone, the other way round where 1 is bad."""
    value = f"1 - {key.judge}" if is_lower_better(key.judge) else key.judge
    expression = f"{value} > {RAW_THRESHOLD}"
    return Rule(name=key.judge, version=0, expression=expression, signatures={key.judge: key.signature})


def candidates(in_force: Rule, judges: Sequence[JudgeKey], percentiles: Percentiles) -> list[Rule]:
    """List the rules to compare with the one in force, itself left out.

    `percentiles` holds the knots of each judge's scores.
    """
    signatures = {key.judge: key.signature for key in judges} | dict(in_force.signatures)
    read = judges_of(in_force.expression)[0]
    reference_free = [judge for judge in signatures if judge in read or not is_reference_based(judge)]
    good = [judge for judge in reference_free if judge not in FLAGS and not is_lower_better(judge)]
    available = [judge for judge in good if judge.isidentifier()]
    pair = [judge for judge in read if judge in available]
    pair = pair if len(pair) > 1 else [judge for judge in USUAL if judge in available]
    rules = [_raw(f"{name}({', '.join(pair)})", signatures) for name in COMBINED if len(pair) > 1]
    rules += [_raw(judge, signatures) for judge in available]
    ranked = [f"pct({judge})" for judge in pair if judge in percentiles]
    if len(ranked) > 1 and len(ranked) == len(pair):
        rules += [_ranked(f"{name}({', '.join(ranked)})", signatures, percentiles) for name in COMBINED]
    rules += [_ranked(f"pct({judge})", signatures, percentiles) for judge in available if judge in percentiles]
    return [rule for rule in rules if rule.expression != in_force.expression]


def _raw(value: str, signatures: Mapping[str, str]) -> Rule:
    return _rule(f"{value} > {RAW_THRESHOLD}", signatures, {})


def _ranked(value: str, signatures: Mapping[str, str], percentiles: Percentiles) -> Rule:
    """Make a rule over percentiles; a product's threshold is 0.3 to the power of its factors."""
    factors = value.count("pct(") if value.startswith("product") else 1
    return _rule(f"{value} > {round(PERCENTILE_THRESHOLD**factors, 6)}", signatures, percentiles)


def _rule(expression: str, signatures: Mapping[str, str], percentiles: Percentiles) -> Rule:
    judges, ranked = judges_of(expression)
    return Rule(
        name=expression,
        version=0,
        expression=expression,
        signatures={judge: signatures[judge] for judge in judges},
        percentiles={judge: percentiles[judge] for judge in ranked},
    )
