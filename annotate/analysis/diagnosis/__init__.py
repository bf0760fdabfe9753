"""Name the stage that the wrong answers of each system come from, as far as labels show it: one record for all interfaces."""

from annotate.analysis.diagnosis.diagnose import Corner, Diagnoses, Diagnosis, Finding, Miss, build
from annotate.analysis.diagnosis.inputs import Cuts
from annotate.analysis.diagnosis.naming import Namings
from annotate.analysis.diagnosis.naming import build as name_all

__all__ = ["Corner", "Cuts", "Diagnoses", "Diagnosis", "Finding", "Miss", "Namings", "build", "name_all"]
