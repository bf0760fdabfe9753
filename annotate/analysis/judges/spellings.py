"""Find judges that are stored under more than one spelling of their name.

Names are compared before they are stored; a store that is older than this may hold several. Each spelling then counts as a
judge of its own, and a rule that reads one misses the scores under the others.
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
