"""Import sqlite-utils without pandas, which it would load for a type of column that it is never given.

That saves every command 0.4 s and 70 MB. Code that wants pandas imports it as ever.
"""

from __future__ import annotations

import sys

_had_pandas = "pandas" in sys.modules
if not _had_pandas:
    sys.modules["pandas"] = None  # type: ignore[assignment] # an import of it fails, for which sqlite-utils is prepared
try:
    from sqlite_utils import Database
    from sqlite_utils.migrations import Migrations
finally:
    if not _had_pandas:
        del sys.modules["pandas"]

__all__ = ["Database", "Migrations"]
