"""Which stage the wrong answers of each system point to, from the store: counts of labels, and weighted to all traffic."""

from annotate.diagnosing.diagnoses import Corner, Diagnoses, Diagnosis, Finding, Miss, build
from annotate.diagnosing.reading import Cuts

__all__ = ["Corner", "Cuts", "Diagnoses", "Diagnosis", "Finding", "Miss", "build"]
