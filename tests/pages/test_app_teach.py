"""What experts taught a judge, as a person sees it: in every state, with the numbers of `assay align --list --json`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from annotate.domain.sign_in.roles import NEEDED, Act, Role
from proxy.text import numbers
from proxy.text.numbers import Kind
from support.alignment import GUIDELINE, NoisyJudge
from support.app import Open, judged, nothing, tables, words
from support.endpoint import Endpoint
from support.store import Assay
from support.teaching import USELESS, align, judged_by_model, measured_twice, open_part, taught, versions
from support.tiers import shortly

# The command that asks the same model at the same place.
ALIGN = r"assay align overall --model m --base-url http://127\.0\.0\.1:\d+/v1"

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_retries")]


def shown(app: AppTest) -> str:
    return words(app).replace("\\", "")


def cards(app: AppTest) -> list[str]:
    return [metric.value for metric in app.metric]


def ends(app: AppTest) -> str:
    """Everything that stands below the cards, as it is read."""
    return " ".join(shown(app).split())


def addresses(app: AppTest, table: int) -> str:
    """The HTML of a table, with its links."""
    bodies = [part.proto.body for part in app.get("html")]
    body: str = [body for body in bodies if body.startswith('<div class="a-table"')][table]
    return body


def press(app: AppTest, label: str) -> AppTest:
    return next(button for button in app.button if button.label == label).click().run()


def test_without_a_judge_of_a_model_the_command_that_asks_for_it_is_named(opened: Open) -> None:
    """Offline judges cannot be taught; nothing is offered for them."""
    app = opened(judged, "judges").segmented_control(key="judges").set_value("teach").run()

    assert not app.exception
    assert "Only a judge that a model is asked for can be taught" in shown(app)
    assert "assay judge --backend openai --model M --judges overall" in app.code[0].value
    assert not app.text_area


def test_too_few_labels_are_said_with_what_it_takes(opened: Open, assay: Assay) -> None:
    """Of 20 labels too few tune: no version is offered to be measured, and labelling is the next step."""
    judged_by_model(assay, 20)
    app = open_part(opened)

    assert "too few labels to teach overall: it takes 8 right and 8 wrong ones to tune it, 10 and 10" in shown(app)
    assert "Draw and label more answers." in shown(app)
    [command] = [code.value for code in app.code if code.value.startswith("assay align")]
    assert re.fullmatch(rf"{ALIGN} --guidelines FILE", command)
    assert cards(app) == []


def test_where_nothing_was_measured_the_command_and_the_corrections_stand(opened: Open, assay: Assay) -> None:
    """Every tuning label on the other half of the scale than the judge is listed with the experts' reason, and no measuring one."""
    judged_by_model(assay, 200)
    app = open_part(opened)

    assert "No version of overall was measured yet." in shown(app)
    assert any(re.fullmatch(ALIGN, code.value) for code in app.code)
    corrected, _ = tables(app)
    assert re.search(
        rf"Experts and judge differ on {len(corrected)} of \d+ answers whose labels may teach it\.", shown(app)
    )
    assert all(reason.endswith("has looked it up.") for reason in corrected["Experts' reason"])
    verdicts = zip(corrected["Judge's score"], corrected["Experts"], strict=True)
    assert {(float(score) > 0.5, label) for score, label in verdicts} == {(True, "wrong"), (False, "right")}


def test_before_and_after_are_those_of_the_command(opened: Open, assay: Assay) -> None:
    """Both AUROCs, their difference, each with both intervals and n, and the bound: to the letter."""
    taught(assay)
    [version] = versions(assay)
    app = open_part(opened)

    measured = [(version[name], name == "difference") for name in ("auroc_of_replaced", "auroc", "difference")]
    assert cards(app) == [
        numbers.written(quantity["estimate"], Kind.COEFFICIENT, is_signed=is_signed) for quantity, is_signed in measured
    ]
    page = ends(app)
    for quantity, is_signed in measured:
        window = numbers.interval(quantity["low"], quantity["high"], Kind.COEFFICIENT, is_signed=is_signed)
        behind = quantity["long_run"]
        long_run = numbers.interval(behind["low"], behind["high"], Kind.COEFFICIENT, is_signed=is_signed)
        assert f":small[this window: {window}] :small[long run: {long_run}] :small[n = {quantity['n']}]" in page
    lowest = numbers.written(version["lowest"], Kind.COEFFICIENT, is_signed=True)
    assert f"it is at least {lowest} (95 %, one-sided)" in page
    assert "A version of overall has been in force since" in page
    assert app.text_area[0].value.split("\n") == version["guidelines"]


