"""Write commands as they must be typed for the store of the app."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from pathlib import Path

from annotate.present.commands import for_store
from annotate.settings import DEFAULT_STORE


def for_app() -> AbstractContextManager[None]:
    """Write commands for the store of the app, until the end; ASSAY_DB is ours here, so only the default store needs no --db."""
    return for_store(Path(os.environ.get("ASSAY_DB", DEFAULT_STORE)), Path(DEFAULT_STORE))
