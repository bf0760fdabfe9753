"""The app's own process: `python -m annotate.pages.kit.asgi HOST [PORT]` serves app.py until it is told to end.

The port is taken at once and told on standard output, which says nothing more; the first request is answered when all that pages
need is imported. What most pages begin with is computed from then on, while the browser still loads, and the whole report once
the first page is drawn, which does not share the processor with it. The rule: the browser may ask this server and nobody else,
which the headers of every page forbid it.
"""

from __future__ import annotations

import logging
import os
import pkgutil
import signal
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from threading import Event, Thread
from time import sleep
from typing import Any

import streamlit as st
import uvicorn
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from streamlit.web import bootstrap

from annotate.pages.kit import sign_in
from annotate.pages.kit.access import AccessCheck
from annotate.pages.kit.server import FIRST_PAGE, PARENT, app_file, hosts, listening, settings_with
from annotate.pages.kit.shell import Shell, icon
from annotate.terminal import shown_safely
from proxy.errors import AssayError, UsageError

END_SECONDS = 3
# A page that is drawn, or a file that is sent, waits so long for a thread that counts; Python's own 5 ms add up over a page.
SWITCH_SECONDS = 0.0005
# Whoever opened the app asks for a page at once; and how long its answer may keep the report waiting.
ASKED_WITHIN, DRAWN_WITHIN = 2.0, 20.0
# The pages whose answer needs no report.
WITHOUT_REPORT = ("disagreements", "systems", "gold")
PAGES = Path(__file__).parents[1]
# What Streamlit, and our estimators, import only when they first need it; where an upgrade moves one,
# tests/pages/test_kit_asgi.py fails.
USED = (
    "altair",
    "pandas.io.formats.style",
    "pandas.io.formats.string",
    "pyarrow.pandas_compat",
    "scipy.special",
    "narwhals._interchange.dataframe",
    "narwhals._pandas_like.dataframe",
    "narwhals.stable.v1._namespace",
    "streamlit.dataframe.lazy_df_adapters",
    "streamlit.emojis",
    "streamlit.material_icon_names",
)
UVICORN: dict[str, Any] = {
    "ws": "websockets-sansio",
    "ws_max_size": 50_000_000,
    "ws_ping_interval": 30,
    "ws_ping_timeout": 30,
    "log_level": "warning",
    "access_log": False,
    "server_header": False,
}


def main(host: str, wanted: int | None) -> None:
    """Take the port, import, serve."""
    if os.environ.pop(PARENT, None):
        Thread(target=_end_with_parent, name="parent", daemon=True).start()
    try:
        settings = sign_in.in_force()
        taken = listening(wanted, host)
        port = int(taken.getsockname()[1])
        bootstrap.load_config_options(settings_with(settings, port))
        secrets = sign_in.secrets(settings) if settings else None
    except UsageError as error:
        raise SystemExit(str(error)) from None
    _tell(port)
    _import_pages()
    sys.setswitchinterval(SWITCH_SECONDS)
    first = FirstPage()
    server = st.App(
        app_file(),
        routes=[Route("/favicon.png", icon), Route(f"/{FIRST_PAGE}", _first_page)],
        secrets=secrets,
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=hosts(settings)),
            *([Middleware(AccessCheck, settings=settings)] if settings else []),
            Middleware(Shell, asked=first.put),
        ],
    )
    Thread(target=_warm, args=[first], name="first report", daemon=True).start()
    uvicorn.Server(uvicorn.Config(server, **UVICORN)).run(sockets=[taken])


def _tell(port: int) -> None:
    """The port to whoever started this process, who hears nothing more on standard output."""
    os.write(sys.stdout.fileno(), f"{port}\n".encode())
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _end_with_parent() -> None:
    """Wait for the end of standard input, which nobody writes to: our parent has ended, maybe killed. End too, and soon."""
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    sleep(END_SECONDS)
    os._exit(1)


async def _first_page(request: Request) -> Response:
    """The first page has no name in its address."""
    return RedirectResponse(f"/?{request.url.query}" if request.url.query else "/")


def _import_pages() -> None:
    """Every page with all that it needs; what cannot be imported the app itself will say."""
    logging.getLogger("streamlit.runtime.caching.cache_data_api").setLevel(
        logging.ERROR
    )  # no server yet, as it should be
    modules = pkgutil.walk_packages([str(PAGES)], "annotate.pages.", onerror=lambda name: None)
    for name in (*(module.name for module in modules), *USED):
        if not name.endswith(".process"):
            with suppress(Exception):
                import_module(name)


class FirstPage:
    """The page that the first visitor asks for."""

    def __init__(self) -> None:
        self._name = ""
        self._is_asked = Event()

    def put(self, name: str) -> None:
        """Take the name of a page that is asked for, if it is the first."""
        if not self._is_asked.is_set():
            self._name = name
            self._is_asked.set()

    def get(self, seconds: float) -> str | None:
        """Return its name; None where nobody has asked for so long."""
        return self._name if self._is_asked.wait(seconds) else None


def _warm(first: FirstPage) -> None:
    """Compute what most pages begin with, then the whole report; what goes wrong here the page itself will say."""
    from annotate.pages.kit import cache, reruns
    from annotate.store import Store

    path = Path(os.environ.get("ASSAY_DB", "assay.db"))
    if not path.exists():
        return
    asked = first.get(ASKED_WITHIN)
    if asked in WITHOUT_REPORT:
        reruns.ANY_DRAWN.wait(DRAWN_WITHIN)
    with suppress(AssayError, OSError):
        store = Store(path, reads_only=True)
        try:
            cache.head(store)
            if asked is not None:
                reruns.ANY_DRAWN.wait(DRAWN_WITHIN)
            cache.report(store)
        finally:
            store.close()


if __name__ == "__main__":
    with shown_safely():
        main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None)
