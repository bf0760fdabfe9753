"""Count the verdicts of the rule in force, and say why nothing passes where nothing does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from annotate.analysis.rule_in_force import rule_in_force
from annotate.analysis.shortfall import Shortfall, shortfall
from annotate.store import Store
from proxy.evaluation.guarantee import Guarantee
from proxy.records import Verdict
from proxy.rule import Rule


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdicts:
    """The rule in force, how many items have each verdict, and what its threshold is certified to keep."""

    rule: Rule
    counts: Mapping[Verdict, int]
    guarantee: Guarantee | None
    shortfall: Shortfall | None


def verdicts(store: Store) -> Verdicts:
    """Count the verdicts of the rule in force."""
    key, rule = rule_in_force(store)
    return Verdicts(
        rule=rule,
        counts=store.scores.rules.counts(key),
        guarantee=store.scores.guarantees.of(key),
        shortfall=shortfall(store, key, rule),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleVersion:
    """A rule and when it was set; the one in force with what its threshold is certified to keep."""

    rule: Rule
    at: str
    is_in_force: bool
    guarantee: Guarantee | None


def history(store: Store) -> list[RuleVersion]:
    """Return every rule and version."""
    current = store.scores.rules.in_force()
    guarantee = store.scores.guarantees.of(current[0]) if current else None
    return [
        RuleVersion(rule=rule, at=at, is_in_force=is_in_force, guarantee=guarantee if is_in_force else None)
        for rule, at, is_in_force in store.scores.rules.history()
    ]
