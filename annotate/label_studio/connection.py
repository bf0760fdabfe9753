"""HTTP connection to one Label Studio: send JSON, return JSON, with the account's token on every request.

Requests go through the HTTP client of Label Studio's own SDK (`label_studio_sdk.core`), which knows both kinds of token and
trades the personal one, but not through its methods: those repeat writes unless told not to, and make a model of each row. Reads
are tried again by us; writes are sent once, since Label Studio has no key of ours, and a repeated import makes each task twice.
If an upgrade of the SDK breaks tests/label_studio/test_label_studio_connecting.py, this is the file to mend.
"""

from __future__ import annotations

import json
import os
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from annotate.domain.server_identity import shown_address
from annotate.label_studio.errors import OutcomeUnknown, TooSlow, host_of, refusal
from proxy.errors import LabelStudioError

if TYPE_CHECKING:
    from label_studio_sdk.core.http_client import HttpClient
    from label_studio_sdk.core.request_options import RequestOptions

CONNECT_SECONDS = 10.0
READ_SECONDS = 60.0
READ_WAITS = (0.5, 2.0)

Params = Mapping[str, str | int]
NONE: Params = {}

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_BUNDLES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")
_LEGACY_IS_OFF = b"legacy token authentication has been disabled"


class Connection:
    """Requests to one server as one account."""

    def __init__(self, url: str, token: str, transport: httpx.BaseTransport | None = None) -> None:
        host, self.shown = host_of(url), shown_address(url)
        if host is None:
            raise LabelStudioError(f"{self.shown!r} is no web address: write it like http://127.0.0.1:8080")
        if not token.strip():
            raise LabelStudioError("No Label Studio token is set: copy it from Account & Settings in Label Studio")
        if not token.strip().isascii() or len(token.split()) > 1:
            raise LabelStudioError("The Label Studio token has spaces or foreign letters: copy it anew, in one piece")
        self.url = url.strip().rstrip("/")
        self._token = token.strip()
        with _translated_errors(self.shown, "connect", None):
            self._web = httpx.Client(
                timeout=httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
                # A proxy for the outside world knows nothing of a server on this machine.
                trust_env=host not in _LOOPBACK,
                verify=_trusted(self.url, host),
                transport=transport,
            )
            self._sdk = self._signed_in()

    def _signed_in(self) -> HttpClient:
        """Return the SDK's client, which has not traded a personal access token yet."""
        from label_studio_sdk.core.client_wrapper import SyncClientWrapper

        # The slash keeps the last part of a path prefix when the SDK trades a personal access token.
        base_url = f"{self.url}/"
        return SyncClientWrapper(
            base_url=base_url, api_key=self._token, httpx_client=self._web, timeout=READ_SECONDS
        ).httpx_client

    def close(self) -> None:
        """End the connection; harmless when it has ended."""
        self._web.close()

    def get(self, path: str, what: str, params: Params = NONE, *, project: int | None = None) -> object:
        """Return the server's answer to a read, tried again where it failed or broke off, but not where it is slow.

        `what` and `project` name it in errors.
        """
        for wait in READ_WAITS:
            try:
                return self._json("GET", path, what, project=project, params=params)
            except TooSlow:
                raise
            except OutcomeUnknown:
                time.sleep(wait)
        return self._json("GET", path, what, project=project, params=params)

    def send(
        self,
        method: str,
        path: str,
        what: str,
        body: object = None,
        params: Params = NONE,
        *,
        project: int | None = None,
        seconds: float | None = None,
    ) -> object:
        """Return the server's answer to a write, sent once; OutcomeUnknown where it may or may not have been done."""
        try:
            return self._json(method, path, what, project=project, params=params, body=body, seconds=seconds)
        except _Unreadable as error:
            raise OutcomeUnknown(str(error)) from None

    def _json(
        self,
        method: str,
        path: str,
        what: str,
        *,
        project: int | None,
        params: Params,
        body: object = None,
        seconds: float | None = None,
    ) -> object:
        what = what if project is None else f"{what} {project}"
        with _translated_errors(self.shown, what, project):
            answer = self._answer(method, path, params, body, seconds)
            if answer.status_code == 401 and self._token.count(".") == 2:
                # The server did nothing, so this repeats nothing; its clock may have ended what our token was traded for.
                self._sdk = self._signed_in()
                answer = self._answer(method, path, params, body, seconds)
        if not answer.is_success:
            raise self._refusal(answer, what, project)
        if not answer.content:
            return None
        try:
            return json.loads(answer.content)
        except ValueError:
            raise _Unreadable(
                f"What answers at {self.shown} is no Label Studio that Assay can read: check the URL"
            ) from None

    def _answer(self, method: str, path: str, params: Params, body: object, seconds: float | None) -> httpx.Response:
        options: RequestOptions = {"max_retries": 0, "timeout": seconds or READ_SECONDS}
        return self._sdk.request(f"api/{path}", method=method, params=dict(params), json=body, request_options=options)

    def _refusal(self, answer: httpx.Response, what: str, project: int | None) -> LabelStudioError:
        legacy_is_off = answer.status_code == 401 and _LEGACY_IS_OFF in answer.content
        return refusal(self.shown, what, project, answer.status_code, legacy_is_off=legacy_is_off)


def _trusted(url: str, host: str) -> ssl.SSLContext:
    """Return whom to trust: the file or folder that the environment names, on this machine too, else the usual authorities.

    Nobody where nothing is encrypted and no proxy is asked: reading all certificates takes longer than most requests.
    """
    if not url.lower().startswith("https:"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if host in _LOOPBACK else httpx.create_ssl_context()
    variable = next((name for name in _BUNDLES if os.environ.get(name)), None)
    if variable is None:
        return httpx.create_ssl_context()
    path = os.environ[variable]
    try:
        if Path(path).is_dir():
            return ssl.create_default_context(capath=path)
        return ssl.create_default_context(cafile=path)
    except OSError as error:
        raise LabelStudioError(f"{variable} names {path}, which holds no certificates that can be read") from error


class _Unreadable(LabelStudioError):
    """A success that is no JSON."""


@contextmanager
def _translated_errors(url: str, what: str, project: int | None) -> Iterator[None]:
    """Turn what the network raises into one line that says what to do, and repeats nothing that it holds."""
    from label_studio_sdk.core.api_error import ApiError

    try:
        yield
    except LabelStudioError:
        raise
    except ApiError as error:
        raise refusal(url, what, project, error.status_code or 0) from None
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        if "CERTIFICATE_VERIFY_FAILED" in str(error):
            raise LabelStudioError(
                f"the certificate of {url} is not trusted: name the file of the authority that issued it in SSL_CERT_FILE"
            ) from None
        raise LabelStudioError(
            f"No Label Studio answers at {url}: start it with `assay up`, or check the URL"
        ) from None
    except httpx.TimeoutException:
        raise TooSlow(f"Label Studio at {url} took too long to {what}: try again when it is less busy") from None
    except httpx.TransportError:
        raise OutcomeUnknown(
            f"Label Studio at {url} broke off while asked to {what}: see its log, then try again"
        ) from None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, TypeError, AttributeError):
        raise LabelStudioError(f"What answers at {url} is no Label Studio that Assay can read: check the URL") from None
