"""Diagnoses in, lines for people out: the stage to mend first, the proxy's own misses, then every stage with what to do."""

from annotate.diagnosis_text.page import commands, comparison, page

__all__ = ["commands", "comparison", "page"]
