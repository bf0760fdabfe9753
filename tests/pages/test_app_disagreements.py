"""The page of disagreements as a person uses it: asked for by the address, read, acted on; without a browser."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from annotate.analysis.report import report
from annotate.domain.feedback import Feedback
from annotate.store import Store
from proxy.evaluation.trust import percent
from proxy.records import Turn
from support.app import (
    HOSTILE,
    NOW,
    Make,
    Open,
    drawn,
    in_store,
    judged,
    nothing,
    tables,
    three,
    traffic,
    words,
)
from support.disagreements import Told, differ, differing, item
from support.disagreements_page import EVERY, MISS, at, listed, opened_item, shown, unfold
from support.store import report_of

if TYPE_CHECKING:
    pass

NAMES = differ(EVERY)


def truth(name: str) -> Told:
    return next(case for case in EVERY if case.item_id == name)


@pytest.mark.slow
@pytest.mark.parametrize("make", [nothing, traffic, judged, drawn])
def test_a_store_without_labels_names_the_next_command(opened: Open, make: Make) -> None:
    """Nothing fails, and no share is guessed."""
    app = opened(make, "disagreements")

    assert "Where is the proxy wrong?" in app.title[0].value
    assert "nobody knows where it is wrong" in app.info[0].value
    assert any(code.value.startswith("assay ") for code in app.code)


@pytest.mark.slow
def test_the_answer_is_the_report_s(opened: Open, store_path: Path) -> None:
    """Counts as the 2x2 table of `assay report --json` has them; the shares, with their interval, once they are asked for."""
    app = opened(differing, "disagreements")
    reported = in_store(store_path, report_of)
    accuracy, cells = reported["accuracy"], reported["cells"]
    agreement = in_store(store_path, lambda store: report.build(store).agreement)
    assert isinstance(accuracy, dict)
    assert isinstance(cells, dict)
    assert agreement.shares is not None
    serious = sum(case.kind is not None and case.harm == "serious" for case in EVERY)
    sentence = words(app).replace("\\", "")

    assert f"**In {len(NAMES)} of {sum(cells.values())} labelled answers**" in app.title[0].value.replace("\\", "")
    assert f"Passed, but wrong: {cells['wrong_pass']}. Failed, but right: {cells['right_fail']}." in sentence
    assert f"Of these, marked as seriously harmful by an annotator: {serious}." in sentence
    assert not app.metric

    unfold(app)
    sentence = words(app).replace("\\", "")
    assert percent(1 - accuracy["estimate"]) in sentence
    assert percent(float(agreement.shares.wrong_pass)) in sentence
    assert percent(float(agreement.shares.right_fail)) in sentence
    assert [metric.label for metric in app.metric] == [
        *("Where proxy and annotators differ", "Wrong among the passed", "Right among the failed"),
    ]


@pytest.mark.slow
def test_the_list_is_a_page_at_a_time_in_the_order_of_need(opened: Open) -> None:
    """Twenty, then what is left, each with its first open; a page past the end says so."""
    app = opened(differing, "disagreements")
    assert (listed(app), opened_item(app)) == (NAMES[:20], NAMES[0])
    assert "item" not in app.query_params
    at(app, p="2")
    assert (listed(app), opened_item(app)) == (NAMES[20:], NAMES[20])
    assert "ends before this page" in words(at(app, p="9"))
    assert listed(at(app, p="nonsense")) == NAMES[:20]


@pytest.mark.slow
def test_a_row_says_what_it_is_about(opened: Open) -> None:
    """Sign, verdict and label, system, day, harm; a row that is chosen is open, and stands in the address."""
    app = opened(differing, "disagreements")
    captions = list(app.radio[0].proto.captions)
    for name, caption in zip(listed(app), captions, strict=True):
        case = truth(name)
        assert ("◆* passed, wrong" if case.kind == "miss" else "failed, right") in caption
        assert f"2026-0{case.month}-15" in caption.replace("\\", "")
        assert ("serious harm" in caption) is (case.harm == "serious")
        assert (case.system or "passed") in caption or case.kind == "false_fail"

    app.radio[0].set_value(NAMES[3]).run()
    assert app.query_params["item"] == NAMES[3]
    assert f"Where is lift {NAMES[3]}?" in shown(app)


LINKS: tuple[tuple[dict[str, str], Callable[[Told], bool], tuple[str, ...]], ...] = (
    ({"kind": "miss"}, lambda case: case.kind == "miss", ()),
    ({"kind": "no such kind"}, lambda case: True, ("kind",)),
    ({"system": "old", "language": "ko"}, lambda case: (case.system, case.language) == ("old", "ko"), ()),
    ({"system": "gone"}, lambda case: True, ("system",)),
    ({"cause": "unfaithful"}, lambda case: "unfaithful" in case.causes, ()),
    ({"annotator": "dr-kim", "harm": "serious"}, lambda case: (case.annotator, case.harm) == ("dr-kim", "serious"), ()),
    ({"text": "LIFT Q7?"}, lambda case: case.item_id == "q7", ()),
    ({"text": "runs at NIGHT", "kind": "miss"}, lambda case: case.kind == "miss", ()),
    ({"text": "100%_"}, lambda case: False, ()),
    ({"words": "THE lift"}, lambda case: "the Lift" in case.reason, ()),
    ({"from": "2026-03-15", "to": "2026-06-15"}, lambda case: 3 <= case.month <= 6, ()),
    ({"to": "2026-06-15"}, lambda case: case.month <= 6, ()),
    ({"labelled": "2026-05-20"}, lambda case: case.labelled >= 5, ()),
    ({"from": "yesterday", "p": "0"}, lambda case: True, ("from", "p")),
    ({"from": "2026-06-16", "to": "2026-06-15", "cause": "<b>**x**"}, lambda case: case.month > 6, ("to", "cause")),
    ({"slice": "metadata.channel: web"}, lambda case: case.channel == "web", ()),
    ({"slice": "topic: there is none"}, lambda case: False, ("slice",)),
)


@pytest.mark.slow
def test_what_is_asked_for_stands_in_the_address(opened: Open) -> None:
    """A link opens the same list; what makes no sense in it is no filter, what nobody has finds nothing, and both are named."""
    app = opened(differing, "disagreements")
    for asked, kept, unknown in LINKS:
        at(app, **asked)
        if expected := differ(EVERY, kept):
            assert listed(app) == expected[:20], asked
        else:
            assert "None fits these filters." in words(app), asked
        notes = [caption.value.replace("\\", "") for caption in app.caption if "does not have" in caption.value]
        assert len(notes) == bool(unknown), asked
        assert all(f"{name} = {asked[name]}" in notes[0] for name in unknown), asked


@pytest.mark.slow
def test_a_filter_that_is_chosen_goes_into_the_address_and_is_cleared(opened: Open) -> None:
    """From the widgets to the list and back, each time with the worst of what is listed open: one choice to a system's worst."""
    app = at(opened(differing, "disagreements"), item=NAMES[5])
    app.selectbox(key="system").set_value("new").run()
    new = differ(EVERY, lambda case: case.system == "new")
    assert app.query_params["system"] == "new"
    assert (listed(app), opened_item(app)) == (new[:20], new[0])
    app.text_input(key="disagreements-words").set_value("all is there").run()
    assert listed(app) == differ(EVERY, lambda case: case.system == "new" and case.reason == "all is there")[:20]
    app.text_input(key="disagreements-text").set_value(f"lift {listed(app)[-1]}?").run()
    assert len(listed(app)) == 1
    app.button(key="disagreements-clear").click().run()
    assert not app.exception
    assert not {"text", "words", "item"} & set(app.query_params)
    assert (app.query_params["system"], listed(app)) == ("new", new[:20])
    app.button(key="selection-clear").click().run()
    assert not {"system", "item"} & set(app.query_params)
    assert listed(app) == NAMES[:20]


