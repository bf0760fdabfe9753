"""Personal data in many countries' forms is found, and the numbers of clinical sentences stay: a bar for each kind."""

from __future__ import annotations

from collections import Counter

import pytest

from annotate.domain.privacy.patterns import masked, spans
from annotate.domain.privacy.pseudonyms import of_store
from support.personal import lines, marked, samples

LEAST = 0.96


@pytest.mark.slow
def test_each_kind_is_found() -> None:
    """Of every kind 96 % at least, in values that no pattern was written for: another seed makes others."""
    texts = samples()
    made = Counter(sample.kind for sample in texts)
    masked_ones = Counter(sample.kind for sample in texts if sample.is_masked(spans))

    assert {kind: masked_ones[kind] / count for kind, count in made.items() if masked_ones[kind] < LEAST * count} == {}
    assert made.total() > 900


@pytest.mark.parametrize("part", range(10))
def test_what_clinicians_write_stays(part: int) -> None:
    """No dose, range, pressure, value, code, version or date that is not of birth is masked."""
    assert [text for text in lines("stays")[part::10] if masked(text) != text] == []


@pytest.mark.parametrize("part", range(10))
def test_what_is_marked_is_masked_and_nothing_beside_it(part: int) -> None:
    """Tables, segments of HL7, letters and chats: the digits that are masked are those of the marked values."""
    assert [sample.text for sample in marked()[part::10] if sample.masked_digits(spans) != sample.digits] == []


def test_a_table_of_measured_values_stays() -> None:
    """A head that names a person's number masks no decimals, no days, and no row that has other columns."""
    table = "MRN,weight,seen\n4482913,81.5,2025-03-01\n4482914,80.2,2025-04-01\n\nDose 500 mg, 12/03/2025"

    assert masked(table) == table.replace("4482913", "[number]").replace("4482914", "[number]")
    assert masked("DOB,visit\n,12/03/2025\n1961-03-04,13/03/2025") == "DOB,visit\n,12/03/2025\n[birthdate],13/03/2025"


def test_masking_hostile_lines_again_changes_nothing() -> None:
    """What takes the place of a number or a day is found by no pattern, beside whatever label it stands."""
    pseudonyms = of_store(b"k" * 64, "salt")
    once = [masked(line, pseudonyms) for line in lines("hostile")[::5]]

    assert [masked(line, pseudonyms) for line in once] == once


def test_spellings_of_a_day_share_a_pseudonym() -> None:
    """Year first, day first, Chinese, and full width; another day has another."""
    pseudonyms = of_store(b"k" * 64, "salt")
    spellings = ("1980-03-12", "12.3.1980", "1980年3月12日", "１９８０／３／１２")

    assert len({pseudonyms("BIRTHDATE", spelling) for spelling in spellings}) == 1
    assert pseudonyms("BIRTHDATE", "1980-03-13") != pseudonyms("BIRTHDATE", "1980-03-12")
