"""Ids of spans and traces, as hexadecimal digits or as protobuf's base64."""

from __future__ import annotations

import base64

import pytest

from annotate.traffic.otlp import id_of

TRACE = bytes(range(16))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (TRACE.hex(), TRACE.hex()),
        (f"0x{TRACE.hex().upper()}", TRACE.hex()),
        (base64.b64encode(TRACE).decode(), TRACE.hex()),
        ("0xOp/UD2rRf34KDPhrN24w==", base64.b64decode("0xOp/UD2rRf34KDPhrN24w==").hex()),
        ("0" * 32, None),
        ("run-7", "run-7"),
    ],
)
def test_an_id_is_the_same_however_it_is_written(written: str, expected: str | None) -> None:
    """One base64 in 4,096 begins with 0x as digits may: it is decoded whole; zeros are no id, and other texts stay."""
    assert id_of(written, 16) == expected
