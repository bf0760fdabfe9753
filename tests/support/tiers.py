"""What every run takes, and what `make test-all` adds to it."""

from __future__ import annotations

from collections.abc import Iterable

import pytest


def shortly(every: Iterable[object], *kept: object) -> list[object]:
    """All cases of a parameter: those kept run always, the rest, which prove the same once more, in `make test-all`.

    A case of several parameters is a tuple.
    """
    return [case if case in kept else _long(case) for case in every]


def _long(case: object) -> object:
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.long)
