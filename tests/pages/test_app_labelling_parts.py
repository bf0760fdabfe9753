"""The other parts of the labelling page: the sentence, waves with their ledger, annotators, thumbs-down, drawing, sending."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from annotate.analysis.labelling import status
from annotate.analysis.report.report import build
from annotate.cli import main
from annotate.present.messages import whole_table as table
from annotate.store import Store
from proxy.evaluation.trust import percent
from proxy.records import Context, Item
from support.app import NOW, SEEN, Open, answer, drawn, in_store, judged, nothing, question, some_open, walk, words
from support.labelling_page import agreed, at, disputed, hostile_thumbs, look, said, tables, take, waves, work
from support.tiers import shortly

URL, TOKEN = "LABEL_STUDIO_URL", "LABEL_STUDIO_API_KEY"


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No assay.toml and no server from outside."""
    monkeypatch.chdir(tmp_path)
    for name in (URL, TOKEN):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "word", "expected", "rows"),
    [
        (judged, "A new wave", "No answer is drawn for labelling yet, and nobody has labelled one.", "No open answers"),
        (drawn, "16 open answers", "0 of 16 drawn answers are labelled.", "16 open answers"),
        (some_open, "4 open answers", "12 of 16 drawn answers are labelled.", "Whether annotators agree: not examined"),
        (disputed, "11 open answers", "5 of 16 drawn answers are labelled.", "3 answers to decide"),
        (
            agreed,
            "Nothing for now",
            "16 of 16 drawn answers are labelled.",
            "Annotators agree on 100 % (81 to 100 %, n = 16)",
        ),
    ],
)
def test_the_head_says_what_to_label_next(opened: Open, make: Any, word: str, expected: str, rows: str) -> None:
    """A word and a sentence; the rows below say how much of what waits, and one button stands out."""
    app = opened(make, "labelling")

    assert (f"**{word}**" in answer(app)[0], answer(app)[1]) == (True, expected)
    assert rows in work(app)
    stands_out = {"open answers": ["go-send"], "A new wave": ["go-draw"], "Nothing for now": []}
    expected_buttons = next(keys for words, keys in stands_out.items() if words in word)
    assert [button.key for button in app.button if button.proto.type == "primary"] == expected_buttons
    assert ("Every answer here has been drawn." in work(app)) == (make is not judged)


@pytest.mark.slow
def test_the_rows_lead_to_their_parts(opened: Open) -> None:
    """Each button opens the part where its work is done; harm is named with what waits."""
    app = opened(disputed, "labelling", "dr-three")
    assert "Marked as seriously harmful: 1." in work(app)

    app.button(key="go-adjudicate").click().run()
    assert len(app.text_area) == 2
    app.button(key="go-send").click().run()
    assert any("assay up" in code.value for code in app.code)


@pytest.mark.slow
def test_the_last_row_leads_to_the_plan(opened: Open) -> None:
    """While there is an answer that no wave has drawn."""
    app = opened(judged, "labelling")

    app.button(key="go-draw").click().run()
    assert app.number_input(key="wave-labels").value == 100


@pytest.mark.slow
def test_agreement_stands_with_its_interval_and_on_how_many_answers(opened: Open, store_path: Path) -> None:
    """Sixteen of sixteen: the row and the card say what the service says."""
    app = opened(agreed, "labelling")
    share = in_store(store_path, lambda store: status.build(store).annotator_agreement.agreement)

    assert (share.estimate, share.n) == (1.0, 16)
    assert f"100 % ({round(100 * share.low)} to 100 %, n = 16)" in work(app)
    assert next(metric.value for metric in waves(app).metric if metric.label == "Annotators agree") == "100 %"


@pytest.mark.slow
def test_cards_say_what_the_report_says(opened: Open, store_path: Path) -> None:
    """Labelled, open, right and wrong, agreement and what no wave covers are those of the report, of JSON and app alike."""
    app = waves(opened(disputed, "labelling"))
    told = CliRunner().invoke(main, ["report", "--json", "--db", str(store_path)])
    report = json.loads(told.stdout)
    cards = {metric.label: metric.value for metric in app.metric}

    counts = report["label_counts"]
    assert (cards["Labelled"], cards["Wait for a label"]) == (str(report["labels"]), str(counts["open"]))
    assert f"Right: {counts['right']} · wrong: {counts['wrong']}" in words(app).replace("\\", "")
    assert cards["Wait for a decision"] == str(report["disagreements"])
    assert cards["Annotators agree"] == percent(report["inter_annotator_agreement"]["agreement"]["estimate"])
    covered = in_store(store_path, status.coverage)
    uncovered = in_store(store_path, lambda store: build(store).uncovered)
    assert (covered.covered.items, covered.uncovered) == (report["items"], uncovered)
    assert cards["In no wave that counts"] == "0 %"


