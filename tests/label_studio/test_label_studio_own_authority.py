"""A Label Studio whose certificate is from an authority of one's own, over real TLS on this machine."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from annotate.label_studio.client import LabelStudio
from proxy.errors import LabelStudioError
from support.fake_server import TOKEN, FakeServer, on_a_port
from support.tls import tls_of

VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")

pytestmark = pytest.mark.slow


@pytest.fixture
def tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return tls_of(tmp_path)


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"])
def test_an_authority_that_the_environment_names_is_trusted(
    fake_server: FakeServer, tls: ssl.SSLContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """Under either name, also where the server is on this machine, for which proxies of the environment are left out."""
    monkeypatch.setenv(variable, str(tmp_path / "ca.pem"))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    with on_a_port(fake_server, tls) as url, LabelStudio.connect(url, TOKEN) as studio:
        assert studio.annotators() == {1: "ann@example.org", 2: "b@example.org"}


def test_an_authority_that_nobody_named_is_refused_in_one_line_that_says_what_to_do(
    fake_server: FakeServer, tls: ssl.SSLContext
) -> None:
    """Nothing is sent, the token neither."""
    with on_a_port(fake_server, tls) as url, pytest.raises(LabelStudioError, match=r"is not trusted.*SSL_CERT_FILE"):
        LabelStudio.connect(url, TOKEN)
    assert fake_server.gets == []


def test_a_file_that_cannot_be_read_is_named(
    fake_server: FakeServer, tls: ssl.SSLContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is not there, and one that holds no certificate."""
    (tmp_path / "empty.pem").write_text("nothing")
    with on_a_port(fake_server, tls) as url:
        for name in ("none.pem", "empty.pem"):
            monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / name))
            with pytest.raises(LabelStudioError, match=f"SSL_CERT_FILE names .*{name}, which holds no certificates"):
                LabelStudio.connect(url, TOKEN)
