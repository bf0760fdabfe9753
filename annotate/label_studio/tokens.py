"""The two kinds of token that Label Studio gives out, told apart by their shape; pure.

A legacy token is sent as it is. A personal access token is traded at the server for an access token of a few minutes.
"""

from __future__ import annotations

import base64
import json

# An access token is renewed this long before its end, in seconds: a request takes time to arrive.
MARGIN = 30.0
_LIFETIME = 60.0


def is_personal(token: str) -> bool:
    """Whether this is a personal access token, which has to be traded before use."""
    return _claims(token).get("token_type") == "refresh"


def scheme(token: str) -> str:
    """How a token that is sent as it is says what it is: legacy, or the short-lived one that a trade gave."""
    return "Bearer" if _claims(token) else "Token"


def usable_seconds(access: str) -> float:
    """How long a fresh access token can be used, by its own two times, so that no clock need agree with another."""
    claims = _claims(access)
    begin, end = claims.get("iat"), claims.get("exp")
    lifetime = end - begin if isinstance(begin, int | float) and isinstance(end, int | float) else _LIFETIME
    return max(lifetime - MARGIN, 1.0)


def _claims(token: str) -> dict[str, object]:
    """What a token of three parts says of itself, unverified; nothing for any other."""
    parts = token.split(".")
    if len(parts) != 3:
        return {}
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return {}
    return claims if isinstance(claims, dict) else {}
