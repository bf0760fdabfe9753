"""Check a value of assay.toml against the type of its option.

On the command line everything is a text, and click makes of it what it can. A file has types, and one that does not fit is a
mistake: `db = 5`, `gate = "no"`.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import click

from proxy.errors import UsageError


def checked(option: click.Option, where: str, value: Any) -> Any:
    """Return the value as click wants it."""
    expected, is_right = _wanted(option)
    if not option.multiple:
        if not is_right(value):
            raise UsageError(f"{where} is {expected}, not {value!r}")
        return value.isoformat() if isinstance(value, date) else value
    values = value if isinstance(value, list) else [value]
    if odd := [value for value in values if not is_right(value)]:
        raise UsageError(f"{where} is {expected}, or a list of them, not {odd[0]!r}")
    return values


def _wanted(option: click.Option) -> tuple[str, Any]:
    """Return what the option takes, in words and as a test."""
    if option.is_flag:
        return "true or false", lambda value: isinstance(value, bool)
    if isinstance(option.type, click.types.FloatParamType):
        return "a number", lambda value: isinstance(value, (int, float)) and not isinstance(value, bool)
    if isinstance(option.type, click.types.IntParamType):
        return "a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)
    if isinstance(option.type, click.DateTime):
        return "a date", lambda value: isinstance(value, (str, date))
    return "a text", lambda value: isinstance(value, str)
