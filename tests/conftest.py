"""Fixtures that several test files share, by the file that holds them, each after those it imports; and what a run leaves out.

A file whose own `pytestmark` the run's expression of marks rules out is not imported: importing and rewriting the files of
the slow tiers takes longer than running the quick one.
"""

from __future__ import annotations

import gc
import re
import signal
import threading
from pathlib import Path

import pytest

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
]
WAITS = {"live", "browser"}
MARKED = re.compile(r"^pytestmark = (.+)$", re.MULTILINE)
# What started the tests may ignore signals (nohup, a background job of a shell), and their processes would inherit that.
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
EXPRESSION = re.compile(r"not \w+( and not \w+)*")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file of a tier that is left out; None leaves the question to others."""
    expression: str = config.option.markexpr
    if collection_path.suffix != ".py" or not EXPRESSION.fullmatch(expression):
        return None
    found = MARKED.search(collection_path.read_text(encoding="utf-8"))
    marks = set(re.findall(r"pytest\.mark\.(\w+)", found[1])) if found else set()
    return True if marks & set(re.findall(r"not (\w+)", expression)) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files come in this order: those that wait for a server or a browser, with slow tests, with short ones.

    So one worker computes while another waits, and many short files are left to share out when they near their end.
    """
    tiers = {item.path: 2 for item in items}
    for item in items:
        tier = 0 if WAITS & {mark.name for mark in item.iter_markers()} else 1 if item.get_closest_marker("slow") else 2
        tiers[item.path] = min(tiers[item.path], tier)
    items.sort(key=lambda item: tiers[item.path])


def pytest_collection_finish() -> None:
    """What was imported stays: the garbage collector need not look at it again."""
    gc.collect()
    gc.freeze()
