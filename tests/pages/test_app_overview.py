"""The overview as a person sees it: limits one by one, figures as in the JSON, the weeks, in three languages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from annotate.analysis.report.report import build
from annotate.charts import course as charts
from annotate.domain.message import Between, Kind, Number, message
from annotate.domain.selection import Selection
from annotate.pages.overview.download import made
from annotate.present.messages import text
from annotate.present.quantity import kind_of
from annotate.store import Store
from annotate.workflow import demo
from annotate.workflow.judging import rules
from proxy.evaluation.annotator_agreement import Reliability
from proxy.records import Item, Score
from proxy.text.numbers import two_decimals
from support.app import (
    NOW,
    Make,
    Open,
    answer,
    drawn,
    in_store,
    judged,
    nothing,
    question,
    some_open,
    tables,
    three,
    traffic,
    walk,
    with_everything,
    words,
)
from support.drift import fill, label_all
from support.html_report import Page
from support.labelling_page import said as read
from support.labelling_page import take
from support.store import Assay, kept, label, take_labels
from support.tiers import shortly

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

WEEKS = 6


@kept
def weekly(assay: Assay) -> Assay:
    """Six labelled weeks, and a new version of the rule in the third."""
    label_all(assay, fill(assay, weeks=WEEKS))
    assay("rule", "set", "s > 0.6")
    assay.sql("UPDATE rules SET at = '2026-06-17T12:00:00.000Z' WHERE is_in_force")
    return assay


def cards(app: AppTest) -> dict[str, str]:
    """Label and value of each card."""
    return {metric.label: metric.value for metric in app.metric}


@pytest.mark.slow
@pytest.mark.parametrize("make", [nothing, traffic, judged, some_open, walk, three])
@pytest.mark.parametrize("language", shortly(("zh_Hant", "ko-KR"), "zh_Hant"))
def test_every_state_shows_in_every_language(opened: Open, make: Make, language: str) -> None:
    """No exception, and no word of the English table where another is spoken; a region in the address is no other language."""
    app = opened(make)
    app.query_params["lang"] = language
    app.run()

    assert not app.exception
    assert "Can we trust" not in question(app)
    assert "Do next" not in words(with_everything(app))


@pytest.mark.slow
def test_annotators_who_agree_too_little_are_named_under_the_answer(opened: Open, store_path: Path) -> None:
    """Before the rule is explained: alpha, and on how many answers it rests."""
    said = "Annotators agree too little for firm conclusions"

    def apart(store: Store) -> None:
        drawn(store)
        ids = sorted({draw.item_id for draw in store.sampling.waves.all_draws()})
        take(store, [read(item_id, "right" if n % 3 else "wrong", "ben") for n, item_id in enumerate(ids)])
        take(store, [read(item_id, "right" if n % 3 and n > 4 else "wrong", "eva") for n, item_id in enumerate(ids)])

    app = with_everything(opened(apart))
    people = in_store(store_path, lambda store: build(store).annotator_agreement)
    assert people.reliability is Reliability.WEAK
    shown = words(app).replace("\\", "")
    assert people.alpha.estimate is not None
    assert f"{said}: alpha {two_decimals(people.alpha.estimate)}" in shown
    assert f"answers read twice: {people.n}" in shown


@pytest.mark.slow
def test_the_tiles_are_those_of_the_json(weekly: Assay, opened: Open) -> None:
    """Each figure with the interval that its limit is held against and its n; the head says what the command says."""
    app, report = opened(nothing), weekly.json("report")
    shown = "".join(html.proto.body for html in app.get("html"))
    word, sentence = answer(app)

    for name, times in (("pass_precision", 1), ("correctness", 1), ("false_passes", 1000)):
        measured, kind = report[name], Kind.PER_THOUSAND if times > 1 else Kind.SHARE
        value = text(Number(times * measured["estimate"], kind))
        ends = text(Between(times * measured["long_run"]["low"], times * measured["long_run"]["high"], kind))
        assert f"{value}<small>{ends} · n = {measured['n']}</small>" in shown
    kappa, kind = report["kappa"], kind_of("kappa")  # in the checklist
    ends = text(Between(kappa["long_run"]["low"], kappa["long_run"]["high"], kind))
    assert f"now {text(Number(kappa['estimate'], kind))} ({ends}, n = {kappa['n']})" in shown
    right = report["sensitivity"]
    ends = text(Between(right["long_run"]["low"], right["long_run"]["high"], Kind.SHARE))
    share = text(Number(right["estimate"], Kind.SHARE))
    below = {caption.value for caption in app.caption}
    assert f"Of right answers {share} ({ends}, n = {right['n']}) pass." in below
    cells, decided = report["cells"], report["correctness"]["n"]
    passed, failed = cells["right_pass"] + cells["wrong_pass"], cells["right_fail"] + cells["wrong_fail"]
    assert f"{decided} right or wrong: {passed} passed, {failed} failed" in below
    assert f"{report['labels']:,}<small>" in shown
    assert word == {"yes": ":green[**Yes**]", "no": ":red[**No**]"}.get(
        report["verdict"]["status"], ":orange[**Not yet**]"
    )
    assert report["verdict"]["sentence"].lower().endswith(sentence.lower())
    assert weekly.json("drift")["answer"] in words(with_everything(app)).replace("\\", "")


def one_called_wrong(store: Store) -> None:
    """The demo with five draws left open, of which one is then called wrong without a reference."""
    demo.walk(store, lambda line: None, now=NOW, leave_open=5)
    name = store.sampling.waves.open_draws()[0].item_id
    take_labels(store, [label(name, "wrong")])


@pytest.mark.slow
def test_where_work_waits_is_linked_with_its_count(opened: Open) -> None:
    """Four draws wait for a label, which stands out, beside one answer that lacks a reference."""
    page_links = opened(one_called_wrong).get("page_link")
    links = [(link.proto.label, link.proto.page, link.proto.query_string) for link in page_links]

    work = [link for link in links if link[1] in {"labelling", "gold"} and link[2]]
    assert [link[1:] for link in work] == [("gold", "part=write"), ("labelling", "lab=waves")]
    assert work[0][0] == "Write 1 reference"
    assert re.fullmatch(r"Label 4( of \d+ needed)?", work[1][0])


@pytest.mark.slow
def test_every_quantity_is_in_the_table_with_its_basis(weekly: Assay, opened: Open) -> None:
    """All of the contract's quantities of the proxy, with both intervals, n and method."""
    app, report = with_everything(opened(nothing)), weekly.json("report")
    table = next(dataframe for dataframe in tables(app) if "estimate" in dataframe.columns)
    names = ("correctness", "pass_rate", "pass_precision", "sensitivity", "specificity", "kappa")
    names += ("npv", "accuracy", "f1", "mcc", "ac1", "auroc")

    assert list(table["quantity"]) == [text(message(f"measures.{name}")) for name in names]
    for (_, row), name in zip(table.iterrows(), names, strict=True):
        quantity = report[name]
        assert row["estimate"] == text(Number(quantity["estimate"], kind_of(name)))
        assert row["n"] == quantity["n"]
        assert row["Basis, or why it is not measurable"] == quantity.get("reason") or quantity["method"]


