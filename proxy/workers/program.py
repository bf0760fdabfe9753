"""The program of a worker: it gets judges and then blocks on its standard input, and answers each block with its outcomes.

It ends as soon as its standard input does, also within a judge: then whoever started it has ended.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from queue import SimpleQueue
from threading import Thread
from typing import BinaryIO, cast

from proxy.judges.base import Judge
from proxy.scoring import Block, score_block
from proxy.workers.messages import packed, receive, send, unpacked


def main() -> None:
    """Read the judges, say which of them cannot be loaded, and score blocks to the end of the input."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # What a judge prints must not run into the replies.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    received: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_receive_all, args=(requests, received), daemon=True).start()
    judges, faults = _loaded(cast("Sequence[bytes]", unpacked(received.get())))
    send(replies, packed(faults))
    while True:
        send(replies, _reply(received.get(), judges))


def _receive_all(requests: BinaryIO, received: SimpleQueue[bytes]) -> None:
    try:
        while True:
            received.put(receive(requests))
    finally:
        os._exit(0)


def _loaded(contents: Sequence[bytes]) -> tuple[list[Judge], list[str | None]]:
    """Load each judge; a fault says why one cannot be, and nothing must be asked of its place."""
    judges: list[Judge] = []
    faults: list[str | None] = []
    for content in contents:
        try:
            judges.append(cast("Judge", unpacked(content)))
            faults.append(None)
        except Exception as error:  # noqa: BLE001 - code of others
            judges.append(cast("Judge", None))
            faults.append(f"{type(error).__name__}: {error}")
    return judges, faults


def _reply(request: bytes, judges: Sequence[Judge]) -> bytes:
    """Score a block; a text in place of the outcomes says why they cannot be sent."""
    outcomes = score_block(cast("Block", unpacked(request)), judges)
    try:
        return packed(outcomes)
    except Exception as error:  # noqa: BLE001 - records of others
        return packed(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
