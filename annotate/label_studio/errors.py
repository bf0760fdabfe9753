"""Turn Label Studio's refusals, by address and HTTP status, into one-line errors that say what to do.

The rule: a line is made of the address and our own words alone; what the server answered is never repeated, since it
holds tasks' texts and tokens.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from proxy.errors import LabelStudioError

# These statuses, or a broken connection, leave open whether the server did the work.
_UNKNOWN_STATUSES = frozenset({408, 409, 425, 429})


class OutcomeUnknown(LabelStudioError):
    """The request was sent, and whether it was carried out is not known."""


class TooSlow(OutcomeUnknown):
    """The server did not answer in time, and may still be at work."""


class TooLarge(LabelStudioError):
    """The request was refused for its size, and nothing of it was carried out."""


class Refused(LabelStudioError):
    """The server does not let this account in, or has nothing there; nothing was carried out."""


class NotOnServer(Refused):
    """The server has nothing there."""


def host_of(url: str) -> str | None:
    """Return the host of a web address, or None where it is no such address."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return None
    return parts.hostname if parts.scheme in ("http", "https") else None


def refusal(url: str, what: str, project: int | None, status: int, *, legacy_is_off: bool = False) -> LabelStudioError:
    """Return the error for an answer other than success, by its status."""
    if legacy_is_off:
        return Refused(
            f"Label Studio at {url} takes no legacy tokens, they are switched off ({status}): use a personal access "
            "token from Account & Settings"
        )
    if status in (401, 403):
        return Refused(
            f"Label Studio at {url} refused the token ({status}): copy it anew from Account & Settings, and see that "
            "this kind of token is switched on for the organisation"
        )
    if status == 404 and project is not None:
        return NotOnServer(
            f"Project {project} is not at {url}: name another, or make one with `assay push --new-project`"
        )
    if status == 413:
        return TooLarge(f"Label Studio at {url} finds one task too large (413): raise the server's request limit")
    if status >= 500 or status in _UNKNOWN_STATUSES:
        return OutcomeUnknown(f"Label Studio at {url} failed to {what} ({status}): see its log, then try again")
    if 300 <= status < 400:
        return LabelStudioError(f"{url} sends on to another address ({status}): use that one, perhaps with https")
    if status == 404 or status < 300:
        return NotOnServer(f"What answers at {url} is no Label Studio that Assay can read: check the URL")
    return LabelStudioError(
        f"Label Studio at {url} refused to {what} ({status}): see its log; perhaps its form differs"
    )
