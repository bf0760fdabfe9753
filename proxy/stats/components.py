"""Find connected components: things that share a key, directly or through others, belong together."""

from __future__ import annotations

from collections.abc import Hashable, Iterable


def components(keys: Iterable[Iterable[Hashable]]) -> list[int]:
    """Number the component of each thing by its first member.

    Parameters
    ----------
    keys : iterable of iterables of hashable
        The keys of each thing; one without keys stands alone.

    Returns
    -------
    list of int
        For each thing the place of the first in its component; found by union-find.
    """
    parent: list[int] = []
    first_with: dict[Hashable, int] = {}

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    for place, own_keys in enumerate(keys):
        parent.append(place)
        for key in own_keys:
            earlier, own = root(first_with.setdefault(key, place)), root(place)
            parent[max(earlier, own)] = min(earlier, own)
    return [root(place) for place in range(len(parent))]
