"""Compare names as people write them: decide whether two spellings may be one person.

The rule: in doubt it is the same person, for a second spelling must not let anybody adjudicate or accept
what they said themselves.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

UNSEEN = "Cf"  # signs without a shape, like a space of no width


def is_among(who: str, names: Iterable[str]) -> bool:
    """Return whether `who` is one of these, however the name is written; `ann` is taken for `ann@example.org`."""
    name = _plain(who)
    other_names = {_plain(other_name) for other_name in names} - {""}
    return (
        name in other_names | {other_name.partition("@")[0] for other_name in other_names}
        or name.partition("@")[0] in other_names
    )


def _plain(name: str) -> str:
    """Return a name without case, width, unseen signs and spaces around it."""
    visible = "".join(sign for sign in unicodedata.normalize("NFKC", name) if unicodedata.category(sign) != UNSEEN)
    return " ".join(visible.casefold().split())
