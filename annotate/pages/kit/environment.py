"""Variables of the app's process: its own settings, and a key only where a setting makes it use that key.

The keys of other doors (webhook, intake, model judges, Langfuse, OTLP headers) stay with the process that starts the app.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from annotate.domain.child_environment import MACHINE, NETWORK, PYTHON, kept
from annotate.domain.sign_in.settings import CLIENT_SECRET, COOKIE_SECRET, sign_in_settings
from annotate.label_studio.address import PULL, PUSH, TOKEN_VARIABLE, URL_VARIABLE, named_url
from annotate.settings import draft
from annotate.store.audit import pseudonym_key

# Further names, for a recogniser of one's own that reads some.
MORE = "ASSAY_APP_ENVIRONMENT"
OWN = (
    "ASSAY_USER",
    "USER",
    "LOGNAME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    MORE,
    pseudonym_key.VARIABLE,
)
MODEL = ("OPENAI_API_KEY", "OPENAI_BASE_URL")


def app_environment(more: Mapping[str, str]) -> dict[str, str]:
    """Return what the app gets of our environment, and `more` beside it."""
    return {**kept(os.environ, _names(more)), **more}


def _names(more: Mapping[str, str]) -> Iterator[str]:
    yield from (*MACHINE, *PYTHON, *NETWORK, *OWN)
    yield from os.environ.get(MORE, "").replace(",", " ").split()
    if URL_VARIABLE in more or named_url(PUSH) or named_url(PULL):
        yield from (URL_VARIABLE, TOKEN_VARIABLE)
    if draft() is not None:
        yield from MODEL
    if sign_in_settings() is not None:
        yield from (CLIENT_SECRET, COOKIE_SECRET)
