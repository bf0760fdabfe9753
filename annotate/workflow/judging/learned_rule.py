"""Put a learned rule in force where held-out labels show that it is better, and keep which draws trained it."""

from __future__ import annotations

from dataclasses import replace

from annotate.analysis import evidence_ledger
from annotate.analysis.learned_rule import LearnedRule, learned_rule
from annotate.analysis.rule_in_force import rule_in_force
from annotate.store import Store
from annotate.workflow.judging.disputed import read_again

RULE_LEARNED = "rule learned"


def put_learned(store: Store, *, who: str, now: str) -> LearnedRule:
    """Learn a rule and put it in force; nothing changes where it is not shown to be better than the rule in force."""
    key, rule = rule_in_force(store)
    objections = evidence_ledger.objections(store)
    with store.atomic():
        result = learned_rule(store, key, rule, next(iter(objections), None))
        if result.rule is None or result.contrast is None or not result.is_better:
            return result
        row, stored = store.scores.rules.put_in_force(result.rule, now=now)
        store.scores.rules.judge_items(row, stored)
        store.scores.guarantees.exclude(row, result.draws)
        detail = {
            "name": stored.name,
            "version": stored.version,
            "expression": stored.expression,
            "replaces": rule.expression,
            "taught": result.training_labels,
            "scored": result.contrast.estimate.n,
            "difference": result.contrast.estimate.estimate,
            "lowest": result.contrast.lowest,
        }
        store.audit.events.append(RULE_LEARNED, detail, who=who, now=now)
    read_again(store, row, now=now)
    return replace(result, rule=stored, is_saved=True)
