"""Load what other packages install as entry points: judges, sources of traffic, embedding functions.

Nothing is loaded that nobody asked for: another package that cannot be imported does no harm.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from importlib.metadata import EntryPoint, entry_points
from typing import NamedTuple

from proxy.errors import AssayError, UsageError
from proxy.judges.base import Judge

GROUP, SOURCES, EMBEDDINGS = "assay.judges", "assay.traffic_sources", "assay.embeddings"
# Kinds of our own judges in the middle of a signature.
RESERVED = frozenset({"offline", "llm", "trained"})
SIGNATURE_PARTS = 3
_NAME = re.compile(r"[a-z][a-z0-9_]*")


class Plugins(NamedTuple):
    """Judges by name, and why others that were looked through cannot be loaded."""

    judges: dict[str, Judge]
    faults: tuple[str, ...] = ()


class PluginEmbeddings(NamedTuple):
    """A function of another package that gives texts their vectors; `origin` names the package and its version."""

    function: Callable[[list[str]], object]
    origin: str


def is_installed(name: str) -> bool:
    """Whether a package offers an entry point of this name; nothing is loaded."""
    return name in entry_points(group=GROUP).names


def is_of_package(signature: str) -> bool:
    """Whether a judge of another package may have given the scores of this signature, which then is NAME|PACKAGE|VERSION."""
    parts = signature.split("|")
    return len(parts) >= SIGNATURE_PARTS and parts[1] not in {"", *RESERVED}


def offered() -> str:
    """Say which judges the installed packages offer, for messages; nothing is loaded."""
    points = [f"{point.name} of {_package(point)}" for point in entry_points(group=GROUP)]
    return f"other packages bring judges as entry points {GROUP}: {', '.join(points) or 'none is installed here'}"


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


def source_from_entry_points(name: str) -> object | None:
    """Load the source of traffic of this name; None where no package offers one.

    Raises
    ------
    UsageError
        Where it cannot be loaded, or is no source.
    """
    point = next(iter(entry_points(group=SOURCES, name=name)), None)
    if point is None:
        return None
    package = _package(point)
    try:
        source: object = point.load()()
    except AssayError:
        raise
    except Exception as error:
        raise UsageError(f"the source {name} of {package} cannot be loaded: {error!r}") from error
    if not callable(getattr(source, "pages", None)) or not isinstance(getattr(source, "row_format", None), str):
        raise UsageError(f"{name} of {package} is no source: it needs name, row_format and pages(since, until, cursor)")
    return source


def embeddings_from_entry_points(name: str) -> PluginEmbeddings | None:
    """Load the embedding function of this name; None where no package offers one.

    The entry point names a class or function without arguments that makes it, which may load a model.

    Raises
    ------
    UsageError
        Where it cannot be loaded, or is no function.
    """
    point = next(iter(entry_points(group=EMBEDDINGS, name=name)), None)
    if point is None:
        return None
    package = _package(point)
    try:
        function: object = point.load()()
    except AssayError:
        raise
    except Exception as error:
        raise UsageError(f"the embedding function {name} of {package} cannot be loaded: {error!r}") from error
    if not callable(function):
        raise UsageError(
            f"{name} of {package} makes no function: it gets a list of texts and returns a row of numbers for each"
        )
    return PluginEmbeddings(function, f"function:{package} {point.dist.version if point.dist else ''}".strip())


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.value


def _load(point: EntryPoint) -> Judge:
    """Load a judge; UsageError, which names its package, where there is none."""
    package = _package(point)
    try:
        judge = point.load()()
    except Exception as error:
        raise UsageError(f"the judge {point.name} of {package} cannot be loaded: {error!r}") from error
    name, signature = getattr(judge, "name", None), getattr(judge, "signature", None)
    if not callable(getattr(judge, "judge", None)) or not isinstance(name, str) or not _NAME.fullmatch(name):
        raise UsageError(f"{point.name} of {package} is no judge: it needs name, signature and judge(item)")
    if not isinstance(signature, str) or not signature.startswith(f"{name}|") or not is_of_package(signature):
        raise UsageError(f"{point.name} of {package}: a signature looks like '{name}|{package}|v1', not {signature!r}")
    return judge  # type: ignore[no-any-return]
