"""What the app's process answers to whom: pages and sign-in to everybody, the rest to who is signed in with a role.

The websocket is open to everybody too, because the page that asks for the sign-in comes by it; app.py stops there before it
opens the store. Streamlit has no public way to read its cookie outside of a page: this file uses two functions of the installed
package, and tests/pages/test_sign_in_server.py fails where an upgrade moves them.
"""

from __future__ import annotations

import time
from urllib.parse import parse_qs

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.web.server.starlette import starlette_websocket
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from annotate.domain.sign_in.settings import CALLBACK, SignInSettings
from annotate.domain.sign_in.signed_in import SignedIn, signed_in
from annotate.pages.kit.admission import FAILED
from annotate.pages.kit.server import FIRST_PAGE
from annotate.pages.kit.shell import is_page

OPEN_FOLDERS = ("/static/", "/auth/")
CORE = ("health", "host-config", "stream")
OPEN_PATHS = (CALLBACK, "/favicon.png", "/manifest.json", f"/{FIRST_PAGE}", *(f"/_stcore/{name}" for name in CORE))


class AccessCheck:
    """Refuses whatever shows something of the store to who is not signed in, and keeps cookies to TLS."""

    def __init__(self, app: ASGIApp, settings: SignInSettings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is allowed."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif _is_open(scope["path"]) or self._knows(HTTPConnection(scope)):
            await self._app(scope, receive, self._amended(scope, send))
        elif scope["type"] == "http":
            await PlainTextResponse("Sign in first.", status_code=401)(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _knows(self, asked: HTTPConnection) -> bool:
        """Return whether the cookie names somebody who may see the app."""
        cookie = starlette_websocket._get_signed_cookie_with_chunks(asked.cookies, USER_COOKIE_NAME)  # noqa: SLF001
        if not cookie:
            return False
        claims = starlette_websocket._parse_decoded_user_cookie(cookie, self._settings.address)  # noqa: SLF001
        person = signed_in(claims, self._settings, now=time.time())
        return isinstance(person, SignedIn) and person.role is not None

    def _amended(self, scope: Scope, send: Send) -> Send:
        """Send each cookie by TLS alone where there is TLS, and say on the page that a sign-in came to nothing."""
        is_answer = scope["path"] == CALLBACK and not {b"code", b"error"}.isdisjoint(parse_qs(scope["query_string"]))

        async def amended(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if is_answer and not _signs_in(headers):
                    headers["location"] = f"/?{FAILED}=failed"
                if self._settings.is_secure:
                    _keep_to_tls(headers)
            await send(message)

        return amended


def _is_open(path: str) -> bool:
    """Return whether everybody may ask for this: it is the same for all stores."""
    return is_page(path) or path in OPEN_PATHS or path.startswith(OPEN_FOLDERS)


def _signs_in(headers: MutableHeaders) -> bool:
    """Return whether the answer brings the cookie of somebody who signed in, and not its end."""
    cookies = (value for value in headers.getlist("set-cookie") if value.startswith(f"{USER_COOKIE_NAME}="))
    return any("max-age=0" not in value.lower() for value in cookies)


def _keep_to_tls(headers: MutableHeaders) -> None:
    """Add what Streamlit leaves out, for it knows nothing of the server in front that has the certificate."""
    cookies = headers.getlist("set-cookie")
    del headers["set-cookie"]
    for cookie in cookies:
        headers.append("set-cookie", cookie if "secure" in cookie.lower().split("; ") else f"{cookie}; Secure")
