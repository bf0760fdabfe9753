"""What a text with pseudonyms says when only their kinds are looked at."""

from __future__ import annotations

from annotate.domain.privacy.kinds import plain
from annotate.domain.privacy.pseudonyms import PSEUDONYM


def by_kind(text: str) -> str:
    """Return the text with a plain stand-in in the place of each pseudonym."""
    return PSEUDONYM.sub(lambda match: plain(match[0][1:].rpartition("-")[0]), text)
