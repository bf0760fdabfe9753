"""Claims that a provider has signed: whom they name, with what role, and which of them let nobody in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotate.domain.sign_in.roles import NEEDED, Act, Role
from annotate.domain.sign_in.settings import SignInSettings, sign_in_settings
from annotate.domain.sign_in.signed_in import Refusal, SignedIn, signed_in
from proxy.errors import UsageError

SETTINGS = SignInSettings(
    issuer="https://login.example.org/realms/team/",
    client_id="assay",
    address="https://assay.example.org",
    roles_claim="realm_access.roles",
    annotator=["reader"],
    adjudicator="judge",
    lead=["lead", "admin"],
)
CLAIMS: dict[str, Any] = {
    "iss": "https://login.example.org/realms/team",
    "sub": "s-1",
    "aud": "assay",
    "exp": 1000,
    "name": "Ana Lee",
    "realm_access": {"roles": ["reader"]},
}
TABLE = """
[signin]
issuer = "https://login.example.org"
client_id = "assay"
address = "https://assay.example.org"
roles_claim = "roles"
lead = "lead"
"""


def person(settings: SignInSettings = SETTINGS, now: float = 999, **claims: object) -> SignedIn | Refusal:
    return signed_in(CLAIMS | claims, settings, now=now)


def known(settings: SignInSettings = SETTINGS, **claims: object) -> SignedIn:
    signed = person(settings, **claims)
    assert isinstance(signed, SignedIn)
    return signed


def roles(*names: object) -> dict[str, object]:
    return {"realm_access": {"roles": list(names)}}


@pytest.mark.parametrize(
    ("claims", "refusal"),
    [
        ({"aud": "other"}, Refusal.AUDIENCE),
        ({"aud": "other", "azp": "assay"}, Refusal.AUDIENCE),
        ({"aud": ["other", "another"]}, Refusal.AUDIENCE),
        ({"aud": None}, Refusal.AUDIENCE),
        ({"iss": "https://login.example.org/realms/other"}, Refusal.ISSUER),
        ({"iss": None}, Refusal.INCOMPLETE),
        ({"sub": ""}, Refusal.INCOMPLETE),
        ({"exp": None}, Refusal.INCOMPLETE),
        ({"exp": True}, Refusal.INCOMPLETE),
        ({"exp": "never"}, Refusal.INCOMPLETE),
        ({"exp": 999}, Refusal.EXPIRED),
        ({"exp": float("nan")}, Refusal.EXPIRED),
    ],
)
def test_claims_that_let_nobody_in(claims: dict[str, object], refusal: Refusal) -> None:
    """A token of another app, of another provider, of nobody, or one that is over, to the second."""
    assert person(**claims) is refusal


def test_a_sign_in_ends_when_its_token_does() -> None:
    """At `exp` and not later, whatever the cookie that keeps it says."""
    assert isinstance(person(now=999.9), SignedIn)
    assert person(now=1000) is Refusal.EXPIRED


@pytest.mark.parametrize(
    ("claims", "role"),
    [
        (roles("reader"), Role.ANNOTATOR),
        (roles("judge", "reader"), Role.ADJUDICATOR),
        (roles("reader", "admin"), Role.LEAD),
        ({"realm_access": {"roles": "judge"}}, Role.ADJUDICATOR),
        ({"realm_access.roles": ["lead"]}, Role.LEAD),
        (roles("boss", "LEAD", "lead "), None),
        (roles(), None),
        (roles(1, None, ["lead"]), None),
        ({"realm_access": ["lead"]}, None),
        ({"realm_access": None}, None),
        ({"realm_access": {"roles": {"lead": True}}}, None),
    ],
)
def test_the_highest_role_of_the_claim_counts(claims: dict[str, object], role: Role | None) -> None:
    """A list or one text, behind a path or under the whole name; what is not exactly a known value is no role."""
    assert known(**claims).role is role


def test_each_role_may_do_what_those_before_it_may() -> None:
    """And somebody without a role nothing; every act has a role that it needs."""
    allowed = {
        role: {act for act in Act if replace(known(), role=role).may(act)}
        for role in (None, Role.ANNOTATOR, Role.ADJUDICATOR, Role.LEAD)
    }

    assert set(NEEDED) == set(Act)
    assert allowed[None] == set()
    assert allowed[Role.ANNOTATOR] == {Act.WRITE}
    assert allowed[Role.ADJUDICATOR] == {Act.WRITE, Act.ADJUDICATE, Act.CURATE}
    assert allowed[Role.LEAD] == set(Act)


def test_nobody_can_take_the_name_of_another() -> None:
    """What people may choose for themselves is told apart by the account; a verified address is the provider's word."""
    verified = known(email="Ana@Example.org", email_verified=True)
    unverified = [known(email="ana@example.org", name=None, email_verified=value) for value in (False, "true", None)]
    same_name = known(sub="s-2")
    own = known(replace(SETTINGS, name_claim="employee.id"), employee={"id": "AL7"})

    assert verified.name == "ana@example.org"
    assert {each.name for each in unverified} == {f"ana@example.org ({verified.account.short_id})"}
    assert known().name.startswith("Ana Lee (")
    assert same_name.name.startswith("Ana Lee (")
    assert known().name == known().name != same_name.name
    assert own.name == "AL7"
    assert known(name="x" * 500).name.endswith(f"({verified.account.short_id})")
    assert len(known(name="x" * 500).name) <= 100
    assert known(name=None).name.startswith("s-1 (")


