"""List the draws that must not measure a rule or a judge, because they chose or taught it.

Decided whenever it is read, so that it holds for waves that are drawn after a rule was put in force or a judge was trained.
"""

from __future__ import annotations

from collections.abc import Collection

from annotate.analysis.training_roles import teaching_draws
from annotate.store import Store
from proxy.judges.trained.model import is_trained
from proxy.rule import Rule


def excluded_from_rule(store: Store, key: int, rule: Rule) -> frozenset[int]:
    """List the draws that must not measure this rule, in row `key`: those that chose its threshold or taught its value."""
    return store.scores.guarantees.excluded_draws(key) | excluded_from_judges(store, rule.signatures.values())


def excluded_from_value(store: Store, rule: Rule) -> frozenset[int]:
    """List the draws that neither choose nor measure any threshold of this rule: those that taught its value."""
    return store.scores.guarantees.training_draws(rule) | excluded_from_judges(store, rule.signatures.values())


def excluded_from_judges(store: Store, signatures: Collection[str]) -> frozenset[int]:
    """List the draws that must not measure any of these judges: where one is trained, those of all questions that may teach."""
    return teaching_draws(store) if any(map(is_trained, signatures)) else frozenset()
