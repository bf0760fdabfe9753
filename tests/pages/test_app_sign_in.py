"""What people see and may do who sign in, by their role; the claims are given, the provider is in test_sign_in_server.py."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from annotate.domain.sign_in.settings import SignInSettings
from annotate.pages.kit import sign_in
from annotate.pages.labelling import drawing
from annotate.store import Store
from support.app import Open, in_store, judged, walk, words
from support.gold_page import press
from support.labelling_page import at, look

SETTINGS = SignInSettings(
    issuer="https://login.example.org",
    client_id="assay",
    address="https://assay.example.org",
    roles_claim="roles",
    annotator="reader",
    adjudicator="judge",
    lead="lead",
    contact="the lead, lead@example.org",
)


class Person:
    """Whoever the provider has signed claims of in this test."""

    def __init__(self) -> None:
        self.claims: dict[str, object] = {}

    def signs_in(self, *roles: str, seconds: float = 3600) -> None:
        self.claims = {
            "iss": SETTINGS.issuer,
            "sub": "s-1",
            "aud": ["assay"],
            "exp": time.time() + seconds,
            "email": "ana@example.org",
            "email_verified": True,
            "roles": list(roles),
            "is_logged_in": True,
        }


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Person:
    monkeypatch.chdir(tmp_path)
    signed = Person()
    monkeypatch.setattr(sign_in, "in_force", lambda: SETTINGS)
    monkeypatch.setattr(sign_in, "claims", lambda: signed.claims)
    return signed


def buttons(app: AppTest) -> list[str]:
    return [button.label for button in app.button]


def shown(app: AppTest) -> str:
    return words(app).replace("\\", "").replace("\u2060", "")


def refuse(store: Store, path: Path, **kwargs: object) -> None:
    raise AssertionError(f"the store {path} was opened")


def last_event(path: Path) -> tuple[str, str, bool]:
    event = in_store(path, lambda store: store.audit.events.all()[-1])
    return event.what, event.who, event.is_signed_in


@pytest.mark.slow
@pytest.mark.parametrize("page", ["", "gold"])
def test_without_a_sign_in_the_store_is_not_even_opened(
    opened: Open, person: Person, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    """Nor is its name said, on any page; there is one button. Nor for somebody without a role."""

    def make(store: Store) -> None:
        walk(store)
        monkeypatch.setattr(Store, "__init__", refuse)  # whoever opens one from now on

    app = opened(make, page)
    assert shown(app) == "Assay\nSign in to see this store."
    assert buttons(app) == ["Sign in"]
    person.signs_in("boss")
    app.run()
    assert not app.exception
    assert buttons(app) == ["Sign out"]


@pytest.mark.slow
def test_a_sign_in_that_has_ended_shows_nothing_more(opened: Open, person: Person) -> None:
    """The page that was open a moment ago asks for it again, as does one whose claims are of another app."""
    person.signs_in("lead")
    app = opened(walk)
    assert "Can we trust the proxy?" in shown(app)
    person.signs_in("lead", seconds=-1)
    app.run()
    assert "Your sign-in has ended" in shown(app)
    assert buttons(app) == ["Sign in"]
    person.claims |= {"exp": time.time() + 60, "aud": "other"}
    app.run()
    assert "signed you in for another app" in shown(app)


@pytest.mark.slow
def test_somebody_without_a_role_sees_who_they_are_and_whom_to_ask(opened: Open, person: Person) -> None:
    """A claim that is missing, and one that names roles that mean nothing here."""
    person.signs_in("boss")
    app = opened(walk)
    [who] = app.text
    assert who.value.startswith("You are signed in as ana@example.org. Ask the lead, lead@example.org for a role")
    assert shown(app) == "Assay\nYou have no role here"
    assert buttons(app) == ["Sign out"]
    del person.claims["roles"]
    app.run()
    assert buttons(app) == ["Sign out"]


@pytest.mark.slow
def test_who_signed_in_is_asked_for_no_name(opened: Open, person: Person) -> None:
    """What is typed or set for the app counts for nothing; the header says who, in which role, and until when."""
    person.signs_in("reader", "judge")
    app = opened(walk, user="somebody else")
    assert [field.label for field in app.text_input] == []
    assert "Signed in as ana@example.org, adjudicator, until 20" in shown(app)
    assert {"Sign in again", "Sign out"} <= set(buttons(app))


def planned(app: AppTest, preview: object = None) -> Button:
    """The button that draws the wave that was planned, drawn anew."""
    if preview is not None:
        app.session_state[drawing.PREVIEW] = preview
        at(app, "draw")
    [button] = [button for button in app.button if button.label.startswith("Draw wave")]
    return button


@pytest.mark.slow
def test_a_wave_is_drawn_by_a_lead_alone(opened: Open, person: Person, store_path: Path) -> None:
    """An adjudicator sees why the button is disabled; a click of who was a lead when it was drawn does nothing.

    Nor does one after the end of the sign-in. What a lead draws carries their account.
    """

    def waves() -> int:
        return in_store(store_path, lambda store: len(store.sampling.waves.all()))

    person.signs_in("judge")
    app = look(at(opened(judged, "labelling"), "draw"))
    preview = app.session_state[drawing.PREVIEW]
    assert planned(app).disabled
    assert planned(app).help == "This needs the role of lead; you are signed in as adjudicator."

    person.signs_in("lead")
    button = planned(app, preview)
    assert not button.disabled
    person.signs_in("judge")
    button.click().run()
    assert "This needs the role of lead" in "".join(error.value for error in app.error)
    assert waves() == 0

    person.signs_in("lead")
    button = planned(app, preview)
    person.signs_in("lead", seconds=-1)
    button.click().run()
    assert "Your sign-in has ended" in shown(app)
    assert waves() == 0

    person.signs_in("lead")
    planned(app.run(), preview).click().run()
    assert (waves(), last_event(store_path)) == (1, ("sample", "ana@example.org", True))


@pytest.mark.slow
def test_an_annotator_writes_and_does_not_accept(opened: Open, person: Person, store_path: Path) -> None:
    """The reference is theirs, with their account; the candidates can be read, and each button says which role it needs."""
    person.signs_in("reader")
    app = opened(walk, "gold")
    app.text_area[0].set_value("A reference of mine.")
    press(app, "Save, next")
    assert last_event(store_path) == ("gold add", "ana@example.org", True)
    app.button_group(key="part").set_value("review").run()
    accept = [button for button in app.button if button.label == "Accept"]
    assert accept
    assert {button.help for button in accept if button.disabled} == {
        "This needs the role of adjudicator; you are signed in as annotator."
    }
    assert all(button.disabled for button in accept)


def test_a_fragment_that_outlives_the_sign_in_asks_for_the_whole_page(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of a part alone does not pass where the page asks who it is."""
    reruns: list[bool] = []

    class Rerun(Exception):
        pass

    def rerun() -> None:
        reruns.append(True)
        raise Rerun

    drawn: list[str] = []
    monkeypatch.setattr("streamlit.fragment", lambda part: part)
    monkeypatch.setattr("streamlit.rerun", rerun)
    part = sign_in.fragment(drawn.append)
    person.signs_in("reader")
    part("one")
    person.signs_in("reader", seconds=-1)
    with pytest.raises(Rerun):
        part("two")
    assert drawn == ["one"]


