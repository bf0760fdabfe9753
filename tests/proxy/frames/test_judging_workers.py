"""`proxy.judge` in several processes, also from a script that has no guard against being imported again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import proxy
from proxy.errors import UsageError
from support.store import ROOT
from support.worker_judges import ProcessNumber

pytestmark = pytest.mark.slow

# A judge of the script itself cannot be sent to a worker, and the offline ones can.
SCRIPT = """
from dataclasses import dataclass
import pandas as pd
import proxy
from proxy.judges import offline
from proxy.judges.base import scored

print("begun")

@dataclass(frozen=True)
class Own:
    name: str = "own"
    signature: str = "own|script|v1"

    def judge(self, item):
        return scored(self, item, 0.5, "own")

frame = pd.DataFrame({"question": ["How tall is it?"] * 120, "answer": ["It is 330 metres tall."] * 120,
                      "contexts": [["It is 330 metres tall."]] * 120})
one = proxy.judge(frame, [*offline(), Own()], reasons=True)
two = proxy.judge(frame, [*offline(), Own()], reasons=True, workers=2)
print(one.equals(two), two["own"].tolist() == [0.5] * 120)
"""


def rows(count: int) -> pd.DataFrame:
    numbers = range(count)
    return pd.DataFrame(
        {
            "question": [f"How tall is tower {n}?" for n in numbers],
            "answer": [f"Tower {n} is {n % 7} metres tall." for n in numbers],
            "contexts": [[f"Tower {n % 5} is {n % 3} metres tall."] for n in numbers],
        },
        index=[f"row {n}" for n in numbers],
    )


def test_two_workers_give_the_same_frame() -> None:
    """Values, reasons, index and columns; and it is other processes that score."""
    frame = rows(130)
    processes = {
        reason.split()[0] for reason in proxy.judge(frame, [ProcessNumber()], reasons=True, workers=2).iloc[:, 1]
    }

    pd.testing.assert_frame_equal(proxy.judge(frame, reasons=True), proxy.judge(frame, reasons=True, workers=2))
    assert processes
    assert str(os.getpid()) not in processes


def test_one_row_needs_one_worker() -> None:
    """More workers than blocks are no error."""
    assert len(proxy.judge(rows(1), workers=3)) == 1


def test_no_process_is_wrong_usage() -> None:
    """The message says what to pass."""
    with pytest.raises(UsageError, match="at least 1"):
        proxy.judge(rows(1), workers=0)


def test_a_plain_script_runs_once(tmp_path: Path) -> None:
    """Its first line is printed once: workers do not run it again."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, script], env=environment, check=False, capture_output=True, text=True, timeout=300
    )

    assert done.stderr == ""
    assert done.stdout.split() == ["begun", "True", "True"]
