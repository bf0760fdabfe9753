"""An interval without width in every language: exact only where that is known."""

from __future__ import annotations

import pytest

from annotate.domain.message import Between, Kind
from annotate.present.figure_table import below
from annotate.present.messages import LANGUAGES, text, whole_table
from annotate.present.quantity import is_whole, quantity
from proxy.evaluation.agreement import measure
from proxy.evaluation.domains import Evidence
from support.agreement import FAIL, PASS, wave

NOTHING = measure(Evidence(totals=[], sample=[], drawings=[]))


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_interval_without_width_is_called_exact_only_where_all_is_labelled(language: str) -> None:
    """10 of 1,000 labelled and everything passes: sensitivity has no width. All labelled: exact. Never "x to x %"."""
    part = measure(wave(("passed", PASS, 1_000, 8, 2)))
    every = measure(wave(("passed", PASS, 8, 6, 2), ("failed", FAIL, 4, 1, 3)))
    exact, single = (whole_table()[f"measures.{name}"][language] for name in ("exact", "no_width"))

    assert (is_whole(part), is_whole(every), is_whole(NOTHING)) == (False, True, False)
    for agreement in (part, every):
        is_exact = is_whole(agreement)
        line = next(below(quantity("sensitivity", agreement.sensitivity, is_exact=is_exact)))
        assert text(line, language).endswith(exact if is_exact else single)
    line = next(below(quantity("pass_precision", part.pass_precision)))
    assert exact not in text(line, language)
    assert single not in text(line, language)
    noise = (0.0625, 0.0625 + 1e-13)
    assert text(Between(*noise, Kind.SHARE, is_exact=True), language) == exact
    assert text(Between(*noise, Kind.SHARE), language) == single
