"""Names of people: one person under two spellings is one person."""

from __future__ import annotations

import pytest

from annotate.domain.identity import is_among


@pytest.mark.parametrize(
    ("who", "name", "same"),
    [
        ("Ann", "ann", True),
        (" ann  lee ", "Ann Lee", True),
        ("ＡＮＮ", "ann", True),
        ("an\u200bn", "ann", True),
        ("ann", "\u202eann", True),
        ("ann", "ann@clinic.example", True),
        ("ANN@clinic.example", "ann", True),
        ("ann@a.example", "ann@b.example", False),
        ("ann", "anna", False),
        ("straße", "STRASSE", True),
        ("\ud800", "ann", False),
        ("@clinic.example", "", False),
    ],
)
def test_a_person_is_known_however_the_name_is_written(who: str, name: str, same: bool) -> None:
    """Case, width, spaces, signs without a shape and the part after the @ do not hide anybody."""
    assert is_among(who, ["bob", name]) is same
