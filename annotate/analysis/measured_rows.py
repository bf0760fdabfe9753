"""Put everything that estimates read of each answer into one table: its scores, its label, and how it was sampled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotate.analysis.excluded_draws import excluded_from_rule
from annotate.analysis.rule_in_force import rule_in_force
from annotate.store import Store
from proxy.rule import Rule


def measured_rows(store: Store) -> Mapping[str, Sequence[object]]:
    """Return the columns of the table, with a row for each current answer that the waves which count have framed.

    Before a wave counts, every current answer has a row. A label is there where the answer was drawn for it, and where it did not
    choose the threshold of the rule in force or teach its value.
    """
    with store.snapshot():
        key, rule = rule_in_force(store)
        excluded_draws = excluded_from_rule(store, key, rule)
        items = store.sampling.ledger.framed_items(store.sampling.ledger.last_counted())
        values = {
            judge: store.scores.value_of_items(judge, signature)
            for judge, signature in _signatures(store, rule).items()
        }
    return {
        "id": [item.item_id for item in items],
        **{judge: [of_item.get(item.item) for item in items] for judge, of_item in values.items()},
        "question": [item.question for item in items],
        "group": [item.group for item in items],
        "system": [item.system for item in items],
        "timestamp": [item.timestamp for item in items],
        "language": [item.language for item in items],
        "stratum": [item.stratum for item in items],
        "inclusion_probability": [item.chance for item in items],
        "drawn": [item.draw is not None for item in items],
        "label": [None if item.draw in excluded_draws else item.label for item in items],
    }


def _signatures(store: Store, rule: Rule) -> Mapping[str, str]:
    """Return the signature of each judge whose scores are read: that of the rule in force, else the newest."""
    newest = {judge: signatures[-1] for judge, signatures in store.scores.signatures().items()}
    return newest | {judge: signature for judge, signature in rule.signatures.items() if judge in newest}
