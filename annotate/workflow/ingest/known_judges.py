"""Say which names of judges are known: those of our own judges first, then those in the store."""

from __future__ import annotations

from annotate.analysis.rule_in_force import built_in
from annotate.domain.judge_names import JudgeNames
from annotate.store import Store


def known_judges(store: Store) -> JudgeNames:
    """Return the names of judges by which names that come in are read."""
    from proxy.judges import menu

    return JudgeNames([*built_in(), *menu.NAMES, *store.scores.signatures(), *store.scores.of_tools.judges()])
