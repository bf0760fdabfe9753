"""The app behind a provider that signs real tokens, without a browser: who gets in, who does not, and what they are sent."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from annotate.domain.sign_in.settings import SignInSettings
from annotate.pages.kit import server, sign_in
from annotate.pages.kit.access import AccessCheck
from annotate.store import Store
from proxy.errors import UsageError
from support.app import walk
from support.provider import CLIENT, Provider, Visitor, provider, roles, signing_in, write_settings
from support.store import Assay

pytestmark = pytest.mark.slow

SETTINGS = SignInSettings(
    issuer="https://login.example.org",
    client_id="assay",
    address="https://assay.example.org",
    roles_claim="roles",
    lead="lead",
)
FAILED = "/?signin=failed"
OF_THE_STORE = "Can we trust"


@pytest.fixture(scope="module")
def issuing() -> Iterator[Provider]:
    with provider() as own:
        yield own


@pytest.fixture(scope="module")
def address(issuing: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app on the demo."""
    db = tmp_path_factory.mktemp("app") / "assay.db"
    with closing(Store(db)) as store:
        walk(store)
    with signing_in(db, issuing.issuer) as own:
        yield own


def arrives(address: str, issuing: Provider, **claims: object) -> tuple[Visitor, str, str]:
    """Somebody whose token holds these claims: where they end, and what they see there."""
    issuing.person("ana", **claims)
    visitor = Visitor(address)
    end = visitor.signs_in("ana")
    return visitor, end, visitor.sees(end.partition("?")[2])


def test_nothing_of_the_store_reaches_who_is_not_signed_in(address: str) -> None:
    """Not by the websocket, which shows the page that asks for it, nor by any file of Streamlit's; a made-up cookie is none."""
    visitor = Visitor(address)
    for cookies in ({}, {"_streamlit_user": "eyJpc3MiOiJ4In0.x.y"}):
        visitor.client.cookies.update(cookies)
        page = visitor.sees()
        assert "Sign in to see this store." in page
        assert OF_THE_STORE not in page
        assert "assay.db" not in page
        for path in ("media/x.png", "_stcore/metrics", "_stcore/agent/openapi.json", "component/x", "app/static/x"):
            assert visitor.client.get(f"/{path}").status_code == 401, path
        assert visitor.client.put("/_stcore/upload_file/a/b").status_code == 401
    assert visitor.client.get("/gold").status_code == 200


def test_who_is_signed_in_sees_the_store_until_they_sign_out(address: str, issuing: Provider) -> None:
    """By name and role; the files of the page are theirs too."""
    person: dict[str, Any] = {"email": "Ana@example.org", "email_verified": True, **roles("assay-lead")}
    visitor, end, page = arrives(address, issuing, **person)
    assert end == "/"
    assert OF_THE_STORE in page
    assert "Signed in as ana\u2060\\@example\\.org, lead" in page
    assert visitor.client.get("/media/x.png").status_code == 404
    assert visitor.client.get("/_stcore/metrics").status_code == 200

    there = visitor.client.get("/auth/logout").headers["location"]
    assert there.startswith(f"{issuing.issuer}/oauth2/end_session?")
    assert "Sign in to see this store." in visitor.sees()
    assert visitor.client.get("/media/x.png").status_code == 401


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "another-app"},
        {"iss": "https://elsewhere.example.org"},
        {"exp": 1_700_000_000},
        {"nonce": "of another sign-in"},
    ],
)
def test_a_token_that_is_not_meant_for_this_sign_in_is_refused(
    address: str, issuing: Provider, claims: dict[str, object]
) -> None:
    """For another app, of another issuer, from long ago, of another attempt: whatever role it gives."""
    _, end, page = arrives(address, issuing, **claims, **roles("assay-lead"))
    assert end == FAILED
    assert "Signing in did not work" in page
    assert OF_THE_STORE not in page


def test_a_token_signed_by_another_key_is_refused(address: str, issuing: Provider) -> None:
    """The keys are the provider's own word."""
    issuing.has_other_keys = True
    try:
        _, end, page = arrives(address, issuing, **roles("assay-lead"))
    finally:
        issuing.has_other_keys = False
    assert end == FAILED
    assert OF_THE_STORE not in page


def test_what_the_libraries_let_pass_is_refused_here(address: str, issuing: Provider) -> None:
    """A token for another app that names this one as its party, and one that ended within the library's two minutes.

    Both leave a cookie that Streamlit takes for a sign-in; it opens neither a page nor a file.
    """
    ended = int(time.time()) - 30
    for claims, words in (
        ({"aud": "another-app", "azp": CLIENT}, "signed you in for another app"),
        ({"exp": ended}, "Your sign-in has ended"),
    ):
        visitor, end, page = arrives(address, issuing, **claims, **roles("assay-lead"))
        assert end == "/"
        assert "_streamlit_user" in visitor.client.cookies
        assert words in page
        assert OF_THE_STORE not in page
        assert visitor.client.get("/media/x.png").status_code == 401


