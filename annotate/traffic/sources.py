"""The programs that can be asked for traffic: those known here, and those of other packages by entry point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from annotate.plugins import SOURCES, source_from_entry_points
from annotate.traffic.langfuse_api import LangfuseApi
from annotate.traffic.traffic_source import TrafficSource
from proxy.errors import UsageError

KNOWN: Mapping[str, Callable[[], TrafficSource]] = {LangfuseApi.name: LangfuseApi}


def source_named(name: str) -> TrafficSource:
    """Return the source of this name; UsageError where there is none."""
    if name in KNOWN:
        return KNOWN[name]()
    source = source_from_entry_points(name)
    if source is None:
        raise UsageError(
            f"there is no source {name}: here are {', '.join(KNOWN)}; other packages bring one by an entry point in {SOURCES}"
        )
    return cast("TrafficSource", source)
