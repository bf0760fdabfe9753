"""The command `assay slices` on a real store: its sentences, its slices, and cases where there is little to say."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from annotate.analysis.labelled_draws import evidence_by, ground
from annotate.analysis.rule_in_force import rule_in_force
from annotate.analysis.slices import find
from annotate.analysis.slices.fields import fields
from annotate.store import Store
from proxy.evaluation import slices
from proxy.evaluation.domains import part
from proxy.evaluation.slices import Examined
from proxy.records import Verdict
from proxy.stats.sampling.survey import Proportion
from proxy.text.numbers import points
from support.store import Assay, traffic_row

Row = Mapping[str, object]
Of = Callable[[int], object]


def labelled(
    assay: Assay,
    right: Callable[[int], bool],
    *,
    count: int = 200,
    drawn: int | None = None,
    value: Of = lambda k: 0.2 if k % 4 == 0 else 0.8,
    **more: Of,
) -> None:
    """A store in which every item is scored by `s`, and drawn and labelled, all or so many; `more` are fields by the number of the item."""
    rows = [traffic_row(f"t{k:03}", **{name: of(k) for name, of in more.items()}) for k in range(count)]
    assay("ingest", assay.write("traffic.jsonl", rows))
    scored: Sequence[Row] = [{"item_id": f"t{k:03}", "judge": "s", "value": value(k)} for k in range(count)]
    assay("scores", "import", assay.write("scores.jsonl", scored))
    assay("rule", "set", "s > 0.5")
    assay("sample", "--labels", str(drawn or count))
    assay("draws", "export", "draws.jsonl")
    names = [json.loads(line)["item_id"] for line in Path("draws.jsonl").read_text(encoding="utf-8").splitlines()]
    answers = [{"item_id": name, "label": "right" if right(int(name[1:])) else "wrong"} for name in names]
    assay("labels", "import", assay.write("labels.jsonl", answers))


def tongue(k: int) -> str:
    return ("en", "ko", "de")[k // 4 % 3]


def no_korean(k: int) -> bool:
    return tongue(k) != "ko" or k % 3 == 0


@pytest.mark.slow
def test_the_answer_is_a_sentence_with_what_to_do_next(assay: Assay) -> None:
    """Korean answers that pass are wrong in two of three: named with what shows it, and the command of a fresh wave."""
    labelled(assay, no_korean, count=260, drawn=200, language=tongue)
    search, lines = assay.json("slices"), assay("slices").output.splitlines()
    best = search["worse"][0]
    shown = points(best["difference"]["estimate"], "+")
    assert search["answer"].startswith(f"Passed answers in language: ko are wrong more often: {shown} points (+")
    assert search["answer"].endswith(f", n = {search['labels']['pass']}), adjusted p < .001.")
    assert any(f"n = {best['here']['n']})" in line and f"n = {best['elsewhere']['n']})" in line for line in lines)
    assert "A slice that was found by search is confirmed only by labels drawn for it afterwards." in lines
    assert "    assay sample --labels 60 --slice 'language: ko'" in lines


@pytest.mark.slow
def test_nobody_waits_to_write_while_slices_are_examined(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """What all traffic comes to is counted for the first time and kept; the lock that this takes is given back before."""
    labelled(assay, no_korean, language=tongue)
    asked = list[str]()

    def examine(*args: object, **options: object) -> Examined:
        connection = sqlite3.connect(assay.db, timeout=0, isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        asked.append("granted")
        connection.execute("ROLLBACK")
        connection.close()
        return slices.examine(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(find, "examine", examine)
    store = Store(assay.db)
    find.build(store)
    store.close()
    assert asked == ["granted"]


@pytest.mark.slow
def test_json_holds_every_test_and_every_slice_without_one(assay: Assay) -> None:
    """Shares with interval and n on both sides, p before and after, and for the untested what is missing."""
    labelled(assay, no_korean, language=tongue)
    search = assay.json("slices")
    (best,) = [row for row in search["worse"] if row["slice"] == "language: ko"]
    assert (best["mistake"], best["field"], best["value"], best["searched"]) == ("wrong_pass", "language", "ko", True)
    assert best["here"]["n"] + best["elsewhere"]["n"] == search["labels"]["pass"] == 150
    assert best["p_value"] <= best["adjusted_p"] <= search["level"] == 0.05
    assert search["tests"] == len(search["tested"])
    assert all(row["missing"] or row["missing_elsewhere"] for row in search["untested"])


@pytest.mark.slow
def test_every_slice_leans_on_what_the_scores_predict(assay: Assay) -> None:
    """A share is that of the part of traffic by the same field, 1 minus it for wrong passes; all three name the predictor."""
    labelled(assay, no_korean, count=400, drawn=200, value=lambda k: (k * 7 % 100) / 100, system=tongue)
    search = assay.json("slices")
    shares = [each[name] for each in search["tested"] for name in ("here", "elsewhere", "difference")]
    with closing(Store(assay.db)) as store:
        basis = ground(store, *rule_in_force(store))
        parts = evidence_by(store, basis, "system")
        (korean,) = [
            each
            for each in search["tested"]
            if (each["slice"], each["mistake"]) == ("system: ko", slices.Mistake.WRONG_PASS)
        ]
        known = part(parts["ko"], (Verdict.PASS,))

    assert {each["predictor"] for each in shares} == {basis.traffic.levels.signature}
    assert isinstance(known, Proportion)
    assert korean["here"]["estimate"] == pytest.approx(1 - known.p)
    assert (korean["here"]["low"], korean["here"]["high"]) == pytest.approx(
        (1 - known.window().high, 1 - known.window().low)
    )
    assert (
        korean["here"]["long_run"]["high"] - korean["here"]["long_run"]["low"]
        > korean["here"]["high"] - korean["here"]["low"]
    )


@pytest.mark.slow
def test_beyond_what_is_counted_the_labels_alone_tell_a_share(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """No predictor is named, and the tests are the same."""
    labelled(assay, no_korean, count=400, drawn=200, language=tongue)
    counted = assay.json("slices")
    monkeypatch.setattr(find, "MOST_COUNTED", 399)
    alone = assay.json("slices")

    assert all("predictor" not in each["here"] for each in alone["tested"])
    assert [each["adjusted_p"] for each in alone["tested"]] == [each["adjusted_p"] for each in counted["tested"]]
    assert [each["here"]["n"] for each in alone["tested"]] == [each["here"]["n"] for each in counted["tested"]]


@pytest.mark.slow
def test_fields_that_were_named_are_not_searched(assay: Assay) -> None:
    """With --by the field of the caller's own is given, and all that was found beside it is still marked as searched."""
    labelled(assay, lambda k: k % 5 != 0 or k % 4 == 0, ward=lambda k: "abcde"[k % 5])
    search = assay.json("slices", "--by", "metadata.ward")
    assert {row["searched"] for row in search["tested"] if row["field"] == "metadata.ward"} == {False}
    assert all(row["searched"] for row in search["tested"] if row["field"] != "metadata.ward")
    assert "metadata.ward: a" in {row["slice"] for row in search["worse"]}
    assert not any("ward" in command for step in search["next"] for command in step["commands"])


