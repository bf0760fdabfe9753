"""Connecting and being refused, tokens of both kinds, projects and people, against small servers in memory."""

from __future__ import annotations

import base64
import gc
import json
import warnings
from collections.abc import Callable

import httpx
import pytest

from annotate.domain.labelling_form import Form
from annotate.label_studio.client import LabelStudio
from proxy.errors import LabelStudioError
from support.fake_server import FAKE_URL, TOKEN, FakeServer, on_a_port

pytestmark = pytest.mark.filterwarnings("ignore:The `parse_obj` method is deprecated")  # the SDK's own
MARK = "assay:1:dr. house:labelling.v2.en:1"


def broken(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("refused", request=request)


def connect(answer: Callable[[httpx.Request], httpx.Response], token: str = TOKEN) -> LabelStudio:
    return LabelStudio.connect(FAKE_URL, token, transport=httpx.MockTransport(answer))


@pytest.mark.slow
def test_annotators_are_addresses_by_id(fake: LabelStudio) -> None:
    """User ids are mapped to addresses."""
    assert fake.annotators() == {1: "ann@example.org", 2: "b@example.org"}


def test_people_who_were_taken_out_are_not_one_person() -> None:
    """The server calls each of them `Deleted`; without an address they stay apart, by their numbers."""
    users = [{"id": 1, "email": "ann@example.org"}, {"id": 2, "email": "Deleted"}, {"id": 3, "email": "Deleted"}]

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=users if request.url.path == "/api/users/" else {"id": 1})

    assert connect(answer).annotators() == {1: "ann@example.org"}


def test_the_invitation_is_a_link_or_nothing(fake_server: FakeServer, fake: LabelStudio) -> None:
    """A link without a host gets the server's; where this account may not read it there is none."""
    assert fake.invitation() == f"{FAKE_URL}/user/signup/?token=t"
    fake_server.invites = False
    assert fake.invitation() is None


def test_a_refused_token_says_what_to_do(fake_server: FakeServer) -> None:
    """A wrong token names the place to copy it from, and is not repeated."""
    with pytest.raises(LabelStudioError, match="refused the token") as caught:
        connect(fake_server, "wrong-token")

    assert "wrong-token" not in str(caught.value)


def test_legacy_tokens_that_are_off_are_named() -> None:
    """The one reason for a refusal that a person can act on is told apart, in our own words."""
    detail = "Authentication token no longer valid: legacy token authentication has been disabled for this organization"
    with pytest.raises(LabelStudioError, match="takes no legacy tokens, they are switched off") as caught:
        connect(lambda request: httpx.Response(401, json={"detail": detail}))

    assert "personal access token" in str(caught.value)


@pytest.mark.parametrize(
    "answer", [httpx.Response(200, text="<html>"), httpx.Response(200, json={}), httpx.Response(200, json=[])]
)
def test_another_program_at_the_address_is_noticed(answer: httpx.Response) -> None:
    """What answers, but not as Label Studio does, is refused when connecting."""
    with pytest.raises(LabelStudioError, match="check"):
        connect(lambda request: answer)


def test_no_server_says_how_to_start_one() -> None:
    """Where nothing listens, the message names the address and the command."""
    with pytest.raises(LabelStudioError, match=r"No Label Studio answers at http://127.0.0.1:8080: start it"):
        connect(broken)


