"""Replace a value by a keyed pseudonym of its kind: `[EMAIL-kxwtbnrd]`, the same for the same value in one store.

A pseudonym is an HMAC of the value with a key that is derived from the store's secret and from a salt that the store holds:
whoever has the texts that left cannot guess a telephone number by trying them all, and two stores with one secret have nothing
in common. Spellings of one value agree, because it is normalised first. The letters have no vowels and no digits: no
pattern finds a pseudonym, and none reads like a word.
"""

from __future__ import annotations

import hmac
import re
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import ip_address

from annotate.domain.privacy.folding import folded
from annotate.domain.privacy.kinds import ADDRESS, BIRTH, NUMBER, PASSWORD, PHONE, plain

# 32 bits: among 10,000 values of a kind two share a pseudonym once in 85 stores.
LETTERS = 8
_ALPHABET = str.maketrans("0123456789abcdef", "bcdfghjkmnpqrstv")
PSEUDONYM = re.compile(rf"\[[A-Z][A-Z_]{{1,30}}-[bcdfghjkmnpqrstv]{{{LETTERS}}}\]")
LEAST_SECRET = 32


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """The pseudonyms of one store. `key` is derived, and is shown nowhere."""

    key: bytes = field(repr=False)

    @property
    def fingerprint(self) -> str:
        """What the store keeps to tell this key from another; the key cannot be computed from it."""
        return _digest(self.key, "fingerprint", "")[:16]

    def __call__(self, kind: str, value: str) -> str:
        """Return the pseudonym of a value; that of a password tells the kind alone, since nobody compares passwords."""
        if kind == PASSWORD:
            return plain(kind)
        # A phone number and a plain number of the same digits share their letters, unless they begin with 00.
        domain = NUMBER if kind == PHONE else kind
        letters = _digest(self.key, domain, normalised(kind, value))[:LETTERS].translate(_ALPHABET)
        return f"[{kind}-{letters}]"


@lru_cache(maxsize=16)
def of_store(secret: bytes, salt: str) -> Pseudonyms:
    """Return the pseudonyms of the store with this salt."""
    return Pseudonyms(hmac.digest(secret, b"assay pseudonyms 1 " + salt.encode(), "sha256"))


def normalised(kind: str, value: str) -> str:
    """Return the one spelling of a value: no case, no width of letters, no spaces; numbers without their separators."""
    text = unicodedata.normalize("NFKC", value).casefold()
    if kind in (PHONE, NUMBER):
        signs = "".join(sign for sign in text if sign.isalnum())
        # What is dialled before the code of a country.
        return signs.removeprefix("00") if kind == PHONE else signs
    if kind == BIRTH:
        return _day(text)
    if kind == ADDRESS:
        try:
            return ip_address(text).compressed
        except ValueError:
            return text
    return " ".join(text.split())


def _day(text: str) -> str:
    """Return one spelling of a day that is written in three numbers, the year first."""
    numbers = [int(number) for number in re.findall(r"\d+", folded(text))]
    if len(numbers) != 3:
        return " ".join(text.split())
    return "-".join(map(str, numbers if numbers[0] > 31 else numbers[::-1]))


def _digest(key: bytes, domain: str, value: str) -> str:
    return hmac.digest(key, f"{domain}\0{value}".encode("utf-8", "surrogatepass"), "sha256").hex()
