"""Load judges that other packages install under the entry point group `assay.judges`.

Nothing is loaded that nobody asked for: another package that cannot be imported does no harm.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from importlib.metadata import EntryPoint, entry_points
from typing import NamedTuple

from proxy.errors import UsageError
from proxy.judges.base import Judge

GROUP = "assay.judges"
# Kinds of our own judges in the middle of a signature.
RESERVED = frozenset({"offline", "llm"})
_NAME = re.compile(r"[a-z][a-z0-9_]*")


class Plugins(NamedTuple):
    """Judges by name, and why others that were looked through cannot be loaded."""

    judges: dict[str, Judge]
    faults: tuple[str, ...] = ()


def is_installed(name: str) -> bool:
    """Whether a package offers an entry point of this name; nothing is loaded."""
    return name in entry_points(group=GROUP).names


def from_entry_points(names: Collection[str]) -> Plugins:
    """Load the judges of these names; each entry point names a class or function without arguments that makes one.

    An entry point of such a name must be a judge. The others are looked through only for a name that is not among those, since
    a judge is called by the name that it has itself; what cannot be loaded there is no error, but a fault to name.

    Raises
    ------
    UsageError
        For an entry point of one of these names that cannot be loaded, or is no judge.
    """
    points = entry_points(group=GROUP)
    asked = [_load(point) for point in points if point.name in names]
    judges = {judge.name: judge for judge in asked}
    if set(names) <= judges.keys():
        return Plugins(judges)
    faults = []
    for point in points:
        if point.name in names:
            continue
        try:
            judge = _load(point)
        except UsageError as error:
            faults.append(str(error))
        else:
            judges.setdefault(judge.name, judge)
    return Plugins(judges, tuple(faults))


def _load(point: EntryPoint) -> Judge:
    """Load a judge; UsageError, which names its package, where there is none."""
    package = point.dist.name if point.dist else point.value
    try:
        judge = point.load()()
    except Exception as error:
        raise UsageError(f"the judge {point.name} of {package} cannot be loaded: {error!r}") from error
    name, signature = getattr(judge, "name", None), getattr(judge, "signature", None)
    if not callable(getattr(judge, "judge", None)) or not isinstance(name, str) or not _NAME.fullmatch(name):
        raise UsageError(f"{point.name} of {package} is no judge: it needs name, signature and judge(item)")
    parts = signature.split("|") if isinstance(signature, str) else []
    if len(parts) < 3 or parts[0] != name or parts[1] in {"", *RESERVED}:
        raise UsageError(f"{point.name} of {package}: a signature looks like '{name}|{package}|v1', not {signature!r}")
    return judge  # type: ignore[no-any-return]
