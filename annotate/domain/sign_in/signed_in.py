"""Make a person of the claims that a provider has signed, or say why these claims let nobody in.

Authlib checks signature, issuer, nonce and time when a person signs in. What counts for as long as they stay is checked here,
at each run and each act: Streamlit keeps the claims in a cookie for 30 days, and a token whose authorised party is the app
passes Authlib whatever its audience.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import NamedTuple

from annotate.domain.sign_in.roles import NEEDED, Act, Role, highest
from annotate.domain.sign_in.settings import SignInSettings

LONGEST_NAME = 100
SHORT_ID = 6


class Account(NamedTuple):
    """A person as the provider knows them: no other account of this issuer ever has the same subject."""

    issuer: str
    subject: str

    @property
    def short_id(self) -> str:
        """Return what tells two people of the same name apart."""
        return sha256(f"{self.issuer} {self.subject}".encode()).hexdigest()[:SHORT_ID]


class Refusal(StrEnum):
    """Why claims let nobody in."""

    EXPIRED = "expired"
    AUDIENCE = "audience"
    ISSUER = "issuer"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True, kw_only=True, slots=True)
class SignedIn:
    """Who is signed in, until when (seconds since 1970), and the highest role that the claims give; None: none of ours."""

    name: str
    account: Account
    role: Role | None
    until: float

    def may(self, act: Act) -> bool:
        """Return whether this person has the role that the act needs."""
        return self.role is not None and self.role.includes(NEEDED[act])


def signed_in(claims: Mapping[str, object], settings: SignInSettings, *, now: float) -> SignedIn | Refusal:
    """Return the person whom the claims name, or why they let nobody in.

    Parameters
    ----------
    claims
        The claims of an ID token whose signature was checked.
    settings
        The table [signin].
    now
        Seconds since 1970. A token is over at its `exp`, with no leeway.

    Returns
    -------
    SignedIn or Refusal
        Somebody without a role is signed in too: the app says so, and shows nothing else.
    """
    issuer, subject, until = claims.get("iss"), claims.get("sub"), claims.get("exp")
    if not isinstance(issuer, str) or not isinstance(subject, str) or not subject:
        return Refusal.INCOMPLETE
    if not isinstance(until, (int, float)) or isinstance(until, bool):
        return Refusal.INCOMPLETE
    if issuer.rstrip("/") != settings.issuer.rstrip("/"):
        return Refusal.ISSUER
    if settings.client_id not in _texts(claims.get("aud")):
        return Refusal.AUDIENCE
    if not until > now:  # so that what is no number has ended
        return Refusal.EXPIRED
    account = Account(issuer, subject)
    meant = (settings.meanings.get(value) for value in _texts(_value(claims, settings.roles_claim)))
    return SignedIn(
        name=_name(claims, account, settings.name_claim),
        account=account,
        role=highest([role for role in meant if role is not None]),
        until=float(until),
    )


def _name(claims: Mapping[str, object], account: Account, own: str | None) -> str:
    """Return a readable name that no other account can take.

    A verified address is one, and the team's own claim if it says so; whatever else people may choose for themselves gets
    an id of the account behind it.
    """
    chosen = _value(claims, own) if own else claims.get("email") if claims.get("email_verified") is True else None
    if isinstance(chosen, str) and chosen.strip():
        return (chosen if own else chosen.lower()).strip()[
            :LONGEST_NAME
        ]  # Label Studio writes addresses in small letters
    names = (claims.get(claim) for claim in ("name", "preferred_username", "email"))
    readable = next((name.strip() for name in names if isinstance(name, str) and name.strip()), account.subject)
    return f"{readable[: LONGEST_NAME - SHORT_ID - 3]} ({account.short_id})"


def _value(claims: Mapping[str, object], path: str) -> object:
    """Return the claim of this name, or what the path leads to; None where there is none."""
    if path in claims:  # names of claims may hold dots, such as "https://assay.example.org/roles"
        return claims[path]
    value: object = claims
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _texts(value: object) -> list[str]:
    """Return the texts of a list, or the one text."""
    values = value if isinstance(value, list) else [value]
    return [value for value in values if isinstance(value, str)]