def test_half_characters_in_a_field_are_replaced(assay: Assay) -> None:
    """A value that no text can hold is a slice like any other, found by name or by search."""
    labelled(assay, lambda k: k % 5 > 0, ward=lambda k: ("b", "a \ud800")[k % 2])
    for words in (("--by", "metadata.ward"), ()):
        tested = assay.json("slices", *words)["tested"]
        assert "metadata.ward: a \ufffd" in {row["slice"] for row in tested}


@pytest.mark.slow
def test_own_fields_of_few_values_are_looked_at(assay: Assay) -> None:
    """A field with two values is examined without asking, one with a value for each item is not."""
    labelled(assay, lambda k: k % 3 > 0, ward=lambda k: "ab"[k % 2], bed=lambda k: f"bed {k}")
    names = {row["field"] for row in assay.json("slices")["tested"]}
    assert "metadata.ward" in names
    assert "metadata.bed" not in names


@pytest.mark.slow
def test_an_unknown_field_is_wrong_usage(assay: Assay) -> None:
    """A field that no item has, and one that cannot be, are told in one line."""
    labelled(assay, lambda k: True, count=20)
    assert "no item has a field 'metadata.none'" in assay("slices", "--by", "metadata.none", status=2).output
    assert "there is no field 'colour'" in assay("slices", "--by", "colour", status=2).output


