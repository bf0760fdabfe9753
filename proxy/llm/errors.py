"""Interpret an endpoint's error for a run: whose fault it is, and how long to wait. Pure: it reads statuses and bodies.

The rule: 401, 402, 403, 404 and an empty quota stop the run; what may pass is asked again; all else is the item's.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from proxy.llm.attempt import Blame, Fault

STOPS = {
    401: "the key was not accepted: check OPENAI_API_KEY",
    402: "the account has no credit left",
    403: "this key may not use the model",
    404: "there is no such model or address: check the model's name and the address (it usually ends in /v1)",
}
AGAIN = {408, 409, 425, 429}
PUSHBACK = {429, 503, 529}
_NO_QUOTA = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")
_FILTERED = ("content_filter", "content_policy_violation")
_LONGEST = 300


def fault_of_status(status: int, body: object, text: str, headers: Mapping[str, str]) -> Fault:
    """Build the fault behind an error status."""
    error = body.get("error") if isinstance(body, Mapping) else None
    code, parameter, message = _parts(error)
    words = " ".join((message or text).split())[:_LONGEST]
    reason = f"the endpoint answered {status}: {words}" if words else f"the endpoint answered {status}"
    if status in STOPS or code in _NO_QUOTA:
        advice = STOPS.get(status, "the quota is used up")
        return Fault(blame=Blame.RUN, reason=f"{reason} ({advice})")
    if code in _FILTERED:
        return Fault(blame=Blame.REFUSED, reason=reason)
    if status in AGAIN or status >= 500:
        is_pushback = status in PUSHBACK
        # Named, because some servers answer 500 to a parameter that they do not know.
        return Fault(blame=Blame.ENDPOINT, reason=reason, wait=asked_wait(headers), is_pushback=is_pushback)
    return Fault(blame=Blame.ITEM, reason=reason, parameter=parameter)


def fault_of_error(error: object) -> Fault:
    """Build the fault behind an error object that came with status 200."""
    code, _, message = _parts(error)
    words = " ".join((message or str(error)).split())[:_LONGEST]
    status = int(code) if code and code.isascii() and code.isdecimal() and len(code) < 9 else 0
    if status in STOPS or code in _NO_QUOTA:
        return Fault(blame=Blame.RUN, reason=f"the endpoint answered: {words} ({STOPS.get(status, 'no quota')})")
    if code in _FILTERED:
        return Fault(blame=Blame.REFUSED, reason=f"the endpoint answered: {words}")
    return Fault(blame=Blame.ENDPOINT, reason=f"the endpoint answered: {words}", is_pushback=status in PUSHBACK)


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Read the seconds to wait from retry-after-ms or Retry-After (seconds or a date); None where neither says so."""
    exact = _seconds(headers.get("retry-after-ms", ""))
    if exact is not None:
        return exact / 1_000
    value = headers.get("retry-after", "")
    seconds = _seconds(value)
    return _until(value) if seconds is None else seconds


def _seconds(value: str) -> float | None:
    """Parse a number of seconds that can be waited for."""
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _until(value: str) -> float | None:
    """Compute the seconds until an HTTP date."""
    try:
        when = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    when = when.replace(tzinfo=UTC) if when.tzinfo is None else when
    return max(0.0, (when - datetime.now(UTC)).total_seconds())


def _parts(error: object) -> tuple[str | None, str | None, str]:
    """Read (code or type, parameter, message) from an error object."""
    if not isinstance(error, Mapping):
        return None, None, error if isinstance(error, str) else ""
    code = error.get("code") or error.get("type")
    parameter, message = error.get("param"), error.get("message")
    return (
        None if code is None else str(code),
        parameter if isinstance(parameter, str) else None,
        message if isinstance(message, str) else "",
    )
