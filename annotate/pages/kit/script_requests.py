"""What Streamlit knows of the run of a script, and the requests for another one that wait meanwhile.

Streamlit has no public way to let a callback end before it answers the next click: it breaks the callback off at its next use of
`st`. This file reaches for `get_script_run_ctx` and, on its context, for `fragment_ids_this_run`, `is_history_navigation` and
`script_requests`, of which it covers the method `on_scriptrunner_yield`. If an upgrade of Streamlit breaks
tests/pages/test_script_requests.py, this is the file to mend.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from streamlit.runtime.scriptrunner import get_script_run_ctx

LOOKS_FOR_REQUESTS = "on_scriptrunner_yield"


@contextmanager
def unanswered() -> Iterator[bool]:
    """Let requests for another run wait while the context lasts; it is False within another such context."""
    context = get_script_run_ctx(suppress_warning=True)
    requests = vars(context.script_requests) if context and context.script_requests else {}
    if LOOKS_FOR_REQUESTS in requests:
        yield False
        return
    requests[LOOKS_FOR_REQUESTS] = lambda: None
    try:
        yield True
    finally:
        del requests[LOOKS_FOR_REQUESTS]


def is_of_fragment() -> bool:
    """Return whether this run is of a fragment alone, or of no page at all."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is None or bool(context.fragment_ids_this_run)


def is_going_back() -> bool:
    """Return whether this run was asked for by going back or forward in the browser."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and context.is_history_navigation
