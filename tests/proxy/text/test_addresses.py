"""What is kept and shown of an address."""

from __future__ import annotations

import pytest

from proxy.text.addresses import without_secrets


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://api.example.org/v1/", "https://api.example.org/v1/"),
        ("https://ann:secret@api.example.org/v1?key=secret#top", "https://api.example.org/v1"),
        ("http://ann:pa?ss@localhost:8000/v1", "http://localhost:8000/v1"),
        ("https://api.example.org/team@work", "https://api.example.org/team@work"),
        ("localhost:8000/v1", "localhost:8000/v1"),
    ],
)
def test_an_address_is_kept_without_keys_and_passwords(url: str, kept: str) -> None:
    """Also where a password holds a question mark, which would end the address of whoever looks for a query first."""
    assert without_secrets(url) == kept