def test_each_row_opens_its_answer(opened: Open, assay: Assay) -> None:
    """The measuring answers on which both versions differ, with both scores: those of the store, and the item one click away."""
    taught(assay)
    [version] = versions(assay)
    app = open_part(opened)

    differing = tables(app)[1]
    for row, link in zip(differing.to_dict("records"), addresses(app, 1).split("<a ")[1:], strict=True):
        assert f'href="/disagreements?item={row["Answer"]}"' in link
        [(before,)] = assay.sql(
            "SELECT s.value FROM scores s JOIN judges j ON j.key = s.judge JOIN items i ON i.key = s.item "
            "WHERE j.signature = ? AND i.id = ?",
            (version["replaces"], row["Answer"]),
        )
        [(after,)] = assay.sql(
            "SELECT value FROM trial_outcomes t JOIN items i ON i.key = t.item WHERE t.signature = ? AND i.id = ?",
            (version["signature"], row["Answer"]),
        )
        assert (row["Score before"], row["Score of the version"]) == (f"{before:.3f}", f"{after:.3f}")
        assert f"{before:.3f}" != f"{after:.3f}"
    first = str(differing["Answer"][0])
    page = opened(nothing, "disagreements")
    page.query_params["item"] = first
    assert not page.run().exception
    assert f"Where is room {first[1:]}?" in " ".join(part.proto.body for part in page.get("html")) + words(page)


def test_versions_on_common_labels_are_those_of_the_command(opened: Open, assay: Assay) -> None:
    """A row a version that was ever in force, the judge without guidance first; and what more labels would bring, as said."""
    measured_twice(assay)
    [curve] = assay.json("align", "overall", "--list")["curves"]
    app = open_part(opened)

    table = tables(app)[2]
    assert list(table["Signature"]) == [point["signature"] for point in curve["points"]]
    for shown_auroc, point in zip(table["AUROC in the long run"], curve["points"], strict=True):
        auroc = point["auroc"]
        span = numbers.interval(auroc["long_run"]["low"], auroc["long_run"]["high"], Kind.COEFFICIENT)
        assert shown_auroc == f"{numbers.coefficient(auroc['estimate'])} ({span}, n = {auroc['n']})"
    assert f"{curve['right']} right, {curve['wrong']} wrong" in ends(app)
    gain = numbers.written(curve["expected"]["gain_then"], Kind.COEFFICIENT, is_signed=True)
    assert "Expected of 100 more labels (70 of them would measure it)" in ends(app)
    assert (f"They would show a gain of {gain} at the least" in ends(app)) is not curve["expected"]["can_show"]
    assert gain in ends(app)
    assert "An expectation, not a measurement" in ends(app)


def test_what_is_hidden_from_pages_is_hidden_here(opened: Open, assay: Assay) -> None:
    """With redaction on, no annotator is named, and where reasons are hidden none is shown; a file never gets a stand-in."""
    judged_by_model(assay, 200)
    assay.write("assay.toml", '[redaction]\non = true\npseudonyms = false\nhidden = ["rationale"]\n')
    app = open_part(opened)

    assert len(tables(app)[0])
    assert "looked it up" not in tables(app)[0].to_string()
    app.text_area[0].set_value("Write to [e-mail] first.")
    press(app, "Save to be measured")
    assert "stands for something that is hidden here" in app.error[0].value.replace("\\", "")
    assert not list(Path(assay.folder).glob("guidelines-*"))


def test_tokens_are_those_of_the_requests(opened: Open, assay: Assay) -> None:
    """All requests of the judge, whatever its version; without prices no money is made up."""
    taught(assay)
    [(tokens,)] = assay.sql(
        "SELECT sum(prompt_tokens) + sum(completion_tokens) FROM attempts WHERE judges LIKE 'overall|%'"
    )
    page = ends(open_part(opened))

    assert f"Requests of overall, all versions: {tokens:,} tokens. The price is not known" in page


def test_a_version_that_is_not_better_stands_beside_the_one_in_force(opened: Open, assay: Assay) -> None:
    """The one in force is shown first; the other by choice, said not to be better, with its own numbers and guidelines."""
    measured_twice(assay)
    first, second = versions(assay)
    app = open_part(opened)

    [choice] = [box for box in app.selectbox if box.label == "Version"]
    assert [option.partition(": ")[2] for option in choice.options] == [
        "not in force, not shown to be better",
        "in force",
    ]
    assert cards(app)[1] == numbers.coefficient(first["auroc"]["estimate"])
    choice.select_index(0).run()
    assert cards(app)[2] == numbers.written(second["difference"]["estimate"], Kind.COEFFICIENT, is_signed=True)
    assert "it may be as low as" in ends(app)
    assert app.text_area[0].value == f"{GUIDELINE}\n{USELESS}"


