"""Say which judges labels or references taught: what taught a judge never scores it, and its scores predict nothing."""

from __future__ import annotations

from proxy.judges.llm.guidance import is_aligned
from proxy.judges.trained.model import is_trained


def is_taught(signature: str) -> bool:
    """Return whether the judge of this signature was trained on references, or aligned with labels."""
    return is_trained(signature) or is_aligned(signature)
