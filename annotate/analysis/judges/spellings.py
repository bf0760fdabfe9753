"""List judges that a store has under several spellings, as one from before names were compared may.

Each spelling counts as a judge of its own, so that a rule misses what was scored under the other.
"""

from __future__ import annotations

from annotate.analysis.rule_in_force import built_in, rule_in_force
from annotate.domain.judge_names import OtherSpelling, spelled_alike
from annotate.store import Store


def other_spellings(store: Store) -> list[OtherSpelling]:
    """Return the spellings beside a judge's name under which answers have their only score of it.

    The name is the one that the rule in force reads, else that of a judge of ours, else the one that came first.
    """
    in_store = store.scores.signatures()
    _, rule = rule_in_force(store)
    first = [name for name in (*rule.signatures, *built_in()) if name in in_store]
    return [
        OtherSpelling(name, spelling, answers)
        for name, *others in spelled_alike([*first, *in_store])
        for spelling in others
        if (answers := store.scores.count_without(name, spelling))
    ]
