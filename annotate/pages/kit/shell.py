"""The HTML page that every address of the app begins with: Streamlit's own, with our script, title, icon and policy.

Streamlit has no public way to change its page or the headers that it is sent with. This file reads `static/index.html` of the
installed package and replaces its title and its one inline script. Where an upgrade brings another page, the app still starts,
the policy refuses scripts that nobody looked at, and tests/pages/test_kit_shell.py fails: this is the file to mend.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from annotate.domain.sign_in.settings import CALLBACK
from annotate.pages.kit.server import FIRST_PAGE

TITLE = "<title>Streamlit</title>"
INLINE_SCRIPT = re.compile(r"<script>.*?</script>", re.DOTALL)
# Keys in a list, links in tables, marks and files of pictures, the browser's part of reading passages and of writing.
OURS = ("keys.js", "links.js", "marks.js", "passages.js", "pictures.js", "writing.js")
# Without it the browser looks for the server below the page's own address first, and reports two failures each time.
# Streamlit says that every page is in English: the frame of a page names its language, which a screen reader must hear of.
SCRIPT = (
    "window.__streamlit={BACKEND_BASE_URL:location.origin};window.prerenderReady=false;"
    "new MutationObserver(()=>{const named=document.querySelector('[data-language]'),root=document.documentElement;"
    "if(named&&root.lang!==named.dataset.language)root.lang=named.dataset.language})"
    ".observe(document,{childList:true,subtree:true,attributes:true,attributeFilter:['data-language']});"
    # Ours stand here because the policy refuses the scripts of Streamlit's components.
    + "".join(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in OURS)
)
ICON = Path(__file__).with_name("icon.svg").read_text(encoding="utf-8")
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-eval' 'sha256-{digest}'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' {sockets}; worker-src 'self' blob:; "
    "frame-src 'self' blob: data:; frame-ancestors 'none'; object-src 'none'; base-uri 'self'; form-action 'self'"
)


class Shell:
    """Gives out the page that every address of the app begins with: Streamlit's own, told where the server is.

    `asked` is told the name of every page that is asked for, which is empty for the first one.
    """

    def __init__(self, app: ASGIApp, *, asked: Callable[[str], None] = lambda name: None) -> None:
        self._app, self._asked = app, asked
        self._page = page()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The shell for the address of a page, and whatever comes from below for any other."""
        if scope["type"] == "http" and scope["method"] in {"GET", "HEAD"} and is_page(scope["path"]):
            self._asked(scope["path"].removeprefix("/"))
            await HTMLResponse(self._page, headers=_headers(scope))(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def is_page(path: str) -> bool:
    """Whether this is the address of a page: the root, or one word below it that names no file."""
    name = path.removeprefix("/")
    return (
        name not in (FIRST_PAGE, CALLBACK.removeprefix("/"))
        and "/" not in name
        and "." not in name
        and not name.startswith("_")
    )


def page() -> str:
    """Return Streamlit's page, with our script before its own, our title and our icon."""
    text = (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    # The policy would refuse the only inline script: ours sets what it sets.
    text = INLINE_SCRIPT.sub("", text, count=1).replace(TITLE, "<title>Assay</title>")
    return text.replace("<head>", f"<head><script>{SCRIPT}</script>", 1)


def _headers(scope: Scope) -> dict[str, str]:
    """What the browser may do on a page: ask this server, and nobody else."""
    host = Request(scope).headers.get("host", "127.0.0.1")
    digest = b64encode(sha256(SCRIPT.encode()).digest()).decode()
    return {
        "Content-Security-Policy": POLICY.format(digest=digest, sockets=f"ws://{host} wss://{host}"),
        "Cache-Control": "no-cache",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }


async def icon(request: Request) -> Response:
    """Return our icon; the browser would ask for one elsewhere."""
    return Response(ICON, media_type="image/svg+xml", headers={"Cache-Control": "max-age=86400"})
