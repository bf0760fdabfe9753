"""Each benchmark starts as `make bench` starts it: one of their files has the name of a standard module."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from support.store import ROOT

SCRIPTS = [path.name for path in sorted((ROOT / "benchmarks").glob("*.py")) if "__main__" in path.read_text()]


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_benchmark_finds_what_it_imports(name: str) -> None:
    """With its own folder first on the path, as a script has it, everything up to its main part runs."""
    folder = ROOT / "benchmarks"
    start = f"import runpy, sys; sys.path.insert(0, {str(folder)!r}); runpy.run_path({str(folder / name)!r})"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", start], env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
