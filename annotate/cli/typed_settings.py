"""Check the values of assay.toml against the types of the command-line options that they set.

click converts text from the command line. Values of a TOML file have types already, so a wrong type is refused: `db = 5`,
`gate = "no"`.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import click

from proxy.errors import UsageError


def checked(option: click.Option, where: str, value: Any) -> Any:
    """Return the value in the form that click takes; UsageError where its type does not fit the option."""
    expected, is_valid = _expected_type(option)
    if not option.multiple:
        if not is_valid(value):
            raise UsageError(f"{where} is {expected}, not {value!r}")
        return value.isoformat() if isinstance(value, date) else value
    values = value if isinstance(value, list) else [value]
    if invalid := [value for value in values if not is_valid(value)]:
        raise UsageError(f"{where} is {expected}, or a list of them, not {invalid[0]!r}")
    return values


def _expected_type(option: click.Option) -> tuple[str, Any]:
    """Return the type that the option takes, in words, and a function that checks a value."""
    if option.is_flag:
        return "true or false", lambda value: isinstance(value, bool)
    if isinstance(option.type, click.types.FloatParamType):
        return "a number", lambda value: isinstance(value, (int, float)) and not isinstance(value, bool)
    if isinstance(option.type, click.types.IntParamType):
        return "a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)
    if isinstance(option.type, click.DateTime):
        return "a date", lambda value: isinstance(value, (str, date))
    return "a text", lambda value: isinstance(value, str)