@pytest.mark.slow
def test_the_next_and_the_one_before_follow_the_list(opened: Open) -> None:
    """From the first on over the end of a page, and back; what is open stands in the address."""
    app = opened(differing, "disagreements")
    assert app.button(key="disagreements-before").disabled
    for name in NAMES[1:21]:
        app.button(key="disagreements-after").click().run()
        assert (app.query_params["item"], opened_item(app)) == (name, name)
        assert not app.exception
    assert listed(app) == NAMES[20:]
    assert f"{len(NAMES) - 20} of {len(NAMES)}, worst first" in words(app)
    app.button(key="disagreements-before").click().run()
    assert (opened_item(app), listed(app)) == (NAMES[19], NAMES[:20])
    assert app.button(key="disagreements-after").proto.shortcut == "n"
    at(app, item=NAMES[-1])
    assert app.button(key="disagreements-after").disabled


@pytest.mark.slow
def test_a_link_opens_the_item_with_all_that_is_known(opened: Open, store_path: Path) -> None:
    """Question, answer with its marks, judges with reasons, label with note, causes and harm, where it comes from."""
    app = at(opened(differing, "disagreements"), item=MISS.item_id, lang="en")
    page = shown(app)

    assert "need not fit the score" not in page, "the rule reads the judge that marks"
    for part in (
        *(
            f"Where is lift {MISS.item_id}?",
            "The lift is in the hall.",
            MISS.reason,
            "on topic",
            f"note on {MISS.item_id}",
        ),
        *(MISS.annotator, MISS.system or "—", f"2026-0{MISS.month}-15 12:00", f"faithfulness: {MISS.value:.2f}"),
        *("version f|v1", "version c|v1", f"Passed by the proxy ({MISS.value:.2f})", "✗ wrong · 1 of 1 annotators"),
        "House rules</bdi></b> · <bdi class='a-text'>2021-03-04 · wiki/7</bdi>",
        *("✗ 1 not supported", "⚠ 2 contradicted", "1 of 3 sentences", "rests on passage 1"),
    ):
        assert part in page, part
    assert "no passage on nights" not in page
    row = in_store(store_path, lambda store: store.traffic.items.keys([MISS.item_id])[MISS.item_id])
    assert "no passage on nights" in shown(unfold(app, f"disagreement-{row}-why-marked"))


