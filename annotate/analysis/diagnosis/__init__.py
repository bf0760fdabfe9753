"""Name the stage that the wrong answers of each system come from, as far as labels show it: one record for all interfaces."""

from annotate.analysis.diagnosis.diagnose import Corner, Diagnoses, Diagnosis, Miss, StageFinding, build, read_misses
from annotate.analysis.diagnosis.inputs import Thresholds
from annotate.analysis.diagnosis.naming import Namings, SharedNaming
from annotate.analysis.diagnosis.naming import build as name_all

__all__ = [
    "Corner",
    "Diagnoses",
    "Diagnosis",
    "Miss",
    "Namings",
    "SharedNaming",
    "StageFinding",
    "Thresholds",
    "build",
    "name_all",
    "read_misses",
]
