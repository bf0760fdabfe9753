"""The options that assay.toml gives a command, for those who do its work without being the command: typed values.

In comes the command's name, out come values. The rule: what the command would refuse is a UsageError here too, and what is not
given is None.
"""

from __future__ import annotations

from typing import Any

from annotate.settings import SETTINGS, settings
from proxy.errors import UsageError


class Options:
    """The table of one command; keys are written as on the command line, `all-passed` or `all_passed`."""

    def __init__(self, command: str) -> None:
        table = settings().get(command, {})
        if not isinstance(table, dict):
            raise UsageError(f"{SETTINGS}: {command} is a table, [{command}]")
        self._command = command
        self._values = {str(key).replace("_", "-"): value for key, value in table.items()}

    def whole(self, name: str, low: int) -> int | None:
        """A whole number from `low`."""
        value = self._values.get(name)
        if value is not None and (type(value) is not int or value < low):
            raise self._odd(name, f"a whole number from {low}", value)
        return value

    def share(self, name: str) -> float | None:
        """A number from 0 to 1."""
        value = self._values.get(name)
        if value is not None and (type(value) not in (int, float) or not 0 <= value <= 1):
            raise self._odd(name, "a number from 0 to 1", value)
        return None if value is None else float(value)

    def flag(self, name: str) -> bool | None:
        """True or false."""
        value = self._values.get(name)
        if value is not None and not isinstance(value, bool):
            raise self._odd(name, "true or false", value)
        return value

    def text(self, name: str) -> str | None:
        """A text."""
        value = self._values.get(name)
        if value is not None and not isinstance(value, str):
            raise self._odd(name, "a text", value)
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; a single one is a list of one."""
        value = self._values.get(name, [])
        found = [value] if isinstance(value, str) else value
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise self._odd(name, "a list of texts", value)
        return tuple(found)

    def _odd(self, name: str, wanted: str, value: Any) -> UsageError:
        return UsageError(f"{SETTINGS}: [{self._command}] {name} is {wanted}, not {value!r}")
