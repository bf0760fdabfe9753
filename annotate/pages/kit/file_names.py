"""Name files after what they hold."""

from __future__ import annotations

import re

from annotate.pages.kit import privacy

LONGEST_NAME = 60
_CLAUSES = re.compile(r"[.:;?!](?:\s|$)|[。：；？！]")


def file_name(words: str) -> str:
    """Return the first clause of these words as the name of a file, without its ending."""
    clause, *_ = _CLAUSES.split(privacy.shown(words), maxsplit=1)
    return re.sub(r"[^\w.]+", "-", clause)[:LONGEST_NAME].strip("-.").lower() or "assay"
