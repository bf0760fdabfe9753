"""Which slices items lie in takes one pass over all traffic: twice the items take twice the time."""

from __future__ import annotations

import time

import pytest

from annotate.analysis.slices.fields import _contexts, _Known, _lengths
from annotate.store.traffic.windows import Trait


@pytest.mark.slow
def test_lengths_of_many_items_take_one_pass() -> None:
    """150,000 items in some seconds; a look over all of them for each of them takes minutes."""
    traits = [Trait(n, None, 20 + n % 90, n % 12, 100 + n % 4_000, 30 + n % 700, "") for n in range(150_000)]
    known = _Known(traits, {}, {n: ("latin script", "zh")[n % 2] for n in range(150_000)}, [])
    inside = set(range(150_000))
    start = time.process_time()

    fields = [*_lengths(known, inside), _contexts(known, inside)]

    assert time.process_time() - start < 10
    assert [field.name for field in fields] == ["answer length", "question length", "passages length", "contexts"]
    assert all(45_000 < sum(value == "short" for value in field.of_item.values()) < 55_000 for field in fields[:3])
    assert set(fields[3].of_item.values()) == {"few", "many"}
