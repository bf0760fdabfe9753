"""Give every item a permanent random number: a salted hash of its id."""

from __future__ import annotations

from hashlib import blake2b, sha256

HEX_DIGITS = 13
STEPS = 1 << (4 * HEX_DIGITS)


def permanent_random_number(item_id: str, salt: str) -> float:
    """Return U in [0, 1): the salted hash blake2b-64 of `item_id|salt`, over 2^64.

    The same salt gives the same number whatever the order of the items. Ohlsson (1995), Coordination of samples using permanent
    random numbers, in Business Survey Methods.
    """
    digest = blake2b(f"{item_id}|{salt}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


def drawing_number(item_id: str, salt: str) -> float:
    """Return the number in [0, 1) by which a wave draws: the first 13 hex digits of sha256 of `salt|item_id`, over 16^13.

    These are 52 bits, which a double holds exactly, and a hash that databases have too, so that anybody can compute a draw again.
    In DuckDB: `CAST('0x' || left(sha256(salt || '|' || id), 13) AS BIGINT) / 16 ** 13`.
    """
    digest = sha256(f"{salt}|{item_id}".encode("utf-8", "surrogatepass")).hexdigest()
    return int(digest[:HEX_DIGITS], 16) / STEPS
