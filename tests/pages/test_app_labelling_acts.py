"""What is done on the labelling page: waves planned and drawn, tasks sent, labels fetched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from annotate.domain.sampling.designs import WaveDesign
from annotate.pages.labelling import drawing, work
from annotate.store import Store
from proxy.errors import LabelStudioError
from proxy.records import Context, Item
from support.app import HOSTILE, NOW, SEEN, Open, answer, drawn, in_store, judged, some_open, walk, words
from support.labelling_page import at, hostile_thumbs, look, tables
from support.studio import SERVER, Studio

URL, TOKEN = "LABEL_STUDIO_URL", "LABEL_STUDIO_API_KEY"


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No assay.toml and no server from outside."""
    monkeypatch.chdir(tmp_path)
    for name in (URL, TOKEN):
        monkeypatch.delenv(name, raising=False)


def draw_button(app: AppTest) -> Any:
    return next(button for button in app.button if button.label.startswith("Draw wave"))


@pytest.mark.slow
def test_a_wave_is_drawn_as_it_was_shown(opened: Open, store_path: Path) -> None:
    """The dry run writes nothing; the button draws its very strata, in the person's name, and leads to sending."""
    app = look(at(opened(judged, "labelling", "dr-three"), "draw"))
    shown = tables(app)["Stratum"]
    assert in_store(store_path, lambda store: store.sampling.waves.next_number()) == 1
    assert "would draw 12 of 16 answers" in words(app)
    widths = tables(app)["What is known"]
    assert len(widths) == 6
    draw_button(app).click().run()

    assert not app.exception
    [wave] = in_store(store_path, lambda store: store.sampling.waves.all())
    assert [(stratum.size, stratum.drawn) for stratum in wave.strata] == list(
        zip(shown["N"], shown["Drawn"], strict=True)
    )
    assert "Wave 1: drew 12 of 16 answers" in app.success[0].value.replace("\\", "")
    event = in_store(store_path, lambda store: store.audit.events.all()[-1])
    assert (event.what, event.who) == ("sample", "dr-three")
    assert app.query_params["lab"] == "send"


@pytest.mark.slow
def test_the_same_click_twice_draws_one_wave(opened: Open, store_path: Path) -> None:
    """A second click on the same button, and one of another session that looked at the same plan."""
    app = look(at(opened(judged, "labelling", "dr-three"), "draw"))
    preview = app.session_state[drawing.PREVIEW]
    draw_button(app).click().run()
    app.session_state[drawing.PREVIEW] = preview
    at(app, "draw")
    draw_button(app).click().run()

    assert in_store(store_path, lambda store: store.sampling.waves.next_number()) == 2
    assert "wave 1 has been drawn since you looked" in "".join(error.value for error in app.error).replace("\\", "")
    assert app.number_input(key="wave-labels").value == 12


@pytest.mark.slow
def test_a_store_that_changed_since_is_refused(opened: Open, store_path: Path) -> None:
    """New answers came in between: nothing is drawn, what was typed stays, and a second look draws."""
    app = look(at(opened(judged, "labelling", "dr-three"), "draw"), 15)
    more = [Item(id=f"new-{n}", question="Q?", answer="A.", contexts=(Context(text="C."),)) for n in range(5)]

    def add(store: Store) -> None:
        with store.atomic():
            store.traffic.items.add(more, now=NOW)

    in_store(store_path, add)
    draw_button(app).click().run()

    refusal = "".join(error.value for error in app.error).replace("\\", "")
    assert "answers, scores or labels came in since you looked" in refusal
    assert in_store(store_path, lambda store: store.sampling.waves.next_number()) == 1
    draw_button(look(app, 15)).click().run()
    assert in_store(store_path, lambda store: store.sampling.waves.next_number()) == 2


@pytest.mark.slow
def test_nobody_draws_without_a_name(opened: Open) -> None:
    """The plan may be looked at; the button is shut and says why."""
    app = look(at(opened(judged, "labelling", ""), "draw"))

    assert draw_button(app).disabled
    assert "Give your name above to draw" in words(app)


