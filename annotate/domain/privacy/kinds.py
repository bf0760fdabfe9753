"""The kinds of what is masked, and the plain stand-in of each. The patterns themselves take long to load: see `patterns.py`."""

from __future__ import annotations

import re
from collections.abc import Callable

# The last is that of a team's own pattern without a named group.
E_MAIL, PHONE, NUMBER, ADDRESS, PASSWORD, HIDDEN = "EMAIL", "PHONE", "NUMBER", "ADDRESS", "PASSWORD", "HIDDEN"
BIRTH = "BIRTHDATE"
KINDS = (E_MAIL, PHONE, NUMBER, BIRTH, ADDRESS, PASSWORD, HIDDEN)
KIND = re.compile(r"[A-Z][A-Z_]{1,30}")
StandIn = Callable[[str, str], str]  # of a kind and the value that it stands for


def plain(kind: str, value: str = "") -> str:
    """Return the stand-in that tells the kind alone."""
    return "[e-mail]" if kind == E_MAIL else f"[{kind.lower()}]"
