"""A diagnosis in words: the stage that is named or why none is, the proxy's own misses, then every part with its counts."""

from annotate.present.diagnosis.page import commands, page

__all__ = ["commands", "page"]
