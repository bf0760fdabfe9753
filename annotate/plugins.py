"""Judges of other packages: what is installed under the entry point group `assay.judges`.

In comes what the environment holds, out come judges by name. The rule: a package that cannot be loaded, or whose object is no
judge, is an error that names it, and only where its judge is asked for or listed.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from importlib.metadata import entry_points

from proxy.errors import UsageError
from proxy.judges.base import Judge

GROUP = "assay.judges"
_NAME = re.compile(r"[a-z][a-z0-9_]*")


def from_entry_points(names: Collection[str] = ()) -> dict[str, Judge]:
    """The judges by name; each entry point names a class or function without arguments that makes one.

    Where all of `names` are entry points, nothing else is loaded: another package that is broken does them no harm.
    """
    found: dict[str, Judge] = {}
    points = entry_points(group=GROUP)
    is_enough = bool(names) and set(names) <= points.names
    for point in points:
        if is_enough and point.name not in names:
            continue
        package = point.dist.name if point.dist else point.value
        try:
            judge = point.load()()
        except Exception as error:
            raise UsageError(f"the judge {point.name} of {package} cannot be loaded: {error!r}") from error
        name, signature = getattr(judge, "name", None), getattr(judge, "signature", None)
        if not callable(getattr(judge, "judge", None)) or not isinstance(name, str) or not _NAME.fullmatch(name):
            raise UsageError(f"{point.name} of {package} is no judge: it needs name, signature and judge(item)")
        if not isinstance(signature, str) or not signature.startswith(f"{name}|"):
            raise UsageError(
                f"{point.name} of {package}: a signature looks like '{name}|{package}|v1', not {signature!r}"
            )
        found[name] = judge
    return found
