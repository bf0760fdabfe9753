"""Name the stage that the wrong answers of each system come from, as far as labels show it: one record for all interfaces.

`build` reads the store for the whole diagnosis, `name_all` for the stages alone, as the report shows them, and `read_misses` for
the answers that the proxy wrongly passed. The test that names a stage is in `proxy.diagnosis`.
"""

from annotate.analysis.diagnosis.diagnose import Corner, Diagnoses, Diagnosis, Miss, StageFinding, build, read_misses
from annotate.analysis.diagnosis.inputs import Thresholds
from annotate.analysis.diagnosis.naming import Namings, SharedNaming, name_all

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
