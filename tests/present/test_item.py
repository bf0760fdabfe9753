"""The first sentence of `assay show` against answers whose truth is known, and the whole in every language."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from annotate.analysis import disagreements
from annotate.analysis.disagreements import ItemDetail
from annotate.present import html, item
from annotate.present.document import Status
from annotate.present.messages import LANGUAGES, text
from annotate.store import Store
from support.disagreements import Told, differing


@pytest.fixture(scope="module")
def known() -> Iterator[list[tuple[Told, ItemDetail]]]:
    """Sixty answers as they were made, and what the store knows of each."""
    with closing(Store(":memory:")) as store:
        cases = differing(store)
        ground = disagreements.ground(store)
        details = [disagreements.detail(store, ground, case.item_id) for case in cases]
        yield [(case, detail) for case, detail in zip(cases, details, strict=True) if detail is not None]


def test_the_first_sentence_says_whether_both_differ(known: list[tuple[Told, ItemDetail]]) -> None:
    """Pass is above 0.5: by the value and the label that each was made with."""
    ends = {"miss": "wrong: a miss.", "false_fail": "right: a false fail.", None: "they agree."}
    statuses = {"miss": Status.MISSED, "false_fail": Status.MISSED, None: Status.MET}

    assert len(known) == 60
    for case, detail in known:
        document = item.document(detail)
        sentence = text(document.answer)
        is_unsure = case.label == "unsure"
        assert ("passes" if case.value > 0.5 else "fails") in sentence
        assert f"({case.value:.3f}, threshold 0.500)" in sentence
        assert sentence.endswith("is not known." if is_unsure else ends[case.kind])
        assert document.status is (Status.OPEN if is_unsure else statuses[case.kind])


def test_it_is_said_in_every_language_and_escaped(known: list[tuple[Told, ItemDetail]]) -> None:
    """The answers have tags in them, and none of these becomes HTML."""
    document = item.document(known[0][1])
    pages = {language: html.fragment(document, language) for language in LANGUAGES}

    assert len(set(pages.values())) == len(LANGUAGES)
    for page in pages.values():
        assert "&lt;b&gt;free" in page
        assert "<b>free" not in page
