"""The app as a person sees it, on stores of every size, without a browser."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from annotate import demo, intake, judging, streamlit_server
from annotate.charts import Bar, intervals
from annotate.gold import GoldStatus
from annotate.pages import gold, measures, references
from annotate.pages.steps import for_store, next_step
from annotate.pages.texts import SHOWN_CHARACTERS, escaped
from annotate.report import build
from annotate.store import Store
from proxy.errors import UsageError
from proxy.estimate import Estimate
from proxy.records import Context, Item
from proxy.stats.intervals import Interval

NOW = "2026-11-21T09:00:00.000Z"
HOSTILE = (
    "<script>window.hacked=1</script><img src=x onerror='window.hacked=1'> ![x](http://example.org/x.png) "
    "**bold** $latex$ :red[x] :smile: [link](javascript:alert(1)) `code` \ud800\0\u202eend"
)
SEEN = ("<script>window.hacked=1</script>", "![x](http://example.org/x.png)", "**bold** $latex$ :red[x] :smile:")
Make = Callable[[Store], object]
Open = Callable[..., AppTest]
T = TypeVar("T")


def walk(store: Store) -> None:
    """The demo's sixteen answers, all labelled."""
    demo.walk(store, lambda line: None, now=NOW)


def some_open(store: Store) -> None:
    """The demo with four draws that wait for a label."""
    demo.walk(store, lambda line: None, now=NOW, leave_open=4)


def nothing(store: Store) -> None:
    """An empty store."""


def traffic(store: Store) -> None:
    """Items that nobody has judged."""
    with demo.data("traffic.jsonl") as source:
        intake.ingest(store, source, now=NOW)


def judged(store: Store) -> None:
    """Judged items of which none was drawn."""
    traffic(store)
    judging.judge(store, list(judging.built_in().values()), now=NOW)


def drawn(store: Store) -> None:
    """A wave without labels."""
    judged(store)
    demo._draw(store, judging.rule_in_force(store, now=NOW)[0], "default v1", NOW)


def label(store: Store, folder: Path, rows: Sequence[dict[str, object]]) -> None:
    """Judge and draw everything, and take these labels in."""
    judging.judge(store, list(judging.built_in().values()), now=NOW)
    demo._draw(store, judging.rule_in_force(store, now=NOW)[0], "default v1", NOW)
    path = folder / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    intake.import_labels(store, intake.Source(str(path)), now=NOW)


def three(store: Store) -> None:
    """Three items with hostile and endless texts: one right, two wrong, one of those without a reference."""
    texts = (Context(text=HOSTILE, title=HOSTILE), Context(text="long passage " * 100_000))
    items = [Item(id=f"<b>{n}</b>", question=HOSTILE, answer=HOSTILE, contexts=texts) for n in range(3)]
    with store.atomic():
        store.items.add(items, now=NOW)
    rows: list[dict[str, object]] = [
        {"item_id": "<b>0</b>", "label": "right", "annotator": HOSTILE[:40]},
        {"item_id": "<b>1</b>", "label": "wrong", "rationale": HOSTILE, "harm": "serious"},
        {"item_id": "<b>2</b>", "label": "wrong", "rationale": HOSTILE, "reference": HOSTILE},
    ]
    label(store, store.path.parent, rows)


@pytest.fixture
def store_path(tmp_path: Path) -> Path:
    """Where the store of the test lies."""
    return tmp_path / "assay.db"


