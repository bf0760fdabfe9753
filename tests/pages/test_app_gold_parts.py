"""Every part of the gold page in every language, its figures against the service's, and what survives a slip of the hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotate.analysis.gold import coverage
from annotate.domain.gold import GoldSource
from annotate.pages.gold import PARTS, pairs
from annotate.present.messages import LANGUAGES
from annotate.present.messages import whole_table as table
from annotate.store import Store
from annotate.workflow.gold import import_references, review, writing
from annotate.workflow.gold.review import Actor
from annotate.workflow.ingest.batches import Source
from proxy.evaluation.trust import percent
from support.app import NOW, SEEN, Make, Open, in_store, judged, tables, three, traffic, words
from support.gold import busy, turn
from support.gold_page import press
from support.tiers import shortly

LEAD = Actor("lead", NOW)


def only_imported(store: Store) -> None:
    """A gold set that came from a file, without any traffic."""
    path = store.path.parent / "references.jsonl"
    path.write_text('{"question": "When?", "reference": "At nine."}\n')
    import_references.import_gold(store, [Source(str(path))], who="lead", now=NOW)
    review.accept_all(store, LEAD)


@pytest.mark.slow
@pytest.mark.parametrize("language", shortly(LANGUAGES, "zh"))
@pytest.mark.parametrize("part", PARTS)
def test_every_part_shows_in_every_language(opened: Open, part: str, language: str) -> None:
    """The title and the buttons are in the reader's language, and texts of others stand in no place that reads markdown."""
    app = opened(busy, "gold")
    next(button_group for button_group in app.button_group if button_group.key == "lang").set_value(language)
    turn(app.run(), part)

    assert not app.exception
    assert table()[f"gold{'_write' if part == 'write' else ''}.title"][language] in app.title[0].value
    assert not any(sign in words(app) for sign in SEEN)


@pytest.mark.slow
@pytest.mark.parametrize("make", [only_imported, three])
@pytest.mark.parametrize("part", PARTS)
def test_every_part_shows_on_a_small_store(opened: Open, make: Make, part: str) -> None:
    """Without traffic, or without an accepted entry, nothing fails and something is said."""
    app = turn(opened(make, "gold"), part)

    assert not app.exception
    assert app.caption
    assert app.title


@pytest.mark.slow
@pytest.mark.parametrize("make", [traffic, judged])
def test_a_store_without_labels_names_the_next_step(opened: Open, make: Make) -> None:
    """Before the first label there is nothing to know for sure."""
    assert "assay" in opened(make, "gold").code[0].value


@pytest.mark.slow
def test_the_sentence_says_what_the_service_counts(opened: Open, store_path: Path) -> None:
    """How many questions, of how much traffic, how many are missing; the cards agree."""
    app = opened(busy, "gold")
    assert "**5 left**" in app.title[0].value
    turn(app, "review")
    gold_coverage = in_store(store_path, coverage.coverage)
    items, covered = gold_coverage.whole.items or 0, gold_coverage.whole.covered or 0
    sentence = app.markdown[0].value.replace("\\", "")

    assert f"Questions with an accepted reference: {gold_coverage.questions}," in sentence
    assert f"in {covered} of the {items} answers of the traffic ({percent(covered / items)})" in sentence
    assert f"needing one: 5 (wrong answers: {gold_coverage.whole.states[coverage.ReferenceState.MISSING]})." in sentence
    assert [metric.value for metric in app.metric] == ["5", "1", "5", "0"]


@pytest.mark.slow
def test_the_coverage_table_is_the_service_s(opened: Open, store_path: Path) -> None:
    """By cause: a row for each, in its order, with the base beside the counts."""
    app = turn(opened(busy, "gold"), "growth")
    next(button_group for button_group in app.button_group if button_group.key == "by").set_value("cause")
    app.run()
    cause = in_store(store_path, coverage.coverage).parts["cause"]
    shown = tables(app)[-1]

    assert list(shown.columns) == ["Cause", "Called wrong", "reference accepted", "in review", "needs one"]
    assert list(shown["Called wrong"]) == [gold_part.wrong for gold_part in cause]
    assert list(shown["needs one"]) == [gold_part.states.get(coverage.ReferenceState.MISSING, 0) for gold_part in cause]
    assert list(shown["Cause"]) == ["not said", "Incomplete"]


