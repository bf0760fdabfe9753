"""What assay.toml hides is on no page and in no list: comments, corrections, reasons, references, sources, names; without a browser."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from annotate.analysis import disagreements
from annotate.domain.gold import GoldEntry, GoldSource
from annotate.domain.privacy import redaction
from annotate.domain.privacy.redaction import HIDDEN as STAND_IN
from annotate.domain.privacy.redaction import Redaction
from annotate.pages.disagreements import rows
from annotate.pages.kit import privacy, texts
from annotate.store import Store
from annotate.store.labels.disagreements import DisagreementFilter
from annotate.workflow.gold import writing
from annotate.workflow.gold.review import Actor
from proxy.records import Context, Item
from support.app import NOW, Open, in_store, tables
from support.gold import turn
from support.labelling_page import at
from support.private import HIDDEN, MAIL, MARKS, NAMES, private

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

ALL = HIDDEN.replace("hidden = [", "hidden = ['annotator', ")
NOBODY = (*MARKS.values(), *NAMES, "Annotator 1")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where assay.toml lies."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sent(app: AppTest) -> str:
    """All that went to the browser."""
    protos: list[Any] = [getattr(element, "proto", None) for block in app._tree for element in block]
    return "".join(str(proto) for proto in protos if proto is not None) + "".join(
        dataframe.to_csv() for dataframe in tables(app)
    )


def leaks(app: AppTest, where: str) -> list[str]:
    """What stands there and should not."""
    assert not app.exception
    page = sent(app)
    assert STAND_IN in page
    return [f"{where}: {name}" for name in NOBODY if name in page]


def test_a_store_that_took_the_place_of_another_is_followed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first asks for nothing; what its successor in the same place asks for is masked from the next text on."""
    place, replacement = folder / "assay.db", folder / "other.db"
    monkeypatch.setenv("ASSAY_DB", str(place))
    Store(place).close()
    before = privacy.shown(f"write to {MAIL}")
    with closing(Store(replacement)) as store, store.atomic():
        store.audit.policies.set_masking(Redaction(is_on=True).as_json())
    replacement.replace(place)

    assert MAIL in before
    assert MAIL not in privacy.shown(f"write to {MAIL}")


def test_passages_of_one_title_differ_by_date_and_source_as_in_the_form(folder: Path) -> None:
    """The page names a passage as the form does, masked by the same table; its id stands in for a title that it has not."""
    passages = [{"text": "P", "date": "2021-03-04", "source": "wiki"}, {"text": "P", "source": f"from {MAIL}"}, "P"]
    titled = (Context(text="P", title="Policy"), Context(text="P", title="Policy"), Context(text="P", id="p-3"))
    item = Item(id="a", question="Q", answer="A", contexts=titled, metadata={"contexts": passages})

    def names() -> list[list[str]]:
        return [[name.line for name in source(item)] for source in (texts.passage_names, redaction.passage_names)]

    plain = ["Policy · 2021-03-04 · wiki", f"Policy · from {MAIL}"]
    assert names() == [[*plain, "p-3"], [*plain, ""]]
    (folder / "assay.toml").write_text("[redaction]\non = true\n")
    assert not any(MAIL in name for shown in names() for name in shown)
    assert [shown[0] for shown in names()] == [plain[0]] * 2
    (folder / "assay.toml").write_text("[redaction]\non = true\nhidden = ['source']\n")
    assert names() == [["Policy", "Policy", "p-3"], ["Policy", "Policy", ""]]


@pytest.mark.slow
def test_no_page_holds_what_is_hidden(opened: Open, folder: Path) -> None:
    """Every part of the pages on which annotators' words stand, with annotator names hidden as well; without the table all of it is there."""
    app = opened(private, "labelling", "lead")
    at(app, "thumbs")
    page = sent(app.button_group(key="lf").set_value("all").run())
    assert all(MARKS[name] in page for name in ("comment", "correction", "source"))

    (folder / "assay.toml").write_text(ALL)
    leaked = []
    for state in ("all", "open", "labelled", "seen"):
        leaked += leaks(app.button_group(key="lf").set_value(state).run(), f"thumbs {state}")
    for part in ("adjudicate", "annotators"):
        leaked += leaks(at(app, part), part)
    assert leaked == []


