"""Say which judges labels or references taught: what taught a judge never scores it, and its scores predict nothing."""

from __future__ import annotations

from proxy.judges.llm.guidance import ALIGNED, is_aligned
from proxy.judges.trained.model import is_trained

# What stands in the signature of a mapped score, behind that of the score as it is.
MAPPED = f"{ALIGNED}map-"


def is_taught(signature: str) -> bool:
    """Return whether the judge of this signature was trained on references, or aligned with labels."""
    return is_trained(signature) or is_aligned(signature)


def is_mapped(signature: str) -> bool:
    """Return whether scores of this signature are those of another, mapped."""
    return MAPPED in signature


def unmapped(signature: str) -> str:
    """Return the signature of the scores that were mapped; of scores that were not, their own."""
    return signature.rpartition(MAPPED)[0] or signature
