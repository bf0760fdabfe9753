"""The thread of the live loop outlives whatever fails in a round, and says so once."""

from __future__ import annotations

import threading
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from annotate import Project
from annotate.server.looping import Looping
from annotate.store import Store
from annotate.workflow.live_loop import LiveLoop, Round
from proxy.errors import AssayError, SourceError

LONGEST = 20.0


@pytest.mark.parametrize("error", [SourceError("the disk is full"), RuntimeError("a defect")], ids=["known", "defect"])
def test_a_round_that_fails_is_reported_once_and_the_next_ones_go_on(tmp_path: Path, error: Exception) -> None:
    """Three failures in a row are one line, a round that goes well ends them, and the same failure later is a line again."""
    said, went_well = list[str](), threading.Semaphore(0)
    outcomes = iter([error, error, error, None, error, None])

    class Failing(LiveLoop):
        def round(self, store: Store) -> Round:
            outcome = next(outcomes, None)
            if outcome is not None:
                raise outcome
            return super().round(store)

    path = tmp_path / "assay.db"
    with closing(Store(path)):
        pass
    loop = Failing("tester", lambda: "2026-11-01T00:00:00Z", lambda: 0.0, 1.0)
    writing = partial(Project(path).writing, make=True)
    with Looping(writing, loop, on_round=lambda done: went_well.release(), say=said.append, every=0.01):
        assert went_well.acquire(timeout=LONGEST)
        assert went_well.acquire(timeout=LONGEST)

    words = "the disk is full" if isinstance(error, AssayError) else "RuntimeError: a defect"
    assert said == [f"assay: {words}; tried again"] * 2