@pytest.mark.slow
def test_hostile_texts_are_text_also_where_they_are_marked(opened: Open) -> None:
    """In the one place where HTML is made, what others wrote is escaped; nothing else is read as markdown."""

    def make(store: Store) -> None:
        differing(store)
        row = store.traffic.items.keys([MISS.item_id])[MISS.item_id]
        with store.atomic():
            held = f"The lift is in the hall. It runs at night. It is free. {HOSTILE.replace(chr(0xD800), '')}"
            store._db.conn.execute("UPDATE texts SET answer = ?, question = ? WHERE key = ?", (held, held, row))
            store._db.conn.execute("UPDATE items SET system = ? WHERE key = ?", ("<b>**x**</b>", row))

    app = at(opened(make, "disagreements"), item=MISS.item_id)
    html = "".join(
        body for element in app.get("html") if (body := str(element.proto.body)).startswith("<div class='a-sheet'")
    )
    made = "".join(html.split("<")).lower()
    tags = {part.split(">")[0].split(" ")[0].lstrip("/") for part in html.split("<")[1:]}

    assert "&lt;script&gt;window.hacked=1&lt;/script&gt;" in html
    assert tags == {"div", "p", "span", "bdi", "b", "mark", "small", "sup", "h2", "br"}
    assert "onerror" not in made.replace("onerror=&#x27;", "")
    assert "\u202e" not in html
    assert "✗ 1 not supported" in html


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("no such", "There is no item"),
        (next(case.item_id for case in EVERY if case.kind is None and case.label == "right"), "do not differ here now"),
        (next(case.item_id for case in EVERY if case.label == "unsure"), "do not differ here now"),
    ],
)
def test_a_link_to_what_is_no_disagreement_says_so(opened: Open, asked: str, expected: str) -> None:
    """An unknown item, one on which all agree, one of which people are unsure."""
    app = at(opened(differing, "disagreements"), item=asked)
    assert expected in words(app)
    assert opened_item(app) in (None, "None")
    assert ("does not have: item" in words(app)) is (asked == "no such")


@pytest.mark.slow
def test_a_forgotten_item_and_one_with_other_content(opened: Open, store_path: Path) -> None:
    """Both say what they are; nothing can be done with the forgotten one."""
    app = opened(differing, "disagreements")
    store = Store(store_path)
    with store.atomic():
        store.audit.forgetting.forget_items([NAMES[0]], why=None, who="ann", now=NOW)
        store.traffic.items.add([replace(item(truth(NAMES[1])), answer="Another.")], now=NOW)
    store.close()

    assert "were forgotten" in words(at(app, item=NAMES[0]))
    assert "disagreements-ask" not in [button.key for button in app.button]
    assert "other content since annotators labelled it" in words(at(app, item=NAMES[1]))
    assert "Another." in shown(app)


