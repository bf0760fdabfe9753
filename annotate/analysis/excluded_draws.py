"""List the draws that must not measure a rule or a judge, because they chose or taught it.

Decided whenever it is read, so that it holds for waves that are drawn after a rule was put in force or a judge was trained.
"""

from __future__ import annotations

from collections.abc import Collection

from annotate.analysis.training_roles import teaching_draws, tuning_draws
from annotate.store import Store
from proxy.judges.llm.guidance import is_aligned
from proxy.judges.trained.model import is_trained
from proxy.rule import Rule


def excluded_from_rule(store: Store, key: int, rule: Rule) -> frozenset[int]:
    """List the draws that must not measure this rule, in row `key`: those that chose its threshold or taught its value."""
    return store.scores.guarantees.excluded_draws(key) | excluded_from_judges(store, rule.signatures.values())


def excluded_from_value(store: Store, rule: Rule) -> frozenset[int]:
    """List the draws that neither choose nor measure any threshold of this rule: those that taught its value."""
    return store.scores.guarantees.training_draws(rule) | excluded_from_judges(store, rule.signatures.values())


def excluded_from_judges(store: Store, signatures: Collection[str]) -> frozenset[int]:
    """List the draws that must not measure any of these judges: those of all questions that may teach one of them.

    A question teaches trained judges by its role alone; an aligned judge by the share of questions that tune it.
    """
    excluded = teaching_draws(store) if any(map(is_trained, signatures)) else frozenset()
    aligned = {signature.partition("|")[0] for signature in signatures if is_aligned(signature)}
    shares = [store.scores.alignments.share(judge) or 0.0 for judge in aligned]
    return excluded | tuning_draws(store, max(shares)) if shares else excluded