def test_no_page_goes_round_the_roles() -> None:
    """A callback names its act, a part that runs alone asks who it is, and nothing else opens the store for writing."""
    pages = Path(sign_in.__file__).parents[1]
    code = {str(path.relative_to(pages)): path.read_text(encoding="utf-8") for path in pages.rglob("*.py")}

    def having(pattern: str) -> set[str]:
        return {name for name, text in code.items() if re.search(pattern, text, re.MULTILINE)}

    assert having(r"^@\w*actor\.writes$") == set()
    assert having(r"\bst\.fragment") == {"kit/sign_in.py"}
    assert having(r"\bStore\((?!.*reads_only=True)") == {"kit/actor.py", "kit/background.py", "labelling/work.py"}
    assert having(r"\bbackground\.begin\(") == {"gold/asking.py"}
    assert "@actor.needs(Act.WRITE)\ndef _ask" in code["gold/asking.py"]
    assert "@actor.needs(Act.SEND)" in code["labelling/sending.py"]  # which alone begins the work


def test_a_store_opened_for_nobody_proves_nothing(tmp_path: Path) -> None:
    """Where nobody signs in events hold the name that was typed, as ever."""
    store = Store(tmp_path / "assay.db", signed_in=None)
    with store.atomic():
        store.audit.events.append("x", {}, who="ana", now="2026-11-21T09:00:00.000Z")
    assert [event.is_signed_in for event in store.audit.events.all()] == [False]
    store.close()
