"""Give every item a permanent random number: a salted hash of its id."""

from __future__ import annotations

from hashlib import blake2b


def permanent_random_number(item_id: str, salt: str) -> float:
    """Return U in [0, 1): the salted hash blake2b-64 of `item_id|salt`, over 2^64.

    The same salt gives the same number whatever the order of the items. Ohlsson (1995), Coordination of samples using permanent
    random numbers, in Business Survey Methods.
    """
    digest = blake2b(f"{item_id}|{salt}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64
