"""Who is signed in, asked anew at each run and each act: Streamlit keeps claims for 30 days, whatever their own end.

The table [signin] is read once, when the app starts: an app that began with sign-in never goes on without it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from functools import cache, wraps
from importlib.util import find_spec
from typing import Any, ParamSpec

import streamlit as st
from streamlit.errors import StreamlitSecretNotFoundError

from annotate.domain.sign_in.settings import CLIENT_SECRET, COOKIE_SECRET, WHERE, SignInSettings, sign_in_settings
from annotate.domain.sign_in.signed_in import Refusal, SignedIn, signed_in
from proxy.errors import UsageError

P = ParamSpec("P")
SHORTEST_SECRET = 32
SECTION = "auth"  # of Streamlit's secrets


@cache
def in_force() -> SignInSettings | None:
    """How people sign in, as it was when the app started; None where nobody does."""
    return sign_in_settings()


def standing() -> SignedIn | Refusal | None:
    """Who is signed in, or why their claims let nobody in; None where nobody signed in."""
    settings = in_force()
    if settings is None or not (vouched := claims()).get("is_logged_in"):
        return None
    return signed_in(vouched, settings, now=time.time())


def person() -> SignedIn | None:
    """Who is signed in, in any role or none."""
    asked = standing()
    return asked if isinstance(asked, SignedIn) else None


def claims() -> Mapping[str, object]:
    """What the provider has signed of whoever uses this session, and whether it has."""
    return st.user.to_dict()


def fragment(part: Callable[P, None]) -> Callable[P, None]:
    """A part of a page that runs by itself; where the sign-in has ended meanwhile, the whole page is drawn anew instead."""
    return st.fragment(_admitted(part))


def fragment_every(seconds: float) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """The same, which also runs anew every so many seconds."""
    return lambda part: st.fragment(_admitted(part), run_every=seconds)


def _admitted(part: Callable[P, None]) -> Callable[P, None]:
    @wraps(part)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asked = person()
        if in_force() is not None and (asked is None or asked.role is None):
            st.rerun()
        part(*args, **kwargs)

    return run


def secrets(settings: SignInSettings) -> Mapping[str, Any]:
    """What Streamlit wants to know of a provider; UsageError where something that sign-in needs is missing."""
    if find_spec("authlib") is None:
        raise UsageError(f"{WHERE} needs Authlib: pip install 'assay[signin]'")
    cookie_secret = _secret(COOKIE_SECRET, "cookie_secret")
    if len(cookie_secret) < SHORTEST_SECRET:
        raise UsageError(
            f"{COOKIE_SECRET} has less than {SHORTEST_SECRET} characters: `openssl rand -hex 32` makes one"
        )
    return {
        SECTION: {
            "redirect_uri": settings.redirect_uri,
            "cookie_secret": cookie_secret,
            "client_id": settings.client_id,
            "client_secret": _secret(CLIENT_SECRET, "client_secret"),
            "server_metadata_url": settings.metadata_url,
            "client_kwargs": {"scope": settings.scope},
        }
    }


def _secret(variable: str, key: str) -> str:
    """A secret from the environment, or from Streamlit's secrets.toml."""
    try:
        kept = st.secrets.get(SECTION, {})
    except StreamlitSecretNotFoundError:  # there is no such file
        kept = {}
    secret = os.environ.get(variable) or kept.get(key)
    if not secret:
        raise UsageError(f"{WHERE} needs {variable} in the environment, or {key} under [{SECTION}] in secrets.toml")
    return str(secret)
