"""Select a part of the traffic by system and window of time.

Times are ISO 8601 in UTC as items hold them, `since` is in the window and `until` is not, and an answer without a timestamp
lies in no window that has an end.
"""

from __future__ import annotations

from dataclasses import dataclass

WITHOUT_SYSTEM = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """The answers of a system from `since` on and before `until`; None is all, WITHOUT_SYSTEM those that name none."""

    system: str | None = None
    since: str | None = None
    until: str | None = None

    @property
    def is_window(self) -> bool:
        """Whether time bounds it."""
        return self.since is not None or self.until is not None

    @property
    def name(self) -> str:
        """As it is written on the command line."""
        if not self.is_window:
            return "@.." if self.system is None else self.system or "''"
        return f"{self.system or ''}@{short(self.since)}..{short(self.until)}"


def short(moment: str | None) -> str:
    """Write a time as short as it can be read again; nothing where there is none."""
    return (moment or "").removesuffix("T00:00:00.000Z").replace(".000Z", "Z")
