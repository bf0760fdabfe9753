"""A diagnosis in words: the stage that is named or why none is, the proxy's own misses, then every part with its counts."""

from annotate.diagnosis_text.page import commands, page

__all__ = ["commands", "page"]
