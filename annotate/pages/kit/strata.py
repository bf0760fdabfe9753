"""Say a stratum in the reader's language."""

from __future__ import annotations

from annotate.pages.kit.messages import told
from annotate.present.waves import stratum


def stratum_words(name: str) -> str:
    """What its items are sampled as."""
    return told(stratum(name))
