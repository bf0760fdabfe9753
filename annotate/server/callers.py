"""Who may hand data in, and how much of it: a token in the header, so many at once, a bound on the body and within gzip."""

from __future__ import annotations

import hmac
import os
import zlib
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from annotate.server import signature
from proxy.errors import UsageError

TOKEN_VARIABLE = "ASSAY_INTAKE_TOKEN"  # noqa: S105 (the name, not a secret)
SECRET_LEAST = 16
SENT_BYTES = 16_000_000
UNPACKED_BYTES = 64_000_000
# Of those who have shown a secret; beyond it they are asked to come back.
ADMITTED = 64
RETRY = {"Retry-After": "1"}
_PLACES, _IS_ADMITTED = "assay.places", "assay.is_admitted"


def token_from_environment() -> bytes | None:
    """Return the token that callers have to send; None where it is not set, UsageError where it is too short or not ASCII."""
    return secret_in(TOKEN_VARIABLE)


def secret_in(variable: str) -> bytes | None:
    """Return the secret that a variable of the environment holds."""
    text = os.environ.get(variable)
    if not text:
        return None
    if len(text) < SECRET_LEAST or not (text.isascii() and text.isprintable()) or " " in text:
        raise UsageError(
            f"{variable} needs at least {SECRET_LEAST} letters, digits and signs without spaces: `openssl rand -hex 32`"
        )
    return text.encode("ascii")


async def check_caller(request: Request, token: bytes) -> None:
    """Raise 401 without `Authorization: Bearer TOKEN` or a signature with it, sent once; missing and wrong take the same time."""
    if signature.is_signed(request):
        if not await signature.is_authentic(request, token):
            raise HTTPException(HTTPStatus.UNAUTHORIZED)
        admit(request)
        return
    values = [value for name, value in request.headers.raw if name == b"authorization"]
    scheme, _, sent = (values[0] if len(values) == 1 else b"").partition(b" ")
    if not hmac.compare_digest(sent.strip(), token) or scheme.lower() != b"bearer":
        raise HTTPException(HTTPStatus.UNAUTHORIZED, headers={"WWW-Authenticate": "Bearer"})
    admit(request)


class Places:
    """Places of one server for callers who have shown a secret."""

    def __init__(self) -> None:
        self._taken = 0

    @contextmanager
    def of(self, scope: MutableMapping[str, Any]) -> Iterator[None]:
        """Let a request take a place by `admit`, and free it in the end."""
        scope[_PLACES] = self
        try:
            yield
        finally:
            self._taken -= is_admitted(scope)

    def take(self) -> bool:
        """Take a place; return whether there was one."""
        is_free = self._taken < ADMITTED
        self._taken += is_free
        return is_free


def admit(request: Request) -> None:
    """Give a caller who has shown the secret of the route a place; HTTPException 503 where all are taken."""
    if not request.scope[_PLACES].take():
        raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE, headers=RETRY)
    request.scope[_IS_ADMITTED] = True


def is_admitted(scope: Mapping[str, Any]) -> bool:
    """Return whether the caller of a request has a place."""
    return _IS_ADMITTED in scope


async def body_of(request: Request) -> bytes:
    """Return the body, unpacked; 413 where it is too large, 415 where it is packed otherwise, 400 where it cannot be unpacked."""
    body = await request.body()
    match request.headers.get("content-encoding", "identity").lower():
        case "identity" | "":
            return body
        case "gzip":
            return _unpacked(body)
    raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)


def _unpacked(body: bytes) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        content = unpacker.decompress(body, UNPACKED_BYTES)
    except zlib.error as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST) from error
    if unpacker.unconsumed_tail:
        raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    if not unpacker.eof:
        raise HTTPException(HTTPStatus.BAD_REQUEST)
    return content
