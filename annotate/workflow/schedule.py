"""Schedule pulls: at regular times, soon after a nudge, and after a failure with growing waits.

The schedule is the truth and a nudge only a hint, so nudges in a burst are one pull, and one that comes during a pull is one more
after it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from proxy.errors import AssayError

# At most one pull in so many seconds, however often Label Studio calls.
LEAST_SECONDS = 3.0
LONGEST_SECONDS = 900.0
# How soon the end of the app is noticed.
LOOK_SECONDS = 0.5


@dataclass(kw_only=True)
class Schedule:
    """Pull `every` so many seconds, until `goes_on` says no; `say` gets one line for a failure, and one for its end."""

    pull: Callable[[], None]
    say: Callable[[str], None]
    every: float
    least: float = LEAST_SECONDS
    failures: int = 0
    last_error: str = ""
    _nudged: threading.Event = field(default_factory=threading.Event)

    def nudge(self) -> None:
        """Ask for a pull soon; may be called from any thread, any number of times."""
        self._nudged.set()

    def run(self, goes_on: Callable[[], bool]) -> None:
        """Pull now, and then on schedule or when nudged."""
        while goes_on():
            self._nudged.clear()  # before the pull: what comes during it is not in it for sure
            self._once()
            done = time.monotonic()
            self._wait(goes_on, done + self.wait())

    def wait(self) -> float:
        """Return the seconds to the next pull on schedule: twice as long with each failure in a row."""
        return max(self.every, min(self.every * 2.0 ** min(self.failures, 30), LONGEST_SECONDS))

    def _wait(self, goes_on: Callable[[], bool], due: float) -> None:
        """Until it is due or a nudge has come, though no shorter than the least."""
        earliest = time.monotonic() + min(self.least, self.wait())
        while goes_on() and (now := time.monotonic()) < due:
            if self._nudged.is_set():
                due = min(due, earliest)
                time.sleep(max(0.0, min(LOOK_SECONDS, due - now)))
            else:
                self._nudged.wait(min(LOOK_SECONDS, due - now))

    def _once(self) -> None:
        """Pull once; the same failure again is not reported again."""
        try:
            self.pull()
        except AssayError as error:
            self.failures += 1
            if str(error) != self.last_error:
                self.say(f"assay: {error}; tried again with growing waits, the app goes on")
            self.last_error = str(error)
        else:
            if self.last_error:
                self.say("labels are pulled again")
            self.failures, self.last_error = 0, ""
