"""An identity provider that signs real tokens, the app behind it, and a visitor who goes through both without a browser."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any
from unittest import mock

import httpx
import oidc_provider_mock
from joserfc import jwt
from joserfc.jwk import KeySet, OctKey, RSAKey
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect
from werkzeug.serving import make_server
from werkzeug.wrappers import Response

from annotate.pages.kit import server, sign_in

CLIENT, COOKIE_SECRET = "assay-tests", "0123456789abcdef" * 4
SETTINGS = """
[signin]
issuer = "{issuer}"
client_id = "{client}"
address = "{address}"
roles_claim = "realm_access.roles"
annotator = "assay-annotator"
adjudicator = ["assay-adjudicator"]
lead = ["assay-lead", "admin"]
contact = "lead@example.org"
"""
SCRIPT_SECONDS = 60


def roles(*names: str) -> dict[str, Any]:
    """The claim as Keycloak writes it."""
    return {"realm_access": {"roles": list(names)}}


@dataclass
class Provider:
    """The provider's address, and whether it names other keys than it signs with."""

    issuer: str = ""
    has_other_keys: bool = False
    other: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048))

    def person(self, subject: str, **claims: object) -> None:
        """Have the next token of this person hold these claims, in place of its own `aud`, `exp` or `iss` too."""
        httpx.put(f"{self.issuer}/users/{subject}", json=claims, trust_env=False, verify=False).raise_for_status()

    def wrapped(self, app: Any) -> Any:
        """The provider, which may tell of other keys."""

        def answer(environ: Mapping[str, Any], start_response: Any) -> Any:
            if self.has_other_keys and environ["PATH_INFO"] == "/jwks":
                keys = KeySet([self.other]).as_dict(private=False)
                return Response(httpx.Response(200, json=keys).content, mimetype="application/json")(
                    environ, start_response
                )
            return app(environ, start_response)

        return answer


@contextmanager
def provider() -> Iterator[Provider]:
    """A provider on this machine while the context lasts; a token of it signed by RS256 is valid for an hour."""
    own = Provider()
    listener = make_server("127.0.0.1", 0, own.wrapped(oidc_provider_mock.app()), threaded=True)
    own.issuer = f"http://127.0.0.1:{listener.server_port}"
    thread = Thread(target=listener.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield own
    finally:
        listener.shutdown()
        listener.server_close()
        thread.join()


def write_settings(folder: Path, issuer: str, address: str) -> None:
    text = SETTINGS.format(issuer=issuer, client=CLIENT, address=address)
    (folder / "assay.toml").write_text(text, encoding="utf-8")


@contextmanager
def signing_in(db: Path, issuer: str) -> Iterator[str]:
    """The app on this store, where people sign in at this provider; started as `assay app` does."""
    with socket.socket() as place:  # one that no other app looks for, for it begins by the next free one
        place.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{place.getsockname()[1]}"
    write_settings(db.parent, issuer, address)
    secrets = {sign_in.CLIENT_SECRET: "not-looked-at", sign_in.COOKIE_SECRET: COOKIE_SECRET}
    with mock.patch.dict(os.environ, secrets), chdir(db.parent):
        process, _ = server.start(db, None)
    try:
        httpx.get(f"{address}/_stcore/health", timeout=60, trust_env=False, verify=False).raise_for_status()
        yield address
    finally:
        process.terminate()
        process.wait(10)


class Visitor:
    """Somebody with cookies, who does what a browser does."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.client = httpx.Client(base_url=address, trust_env=False, timeout=60)
        self.client.get("/_stcore/health")  # which brings the cookie against forgery

    def signs_in(self, subject: str) -> str:
        """Go to the provider, be this person there, come back; the address of the app that this ends at."""
        claims = {"provider": "default", "exp": int(time.time()) + 60}
        button = jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(COOKIE_SECRET))
        there = self.client.get("/auth/login", params={"provider": button}).headers["location"]
        back = httpx.post(there, data={"sub": subject}, trust_env=False, verify=False).headers["location"]
        return self.client.get(back).headers["location"]

    def sees(self, query: str = "") -> str:
        """Everything that the server sends for the first page, as text."""
        token = self.client.cookies["_streamlit_xsrf"]
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.client.cookies.items())}
        run = BackMsg()
        run.rerun_script.query_string = query
        url = f"{self.address.replace('http', 'ws')}/_stcore/stream"
        received = []
        with connect(
            url,
            origin=self.address,
            subprotocols=["streamlit", token],
            additional_headers=headers,
            max_size=None,
            proxy=None,
        ) as socket:
            socket.send(run.SerializeToString())
            while True:
                data = socket.recv(timeout=SCRIPT_SECONDS)
                assert isinstance(data, bytes)
                received.append(data)
                if ForwardMsg.FromString(data).WhichOneof("type") == "script_finished":
                    return b"".join(received).decode("utf-8", "replace")
