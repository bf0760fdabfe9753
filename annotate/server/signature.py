"""Check the signature of a request: HMAC-SHA256 over its time and its body, for callers who would rather not send a secret.

The header is `X-Assay-Signature: t=1763625600,v1=HEX`, where HEX is the digest of `1763625600.` and the body as it is sent, keyed
with the secret of the route. What is older or newer than WINDOW_SECONDS is refused; what is sent again within it changes nothing
on any route.
"""

from __future__ import annotations

import hmac
import re
import time
from hashlib import sha256
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request

HEADER = b"x-assay-signature"
FORM = re.compile(rb"t=(\d{1,12}),v1=([0-9a-f]{64})")
WINDOW_SECONDS = 300
# The body is read before anybody knows who sends it, so less of it than with a token.
SIGNED_BYTES = 1_000_000


def is_signed(request: Request) -> bool:
    """Return whether the request has a signature, right or wrong."""
    return any(name == HEADER for name, _ in request.headers.raw)


async def is_authentic(request: Request, secret: bytes) -> bool:
    """Check the one signature of the request and its time, in constant time; the body stays readable.

    HTTPException 411 where the length of the body is not said, and 413 where it is beyond SIGNED_BYTES.
    """
    values = [value for name, value in request.headers.raw if name == HEADER]
    match = FORM.fullmatch(values[0]) if len(values) == 1 else None
    if match is None or abs(time.time() - int(match[1])) > WINDOW_SECONDS:
        return False
    length = request.headers.get("content-length", "")
    if not length.isdecimal():
        raise HTTPException(HTTPStatus.LENGTH_REQUIRED)
    if int(length) > SIGNED_BYTES:
        raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    expected = signature(secret, int(match[1]), await request.body())
    return hmac.compare_digest(match[2], expected)


def signature(secret: bytes, at: int, body: bytes) -> bytes:
    """Return the hexadecimal digest that signs this body at this time."""
    return hmac.new(secret, b"%d." % at + body, sha256).hexdigest().encode("ascii")