def test_a_folder_without_the_table_has_no_sign_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor one without the file."""
    monkeypatch.chdir(tmp_path)
    assert sign_in_settings() is None
    Path("assay.toml").write_text("db = 'a.db'\n")
    assert sign_in_settings() is None


def test_the_addresses_follow_from_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the provider describes itself, where it sends people back to, and which port the app must have itself."""
    monkeypatch.chdir(tmp_path)
    Path("assay.toml").write_text(TABLE)
    settings = sign_in_settings()
    assert settings is not None
    assert settings.metadata_url == "https://login.example.org/.well-known/openid-configuration"
    assert settings.redirect_uri == "https://assay.example.org/oauth2callback"
    assert (settings.host, settings.own_port, settings.is_secure) == ("assay.example.org", None, True)

    local = replace(settings, address="http://localhost:8600/")
    assert (local.redirect_uri, local.own_port) == ("http://localhost:8600/oauth2callback", 8600)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('issuer = "https://login.example.org"', "", r"\[signin\] lacks issuer: .*address of your provider"),
        ('client_id = "assay"', "", "lacks client_id"),
        ('roles_claim = "roles"', "", "lacks roles_claim"),
        ('lead = "lead"', "", "names no role"),
        ('lead = "lead"', "lead = 3", "lead is a text or a list"),
        ('lead = "lead"', 'lead = "lead"\nclient_secret = "s3cret"', "knows .* not client_secret"),
        ("https://login", "http://login", "issuer must begin with https://"),
        ("https://login.example.org", "login.example.org", "issuer is an address that begins with https://"),
        ("https://assay", "http://assay", "address must begin with https://"),
        ("https://assay.example.org", "https://example.org/assay", "without a path"),
        ('lead = "lead"', 'lead = "lead"\nscope = "email"', "scope begins with openid"),
    ],
)
def test_an_incomplete_table_is_refused_with_what_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, after: str, words: str
) -> None:
    """A key that is missing, one that is not known, and addresses by which a token could be read; never a secret repeated."""
    monkeypatch.chdir(tmp_path)
    Path("assay.toml").write_text(TABLE.replace(before, after, 1))
    with pytest.raises(UsageError, match=words) as refused:
        sign_in_settings()
    assert "s3cret" not in str(refused.value)
