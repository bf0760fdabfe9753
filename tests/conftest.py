"""Fixtures that several test files share, by the file that holds them, each after those it imports; and what a run leaves out.

A file whose own `pytestmark` the run's expression of marks rules out is not imported, nor one of which each test is slow where
slow tests are left out, nor one that names no mark that the expression asks for: importing and rewriting them takes longer than running the quick tier, and each worker would do it.
"""

from __future__ import annotations

import gc
import os
import re
import signal
import threading
from pathlib import Path

import pytest

# Of a small sum the threads of BLAS spend ten times the work in waiting for a core that another worker has.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
pytest.register_assert_rewrite("support")  # what asserts there says what it found, as in a test
pytest_plugins = [
    "support.store",
    "support.label_studio",
    "support.loop",
    "support.app",
    "support.browser",
    "support.form",
    "support.canaries",
    "support.serving",
    "support.studio",
    "support.local_server",
    "support.fake_server",
    "support.fault_proxy",
    "support.faults",
    "support.gold",
    "support.large",
    "support.gold_check",
    "support.lake",
    "support.read_only",
]
TURN = {"live": 2, "browser": 0, "slow": 1}  # of a file with several marks the first one counts
MARKED = re.compile(r"^pytestmark = (.+)$", re.MULTILINE)
# What started the tests may ignore signals (nohup, a background job of a shell), and their processes would inherit that.
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
if "PYTEST_XDIST_WORKER" in os.environ:  # what only gives out the work collects nothing
    gc.disable()  # while tests are collected nothing is thrown away: looking for it takes a sixth of the time
EXPRESSION = re.compile(r"not \w+( and not \w+)*")
# Of marks that each file writes out itself: `long` may come from a helper.
ASKED = re.compile(r"\(((?:live|browser)(?: or (?:live|browser))*)\) and not \w+")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file of a tier that is left out; None leaves the question to others."""
    expression: str = config.option.markexpr
    asked = ASKED.fullmatch(expression)
    if collection_path.suffix != ".py" or not (asked or EXPRESSION.fullmatch(expression)):
        return None
    content = collection_path.read_text(encoding="utf-8")
    if asked:
        return None if any(f"mark.{mark}" in content for mark in asked[1].split(" or ")) else True
    left_out = set(re.findall(r"not (\w+)", expression))
    match = MARKED.search(content)
    marks = set(re.findall(r"pytest\.mark\.(\w+)", match[1])) if match else set()
    each = "slow" in left_out and content.count("\n@pytest.mark.slow\n") == content.count("\ndef test_")
    return True if each or marks & left_out else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files come in this order: with a browser, with slow tests, with Label Studio, with short tests.

    So Label Studio may still be installed while others run, and many short files are left to share out at the end.
    """
    marked = {mark: {item.path for item in items if item.get_closest_marker(mark)} for mark in TURN}
    items.sort(key=lambda item: next((TURN[mark] for mark in TURN if item.path in marked[mark]), len(TURN)))


def pytest_collection_finish() -> None:
    """What was imported stays: the garbage collector need not look at it again."""
    gc.enable()
    gc.collect()
    gc.freeze()
