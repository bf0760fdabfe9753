"""The first sentence of a page in every language: the same case and the same numbers as the command's English sentence."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from annotate.charts.intervals import Bar
from annotate.pages.kit import messages as words
from annotate.pages.kit import quantities
from annotate.present.messages import whole_table
from proxy.evaluation.agreement import measure
from proxy.evaluation.domains import Evidence
from support.agreement import FAIL, PASS, wave

NOTHING = measure(Evidence(totals=[], sample=[], drawings=[]))


@pytest.fixture
def speak(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Choose the reader's language."""

    def choose(language: str) -> None:
        monkeypatch.setattr(words, "language", lambda: language)

    return choose


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_an_interval_without_width_is_called_exact_only_where_all_is_labelled(
    speak: Callable[[str], None], language: str
) -> None:
    """10 of 1,000 labelled and everything passes: sensitivity has no width. All labelled: exact. Never "x % to x %"."""
    speak(language)
    part = measure(wave(("passed", PASS, 1_000, 8, 2)))
    every = measure(wave(("passed", PASS, 8, 6, 2), ("failed", FAIL, 4, 1, 3)))
    exact, single = (whole_table()[f"measures.{name}"][language] for name in ("exact", "no_width"))

    assert (quantities.is_whole(part), quantities.is_whole(every), quantities.is_whole(NOTHING)) == (False, True, False)
    for agreement in (part, every):
        whole = quantities.is_whole(agreement)
        line = quantities.lines(quantities.SENSITIVITY, agreement.sensitivity, whole=whole)[0]
        assert line.endswith(exact if whole else single)
    line = quantities.lines(quantities.PASS_PRECISION, part.pass_precision)[0]
    assert exact not in line
    assert single not in line
    noise = (0.0625, 0.0625 + 1e-13)
    assert quantities.between(quantities.PASS_PRECISION, noise, whole=True) == exact
    assert single in quantities.in_words([Bar("q", "i", 0.0625, *noise)])
