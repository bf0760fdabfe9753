"""Say why something is unknown, in English, and keep what the sentence was made of for other languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self, TypeAlias

Part: TypeAlias = "str | int | None"


class Reason(str):
    """A sentence without a full stop.

    Attributes
    ----------
    template : str
        The sentence with the names of its values in braces.
    values : Mapping
        The values by name: counts, words of others, or further reasons.
    """

    __slots__ = ("template", "values")
    template: str
    values: Mapping[str, Part]

    def __new__(cls, template: str, /, **values: Part) -> Self:
        """Fill the template; counts get their commas."""
        shown = {name: f"{value:,}" if isinstance(value, int) else value for name, value in values.items()}
        reason = super().__new__(cls, template.format(**shown))
        reason.template = template
        reason.values = values
        return reason


def joined(reasons: Sequence[Reason]) -> Reason:
    """Join one or more reasons by commas."""
    first, *others = reasons
    return Reason("{first}, {second}", first=first, second=joined(others)) if others else first
