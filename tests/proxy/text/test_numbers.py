"""How numbers are written where a plausible wrong one would be easy."""

from __future__ import annotations

import pytest

from proxy.text import numbers


@pytest.mark.parametrize("value", [-0.05, 1.2, float("nan"), float("inf")])
def test_what_is_no_share_is_refused(value: float) -> None:
    """It would be written as 0.1 % or 99.9 %, which somebody might believe."""
    with pytest.raises(ValueError, match="is not a share from 0 to 1"):
        numbers.percent(value)


@pytest.mark.parametrize(("value", "words"), [(-1e-12, "0 %"), (1 + 1e-12, "100 %"), (0.0004, "0.1 %")])
def test_the_last_digits_of_a_float_are_no_error(value: float, words: str) -> None:
    """Sums of weights reach 1 but for them."""
    assert numbers.percent(value) == words


@pytest.mark.parametrize(
    ("write", "words"),
    [
        *((numbers.probability, "0.0000123"), (numbers.threshold, "0.0000123"), (numbers.money, "0.0000123")),
        *((numbers.points, "0.001"), (lambda share: numbers.points(-share / 1000, "+"), "-0.000001")),
    ],
)
def test_no_number_has_an_exponent(write: object, words: str) -> None:
    """A chance of 1 in 81,300 is common among ten million answers."""
    assert callable(write)
    assert write(0.0000123) == words