@pytest.mark.slow
def test_neither_does_an_answer_among_the_disagreements_or_the_file_of_them(
    opened: Open, folder: Path, store_path: Path
) -> None:
    """Notes and references of the label and of each reading; whose answers are listed cannot be chosen by a name either."""
    (folder / "assay.toml").write_text(ALL)
    app = opened(private, "disagreements", "lead")
    assert leaks(app, "disagreements") == []
    assert "annotator" not in [selectbox.key for selectbox in app.selectbox]

    def files(store: Store) -> str:
        ground = disagreements.ground(store)
        return "".join(
            disagreements.as_file(store, ground, DisagreementFilter(), ending).decode() for ending in ("csv", "jsonl")
        )

    written = in_store(store_path, files)
    assert [
        mark for mark in (*MARKS.values(), "Annotator 1") if mark in written
    ] == []  # no pattern finds a name within a question
    assert STAND_IN in written


@pytest.mark.slow
def test_an_address_names_an_annotator_by_number(opened: Open, folder: Path) -> None:
    """Who is chosen stands in the address as on the page, and it finds what the name would."""
    (folder / "assay.toml").write_text("[redaction]\non = true\n")
    app = opened(private, "disagreements", "lead")
    for name, finds in (("Annotator 1", True), ("Annotator 99", False)):
        app.query_params["annotator"] = name
        app.run()
        assert any(radio.key == rows.ROWS and radio.options for radio in app.radio) is finds


def gold(store: Store) -> None:
    """Two references with an address to mask, one of them by an end user."""
    with store.atomic():
        store.traffic.items.add([Item(id=n, question=n, answer="A.") for n in "ab"], now=NOW)
    for name, source in (("a", GoldSource.APP), ("b", GoldSource.CORRECTION)):
        row = store.traffic.items.keys([name])[name]
        writing.write(store, [row], f"Ask {MAIL} of {name}.", source, Actor("ann", NOW))


@pytest.mark.slow
def test_a_form_never_writes_a_stand_in_over_what_it_hides(opened: Open, folder: Path, store_path: Path) -> None:
    """Saved as it was shown nothing changes; with a stand-in in a new text it is refused and stays typed; a new text counts."""
    (folder / "assay.toml").write_text("[redaction]\non = true\nhidden = ['correction']\n")
    app = turn(opened(gold, "gold", "lead"), "review")
    for name, masked in (("b", STAND_IN), ("a", "Ask [e-mail] of a.")):
        before = entry(store_path, name)
        app.session_state[f"candidate-open-{before.gold_id}"] = True
        app.run()
        field = app.text_area(key=f"candidate-edit-{before.gold_id}-{before.revision}-text")
        assert field.value == masked
        save = f"candidate-edit-{before.gold_id}-{before.revision}-save"
        app.button(key=save).click().run()
        assert entry(store_path, name) == before
    app.text_area(key=field.key).set_value("Or ask [e-mail].")
    app.button(key=save).click().run()
    assert "stands for something that is hidden" in "".join(error.value for error in app.error)
    assert app.text_area(key=field.key).value == "Or ask [e-mail]."
    assert entry(store_path, "a") == before
    app.text_area(key=field.key).set_value("Ask the desk.")
    app.button(key=save).click().run()
    assert entry(store_path, "a").reference == "Ask the desk."


def entry(path: Path, item: str) -> GoldEntry:
    """The entry of an item, read anew."""
    return in_store(
        path, lambda store: next(gold_entry for gold_entry in store.gold.entries() if gold_entry.item_id == item)
    )
