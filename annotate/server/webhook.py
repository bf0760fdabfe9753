"""The route that Label Studio's webhook calls, which may only wake the next pull.

A request says no more than "look now": its body is read to its end and thrown away, so what is forged, repeated, lost or out of
order changes nothing that a pull would not find anyway.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Callable
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from proxy.errors import UsageError

SECRET_VARIABLE = "ASSAY_WEBHOOK_SECRET"  # noqa: S105 (the name, not a secret)
SECRET_HEADER = b"x-assay-secret"
SECRET_LEAST = 16
PATH = "/label-studio"


def secret_from_environment() -> bytes | None:
    """Return the shared secret; None where there is none, UsageError where it cannot be one."""
    text = os.environ.get(SECRET_VARIABLE)
    if not text:
        return None
    if len(text) < SECRET_LEAST or not (text.isascii() and text.isprintable()) or " " in text:
        raise UsageError(
            f"{SECRET_VARIABLE} wants {SECRET_LEAST} or more letters, digits and signs without spaces: `openssl rand -hex 32`"
        )
    return text.encode("ascii")


def webhook(secret: bytes, nudge: Callable[[], None]) -> Route:
    """Return the route; `nudge` is called for each request that has the secret, in the thread of the server."""

    async def wake(request: Request) -> Response:
        if not _is_authentic(request, secret):
            raise HTTPException(HTTPStatus.UNAUTHORIZED)
        async for _ in request.stream():
            pass
        nudge()
        return Response(status_code=HTTPStatus.NO_CONTENT)

    return Route(PATH, wake, methods=["POST"])


def _is_authentic(request: Request, secret: bytes) -> bool:
    """Return whether the request has the secret, once; missing and wrong take the same time."""
    values = [value for name, value in request.headers.raw if name == SECRET_HEADER]
    return hmac.compare_digest(values[0] if len(values) == 1 else b"", secret)
