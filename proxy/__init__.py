"""What the machine says of an answer and how far to trust it: pure, usable without a database. `judge_one` judges one answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from proxy.reflection import Reflector, judge_one

__all__ = ["Reflector", "judge_one"]


def __getattr__(name: str) -> object:
    """Loaded on use: whoever imports a part of this package does not want all of it."""
    if name in __all__:
        from proxy import reflection

        return getattr(reflection, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
