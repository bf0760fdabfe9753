"""Which stage the wrong answers of each system come from, as far as labels show it: one record for every door."""

from annotate.diagnosing.diagnoses import Corner, Diagnoses, Diagnosis, Finding, Miss, build
from annotate.diagnosing.naming import Namings
from annotate.diagnosing.naming import build as name_all
from annotate.diagnosing.reading import Cuts

__all__ = ["Corner", "Cuts", "Diagnoses", "Diagnosis", "Finding", "Miss", "Namings", "build", "name_all"]
