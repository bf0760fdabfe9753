"""Judges for tests of worker processes, in a module that a worker can import."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from proxy.judges.base import scored
from proxy.records import Item, Score


@dataclass(frozen=True)
class ProcessNumber:
    """Notes in the reason which process scores, and what it has of one variable."""

    name: str = "process_number"
    signature: str = "process_number|test|v1"

    def judge(self, item: Item) -> Score:
        return scored(self, item, 0.5, f"{os.getpid()} {os.environ.get('ASSAY_TEST_SECRET')}")


@dataclass(frozen=True)
class Raising:
    """Raises on items of odd number."""

    name: str = "raising"
    signature: str = "raising|test|v1"

    def judge(self, item: Item) -> Score:
        if int(item.id.split("-")[1]) % 2:
            raise LookupError(f"no luck with {item.id}")
        return scored(self, item, 1.0, "even")


@dataclass(frozen=True)
class Deadly:
    """Ends its process on the item `item-7`, so many times as files can be made in a folder."""

    folder: Path
    times: int
    name: str = "deadly"
    signature: str = "deadly|test|v1"

    def judge(self, item: Item) -> Score:
        deaths = len(list(self.folder.iterdir()))
        if item.id == "item-7" and deaths < self.times:
            (self.folder / str(deaths)).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return scored(self, item, 0.25, "alive")


@dataclass(frozen=True)
class Slow:
    """Takes a while, and leaves its process's number in a folder."""

    folder: Path
    seconds: float = 0.01
    name: str = "slow"
    signature: str = "slow|test|v1"

    def judge(self, item: Item) -> Score:
        (self.folder / str(os.getpid())).touch()
        time.sleep(self.seconds)
        return scored(self, item, 0.75, "slow")


@dataclass(frozen=True)
class Unsendable:
    """Holds what cannot leave its process."""

    name: str = "unsendable"
    signature: str = "unsendable|test|v1"
    lock: Lock = field(default_factory=Lock, compare=False)

    def judge(self, item: Item) -> Score:
        return scored(self, item, 0.125, str(os.getpid()))