@pytest.mark.slow
def test_the_form_begins_with_what_the_settings_say(opened: Open, tmp_path: Path) -> None:
    """[sample] and [plan] of assay.toml, as the commands read them; what cannot be read is said."""
    (tmp_path / "assay.toml").write_text(
        '[sample]\nlabels = 7\naudit = 0.5\nall_passed = true\nseed = 3\n[plan]\nwidth = 0.2\nquantity = "kappa"\n'
    )
    app = at(opened(judged, "labelling", "dr-three"), "draw")
    assert (app.number_input(key="wave-labels").value, app.number_input(key="wave-audit").value) == (7, 50)
    assert (app.checkbox(key="wave-all-passed").value, app.number_input(key="wave-seed").value) == (True, 3)
    assert (app.number_input(key="plan-points").value, app.selectbox(key="plan-quantity").value) == (20, "kappa")

    (tmp_path / "assay.toml").write_text('[sample]\naudit = "half"\n')
    app.run()
    assert "audit is a number from 0 to 1" in "".join(warning.value for warning in app.warning).replace("\\", "")


@pytest.mark.slow
def test_what_cannot_be_drawn_is_said_in_one_line(opened: Open) -> None:
    """An unknown slice; nothing left to draw."""
    app = at(opened(judged, "labelling", "dr-three"), "draw")
    app.text_input(key="wave-slice").set_value("language: xx")
    look(app)
    assert "there is no slice" in "".join(error.value for error in app.error).replace("\\", "")

    app = at(opened(walk, "labelling", "dr-three"), "draw")
    assert "Every answer here has been drawn." in "".join(info.value for info in app.info)
    assert not [button for button in app.button if button.key == "wave-look"]


@pytest.mark.slow
def test_the_plan_says_that_draws_wait(opened: Open) -> None:
    """While draws are open neither page nor plan advises to draw more first."""
    app = at(opened(some_open, "labelling", "dr-three"), "draw")
    assert "Draws that wait for a label: 4" in "".join(warning.value for warning in app.warning)
    app.number_input(key="plan-points").set_value(1)
    app.button(key="plan-ask").click().run()

    page = words(app)
    assert "Label the 4 open draws" in page.replace("\\", "")
    commands = [code.value for code in app.code]
    assert not [command for command in commands if "next:" in command or "assay push" in command]
    assert any(command.startswith("assay draws export FILE --blind") for command in commands)


@pytest.mark.slow
def test_a_stream_is_drawn_by_its_rates(opened: Open, store_path: Path) -> None:
    """The form asks for rates in place of a number; the wave keeps each item's own chance."""
    app = at(opened(judged, "labelling", "dr-three"), "draw")
    app.button_group(key="wave-kind").set_value("rate").run()
    app.number_input(key="wave-rate").set_value(100.0)
    app.number_input(key="wave-rate_failed").set_value(100.0)
    app.button(key="wave-look").click().run()
    assert "would draw 16 of 16 answers" in words(app)
    draw_button(app).click().run()

    [wave] = in_store(store_path, lambda store: store.sampling.waves.all())
    assert (wave.design, sum(stratum.drawn for stratum in wave.strata)) == (WaveDesign.STREAM, 16)


@pytest.mark.slow
def test_a_complaint_is_set_aside_and_waits_again(opened: Open, store_path: Path) -> None:
    """With a name and a reason only; who, when and why stand beside it, and the address names what is looked at."""
    app = at(opened(hostile_thumbs, "labelling", "dr-three"), "thumbs")
    save = next(button for button in app.button if button.label == "Set aside")
    save.click().run()
    assert "the reason is empty" in "".join(error.value for error in app.error)
    app.text_input(key=f"{save.key}-why").set_value(HOSTILE.replace("\ud800", ""))
    app.button(key=save.key).click().run()
    assert "no chance has changed" in app.success[0].value
    assert in_store(store_path, lambda store: store.traffic.complaints.tally().seen) == 1

    app.button_group(key="lf").set_value("seen").run()
    assert "Set aside by dr" in words(app).replace("\\", "")
    assert any(SEEN[0] in text.value for text in app.text)
    next(button for button in app.button if button.label == "Let it wait again").click().run()
    assert in_store(store_path, lambda store: store.traffic.complaints.tally().waiting) == 1