@pytest.mark.slow
def test_what_thumbs_tell_is_said_where_there_are_any(weekly: Assay, opened: Open) -> None:
    """The sentence of the JSON, and cards of the four quantities."""
    ids = [row[0] for row in weekly.sql("SELECT id FROM items ORDER BY key LIMIT 12")]
    weekly("feedback", weekly.write("f.jsonl", [{"item_id": name, "value": n % 2} for n, name in enumerate(ids)]))
    feedback = weekly.json("report")["feedback"]
    app = with_everything(opened(nothing))
    shown = {name.replace("\\", ""): value for name, value in cards(app).items()}

    assert feedback["down"] > 0
    assert feedback["sentence"] in words(app).replace("\\", "")
    for name in ("down_precision", "down_recall", "up_precision", "up_recall"):
        assert shown[text(message(f"measures.{name}"))] == text(Number(feedback[name]["estimate"], Kind.SHARE))


@pytest.mark.slow
def test_the_limits_of_the_team_are_listed_one_by_one(weekly: Assay, opened: Open) -> None:
    """assay.toml asks for 75 % right and a kappa of 0.99: the first is met, the other missed, and the head counts."""
    weekly.write("assay.toml", "[report]\nlimit = 0.8\n[gate.report]\ncorrectness = 0.7\nkappa = 0.99\n")
    app = with_everything(opened(nothing))
    table = tables(app)[0]

    assert dict(zip(table["What must hold"], table["Met?"], strict=True)) == {
        "Right among the passed": "✓ met",
        "Agreement beyond chance (kappa)": "✓ met",
        "Answers that are right": "✓ met",
        "Agreement beyond chance": "✗ missed",
        "Annotators agree with each other (alpha)": "— not examined",
        "Answers marked as seriously harmful": "— not examined",
    }
    assert list(table["Limit"])[:4] == ["at least 80 %", "above 0.00", "better than chance (0.00)", "at least 70 %"]
    assert "Limits: 3 of 6 met, 1 missed, 2 not examined" in words(app).replace("\\", "")
    assert "The gate fails: " in words(app).replace("\\", "")


