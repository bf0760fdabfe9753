"""Build the Starlette app that answers HTTP from outside: the given routes, and a health check.

Answers are a status without a body, and no request may send more than BODY_BYTES.
"""

from __future__ import annotations

from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

HEALTH = "/health"
BODY_BYTES = 1_000_000


def app_of(*routes: BaseRoute) -> Starlette:
    """Return the app with these routes beside the health check."""
    app = Starlette(
        routes=[Route(HEALTH, _healthy), *routes],
        exception_handlers={HTTPException: _status_alone, ClientDisconnect: _cut_short},
        max_body_size=BODY_BYTES,
    )
    app.router.redirect_slashes = False  # a wrong path is 404, never a hint at the right one
    return app


async def _healthy(request: Request) -> Response:
    return Response()


async def _status_alone(request: Request, error: Exception) -> Response:
    """Answer with the status; the standard handler adds a text."""
    if not isinstance(error, HTTPException):
        raise TypeError(type(error).__name__)
    return Response(status_code=error.status_code, headers=error.headers)


async def _cut_short(request: Request, error: Exception) -> Response:
    """End quietly: whoever asked is gone, and hears nothing of this."""
    return Response(status_code=HTTPStatus.BAD_REQUEST)