def test_without_labels_the_next_step_is_told(assay: Assay) -> None:
    """No label, and no draw: a sentence, not an error; --json has no test."""
    assay("ingest", assay.write("traffic.jsonl", [traffic_row(f"t{k}") for k in range(5)]))
    assert "no drawn item is labelled right or wrong" in assay("slices").output
    assert assay.json("slices")["tests"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("is_right", [True, False])
def test_one_class_reports_no_slice(assay: Assay, is_right: bool) -> None:
    """All right, or all wrong: no slice is worse than the rest."""
    labelled(assay, lambda k: is_right, language=tongue)
    assert assay("slices").output.startswith("No slice is shown to be worse than the rest.")


@pytest.mark.slow
def test_without_passes_the_failed_side_is_examined(assay: Assay) -> None:
    """Where nothing passes, failed answers that are right are still compared, and the passed side is untested."""
    labelled(assay, lambda k: k % 3 == 0, value=lambda k: 0.1, language=tongue)
    search = assay.json("slices")
    assert {row["mistake"] for row in search["tested"]} <= {"right_fail"}


@pytest.mark.slow
def test_unscored_labels_ask_for_judging(assay: Assay) -> None:
    """Labels on items without a verdict cannot tell where the proxy errs."""
    assay("ingest", assay.write("traffic.jsonl", [traffic_row(f"t{k}") for k in range(30)]))
    assay("sample", "--labels", "30")
    rows = [{"item_id": f"t{k}", "label": "right"} for k in range(30)]
    assay("labels", "import", assay.write("labels.jsonl", rows))
    assert "no labelled item has a verdict." in assay("slices").output
    assert assay.json("slices")["next"][0]["commands"] == ["assay judge"]


@pytest.mark.slow
def test_items_that_are_all_alike_have_no_slice(assay: Assay) -> None:
    """One language, one length, one kind of question: words, and no test."""
    labelled(
        assay,
        lambda k: k % 2 == 0,
        count=40,
        question=lambda k: "Where?",
        answer=lambda k: "There.",
        contexts=lambda k: [],
    )
    assert "do not differ in any known field" in assay("slices").output


@pytest.mark.slow
def test_odd_questions_are_examined_like_any(assay: Assay) -> None:
    """Chinese and Japanese only, lone surrogates, NUL and markup: lengths are cut within each language, nothing fails."""
    asked = ("疫苗要打幾劑?", "薬はいつ飲みますか?", "lone \ud800 NUL \0 <b>", "😀")
    labelled(assay, lambda k: k % 7 != 0, question=lambda k: asked[k % 4] + "駅" * (k % 5))
    search = assay.json("slices")
    assert {"zh", "ja"} <= {
        row["value"] for row in (*search["tested"], *search["untested"]) if row["field"] == "language"
    }


@pytest.mark.slow
def test_a_slice_is_the_same_for_labels_and_for_all_items(assay: Assay) -> None:
    """What a labelled item is in does not hang on which items are asked for."""
    labelled(assay, lambda k: k % 2 == 0, language=tongue, answer=lambda k: "word " * (k % 9 + 1))
    store = Store(assay.db)
    try:
        whole, part = (
            {(field.name, item): value for field in fields(store, (), of=of) for item, value in field.of_item.items()}
            for of in (None, range(1, 60))
        )
    finally:
        store.close()
    assert part == {key: value for key, value in whole.items() if key[1] < 60}
    assert {name for name, _ in whole} >= {"language", "answer length"}


@pytest.mark.slow
@pytest.mark.parametrize("level", ["0", "1"])
def test_level_is_a_share(assay: Assay, level: str) -> None:
    """0 and 1 are no levels."""
    labelled(assay, lambda k: True, count=20)
    assert "--level" in assay("slices", "--level", level, status=2).output


def noted(k: int) -> str:
    """What the annotator will say, right in two of three on either side, written down beside the answer."""
    return "1" if k % 3 else "0"


@pytest.mark.slow
@pytest.mark.parametrize("by", [(), ("--by", "metadata.human_correct")])
def test_a_field_that_repeats_the_truth_is_no_slice(assay: Assay, by: tuple[str, ...]) -> None:
    """It tells right from wrong on both sides: left out and listed, also where it is named."""
    labelled(assay, lambda k: k % 3 > 0, human_correct=noted, ward=lambda k: "ab"[k % 2])
    search, said = assay.json("slices", *by), assay("slices", *by).output

    assert [row["field"] for row in search["left_out"]] == ["metadata.human_correct"]
    assert "metadata.human_correct" not in {row["field"] for row in (*search["tested"], *search["untested"])}
    assert "by themselves: metadata.human_correct." in said


@pytest.mark.slow
def test_a_field_that_tells_on_one_side_alone_stays(assay: Assay) -> None:
    """Passed answers of one ward are all wrong, failed ones are right there as elsewhere: that is a finding."""
    labelled(assay, lambda k: k % 5 != 0 or k % 4 == 0, ward=lambda k: "abcde"[k % 5])

    assert assay.json("slices")["left_out"] == []


@pytest.mark.slow
def test_without_a_finding_the_next_step_is_told(assay: Assay) -> None:
    """A wave of what came nearest; in JSON the sentence and the commands."""
    labelled(assay, lambda k: k % 2 == 0, count=260, drawn=200, language=tongue)
    search, said = assay.json("slices"), assay("slices").output

    assert search["answer"] == said.splitlines()[0]
    (step,) = search["next"]
    assert step["commands"][0].startswith("assay sample --labels 60 --slice ")
    assert said.splitlines()[-len(step["commands"]) :] == [f"    {command}" for command in step["commands"]]


@pytest.mark.slow
def test_nothing_is_drawn_where_nothing_is_left(assay: Assay) -> None:
    """Every answer was drawn: the next step is new traffic."""
    labelled(assay, lambda k: k % 2 == 0, language=tongue)

    assert [step["commands"] for step in assay.json("slices")["next"]] == [["assay ingest FILE"]]


@pytest.mark.slow
def test_labels_that_judges_cannot_score_are_not_sent_to_the_judge_again(assay: Assay) -> None:
    """They have tried: the commonest reason stands in the answer."""
    assay("ingest", assay.write("traffic.jsonl", [traffic_row(f"t{k}", contexts=[]) for k in range(12)]))
    assay("judge")
    assay("sample", "--labels", "12")
    assay("labels", "import", assay.write("labels.jsonl", [{"item_id": f"t{k}", "label": "right"} for k in range(12)]))
    search = assay.json("slices")

    said = assay("slices").output
    assert "the judges cannot score the labelled items; 12 of 12 because: " in said
    assert "assay judge" not in said
    assert search["next"] == []
