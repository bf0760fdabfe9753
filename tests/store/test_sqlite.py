"""sqlite-utils is imported without pandas; an upgrade that breaks that, or what the store uses of it, fails here."""

from __future__ import annotations

import subprocess
import sys

import pytest

from support.store import ROOT

FIRST = "import sys; from annotate.store.engine.sqlite import Database, Migrations"


def process(script: str) -> str:
    """What a process of its own prints."""
    return subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.mark.slow
def test_a_store_is_opened_without_pandas() -> None:
    """It would cost every command 0.4 s, and another reader of frames may still import it afterwards."""
    script = f"{FIRST}; from annotate.store import Store; Store(':memory:').close(); print('pandas' in sys.modules)"
    assert process(script) == "False"
    assert process(f"{FIRST}; import pandas; print(pandas.DataFrame({{'a': [1]}}).shape)") == "(1, 1)"


@pytest.mark.slow
def test_pandas_that_is_there_before_stays() -> None:
    """In a notebook it has long been imported."""
    assert process(f"import pandas; {FIRST}; print(sys.modules['pandas'] is pandas)") == "True"
