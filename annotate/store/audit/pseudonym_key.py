"""Keep the secret of a store's pseudonyms beside the store, never in it: whoever has pseudonyms and a copy cannot guess values.

The variable `ASSAY_PSEUDONYM_KEY` comes before the file `STORE.key`, whose mode is 0600. A store in memory has one of its own.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from annotate.domain.privacy.pseudonyms import LEAST_SECRET
from proxy.errors import StoreError, UsageError

VARIABLE = "ASSAY_PSEUDONYM_KEY"
ENDING = ".key"


class PseudonymKey:
    """The secret of one store."""

    def __init__(self, store: Path | None) -> None:
        self.path = None if store is None else Path(f"{store.absolute()}{ENDING}")
        self._stamp: tuple[int, int, int] | None = None
        self._secret: bytes | None = None
        self._in_memory = secrets.token_bytes(LEAST_SECRET) if store is None else None

    def read(self) -> bytes | None:
        """Return the secret; None where there is none.

        Raises
        ------
        UsageError
            Where the variable holds less than 32 characters, which could be guessed.
        """
        if given := os.environ.get(VARIABLE):
            if len(given) < LEAST_SECRET:
                raise UsageError(
                    f"{VARIABLE} needs at least {LEAST_SECRET} characters: `openssl rand -hex 32` makes a key"
                )
            return given.encode()
        if self.path is None:
            return self._in_memory
        try:
            status = os.stat(self.path)  # noqa: PTH116 (asked for every text that is shown)
            stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
            if stamp != self._stamp:
                self._secret, self._stamp = self.path.read_bytes().strip() or None, stamp
        except OSError:
            return None
        return self._secret

    def make(self) -> bytes:
        """Return the secret, made at random where there is none.

        Raises
        ------
        StoreError
            Where the file cannot be written.
        """
        if (known := self.read()) is not None or self.path is None:
            return known or b""
        made = secrets.token_hex(LEAST_SECRET).encode()
        try:
            handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise StoreError(
                f"the key of the pseudonyms cannot be written to {self.path} ({error.strerror})"
            ) from error
        with os.fdopen(handle, "wb") as file:
            file.write(made + b"\n")
            file.flush()
            os.fsync(file.fileno())
        return made
