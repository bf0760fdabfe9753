"""Spans as tracers write them."""

from __future__ import annotations


def span(trace: str, name: str, parent: str | None, second: int, **attributes: object) -> dict[str, object]:
    """A span as Phoenix' API writes it."""
    return {
        "context": {"trace_id": trace, "span_id": name},
        "parent_id": parent,
        "name": name,
        "start_time": f"2026-11-20T08:00:{second:02}+00:00",
        "end_time": f"2026-11-20T08:00:{second + 1:02}+00:00",
        "attributes": {key.replace("_", "."): value for key, value in attributes.items()},
    }