@pytest.mark.slow
def test_the_address_opens_a_part(opened: Open) -> None:
    """A choice and what is looked for stand in the address under a word that no language changes; no such part is said."""
    app = turn(opened(busy, "gold"), "pairs")
    assert app.query_params["part"] in ("pairs", ["pairs"])
    assert "in conflict: 1" in words(app).replace("\\", "")

    app.query_params.update(part="set", find="RED")
    assert "Found: 2 of 5." in words(app.run())
    app.text_input(key="find").set_value("lift").run()
    assert app.query_params["find"] in ("lift", ["lift"])
    assert "Found: 1 of 5." in words(app)

    app.query_params.update(part="zzz")
    assert "does not have: part = zzz" in words(app.run()).replace("\\", "")


@pytest.mark.slow
def test_the_page_says_that_the_file_is_masked(opened: Open, store_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the download, where redaction is on and only there; the command names the release."""
    monkeypatch.chdir(store_path.parent)
    app = turn(opened(busy, "gold"), "releases")
    assert "masked as the app is" not in words(app)
    app.selectbox(key="export-what").set_value("v2").run()
    assert "assay gold export gold.jsonl --release v2`" in words(app)

    Path("assay.toml").write_text("[redaction]\non = true\n")
    assert "The file is masked as the app is" in words(app.run())


@pytest.mark.slow
def test_what_was_put_off_keeps_its_text(opened: Open) -> None:
    """The next item has an empty form; the first comes back with what was typed."""
    app = opened(busy, "gold")
    app.text_area[0].set_value("Half a sentence")
    press(app, "Skip")
    assert app.text_area[0].value == ""
    for _ in range(4):
        press(app, "Skip")
    app.button(key="reference-again").click().run()

    assert app.text_area[0].value == "Half a sentence"


@pytest.mark.slow
def test_a_form_sent_twice_does_not_land_on_the_next_item(opened: Open, store_path: Path) -> None:
    """Each item has a form of its own: what the browser sends of the one before is nobody's."""
    app = opened(busy, "gold")
    app.text_area[0].set_value("Ask a pharmacist.")
    former = {
        field.key for field in (app.text_area[0], *(button for button in app.button if button.label == "Save, next"))
    }
    press(app, "Save, next")

    assert not former & {field.key for field in (*app.text_area, *app.button)}
    assert app.text_area[0].value == ""
    assert in_store(store_path, lambda store: len(store.gold.statistics.waiting())) == 4


@pytest.mark.slow
def test_what_someone_else_wrote_is_said_before_the_reader_goes_on(opened: Open, store_path: Path) -> None:
    """The item stays on screen with their text, until the reader leaves it."""
    app = opened(busy, "gold")

    def theirs(store: Store) -> None:
        row = store.gold.statistics.waiting()[0].items[0]
        writing.write(store, [row], "Theirs.", GoldSource.APP, LEAD)

    in_store(store_path, theirs)
    app.run()
    assert "Theirs." in [text.value for text in app.text]
    app.button(key="reference-go-on").click().run()

    assert "Theirs." not in [text.value for text in app.text]
    assert app.text_area[0].value == ""


@pytest.mark.slow
def test_one_text_for_both_settles_a_conflict(opened: Open, store_path: Path) -> None:
    """The other entry takes the reference, with the reason in its history."""
    app = turn(opened(busy, "gold"), "pairs")
    use = next(button for button in app.button if button.key.endswith("-use-0"))
    use.click().run()
    entries = in_store(store_path, lambda store: {entry.item_id: entry for entry in store.gold.entries()})

    assert entries["a"].reference == entries["b"].reference
    newest = in_store(store_path, lambda store: store.gold.revisions(entries["b"].gold_id)[-1])
    assert newest.why == f"the reference of {entries['a'].gold_id}"


@pytest.mark.slow
def test_a_large_set_is_compared_when_asked_for(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """Candidates show at once, without doubts; the comparison is a button, and then everybody's."""
    monkeypatch.setattr(pairs, "AT_ONCE", 1)
    app = turn(opened(busy, "gold"), "pairs")
    assert "in conflict" not in words(app)
    app.button(key="compare-pairs").click().run()

    assert "in conflict: 1" in words(app).replace("\\", "")


@pytest.mark.slow
def test_rows_without_an_item_are_shown(opened: Open) -> None:
    """What was imported by itself says so."""
    app = turn(opened(only_imported, "gold"), "set")

    assert any("no item" in text.value for text in app.text)
    assert "At nine." in [text.value for text in app.text]
