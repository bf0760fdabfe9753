"""Follow what a store asks to be masked while a command runs: what it prints is masked in every folder, and its errors too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from proxy.errors import AssayError


class _Follower:
    """What stands for the command among the open stores."""


@contextmanager
def followed(db: Path) -> Iterator[None]:
    """Mask what is printed, until the end, as the store in this file asks for, whether it is open or not.

    Yields
    ------
    None
        An error that comes through has its message masked.
    """
    from annotate.domain.privacy import redaction
    from annotate.domain.privacy.recognisers import NoRecogniser
    from annotate.store.audit.masking_record import MaskingRecord
    from annotate.store.audit.pseudonym_key import PseudonymKey

    follower = _Follower()
    redaction.follow(follower, MaskingRecord(db), PseudonymKey(db).read)
    try:
        yield
    except NoRecogniser:
        raise
    except AssayError as error:
        error.args = tuple(_masked(part) for part in error.args)
        raise
    finally:
        redaction.leave(follower)


def _masked(part: object) -> object:
    from annotate.domain.privacy.redaction import for_page

    try:
        return for_page(part) if isinstance(part, str) else part
    except AssayError:  # the store cannot be read: that is what the error says
        return part