def test_a_role_that_is_missing_or_taken_away_shows_nothing(address: str, issuing: Provider) -> None:
    """From the next sign-in on; other values of the claim mean nothing."""
    _, _, page = arrives(address, issuing, **roles("assay-lead"))
    assert OF_THE_STORE in page
    for claims in (roles(), roles("boss"), {}, {"roles": ["assay-lead"]}):
        visitor, end, page = arrives(address, issuing, **claims)
        assert end == "/"
        assert "You have no role here" in page
        assert OF_THE_STORE not in page
        assert visitor.client.get("/media/x.png").status_code == 401


def test_another_address_needs_a_sign_in(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything starts, with what to do; so does the process itself."""
    Store(assay.db).close()
    for command in (["app"], ["serve"]):
        said = assay(*command, "--host", "0.0.0.0", status=2).stderr
        assert "--host 0.0.0.0 would show every answer" in said
        assert "[signin] in assay.toml" in said
    late = subprocess.run(
        [sys.executable, "-m", "annotate.pages.kit.asgi", "0.0.0.0"],
        capture_output=True,
        text=True,
        check=False,
        cwd=assay.folder,
        env={**os.environ, "PYTHONPATH": str(server.app_file().parent)},
    )
    assert (late.returncode, late.stdout) == (1, "")
    assert "[signin] in assay.toml" in late.stderr
    write_settings(assay.folder, "https://login.example.org", "https://assay.example.org")
    for host in ("0.0.0.0", "127.0.0.2"):
        with server.listening(None, host) as taken:
            assert taken.getsockname()[0] == host
    with pytest.raises(UsageError, match=r"203\.0\.113\.7 is no address of this machine"):
        server.listening(None, "203.0.113.7")


def test_a_missing_secret_is_said_when_the_app_starts(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of them is in Streamlit's secrets.toml, where the other may be too; none is repeated."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(server.app_file().parent))
    write_settings(tmp_path, "https://login.example.org", "https://assay.example.org")
    secrets = tmp_path / ".streamlit" / "secrets.toml"
    secrets.parent.mkdir()
    secrets.write_text(f'[auth]\ncookie_secret = "{"c" * 64}"\n')
    with pytest.raises(UsageError, match="could not start"):
        server.start(tmp_path / "assay.db", None)
    said = capfd.readouterr().err
    assert f"needs {sign_in.CLIENT_SECRET} in the environment, or client_secret under [auth] in secrets.toml" in said
    assert "c" * 64 not in said


def test_a_secret_that_could_be_guessed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """It signs the cookie that says who somebody is. From the environment it wins over the file."""
    monkeypatch.setattr("streamlit.secrets", {"auth": {"cookie_secret": "f" * 64, "client_secret": "from the file"}})
    monkeypatch.setenv(sign_in.COOKIE_SECRET, "short")
    with pytest.raises(UsageError, match="less than 32 characters: `openssl rand -hex 32`") as refused:
        sign_in.secrets(SETTINGS)
    assert "short" not in str(refused.value)
    monkeypatch.setenv(sign_in.COOKIE_SECRET, "e" * 64)
    auth = sign_in.secrets(SETTINGS)["auth"]
    assert (auth["cookie_secret"], auth["client_secret"]) == ("e" * 64, "from the file")
    assert auth["redirect_uri"] == "https://assay.example.org/oauth2callback"


@pytest.mark.parametrize(("scheme", "mark"), [("https", "; Secure"), ("http", "")])
def test_behind_tls_cookies_are_kept_to_it(scheme: str, mark: str) -> None:
    """Streamlit does not mark them, for it does not see the certificate of the server in front."""
    cookies = ["a=1; HttpOnly; Path=/", "b=2; Path=/; Secure"]

    async def below(scope: Scope, receive: Receive, send: Send) -> None:
        response = Response("ok")
        for cookie in cookies:
            response.headers.append("set-cookie", cookie)
        await response(scope, receive, send)

    check = AccessCheck(below, replace(SETTINGS, address=f"{scheme}://assay.example.org"))
    answer = TestClient(check).get("/_stcore/health")
    assert answer.headers.get_list("set-cookie") == [f"{cookies[0]}{mark}", cookies[1]]


def test_the_address_of_the_app_is_one_of_its_hosts() -> None:
    """And Streamlit is told of no header that would win over the cookie."""
    settings = server.settings_with(SETTINGS, 8600)
    assert settings["server.allowedHosts"] == ["127.0.0.1", "localhost", "assay.example.org"]
    assert settings["server.corsAllowedOrigins"] == ["https://assay.example.org"]
    assert settings["server.trustedUserHeaders"] == {}
    assert server.settings_with(None, 8600) == {**server.SETTINGS, "server.port": 8600}
