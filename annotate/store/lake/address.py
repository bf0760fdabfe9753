"""Read the address of a lake, and keep its credentials out of whatever is shown.

An address is a folder of this machine, or a URL. Of a URL only the host, the path and settings known to be harmless are
shown: a user, a password, and any other setting may be a key.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from proxy.errors import UsageError

HIDDEN = "…"
# Settings of pyarrow's file systems that are no secret.
HARMLESS = frozenset(
    {
        "allow_bucket_creation",
        "allow_bucket_deletion",
        "check_directory_existence_before_creation",
        "enable_tls",
        "endpoint_override",
        "region",
        "scheme",
    }
)
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)
_SCHEME_ALONE = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(/?[^/].*)?", re.DOTALL)
_AUTHORITY = re.compile(r"(?:[^@:]*(?::[^@:]*)?@)?[\w.~%-]*(?::\d+)?", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class LakeAddress:
    """Where a lake lies: what to open, and what may be shown of it."""

    location: str = field(repr=False)
    shown: str
    secrets: tuple[str, ...] = field(default=(), repr=False)
    is_url: bool = False

    def without_secrets(self, message: str) -> str:
        """Return a message of another program without the credentials of this address."""
        for secret in self.secrets:
            message = message.replace(secret, HIDDEN)
        return message


def read_address(address: str) -> LakeAddress:
    """Read the address of a lake.

    Parameters
    ----------
    address : str
        A folder, or a URL such as `s3://bucket/prefix?region=eu-west-1`.

    Raises
    ------
    UsageError
        Where the address cannot be read. The message has no part of it that could be a key.
    """
    if not address.strip() or "\0" in address:
        raise UsageError("the address of a lake is a folder or a URL such as s3://bucket/prefix: this one is empty")
    url = _URL.fullmatch(address)
    if url:
        return _read_url(address, scheme=url[1].lower())
    if "://" in address or _SCHEME_ALONE.fullmatch(address):
        raise UsageError(
            "the address of a lake is a folder or a URL such as s3://bucket/prefix: "
            "write a folder with a colon in its name as ./name"
        )
    return LakeAddress(location=address, shown=address)


def _read_url(address: str, scheme: str) -> LakeAddress:
    try:
        parts = urlsplit(address)
        settings = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError:
        raise UsageError(_unreadable(scheme)) from None
    # A key with a sign that has to be encoded shifts what follows it: nothing of such an address is safe to show.
    if "@" in parts.path + parts.query + parts.fragment or not _AUTHORITY.fullmatch(parts.netloc):
        raise UsageError(_unreadable(scheme))
    user, _, place = parts.netloc.rpartition("@")
    query = "&".join(_shown_setting(name, value) for name, value in settings)
    shown = f"{scheme}://{place}{parts.path}" + (f"?{query}" if query else "")
    secrets = _secrets(user, parts.query, parts.fragment)
    return LakeAddress(location=address, shown=shown, secrets=secrets, is_url=True)


def _unreadable(scheme: str) -> str:
    return (
        f"the address {scheme}://{HIDDEN} cannot be read: write signs such as / + ? # @ within a key in percent-encoding, "
        "or leave the keys to the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY)"
    )


def _shown_setting(name: str, value: str) -> str:
    if name not in HARMLESS:
        return HIDDEN
    return f"{name}={quote(value.rpartition('@')[2], safe=':/.')}"


def _secrets(user: str, query: str, fragment: str) -> tuple[str, ...]:
    """Return what may be a key, as it was written and decoded, the longest first."""
    written = [fragment, user, *user.split(":", 1)]
    for setting in query.split("&"):
        name, _, value = setting.partition("=")
        if name in HARMLESS:
            place_user = unquote(value).rpartition("@")[0]
            written += [value.rpartition("%40")[0], place_user, *place_user.split(":", 1)]
        else:
            written += [value, setting]
            written += [] if value.strip("=") else [name]  # a key alone, perhaps with its padding
    forms = {form for text in written for form in (text, unquote(text))}
    # Encoding once more gives the form of those that were written decoded.
    forms |= {quote(text, safe="") for text in forms}
    return tuple(sorted(forms - {""}, key=lambda text: (-len(text), text)))