@pytest.mark.slow
def test_limits_that_cannot_be_read_are_said_and_the_plain_ones_hold(weekly: Assay, opened: Open) -> None:
    """A mistake in assay.toml does not take the page away."""
    weekly.write("assay.toml", "[gate.report]\nnonsense = 1\n")
    app = with_everything(opened(nothing))

    assert "nonsense" in app.warning[0].value
    assert len(tables(app)[0]) == len(("precision", "chance", "annotators", "harm"))


@pytest.mark.slow
def test_a_change_of_the_rule_is_marked_with_words(weekly: Assay, opened: Open) -> None:
    """The mark of 17 June is within the weeks; the chart and the table know it by the same number."""
    app = with_everything(opened(nothing))
    table = next(dataframe for dataframe in tables(app) if "Mark" in dataframe.columns)
    mark = table[table["In the weeks shown"] == "yes"].iloc[0]

    assert list(table["Mark"]) == [1]
    assert (mark["Mark"], mark["Day (UTC)"]) == (1, "2026-06-17")
    assert mark["What changed"] == "Rule custom was set to v2: s > 0.6"
    assert mark["Before"] == "v1: s > 0.5"


@pytest.mark.slow
def test_weeks_stand_beside_the_limit_by_the_interval_of_the_verdict(
    weekly: Assay, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The chart with the limit shows the long run, by which limits are held; those of the weeks themselves are in the table."""
    drawn_dots: list[charts.CourseDot] = []
    draw_course = charts.course

    def noted(dots: Sequence[charts.CourseDot], *args: Any, **options: Any) -> Any:
        drawn_dots.extend(dots)
        return draw_course(dots, *args, **options)

    monkeypatch.setattr(charts, "course", noted)
    opened(nothing)
    windows = {window["window"]: window["pass_precision"] for window in weekly.json("drift", "--by", "week")["windows"]}

    assert len(drawn_dots) == WEEKS
    for dot in drawn_dots:
        long_run = windows[dot.day]["long_run"]
        assert (dot.below, dot.above) == pytest.approx((long_run["low"], long_run["high"]))


@pytest.mark.slow
def test_figures_by_week_can_be_chosen(weekly: Assay, opened: Open) -> None:
    """Another figure, and none at all, which shows the usual two."""
    app = with_everything(opened(nothing))

    assert app.pills[0].value == ["correctness", "pass_precision"]
    assert not app.pills[0].set_value(["pass_rate"]).run().exception
    assert not app.pills[0].set_value([]).run().exception


@pytest.mark.slow
def test_without_timestamps_the_weeks_say_so(assay: Assay, opened: Open) -> None:
    """No chart, and what to bring."""
    label_all(assay, fill(assay, weeks=2, timed=False))
    app = opened(nothing)

    assert "No answer has a timestamp" in words(app)
    assert "No week has enough labels" not in words(app)
    with_everything(app)
    assert "No answer has a timestamp" in words(app)


@pytest.mark.slow
def test_the_chart_of_the_weeks_holds_every_dot_and_mark() -> None:
    """Two figures in two weeks are four dots, side by side within a week; a mark keeps its day and number."""
    dots = [
        charts.CourseDot(figure, day, 0.5, 0.4, 0.6, 9) for figure in ("a", "b") for day in ("2026-06-01", "2026-06-08")
    ]
    spec = charts.course(dots, [charts.CourseMark("2026-06-03", "1, 2", "w")], date="week", count="n").to_dict()
    rows = [row for dataset in spec["datasets"].values() for row in dataset]
    places = {(row["figure"], row["week"]): row["day"] for row in rows if "figure" in row}

    assert len(places) == 4
    assert places["a", "2026-06-01"] < "2026-06-01T12" < places["b", "2026-06-01"]
    assert [(row["day"], row["number"]) for row in rows if "number" in row] == [("2026-06-03T00:00:00Z", "1, 2")]
    alone = charts.course([dots[0], dots[2]], [], date="week", count="n").to_dict()
    ends = [(day["month"], day["date"]) for day in alone["layer"][0]["encoding"]["x"]["scale"]["domain"]]
    assert ends == [(5, 25), (6, 8)], "a single week has a week on either side"


@pytest.mark.slow
def test_the_download_is_the_page_of_the_command(weekly: Assay) -> None:
    """The button makes what `assay report --html` writes, but for the time."""
    ours = Page(made(weekly.db, Selection()).decode())
    theirs = Page(weekly("report", "--html", "-").stdout)

    assert ours.table("figures") == theirs.table("figures")
    assert [row for row in ours.rows if row.table == "weeks"] == [row for row in theirs.rows if row.table == "weeks"]


@pytest.mark.slow
def test_only_one_week_has_no_chart(opened: Open, store_path: Path) -> None:
    """The demo's answers are all of one week: that is said, and no dot stands alone in a chart."""
    app = with_everything(opened(walk))

    assert len(app.pills) == 0
    assert "there is 1 window of a week, and it takes 5" in words(app).replace("\\", "")


def judged_alone(store: Store) -> None:
    """Answers of two systems with scores, of which nothing is drawn."""
    rows = [Item(id=f"i{n}", question=f"Where is room {n}?", answer="Upstairs.", system="ab"[n % 2]) for n in range(12)]
    judges = ("context_relevance", "faithfulness")
    with store.atomic():
        store.traffic.items.add(rows, now=NOW)
        keys = store.traffic.items.keys([row.id for row in rows])
        scores = {
            keys[row.id]: [Score(item_id=row.id, judge=judge, signature=f"{judge}|t", value=n / 12) for judge in judges]
            for n, row in enumerate(rows)
        }
        store.scores.keep(scores, now=NOW)
    rules.follow_scores(store, now=NOW)


@pytest.mark.slow
def test_before_a_label_it_shows_what_the_judges_say(opened: Open) -> None:
    """How scores are spread, what passes by system, and the lowest answers where they are opened."""
    app = opened(judged_alone)
    spreads, pairs, passed = tables(app)[:3]

    assert list(spreads["judge"]) == ["context_relevance", "faithfulness"]
    assert list(spreads["median"]) == ["0.417", "0.417"]  # the 6th of 0/12, 1/12 …
    assert list(pairs["both above 0.5"]) == [5]  # 7/12 to 11/12
    assert list(passed["passed"]) == ["33 %", "50 %"]  # of a 8/12 and 10/12, of b 7/12, 9/12 and 11/12
    assert "lowest values: 12; they may be right" in "".join(part.label for part in app.expander).replace("\\", "")