@pytest.mark.slow
def test_what_the_user_said_stands_below_the_answer(opened: Open, store_path: Path) -> None:
    """Thumb, comment, correction and source, complaints first; what others wrote there is text; more on demand."""

    def make(store: Store) -> None:
        differing(store)
        said = [
            Feedback(item_id=MISS.item_id, value="1", sign=1, at=NOW),
            Feedback(
                item_id=MISS.item_id, value="-1", sign=-1, comment="<i>Twice</i>", correction="Once.", source="web"
            ),
            *(Feedback(item_id=MISS.item_id, value="1", sign=1, comment=f"fine {n}", at=NOW) for n in range(3)),
        ]
        with store.atomic():
            store.traffic.feedback.keep(said, now=NOW)

    app = at(opened(make, "disagreements"), item=MISS.item_id)
    page = shown(app)
    row = in_store(store_path, lambda store: store.traffic.items.keys([MISS.item_id])[MISS.item_id])
    parts = ("Thumb down by the user", "· web", "&lt;i&gt;Twice&lt;/i&gt;", "Once.", "Thumb up by the user")
    places = [page.find(part) for part in parts]
    assert -1 not in places
    assert places[0] == min(places)
    assert page.count("by the user") == 3
    assert shown(unfold(app, f"disagreement-{row}-thumbs")).count("by the user") == 5
    assert "by the user" not in shown(at(app, item=NAMES[1] if NAMES[0] == MISS.item_id else NAMES[0]))


@pytest.mark.slow
def test_a_long_conversation_is_folded_to_its_end(opened: Open, store_path: Path) -> None:
    """The last two turns and the question in sight, the others on demand; a long turn in part, with a way to all of it."""
    history = tuple(Turn(role="user" if n % 2 else "assistant", text=f"turn {n}.") for n in range(40))
    case = replace(item(truth(NAMES[0])), history=(*history, Turn(role="nurse", text="long " * 2_000)))

    def make(store: Store) -> None:
        differing(store)
        row = store.traffic.items.keys([NAMES[0]])[NAMES[0]]
        turns = json.dumps([{"role": turn.role, "text": turn.text} for turn in case.history])
        store._db.conn.execute("UPDATE texts SET history = ? WHERE key = ?", (turns, row))

    app = opened(make, "disagreements")
    page = shown(app)
    assert "turn 39." in page
    assert "turn 38." not in page
    assert "Earlier turns: 39" in [expander.label for expander in app.expander]
    assert "Show all 10,000 characters" in [toggle.label for toggle in app.toggle]
    row = in_store(store_path, lambda store: store.traffic.items.keys([NAMES[0]])[NAMES[0]])
    assert "turn 0." in shown(unfold(app, f"disagreement-{row}-earlier"))


@pytest.mark.slow
def test_what_they_have_in_common_stands_below(opened: Open) -> None:
    """Four tables, counted on what is listed, and said to be no shares."""
    app = at(opened(differing, "disagreements"), system="old")
    assert not tables(app)
    by_cause, by_system, by_language, by_judge = tables(unfold(app))
    chosen = [case for case in EVERY if case.kind and case.system == "old"]

    assert "not shares of traffic" in words(app)
    assert by_system.to_numpy().tolist() == [
        [
            "old",
            sum(disagreement.kind == "miss" for disagreement in chosen),
            sum(disagreement.kind == "false_fail" for disagreement in chosen),
        ]
    ]
    assert by_language.iloc[:, 1:].to_numpy().sum() == len(chosen)
    assert by_cause.iloc[:, 1:].to_numpy().sum() == sum(max(1, len(disagreement.causes)) for disagreement in chosen)
    assert set(by_judge.iloc[:, 0]) == {"context_relevance", "faithfulness"}


@pytest.mark.slow
@pytest.mark.parametrize(("language", "title"), [("zh", "代理指標錯在哪裡？"), ("ko", "프록시는 어디서 틀리나요?")])
def test_the_page_speaks_the_language_of_its_reader(opened: Open, language: str, title: str) -> None:
    """With an item open and a filter in the address, which is the same in every language."""
    app = opened(differing, "disagreements")
    at(app, lang=language, kind="miss", item=MISS.item_id)
    assert title in app.title[0].value
    assert MISS.item_id in shown(app)


@pytest.mark.slow
def test_the_same_answer_with_opposite_labels_is_shown(opened: Open) -> None:
    """How many, and which items with whose label; nothing where there are none."""
    app = opened(three, "disagreements")

    assert "opposite labels: 1" in words(unfold(app))
    assert "2\\</b\\>" in shown(app) or "<b>2</b>" in shown(app)


@pytest.mark.slow
def test_no_opposite_labels_no_word_of_them(opened: Open) -> None:
    """The answers of this store ask different things."""
    assert "opposite labels" not in words(unfold(opened(differing, "disagreements")))
