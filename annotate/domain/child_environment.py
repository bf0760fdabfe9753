"""Variables that a process we start gets: those that it needs, by name, and never all of ours, which hold keys of other doors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

# Of the machine and its user; nothing in them opens a door.
MACHINE = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR")
# What an interpreter needs to find its libraries and the same packages again.
PYTHON = (
    "LD_LIBRARY_PATH",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONPATH",
    "PYTHONPYCACHEPREFIX",
    "PYTHONUTF8",
    "VIRTUAL_ENV",
)
# How to get out, and whom to trust there: a proxy's address may hold its password, which is for every process that goes out.
NETWORK = (
    *(name for lower in ("http_proxy", "https_proxy", "all_proxy", "no_proxy") for name in (lower, lower.upper())),
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
)


def kept(environment: Mapping[str, str], names: Iterable[str], prefixes: tuple[str, ...] = ()) -> dict[str, str]:
    """Return the variables of these names, and those that begin with one of the prefixes."""
    wanted = set(names)
    return {name: value for name, value in environment.items() if name in wanted or name.startswith(prefixes)}
