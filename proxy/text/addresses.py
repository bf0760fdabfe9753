"""Addresses of the web as they may be kept and shown."""

from __future__ import annotations

import re

_AFTER_SCHEME = re.compile(
    r"(?:[^/?#]*@)?(?P<host>(?:\[[^\]]*\]|[^/?#@:\[]*)(?::\d*)?)(?P<path>(?:/[^?#]*)?)(?:[?#].*)?$", re.DOTALL
)


def without_secrets(url: str) -> str:
    """Return an address without what may be a key or a password: user and password, query, fragment."""
    scheme, separator, rest = url.partition("://") if "://" in url else ("", "", url)
    match = _AFTER_SCHEME.match(rest)
    # What is no address may have a password with / or ? in it.
    shown = match["host"] + match["path"] if match else rest.rpartition("@")[2].partition("?")[0]
    return scheme + separator + shown
