"""List the systems that can be compared, and the two that answered most questions in common.

The system whose answers began earlier comes first, so that the second minus the first is what the newer one changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from annotate.analysis.comparison.selections import Names
from annotate.store import Store
from annotate.store.traffic.selections import Selection

MOST = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Rivals:
    """The systems with their number of answers, and the two to begin with, which share so many questions.

    `shown` are those that are ranked together: all, or the MOST with most answers.
    """

    systems: Mapping[str, int]
    shown: tuple[str, ...]
    pair: tuple[str, str] | None
    shared: int


def rivals(store: Store) -> Rivals:
    """Return the systems to compare now; no pair where there is one system or none."""
    systems = Names.of(store).systems
    largest = sorted(systems, key=lambda system: (-systems[system], system))[:MOST]
    shown = tuple(system for system in systems if system in largest)
    common = store.traffic.selections.in_common(shown)
    if common:
        pair = max(sorted(common), key=lambda names: common[names])
    elif len(largest) > 1:
        pair = (largest[0], largest[1])
    else:
        return Rivals(systems=systems, shown=shown, pair=None, shared=0)
    first, second = sorted(
        pair, key=lambda system: (store.traffic.selections.counted(Selection(system=system)).first or "", system)
    )
    return Rivals(systems=systems, shown=shown, pair=(first, second), shared=common.get(pair, 0))