@pytest.mark.slow
def test_a_wave_stands_with_its_ledger(opened: Open, store_path: Path) -> None:
    """Rule, seed and each stratum with N, n, its chance and what became of its draws; they add up to the wave."""
    app = waves(opened(disputed, "labelling"))
    frames = tables(app)
    wave, strata = frames["Wave"].iloc[0], frames["Stratum"]

    assert (wave["Drawn"], wave["Right"], wave["Unsure"], wave["Open"], wave["Counts"]) == (16, 2, 3, 11, "Yes")
    assert list(strata["Stratum"]) == ["failed", "passed"]
    assert list(strata["N"]) == list(strata["Drawn"])
    assert list(strata["Inclusion probability"]) == [1, 1]
    for column in ("Drawn", "Right", "Wrong", "Unsure", "Open", "Skipped"):
        assert strata[column].sum() == wave[column]
    page = words(app).replace("\\", "")
    assert "seed 7" in page
    assert "`default v1: min(context_relevance, faithfulness) > 0.5`" in page
    assert "Answers in its frame (all that it could draw from): 16" in page


@pytest.mark.slow
def test_a_frame_that_is_outdated_is_said(opened: Open) -> None:
    """Two answers changed after the draw: their draws are changed, the frame says so, and the wave's rows still add up."""

    def changed(store: Store) -> None:
        walk(store)
        ids = [draw.item_id for draw in store.sampling.waves.all_draws()][:2]
        items = [
            Item(id=item_id, question="Other?", answer="Other.", contexts=(Context(text="Other."),)) for item_id in ids
        ]
        with store.atomic():
            store.traffic.items.add(items, now=NOW)

    app = waves(opened(changed, "labelling"))
    wave, strata = tables(app)["Wave"].iloc[0], tables(app)["Stratum"]

    assert wave["Changed since"] == 2 == strata["Changed since"].sum()
    assert wave["Drawn"] == wave[["Right", "Wrong", "Unsure", "Open", "Changed since"]].sum() == 16
    assert "changed since, so that the frame is outdated for them: 2" in words(app)
    assert "abels of answers that changed after they were drawn: 2" in words(app).replace("\\", "")


@pytest.mark.slow
def test_annotators_stand_by_name_with_pairs_and_the_log(opened: Open) -> None:
    """Four items read twice, two of them alike; a row for each pair, annotator and source."""
    app = at(opened(disputed, "labelling"), "annotators")
    frames = tables(app)

    pairs = frames["annotators"]
    assert (list(pairs["answers"]), list(pairs["agree"]), list(pairs["say right"])) == ([4], ["50 %"], ["75 %"])
    people = frames["Annotator"]
    assert list(people["Annotator"]) == ["dr-one", "dr-two"]
    assert list(people["Labels"]) == [5, 4]
    assert list(people["Agree with others"]) == ["50 % of 4", "50 % of 4"]
    assert list(frames["Source"]["Source"]) == ["file"]
    assert "with a second annotator: 4; of these read by two: 4" in words(app)
    cards = {metric.label.replace("\\", ""): metric.value for metric in app.metric}
    assert cards["Agree on"] == "50 %"
    assert "Krippendorff's alpha" in cards


@pytest.mark.slow
def test_the_inbox_shows_complaints_as_text(opened: Open) -> None:
    """Question, answer, comment and correction literally; the thumb on an unknown answer is there too."""
    app = at(opened(hostile_thumbs, "labelling"), "thumbs")
    texts = [text.value for text in app.text]

    for part in SEEN:
        assert sum(part in text for text in texts) == 4
        assert part not in words(app)
    assert "Answers with a thumb down: 2" in words(app)
    assert "Wait for the next wave: 1" in words(app)
    app.button_group(key="lf").set_value("unknown").run()
    assert any("lost <i>" in text.value for text in app.text)
    assert "No answer with this id came in yet" in words(app)


@pytest.mark.slow
def test_the_inbox_leads_to_the_drawing_of_what_waits(opened: Open) -> None:
    """The dry run has a stratum for thumbs-down."""
    app = at(opened(hostile_thumbs, "labelling"), "thumbs")
    app.button(key="thumbs-draw").click().run()
    look(app)

    assert "thumbs-down" in list(tables(app)["Stratum"]["Stratum"])


@pytest.mark.slow
@pytest.mark.parametrize("language", shortly(("zh", "ko"), "ko"))
@pytest.mark.parametrize("make", [nothing, judged, disputed])
def test_every_part_speaks_every_language(
    opened: Open, make: Any, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No part of the page fails in another language, at stores of every kind, and its question is translated."""
    monkeypatch.setattr("annotate.pages.kit.messages.language", lambda: language)
    app = opened(make, "labelling", "dr-three")
    assert question(app) == table()["labelling.title"][language]
    if make is nothing:
        return
    for part in ("annotators", "waves", "adjudicate", "thumbs", "draw", "send"):
        assert table()[f"labelling.part_{part}"][language] in [tab.label for tab in at(app, part).tabs]


@pytest.mark.slow
def test_labels_without_a_draw_are_no_wave(opened: Open) -> None:
    """Hand-picked labels are called so, and the next step is a draw."""

    def picked(store: Store) -> None:
        judged(store)
        take(store, [said(store.traffic.items.get(1).id, "right", "ann")])

    app = opened(picked, "labelling")

    assert "the labels here are hand-picked (1)" in answer(app)[1]
    assert app.button(key="go-draw").proto.type == "primary"
