"""The table [signin] of assay.toml: which provider signs people in, and which values of a claim mean which role.

Secrets are never in this file: they come from the environment or from Streamlit's secrets.toml.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated
from urllib.parse import SplitResult, urlsplit

from annotate.domain.sign_in.roles import Role
from annotate.settings import SETTINGS, SIGNIN, Accepts, SettingsTable, Text, TextOrTexts, checked, settings
from proxy.errors import UsageError

WELL_KNOWN = "/.well-known/openid-configuration"
CALLBACK = "/oauth2callback"
SCOPE = "openid profile email"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
WHERE = f"{SETTINGS}: [{SIGNIN}]"
CLIENT_SECRET, COOKIE_SECRET = "ASSAY_SIGNIN_CLIENT_SECRET", "ASSAY_SIGNIN_COOKIE_SECRET"

Issuer = Annotated[str, Accepts('the address of your provider, like "https://login.example.org/realms/team"')]
Client = Annotated[str, Accepts("the name under which the provider knows the app")]
Address = Annotated[str, Accepts('where people open the app, like "https://assay.example.org"')]
Claim = Annotated[str, Accepts('the claim that holds the roles, like "roles" or "realm_access.roles"')]


@dataclass(frozen=True, kw_only=True, slots=True)
class SignInSettings(SettingsTable):
    """How people sign in. Values of the roles' claim: for each role those that mean it."""

    issuer: Issuer
    client_id: Client
    address: Address
    roles_claim: Claim
    annotator: TextOrTexts = field(default_factory=list)
    adjudicator: TextOrTexts = field(default_factory=list)
    lead: TextOrTexts = field(default_factory=list)
    name_claim: Text | None = None
    scope: Text = SCOPE
    contact: Text | None = None

    @property
    def metadata_url(self) -> str:
        """Return where the provider describes itself (OpenID Connect Discovery 1.0, section 4)."""
        return self.issuer.rstrip("/") + WELL_KNOWN

    @property
    def redirect_uri(self) -> str:
        """Return where the provider sends people back to; it must know this address."""
        return self.address.rstrip("/") + CALLBACK

    @property
    def host(self) -> str:
        """Return the host of the app's address."""
        return urlsplit(self.address).hostname or ""

    @property
    def is_secure(self) -> bool:
        """Return whether people reach the app by TLS."""
        return self.address.startswith("https:")

    @property
    def own_port(self) -> int | None:
        """Return the port that the app has to take, where people reach it without a server in front."""
        return None if self.is_secure else urlsplit(self.address).port

    @property
    def meanings(self) -> Mapping[str, Role]:
        """Return the role that each value of the claim means; the highest, where one is named for several."""
        listed = {Role.ANNOTATOR: self.annotator, Role.ADJUDICATOR: self.adjudicator, Role.LEAD: self.lead}
        return {
            value: role
            for role, values in listed.items()
            for value in ((values,) if isinstance(values, str) else values)
        }


def sign_in_settings() -> SignInSettings | None:
    """Return the table; None where there is none. UsageError where something in it is missing or cannot be meant."""
    table = settings().get(SIGNIN)
    if table is None:
        return None
    given = checked(SignInSettings, table, WHERE)
    _check_address("issuer", urlsplit(given.issuer))
    address = urlsplit(given.address)
    _check_address("address", address)
    if address.path.strip("/") or address.query:
        raise UsageError(
            f"{WHERE} address is a host without a path: give the app a host of its own, not {given.address!r}"
        )
    if not given.meanings:
        raise UsageError(
            f'{WHERE} names no role: write which values of {given.roles_claim} mean it, such as lead = ["assay-lead"]'
        )
    if "openid" not in given.scope.split():
        raise UsageError(f"{WHERE} scope begins with openid, not {given.scope!r}: without it nobody is signed in")
    return given


def _check_address(key: str, address: SplitResult) -> None:
    """Refuse what is no address of a server, and one whose tokens could be read on the way."""
    if address.scheme not in ("http", "https") or not address.hostname:
        raise UsageError(f"{WHERE} {key} is an address that begins with https://, not {address.geturl()!r}")
    if address.scheme == "http" and address.hostname not in LOOPBACK:
        raise UsageError(f"{WHERE} {key} must begin with https://: {address.geturl()} could be read on the way")
