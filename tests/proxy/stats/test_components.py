"""Connected components, against chains by hand and scipy on random keys."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from proxy.stats.components import components


def test_things_that_share_a_key_through_others_are_one_component() -> None:
    """The first two share d2, the next two d3: one chain; the fourth, and the one without keys, stand alone."""
    assert components([("d1", "d2"), ("d2", "d3"), ("d3",), ("d9",), ()]) == [0, 0, 0, 3, 4]
    assert components([("a",), ("b",), ("a", "b")]) == [0, 0, 0]
    assert components([]) == []


def test_random_keys_fall_apart_as_a_graph_library_has_it() -> None:
    """Things are joined where their key sets meet; each component has the place of its first thing."""
    rng = np.random.default_rng(3)
    for _ in range(30):
        has = rng.random((20, 25)) < 0.06
        _, labels = connected_components(csr_array((has.astype(int) @ has.T.astype(int)) > 0), directed=False)
        first = {label: int(np.flatnonzero(labels == label)[0]) for label in labels}
        assert components([np.flatnonzero(row).tolist() for row in has]) == [first[label] for label in labels]