@pytest.mark.parametrize("url", ["", "localhost:8080", "ftp://x", "http://", "http://[::1"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    """An address without http:// is refused before anything is sent."""
    with pytest.raises(LabelStudioError, match="no web address"):
        LabelStudio.connect(url, TOKEN)


@pytest.mark.parametrize("token", ["", "  ", "two words", "line\nbreak", "tökén"])
def test_a_token_that_is_none_is_refused(token: str) -> None:
    """A token that no header can carry is refused without being repeated."""
    with pytest.raises(LabelStudioError) as caught:
        LabelStudio.connect(FAKE_URL, token)

    assert not token.strip() or token not in str(caught.value)


def test_an_address_with_a_password_is_shown_without_it() -> None:
    """The user and password of an address stay out of errors."""
    with pytest.raises(LabelStudioError) as caught:
        LabelStudio.connect(
            "https://user:hidden@example.org/ls?key=hidden", TOKEN, transport=httpx.MockTransport(broken)
        )

    assert "https://example.org/ls" in str(caught.value)
    assert "hidden" not in str(caught.value)


def jwt(kind: str, *, name: str = "n") -> str:
    """A token of three parts, as Label Studio signs them, good for years."""
    claims = {"token_type": kind, "iat": 1_700_000_000, "exp": 4_000_000_000, "jti": name}
    parts = (json.dumps(part).encode() for part in ({"alg": "HS256", "typ": "JWT"}, claims))
    return ".".join([*(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts), "c2ln"])


class Trading:
    """A server that takes access tokens alone, each for as many requests as it is told."""

    def __init__(self, uses: int) -> None:
        self.uses, self.trades, self.left = uses, 0, 0
        self.is_revoked = False

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/token/refresh/":
            assert json.loads(request.content) == {"refresh": jwt("refresh")}
            assert "Authorization" not in request.headers
            if self.is_revoked:
                return httpx.Response(401, json={"detail": "Token is blacklisted"})
            self.trades, self.left = self.trades + 1, self.uses
            return httpx.Response(200, json={"access": jwt("access", name=str(self.trades))})
        if request.headers["Authorization"] != f"Bearer {jwt('access', name=str(self.trades))}" or not self.left:
            return httpx.Response(401, json={"detail": "expired"})
        self.left -= 1
        return httpx.Response(200, json={"id": 1, "invite_url": "/x"})


def test_a_personal_access_token_is_traded_once_and_again_when_it_has_run_out() -> None:
    """One trade serves many requests; an access token that the server refuses is renewed, the request goes on."""
    server = Trading(uses=3)
    fake = connect(server, jwt("refresh"))
    for _ in range(5):
        fake.invitation()

    assert server.trades == 2


def test_a_token_revoked_in_the_middle_is_one_clear_line() -> None:
    """When neither the access token nor a new trade is taken, the error says so, without the token."""
    server = Trading(uses=1)
    fake = connect(server, jwt("refresh"))
    server.is_revoked = True
    with pytest.raises(LabelStudioError, match=r"refused the token \(401\): copy it anew") as caught:
        fake.annotators()

    assert "\n" not in str(caught.value)
    assert jwt("refresh") not in str(caught.value)


@pytest.mark.slow
def test_a_closed_connection_leaves_no_socket_open(fake_server: FakeServer) -> None:
    """After the context, and after a connection that was refused, nothing is left for the interpreter to complain of."""
    with warnings.catch_warnings(record=True) as said, on_a_port(fake_server) as url:
        warnings.simplefilter("always")
        with LabelStudio.connect(url, TOKEN) as studio:
            studio.annotators()
        with pytest.raises(LabelStudioError):
            LabelStudio.connect(url, "wrong")
        del studio
        gc.collect()

    assert [warning for warning in said if warning.category is ResourceWarning] == []


def test_a_project_is_made_once_and_found_again(fake_server: FakeServer, fake: LabelStudio) -> None:
    """The mark finds it, whatever the title, on any page, and when people wrote around it; another mark is another."""
    fake_server.page = 2
    others = [fake_server.project() for _ in range(5)]
    number = fake.ensure_project("One", Form(), marker=MARK)
    fake_server.projects[number]["description"] = f"Ours.\n{MARK}\nPlease leave."

    assert fake.ensure_project("Renamed", Form(), marker=MARK) == number
    assert fake.ensure_project("Other", Form(), marker=f"{MARK}0") not in [number, *others]
    assert len(fake_server.projects) == 7


def test_a_project_is_made_blind_and_with_its_guide(fake_server: FakeServer, fake: LabelStudio) -> None:
    """The form and its guide are there, nothing opens by itself, nobody else's work shows; settings are mended."""
    number = fake.ensure_project("One", Form(language="ko"), marker=MARK)
    made = fake_server.projects[number]
    assert (made["label_config"], made["expert_instruction"]) == (
        Form(language="ko").xml(),
        Form(language="ko").guide(),
    )
    assert (made["show_instruction"], made["show_collab_predictions"]) == (False, False)

    made["show_collab_predictions"] = made["show_instruction"] = True
    fake.check_project(number, guide="<p>Ours</p>")
    assert (made["show_instruction"], made["show_collab_predictions"]) == (False, False)
    assert made["expert_instruction"] == "<p>Ours</p>"


def test_a_mark_is_put_beside_what_people_wrote_and_only_once(fake_server: FakeServer, fake: LabelStudio) -> None:
    """A mark of another store is none of ours, one of ours for other work is; a project of one's own gets it at a push."""
    number = fake_server.project()
    project = fake_server.projects[number]
    project["description"] = "Ours.\nassay:2:everybody:labelling.v2.en:1"
    fake.mark(number, MARK)
    marked = project["description"]
    fake.mark(number, f"{MARK}0")
    fake.check_project(number, marker=MARK)
    bare = fake_server.project()
    fake_server.projects[bare]["description"] = None
    fake.check_project(bare, marker=MARK)

    assert marked.startswith("Ours.\nassay:2:everybody:labelling.v2.en:1\n")
    assert marked.endswith(MARK)
    assert project["description"] == marked
    assert fake_server.projects[bare]["description"].endswith(MARK)
    assert fake.ensure_project("One", Form(), marker=MARK) in (number, bare)


def test_projects_are_listed_with_their_time_and_whose_they_are(fake_server: FakeServer, fake: LabelStudio) -> None:
    """Over all pages; a server that gives no time of making gives none."""
    fake_server.page = 2
    numbers = [fake_server.project() for _ in range(5)]
    fake_server.projects[numbers[3]] |= {"description": MARK, "created_at": "2026-11-21T08:00:00.123456Z"}

    assert fake.list_projects("1") == [
        (number, "2026-11-21T08:00:00.123456Z", True) if number == numbers[3] else (number, None, False)
        for number in numbers
    ]


def test_of_twins_the_one_with_tasks_stays(fake_server: FakeServer, fake: LabelStudio) -> None:
    """An empty twin goes, the older of two that hold tasks is used, and nothing with tasks is ever deleted."""
    first, second, third = (fake_server.project() for _ in range(3))
    for number in (first, second, third):
        fake_server.projects[number]["description"] = MARK
    for number in (second, third):
        fake_server.tasks.append({"id": number, "project": number, "data": {}, "annotations": [], "drafts": []})

    assert fake.ensure_project("One", Form(), marker=MARK) == second
    assert set(fake_server.projects) == {second, third}


def test_a_twin_that_only_looks_empty_stays(fake_server: FakeServer, fake: LabelStudio) -> None:
    """Before a twin is deleted its tasks are counted."""
    first, second = fake_server.project(), fake_server.project()
    for number in (first, second):
        fake_server.projects[number]["description"] = MARK
    fake_server.tasks.append({"id": 9, "project": second, "data": {}, "annotations": [], "drafts": []})
    fake_server.is_stale = True

    assert fake.ensure_project("One", Form(), marker=MARK) == first
    assert set(fake_server.projects) == {first, second}


@pytest.mark.parametrize(
    ("failure", "tries"),
    [(httpx.ReadError, 3), (httpx.RemoteProtocolError, 3), (httpx.ReadTimeout, 1), (httpx.ConnectError, 1)],
)
def test_a_read_that_breaks_off_is_tried_again_and_a_slow_or_absent_server_is_not(
    fake_server: FakeServer, failure: type[httpx.TransportError], tries: int
) -> None:
    """Twice more, then it is told; the one that answers in the end is not told at all."""
    failing: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/users/" and len(failing) < 3:
            failing.append("once")
            raise failure("broke", request=request)
        return fake_server(request)

    with connect(answer) as studio:
        with pytest.raises(LabelStudioError):
            studio.annotators()
        assert len(failing) == tries
        failing[:] = ["once"] * 3
        assert len(studio.annotators()) == 2
        failing[:] = ["once"]
        if tries > 1:
            assert len(studio.annotators()) == 2


def test_a_missing_or_foreign_project_is_named(fake_server: FakeServer, fake: LabelStudio) -> None:
    """A project that is not there, or asks for something else, is an error with its number."""
    with pytest.raises(LabelStudioError, match="Project 7 is not at"):
        fake.check_project(7)
    number = fake_server.project()
    fake_server.projects[number]["parsed_label_config"] = {"cats": {}}
    with pytest.raises(LabelStudioError, match=f"Project {number} at .* has another form"):
        fake.check_project(number)