@pytest.fixture
def opened(store_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Make a store and open a page of the app on it."""

    def open_page(make: Make, page: str = "", user: str = "ann") -> AppTest:
        store = Store(store_path)
        make(store)
        store.close()
        monkeypatch.setenv("ASSAY_DB", str(store_path))
        monkeypatch.setenv("ASSAY_USER", user)
        app = AppTest.from_file(str(streamlit_server.app_file()), default_timeout=60)
        app._page_hash = calc_hash(page) if page else ""
        app.run()
        assert not app.exception
        return app

    return open_page


def words(app: AppTest) -> str:
    """Everything on the page that is written by us: markdown, captions, titles, boxes and code."""
    elements = (app.title, app.subheader, app.markdown, app.caption, app.code)
    boxes = (app.success, app.warning, app.error, app.info)
    return "\n".join([*(str(one.value) for kind in (*elements, *boxes) for one in kind)])


def in_store(path: Path, ask: Callable[[Store], T]) -> T:
    """What a second look at the store says."""
    store = Store(path)
    try:
        return ask(store)
    finally:
        store.close()


def test_a_missing_store_says_what_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a store the app names the commands that make one, and makes none itself."""
    monkeypatch.setenv("ASSAY_DB", str(tmp_path / "none.db"))
    app = AppTest.from_file(str(streamlit_server.app_file()), default_timeout=60).run()

    assert not app.exception
    assert "assay ingest FILE" in words(app)
    assert "assay demo" in words(app)
    assert not (tmp_path / "none.db").exists()


def test_a_file_that_is_no_store_is_one_readable_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A known error is one box, not a traceback."""
    path = tmp_path / "other.db"
    path.write_bytes(b"no database " * 1000)
    monkeypatch.setenv("ASSAY_DB", str(path))
    app = AppTest.from_file(str(streamlit_server.app_file()), default_timeout=60).run()

    assert not app.exception
    assert "no SQLite database" in app.error[0].value.replace("\\", "")


@pytest.mark.parametrize(
    ("make", "command"),
    [
        (nothing, "assay ingest FILE"),
        (traffic, "assay judge"),
        (judged, "assay sample --labels 100"),
        (drawn, "assay push"),
        (some_open, "assay pull"),
        (walk, "assay ingest FILE"),
        (three, "assay ingest FILE"),
    ],
)
def test_every_state_names_the_next_command(opened: Open, make: Make, command: str) -> None:
    """From the empty store on, the overview says which command comes next."""
    app = opened(make)

    assert app.title[0].value == "Can the proxy be trusted?"
    assert command in app.code[0].value


def test_without_labels_nothing_is_claimed(opened: Open) -> None:
    """A judged store shows its counts and no measure of the proxy."""
    app = opened(judged)

    assert "It cannot be said yet" in app.info[0].proto.title
    assert [metric.value for metric in app.metric] == ["16", "0 of 0", "0"]
    assert "How good is the proxy?" not in words(app)


def test_the_overview_tells_the_demo(opened: Open, store_path: Path) -> None:
    """The sentence comes first; every number has its interval and its labels; the miss is there with its reasons."""
    app = opened(walk)
    report = in_store(store_path, lambda store: build(store, now=NOW))

    assert app.warning[0].value.replace("\\", "") == report.trust.sentence
    shown = {metric.label: metric.value for metric in app.metric}
    assert shown["Answers that are right"] == "62 %"
    assert shown["Right among the passed"] == "90.9 %"
    assert shown["Failed among the wrong"] == "83 %"
    assert shown["Labels"] == "16 of 16"
    assert shown["Marked down by users"] == "2"
    page = words(app).replace("\\", "")
    assert "Long run: 47 % to 99.1 %" in page
    assert "95 % intervals, 11 labels" in page
    assert "Look at retrieval first: 5 of 6" in page
    assert "not calibrated on your traffic" in page
    assert "How long before my abdominal ultrasound do I have to stop eating?" in [text.value for text in app.text]
    assert any("faithfulness 0.79" in text.value for text in app.text)
    assert app.table[0].value.loc["Proxy: pass", "People: wrong"] == "1 (6.3 %)"
    assert list(app.dataframe[1].value["Group"]) == ["failed", "passed", "thumbs-down"]


def test_a_reference_goes_from_the_form_into_the_store(opened: Open, store_path: Path) -> None:
    """What is typed becomes a candidate under the writer's name, an event tells it, and the queue is empty."""
    app = opened(walk, "gold")
    app.text_area[0].set_value("  Never take two at once.  ")
    app.button[0].click().run()

    assert "is a candidate now" in app.success[0].value
    assert not app.text_area
    entries = in_store(store_path, lambda store: store.gold.page(GoldStatus.CANDIDATE, start=0, size=100))
    written = [one for one in entries if one.source == "written in the app"]
    assert [(one.reference, one.annotator) for one in written] == [("Never take two at once.", "ann")]
    assert in_store(store_path, lambda store: store.check()) == []
    assert in_store(store_path, lambda store: store.gold.without_reference()) == []


@pytest.mark.parametrize(("text", "user", "why"), [("   ", "ann", "empty"), ("Never two.", "", "name")])
def test_a_blank_reference_or_writer_is_refused(opened: Open, store_path: Path, text: str, user: str, why: str) -> None:
    """Nothing is written, and the page says why."""
    app = opened(walk, "gold", user)
    app.text_area[0].set_value(text)
    app.button[0].click().run()

    assert why in app.error[0].value
    assert app.text_area[0].value == text
    assert len(in_store(store_path, lambda store: store.gold.without_reference())) == 1


def test_the_name_is_asked_once(opened: Open, store_path: Path) -> None:
    """A name that was typed signs what is accepted later."""
    app = opened(walk, "gold", "")
    app.text_input[0].set_value("dr-kim").run()
    entry = in_store(store_path, lambda store: store.gold.page(GoldStatus.CANDIDATE, start=0, size=1)[0])
    app.button(key=f"accept-{entry.gold_id}").click().run()

    history = in_store(store_path, lambda store: store.gold.history(entry.gold_id))
    assert history[-1][1:3] == ("accepted", "dr-kim")


def test_putting_off_shows_the_next(opened: Open) -> None:
    """The only wrong answer put off leaves a way back."""
    app = opened(walk, "gold")
    next(button for button in app.button if button.label == "Later").click().run()
    assert not app.text_area

    next(button for button in app.button if button.label == "Begin again").click().run()

    assert app.text_area


def test_accepting_and_retiring_change_the_store(opened: Open, store_path: Path) -> None:
    """One by its own button, a whole page at once, and one taken out again with its reason."""
    app = opened(walk, "gold")
    first = in_store(store_path, lambda store: store.gold.page(GoldStatus.CANDIDATE, start=0, size=1)[0].gold_id)
    app.button(key=f"retire-{first}").click().run()
    assert in_store(store_path, lambda store: store.gold.counts()[GoldStatus.RETIRED]) == 1

    next(button for button in app.button if button.label == "Choose all on this page").click().run()
    app.button(key="accept-chosen").click().run()
    assert app.success[0].value == "10 entries accepted."
    assert in_store(store_path, lambda store: list(store.gold.counts().values())) == [4, 10, 1]

    second = in_store(store_path, lambda store: store.gold.page(GoldStatus.ACCEPTED, start=0, size=1)[0].gold_id)
    app.text_input(key=f"why-{second}").set_value("outdated leaflet").run()
    app.button(key=f"retire-{second}").click().run()
    history = in_store(store_path, lambda store: store.gold.history(str(second)))
    assert history[-1][1:] == ("retired", "ann", "outdated leaflet")


def test_the_download_holds_the_accepted_entries(store_path: Path) -> None:
    """One JSON object a line, with where it comes from; hostile texts survive."""
    store = Store(store_path)
    three(store)
    ids = [one.gold_id for one in store.gold.entries()]
    gold.change(store, ids, GoldStatus.ACCEPTED, who="ann", why=None, now=NOW)
    rows = [json.loads(line) for line in gold.jsonl(store_path).decode().splitlines()]
    store.close()

    assert [row["item_id"] for row in rows] == ["<b>0</b>", "<b>2</b>"]
    assert rows[1]["reference"].startswith("<script>")
    assert {row["status"] for row in rows} == {"accepted"}


def test_who_comes_second_is_told(store_path: Path) -> None:
    """A reference never overwrites one that another person has written in the meantime."""
    store = Store(store_path)
    walk(store)
    row = store.gold.without_reference()[0]
    references.write(store, row, "q", "The first.", who="ann", now=NOW)
    with pytest.raises(UsageError, match="someone else"):
        references.write(store, row, "q", "The second.", who="bob", now=NOW)
    kept = store.gold.page(GoldStatus.CANDIDATE, start=0, size=100)
    store.close()

    assert "The second." not in [one.reference for one in kept]


@pytest.mark.parametrize("page", ["", "gold"])
def test_hostile_texts_are_shown_as_text(opened: Open, page: str) -> None:
    """What others wrote stands in text elements literally, and in none that reads markdown."""
    app = opened(three, page)
    texts = [text.value for text in app.text]

    for part in SEEN:
        assert any(part in text for text in texts)
        assert part not in words(app)
    assert not any("\ud800" in text or "\0" in text or "\u202e" in text for text in texts)


def test_a_long_passage_is_shown_in_part(opened: Open) -> None:
    """A passage of over a million characters is cut until the reader asks for all of it."""
    app = opened(three, "gold")
    assert max(len(text.value) for text in app.text) <= SHOWN_CHARACTERS + 2

    app.toggle[0].set_value(True).run()

    assert max(len(text.value) for text in app.text) > 1_000_000


def test_messages_of_ours_show_names_literally() -> None:
    """Marks of markdown are escaped, commands stay code."""
    assert escaped("run `assay judge` for a_b*") == "run `assay judge` for a\\_b\\*"
    assert escaped("<b>") == "\\<b\\>"


def test_what_cannot_be_measured_says_why() -> None:
    """A card without an estimate shows the reason, and bounds where they are known."""
    measure = measures.PROXY[0]
    unknown = Estimate(estimate=None, reason="not measurable: label 30 items below the threshold")
    bounded = Estimate(estimate=None, low=0.2, high=0.8, n=9, reason="not measurable", long_run=Interval(0.1, 0.9))

    assert measures.number(measure, None) == "—"
    assert measures.lines(measure, unknown) == ["Not measurable: label 30 items below the threshold"]
    assert measures.lines(measure, bounded) == [
        "Not measurable; this much is sure:",
        "This window: 20 % to 80 %",
        "Long run: 10 % to 90 %",
        "95 % intervals, 9 labels",
    ]


def test_the_chart_draws_every_interval() -> None:
    """Each bar is a row of the chart's data, an unknown estimate stays empty."""
    bars = [Bar("a", "this window", 0.5, 0.4, 0.6), Bar("a", "long run", None, 0.3, 0.7)]
    drawn_rows = intervals(bars).data.to_dict("records")

    assert [(row["low"], row["high"]) for row in drawn_rows] == [(0.4, 0.6), (0.3, 0.7)]
    assert measures.in_words(bars).endswith("a, long run: no estimate, 30 % to 70 %.")


def test_commands_name_the_store_where_they_must(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The default store needs no --db; any other is named, quoted for a shell."""
    monkeypatch.chdir(tmp_path)

    assert for_store("assay judge", tmp_path / "assay.db") == "assay judge"
    assert for_store("assay judge", tmp_path / "my store.db") == "assay judge --db 'my store.db'"


def test_new_traffic_asks_for_a_new_draw(store_path: Path) -> None:
    """Items that no wave knows are the next thing to do once all labels are in."""
    store = Store(store_path)
    walk(store)
    with store.atomic():
        store.items.add([Item(id="new", question="q", answer="a")], now=NOW)
    step = next_step(build(store, now=NOW))
    store.close()

    assert step.words.startswith("1 answers came")
    assert step.commands[0].startswith("assay sample")


@pytest.mark.parametrize(("make", "command"), [(nothing, "assay ingest FILE"), (drawn, "assay pull")])
def test_an_empty_gold_set_names_the_next_command(opened: Open, make: Make, command: str) -> None:
    """Where no label has offered anything, the page says so and how to go on."""
    app = opened(make, "gold")

    assert app.title[0].value == "What do we know for sure?"
    assert command in app.code[0].value
    assert not app.subheader