@pytest.mark.slow
def test_without_a_server_the_page_says_how_to_start_one(opened: Open) -> None:
    """The command for this store, the two variables, and the way by files; where a server is known, push and pull."""
    app = at(opened(drawn, "labelling", "dr-three"), "send")

    assert any(code.value.startswith("assay up") for code in app.code)
    assert any(code.value.startswith("assay draws export FILE --blind") for code in app.code)
    assert any(URL in code.value and TOKEN in code.value for code in app.code)
    assert not [button for button in app.button if button.key and button.key.startswith("exchange")]


@pytest.fixture
def server(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> Studio:
    """A server that the environment names."""
    monkeypatch.setenv(URL, SERVER)
    monkeypatch.setenv(TOKEN, "secret-token")
    monkeypatch.setattr("annotate.label_studio.address.connect", lambda *_: studio)
    return studio


@pytest.mark.slow
def test_open_draws_are_sent_once_and_labels_come_back(opened: Open, store_path: Path, server: Studio) -> None:
    """The lines of the commands, a link to label at, and counts that move; an event in the person's name; no token shown."""
    app = opened(drawn, "labelling", "dr-three")
    assert any(code.value.startswith("assay push") for code in app.code)
    assert "to be sent: 16" in words(at(app, "send"))
    for _ in range(2):
        app.button(key="exchange-push").click().run()
        assert not app.exception
    assert len(server.tasks) == 16
    assert "to be sent: 0" in words(app)
    assert "0 tasks sent, 16 were there" in words(app).replace("\\", "")
    assert "/projects/1/data?labeling=1" in words(app).replace("\\", "")
    assert "secret-token" not in words(app)

    server.annotate(server.task_of(server.task_keys()[0]), "right")
    app.button(key="exchange-pull").click().run()
    assert "1 new, 0 changed" in words(app).replace("\\", "")
    assert "1 of 16 drawn items have a label" in words(app)
    assert "1 of 16 drawn answers are labelled" in answer(app)[1]
    told = in_store(store_path, lambda store: [(event.what, event.who) for event in store.audit.events.all()])
    told = [event for event in told if event[0] != "seal"]
    assert told[-2:] == [("push", "dr-three"), ("pull", "dr-three")]
    assert in_store(store_path, lambda store: store.check()) == []


@pytest.mark.slow
def test_an_error_of_the_server_is_one_clear_message(
    opened: Open, server: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the adapter says, and nothing else; the page goes on."""

    def refuse(*_: object) -> None:
        raise LabelStudioError(
            "No Label Studio answers at http://studio.test: start it with `assay up`, or check the URL"
        )

    monkeypatch.setattr("annotate.label_studio.address.connect", refuse)
    app = at(opened(drawn, "labelling", "dr-three"), "send")
    app.button(key="exchange-push").click().run()

    assert not app.exception
    assert "No Label Studio answers at" in app.error[0].value.replace("\\", "")
    assert "to be sent: 16" in words(app)


@pytest.mark.slow
def test_what_the_settings_say_of_annotators_holds_for_the_page(
    opened: Open, store_path: Path, server: Studio, tmp_path: Path
) -> None:
    """[push] names two annotators: each gets a project, as from the command."""
    (tmp_path / "assay.toml").write_text('[push]\nannotator = ["ann", "ben"]\noverlap = 0.5\n')
    app = at(opened(drawn, "labelling", "dr-three"), "send")
    app.button(key="exchange-push").click().run()

    projects = in_store(store_path, lambda store: store.labels.outbox.all_projects())
    assert sorted(project.annotator for project in projects if project.is_in_use) == ["ann", "ben"]
    assert len(server.tasks) == 24
    assert work.newest(store_path) is not None
