"""Pseudonyms: the same for the same value of one store however it is written, with nothing in common between two stores."""

from __future__ import annotations

import hmac
from collections import Counter
from dataclasses import replace

import pytest

from annotate.domain.privacy.own_patterns import compiled
from annotate.domain.privacy.patterns import masked
from annotate.domain.privacy.pseudonyms import PSEUDONYM, normalised, of_store
from annotate.domain.privacy.redaction import Redaction
from support.pseudonyms import by_kind

SECRET = b"k" * 64
STORE, OTHER = of_store(SECRET, "salt one"), of_store(SECRET, "salt two")
ALIKE = (
    ("EMAIL", ("ann.lee@example.org", "Ann.Lee@Example.ORG", "ann.lee\uff20example.org")),
    ("PHONE", ("0912-345-678", "0912 345 678", "(0912) 345678", "0912345678", "０９１２３４５６７８")),
    ("PHONE", ("+41 44 123 45 67", "0041 44 123 45 67", "+41-44-1234567")),
    ("NUMBER", ("A-123 456", "a123456", "A123-456")),
    ("ADDRESS", ("fe80::1", "FE80:0:0:0:0:0:0:1")),
    ("PATIENT", ("MRN 77", "mrn  77", "ＭＲＮ 77")),
    ("PERSON", ("Ann Lee", "ANN LEE", "ann\u00a0lee")),
)


@pytest.mark.parametrize(("kind", "spellings"), ALIKE)
def test_spellings_of_a_value_agree(kind: str, spellings: tuple[str, ...]) -> None:
    """Case, width, spaces and separators make no other value; the pseudonym is the kind with eight letters."""
    made = {STORE(kind, spelling) for spelling in spellings}

    assert len(made) == 1
    assert PSEUDONYM.fullmatch(made.pop())


def test_it_is_the_hmac_of_the_value() -> None:
    """By hand, from the standard library: the key from secret and salt, the letters from the first 32 bits."""
    key = hmac.digest(SECRET, b"assay pseudonyms 1 salt one", "sha256")
    bits = hmac.digest(key, b"EMAIL\0ann@example.org", "sha256").hex()[:8]
    letters = "".join("bcdfghjkmnpqrstv"[int(digit, 16)] for digit in bits)

    assert STORE("EMAIL", "ann@example.org") == f"[EMAIL-{letters}]"


def test_two_stores_have_nothing_in_common() -> None:
    """Not with one secret, and not with one salt; nor do kinds, but for the digits of a number that may be dialled."""
    values = [f"p{n}@example.org" for n in range(500)]
    ours = {STORE("EMAIL", value) for value in values}

    assert len(ours) == 500
    assert not ours & {OTHER("EMAIL", value) for value in values}
    assert not ours & {of_store(b"q" * 64, "salt one")("EMAIL", value) for value in values}
    assert STORE("PERSON", "12345678")[-9:] != STORE("NUMBER", "12345678")[-9:] == STORE("PHONE", "12345678")[-9:]


def test_no_key_is_told() -> None:
    """Neither by what is printed of the record nor by the fingerprint, which is no prefix of it."""
    told = (
        repr(STORE) + repr(Redaction(is_on=True, pseudonyms=STORE)) + Redaction(is_on=True, pseudonyms=STORE).as_json()
    )

    assert STORE.key.hex()[:12] not in told
    assert str(STORE.key) not in told
    assert not STORE.key.hex().startswith(STORE.fingerprint)


def test_a_password_has_no_pseudonym() -> None:
    """Whoever has the key could try passwords."""
    assert masked("https://bob:s3cret@host.org/x", STORE) == "https://[PASSWORD]@host.org/x".replace(
        "PASSWORD", "password"
    )


def test_masking_again_changes_nothing() -> None:
    """Whatever the pattern, even one that finds parts of a pseudonym; with the pseudonym beside new text too."""
    patterns = tuple(
        compiled(pattern, "here") for pattern in ("[A-Z]+", "(?P<PATIENT>MRN-[0-9]+)", "[b-v]{8}", r"\[.+\]")
    )
    redaction = Redaction(is_on=True, patterns=patterns, pseudonyms=STORE)
    text = "Call 0912-345-678 or ann@example.org, MRN-12 on 10.0.0.1, A123456789"
    once = redaction.text(text)

    assert redaction.text(once) == once
    assert redaction.text(f"{once} and bob@example.org").startswith(once)


def test_counts_and_duplicates_survive() -> None:
    """A thousand texts with forty addresses: as many groups of the same sizes as before."""
    redaction = Redaction(is_on=True, pseudonyms=STORE)
    texts = [f"Where is p{n * n % 41}@example.org?" for n in range(1000)]

    assert sorted(Counter(map(redaction.text, texts)).values()) == sorted(Counter(texts).values())
    assert {by_kind(redaction.text(text)) for text in texts} == {"Where is [e-mail]?"}


def test_stores_that_disagree_give_plain_stand_ins() -> None:
    """Two open stores of other salts: neither is told by the other's pseudonyms; one that asks for plain ones gets them."""
    ours = Redaction(is_on=True, has_pseudonyms=True, salt="salt one", pseudonyms=STORE)
    theirs = replace(ours, salt="salt two", pseudonyms=OTHER)

    assert ours.joined(ours).text("ann@example.org") == ours.text("ann@example.org")
    assert ours.joined(theirs).text("ann@example.org") == "[e-mail]"
    assert ours.joined(Redaction(is_on=True, has_pseudonyms=False)).text("ann@example.org") == "[e-mail]"
    assert ours.joined(Redaction(is_on=True)).text("ann@example.org") == STORE("EMAIL", "ann@example.org")


def test_a_wrong_address_is_hashed_as_it_is() -> None:
    """What looks like an address of the sixth version and is none has a pseudonym all the same."""
    assert normalised("ADDRESS", "1:2:3:4:5:6:7:8:9") == "1:2:3:4:5:6:7:8:9"
