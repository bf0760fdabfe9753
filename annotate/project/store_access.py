"""Open the store of a project for reading or writing."""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from proxy.text import times

if TYPE_CHECKING:
    from annotate.analysis.next_step.commands import Way
    from annotate.store import Store


def way_of(db: Path) -> Way:
    """Return the way that leads somewhere from this store: Label Studio where one is known, else files.

    Where its own Label Studio is stopped, tasks and labels may lie there: `assay up` sends and fetches.
    """
    from annotate.analysis.next_step.commands import FILES, LABEL_STUDIO, STOPPED
    from annotate.label_studio import address

    if address.is_known(db):
        return LABEL_STUDIO
    return STOPPED if address.data_folder(db).is_dir() else FILES


class StoreAccess:
    """Access to the store of a project, with the name and the time that changes are recorded under."""

    def __init__(self, path: str | Path, *, who: str | None = None) -> None:
        self.path = Path(path)
        self._who = who

    @property
    def who(self) -> str:
        """In whose name things are changed."""
        try:
            return self._who or os.environ.get("ASSAY_USER") or getpass.getuser()
        except (KeyError, OSError):
            return "unknown"

    @property
    def folder(self) -> Path:
        """The folder of the store."""
        return self.path.absolute().parent

    @property
    def now(self) -> str:
        """The time, ISO 8601 in UTC."""
        return times.now()

    @property
    def way(self) -> Way:
        """How draws come to annotators, and how their labels come back."""
        return way_of(self.path)

    @contextmanager
    def reading(self) -> Iterator[Store]:
        """Open the store for reading: whatever answers a question gets this one, which refuses to be written.

        Yields
        ------
        Store
            It is closed at the end.

        Raises
        ------
        StoreError
            Where there is no store, or it cannot be read.
        """
        from annotate.present.commands import for_store
        from annotate.store import Store
        from annotate.store.engine.database import readable_errors

        with for_store(self.path):
            store = Store(self.path, reads_only=True)
            try:
                with readable_errors(str(self.path)):
                    yield store
            finally:
                store.close()

    @contextmanager
    def writing(self, *, make: bool = False, sends: bool = False) -> Iterator[Store]:
        """Open the store to change it; only what brings data in makes a new one.

        With `make`, or with `sends` for what lets texts out, what the folder asks to have masked is recorded first.

        Parameters
        ----------
        make
            Make the store where there is none.
        sends
            Texts are going to leave this machine.

        Yields
        ------
        Store
            It is closed at the end.

        Raises
        ------
        StoreError
            Where there is no store (without `make`), or it cannot be written.
        UsageError
            Where assay.toml asks to mask less than the store does (with `make` or `sends`).
        """
        from annotate.present.commands import for_store
        from annotate.store import Store
        from annotate.store.engine.database import readable_errors
        from annotate.workflow import masking_policy
        from proxy.errors import StoreError

        with for_store(self.path):
            if not make and not self.path.exists():
                raise StoreError(f"there is no store at {self.path}: start with `assay ingest FILE`")
            store = Store(self.path)
            try:
                with readable_errors(str(self.path)):
                    if make or sends:
                        masking_policy.hold(store, now=self.now, sends=sends)
                    yield store
            finally:
                store.close()