def test_undo_asks_first_and_is_logged_in_the_name_of_who_acts(opened: Open, assay: Assay) -> None:
    """Kept, nothing changes; confirmed, no version is in force, the event names the person, and the numbers stay."""
    taught(assay)
    app = open_part(opened)
    numbers_before = cards(app)

    press(app, "Undo")
    assert versions(assay)[0]["in_force"]
    press(app, "Keep it in force")
    assert versions(assay)[0]["in_force"]
    press(app, "Undo")
    app.button(key="teach-undo-confirmed").click().run()

    assert not app.exception
    assert not versions(assay)[0]["in_force"]
    [event] = [event for event in assay.json("events")["events"] if event["what"] == "judge alignment undone"]
    assert event["who"] == "ann"
    assert "overall is asked as it was before it learned" in shown(app)
    assert cards(app) == numbers_before
    assert "Undo" not in [button.label for button in app.button]


def test_edited_guidelines_are_saved_and_measured_by_the_command_on_the_page(opened: Open, assay: Assay) -> None:
    """The page names the file and asks no model; what the command then measures is what was typed."""
    with Endpoint(policy=NoisyJudge(told=0.05)) as endpoint:
        judged_by_model(assay, 200)
        app = open_part(opened)
        app.text_area[0].set_value(f"1. {GUIDELINE}\n\n{USELESS}")
        press(app, "Save to be measured")
        assert endpoint.requests == 0
        assert not app.exception
        [command] = [code.value for code in app.code if "--guidelines" in code.value]
        [file] = Path(assay.folder).glob("guidelines-overall-*.txt")
        assert re.fullmatch(rf"{ALIGN} --guidelines {re.escape(file.name)}", command)
        assert "2 guidelines of ann wait to be measured" in shown(app)
        told = align(assay, endpoint, "--guidelines", str(file))

    assert told["version"]["guidelines"] == [GUIDELINE, USELESS]
    assert "wait to be measured" not in shown(open_part(opened))
    [event] = [event for event in assay.json("events")["events"] if event["what"] == "judge guidelines saved"]
    assert (event["who"], event["detail"]["file"]) == ("ann", file.name)


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("  \n", "there is no guideline to save"),
        ("\n".join(f"Guideline {number}" for number in range(8)), "a judge is given 7 at most"),
        ("x" * 301, "a guideline is too long"),
        (f"{GUIDELINE}.", "in force already"),
    ],
)
def test_what_could_not_be_measured_is_not_saved(opened: Open, assay: Assay, typed: str, why: str) -> None:
    """No guideline, too many, too long, or those in force: it is said, and no file is written."""
    taught(assay)
    app = open_part(opened)
    app.text_area[0].set_value(typed)
    press(app, "Save to be measured")

    assert why in app.error[0].value.replace("\\", "")
    assert not list(Path(assay.folder).glob("guidelines-*"))
    assert app.text_area[0].value == typed


def test_only_a_lead_teaches(opened: Open, assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever may not sees why, and the callback itself refuses: the browser may send what it likes."""
    taught(assay)
    app = open_part(opened)
    app.text_area[0].set_value("Be strict.")
    monkeypatch.setattr("annotate.pages.kit.actor.denied", lambda act: "Leads alone may do this")
    press(app, "Save to be measured")
    assert "Leads alone may do this" in [error.value for error in app.error]
    assert not list(Path(assay.folder).glob("guidelines-*"))
    locked = [button for button in app.button if button.label in ("Undo", "Save to be measured")]
    assert [(button.disabled, button.help) for button in locked] == [(True, "Leads alone may do this")] * 2
    assert app.text_area[0].disabled
    assert NEEDED[Act.TEACH] is Role.LEAD


@pytest.mark.parametrize("language", shortly(("zh", "ko"), "ko"))
def test_the_part_in_other_languages(opened: Open, assay: Assay, language: str) -> None:
    """Every string takes its values in every language."""
    measured_twice(assay)
    app = open_part(opened)
    english = shown(app)
    app.segmented_control(key="lang").set_value(language).run()

    assert not app.exception
    assert shown(app) != english
    assert "Experts and judge" not in shown(app)
