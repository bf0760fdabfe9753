"""Serve the route that Label Studio's webhook calls: an authentic request triggers the next pull.

The body is read and discarded. So forged, repeated, lost or reordered requests change nothing: the pull reads the annotations
from Label Studio itself.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from annotate.server import signature
from annotate.server.callers import admit, secret_in

SECRET_VARIABLE = "ASSAY_WEBHOOK_SECRET"  # noqa: S105 (the name, not a secret)
SECRET_HEADER = b"x-assay-secret"
PATH = "/label-studio"


def secret_from_environment() -> bytes | None:
    """Return the shared secret from the environment; None where it is not set, UsageError where it is too short or not ASCII."""
    return secret_in(SECRET_VARIABLE)


def webhook(secret: bytes, on_request: Callable[[], None]) -> Route:
    """Return the route; `on_request` is called for each request with the secret, in the thread of the server."""

    async def handle(request: Request) -> Response:
        if signature.is_signed(request):
            is_authentic = await signature.is_authentic(request, secret)
        else:
            is_authentic = _has_secret(request, secret)
        if not is_authentic:
            raise HTTPException(HTTPStatus.UNAUTHORIZED)
        admit(request)
        async for _ in request.stream():
            pass
        on_request()
        return Response(status_code=HTTPStatus.NO_CONTENT)

    return Route(PATH, handle, methods=["POST"])


def _has_secret(request: Request, secret: bytes) -> bool:
    """Check that the request has exactly one secret header, with the right value, in constant time."""
    values = [value for name, value in request.headers.raw if name == SECRET_HEADER]
    return hmac.compare_digest(values[0] if len(values) == 1 else b"", secret)
