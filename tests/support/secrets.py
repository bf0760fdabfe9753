"""Secrets of every door in the environment, each with a value that is looked for in the processes that are started."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

# Of ours, of what our dependencies read, and of what else lies in a shell.
SECRETS = (
    "ANTHROPIC_API_KEY",
    "ASSAY_INTAKE_TOKEN",
    "ASSAY_PSEUDONYM_KEY",
    "ASSAY_SIGNIN_CLIENT_SECRET",
    "ASSAY_SIGNIN_COOKIE_SECRET",
    "ASSAY_WEBHOOK_SECRET",
    "AWS_SECRET_ACCESS_KEY",
    "DATABASE_URL",
    "EMBEDDING_API_KEY",
    "LABEL_STUDIO_API_KEY",
    "LANGFUSE_SECRET_KEY",
    "OPENAI_API_KEY",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "STREAMLIT_SERVER_COOKIE_SECRET",
)


def value_of(name: str) -> str:
    return f"canary-of-{name.lower()}-{'0' * 32}"


def set_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have all of them in the environment."""
    for name in SECRETS:
        monkeypatch.setenv(name, value_of(name))


def secrets_in(environment: str) -> set[str]:
    """The names of the secrets whose values are in a text."""
    return {name for name in SECRETS if value_of(name) in environment}


def secrets_of(pids: Iterable[int]) -> set[str]:
    """The secrets that real processes got, as the system shows their environments."""
    return set().union(*(secrets_in(Path(f"/proc/{pid}/environ").read_bytes().decode()) for pid in pids))
