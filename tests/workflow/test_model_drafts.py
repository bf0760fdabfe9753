"""A model's draft of a reference, from a real endpoint: on request alone, after the label, and never accepted unread."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.analysis.gold import model_draft as kept_drafts
from annotate.domain.gold import GoldSource
from annotate.domain.gold.drafts import ProposalOrigin, ReferenceDraft
from annotate.present.gold.lists import began_as
from annotate.present.messages import text
from annotate.store import Store
from annotate.workflow.gold import drafts, model_draft
from annotate.workflow.gold.review import Actor
from proxy.errors import EndpointError, UsageError
from proxy.judges.llm.reference_draft import DraftQuote, ModelDraft
from proxy.records import Context, Judgement, Turn
from support.endpoint import Endpoint
from support.gold import label
from support.model import quick
from support.replies import Policy, Ruling
from support.store import NOW, add, item

ANN = Actor("ann", NOW)
PASSAGES = ("Take one tablet, never two at once.", "Ask a pharmacist if in doubt.")
REAL, MADE_UP = "never  TWO at once", "two tablets are safe"
MADE = ModelDraft("scripted", (DraftQuote(REAL, 1), DraftQuote(MADE_UP, None)))
ORIGIN = ProposalOrigin(GoldSource.MODEL, 1, "m")


def quoting(*quotes: str, verdict: str = "answered") -> Policy:
    """A model that answers and quotes these."""

    def policy(key: str, choices: tuple[str, ...], data: dict[str, object], body: dict[str, object]) -> Ruling:
        if key not in ("q1", "q2", "q3", "q4"):
            return Ruling(verdict if "answered" in choices else choices[-1])
        place = int(key[1]) - 1
        return Ruling("quoted", quotes[place]) if place < len(quotes) else Ruling("none")

    return policy


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder of its own for assay.toml, and no waiting between attempts."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    with quick():
        yield


@pytest.fixture
def row(store: Store) -> int:
    """An answer that somebody called wrong."""
    contexts = tuple(Context(text=text) for text in PASSAGES)
    add(
        store,
        item("a", question="How many?", answer="Six.", contexts=contexts, history=(Turn(role="user", text="Hi"),)),
    )
    label(store, "a", Judgement.WRONG, rationale="Never six.")
    return store.traffic.items.key("a")


def switch_on(endpoint: Endpoint, tokens: int = 100_000) -> None:
    Path("assay.toml").write_text(f'[draft]\nmodel = "m"\nurl = "{endpoint.url}"\ntokens = {tokens}\n')


def draft(store: Store, row: int) -> ModelDraft:
    return model_draft.draft(store, row, who="ann", clock=lambda: NOW)


def test_it_is_written_from_the_passages_and_paid_once(store: Store, row: int) -> None:
    """A quote that stands nowhere is marked; asked again, by whomever, the same reply is read and nothing is sent."""
    with Endpoint(policy=quoting(REAL, MADE_UP)) as endpoint:
        switch_on(endpoint)
        assert kept_drafts.kept(store, row) is None
        assert draft(store, row) == MADE
        sent, requests = json.loads(endpoint.bodies[-1]["messages"][1]["content"]), endpoint.requests
        assert draft(store, row) == kept_drafts.kept(store, row) == MADE
        assert endpoint.requests == requests
    assert sent == {"question": "How many?", "history": [{"role": "user", "text": "Hi"}], "passages": list(PASSAGES)}
    assert store.scores.calls.taken_since("reference_draft", NOW).tokens > 0
    assert store.scores.calls.taken_since("reference_draft", "2999").tokens == 0
    asked = [event for event in store.audit.events.all() if event.what == "model draft"]
    assert [(event.who, json.loads(event.detail)) for event in asked] == [
        ("ann", {"url": endpoint.url, "model": "m"})
    ] * 2
    with store.atomic():
        store.audit.forgetting.forget_items(["a"], why=None, who="ann", now=NOW)
    assert kept_drafts.kept(store, row) is None


def test_it_is_asked_for_after_wrong_and_where_it_is_switched_on(store: Store, row: int) -> None:
    """Nothing is sent before a label, of a right answer, or without the table."""
    add(store, item("right"), item("open"))
    label(store, "right", Judgement.RIGHT)
    with pytest.raises(UsageError, match="no model drafts references here"):
        draft(store, row)
    with Endpoint() as endpoint:
        switch_on(endpoint)
        for name in ("right", "open"):
            with pytest.raises(UsageError, match="only after somebody has called the answer wrong"):
                draft(store, store.traffic.items.key(name))
        assert endpoint.requests == 0
    Path("assay.toml").write_text("[draft]\nmodell = 'm'\n")
    with pytest.raises(UsageError, match="draft"):
        draft(store, row)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "faults", "why"),
    [
        (quoting(MADE_UP), None, "no quote of the model stands in the passages"),
        (quoting(), None, "no quote of the model stands in the passages"),
        (quoting(REAL, verdict="not_answerable"), None, "the passages do not hold the answer"),
        (quoting(REAL), "wrong_enum", "answer is 'perhaps', not one of answered, not_answerable"),
        (quoting(REAL), "refusal", "the model declined"),
        (quoting(REAL), "500", "500"),
    ],
    ids=["made up", "no quote", "no answer", "out of form", "refusal", "error"],
)
def test_what_is_no_draft_says_why_and_can_be_asked_again(
    store: Store, row: int, policy: object, faults: str | None, why: str
) -> None:
    """Made-up quotes, none, no answer, a reply out of form, a refusal, an error; a later reply is another chance."""
    answers = [faults] * 3

    def fault(number: int, body: dict[str, object]) -> str | None:
        return answers.pop() if answers and "question" in str(body["messages"]) and "q4" in json.dumps(body) else None

    with Endpoint(policy=policy, faults=fault) as endpoint:  # type: ignore[arg-type]
        switch_on(endpoint)
        with pytest.raises(EndpointError, match=f"^no draft: .*{why}"):
            draft(store, row)
        assert kept_drafts.kept(store, row) is None
        answers.clear()
        endpoint.policy = quoting(REAL, MADE_UP)
        assert draft(store, row) == MADE


@pytest.mark.slow
def test_an_endpoint_that_is_down_and_a_day_s_budget(store: Store, row: int) -> None:
    """Neither leaves a draft, and the sentence says what it is; tomorrow there are tokens again."""
    with Endpoint(policy=quoting(REAL, MADE_UP)) as endpoint:
        switch_on(endpoint)
        draft(store, row)
        add(store, item("b", contexts=(Context(text=PASSAGES[0]),)))
        label(store, "b", Judgement.WRONG)
        other, requests = store.traffic.items.key("b"), endpoint.requests
        switch_on(endpoint, tokens=store.scores.calls.taken_since("reference_draft", NOW).tokens + 10)
        with pytest.raises(EndpointError, match=r"tokens that \[draft\] of assay.toml allows a day"):
            draft(store, other)
        assert endpoint.requests == requests
        switch_on(endpoint, tokens=10_000)
    with pytest.raises(EndpointError, match=r"^no draft: .*cannot be reached"):
        draft(store, other)


@pytest.mark.parametrize("priced_from", ["first", "second"])
def test_a_day_s_money(store: Store, row: int, priced_from: str) -> None:
    """What the first draft cost, at its price then or, where none was known, at that of now, leaves no room for another.

    A token costs a millionth of 3, so the money is three times the tokens; without prices a limit of money is refused.
    """
    prices = '[prices."m"]\ninput = 3.0\noutput = 3.0\n'
    with Endpoint(policy=quoting(REAL, MADE_UP)) as endpoint:
        switch_on(endpoint)
        if priced_from == "first":
            append(prices)
        draft(store, row)
        taken = store.scores.calls.taken_since("reference_draft", NOW)
        spent = 3 * taken.tokens / 1_000_000
        assert taken.money == pytest.approx(spent if priced_from == "first" else 0)
        add(store, item("b", contexts=(Context(text=PASSAGES[0]),)))
        label(store, "b", Judgement.WRONG)
        other, requests = store.traffic.items.key("b"), endpoint.requests

        switch_on(endpoint)
        append("budget = 1.0\n")
        with pytest.raises(UsageError, match=r'budget in \[draft\] needs prices .* \[prices."m"\]'):
            draft(store, other)
        switch_on(endpoint)
        append(f"budget = {spent * 1.01!r}\n{prices}")
        with pytest.raises(EndpointError, match=r"of money that \[draft\] of assay.toml allows a day"):
            draft(store, other)
        assert endpoint.requests == requests
        switch_on(endpoint)
        append(f"budget = {spent * 1.01 + 1!r}\n{prices}")
        assert draft(store, other) == MADE


def append(text: str) -> None:
    with Path("assay.toml").open("a") as file:
        file.write(text)


@pytest.mark.parametrize(("more", "is_read"), [("", True), ("!!", False)])
def test_it_is_never_saved_unread(store: Store, row: int, more: str, is_read: bool) -> None:
    """Refused as it came, until its writer has read it or changed it; the model's name and the distance are kept."""
    assert ORIGIN.item == row
    with Endpoint(policy=quoting(REAL)) as endpoint:
        switch_on(endpoint)
        made = draft(store, row)
        as_it_came = ReferenceDraft(text=f" {made.text}\n", origin=ORIGIN)
        version = drafts.keep(store, row, as_it_came, ANN, None)
        (known,) = store.gold.drafts.of_question(row)
        assert known.draft == as_it_came
        assert version is not None
        with pytest.raises(UsageError, match="a model's draft as it came"):
            drafts.save(store, [row], as_it_came, ANN, [version])
        assert store.gold.of_item(row) is None
        changed = ReferenceDraft(text=f"{made.text}{more}", origin=ORIGIN)
        gold_id = drafts.save(store, [row], changed, ANN, [version], is_read=is_read)
    taken = store.gold.taken_proposal(gold_id)
    assert taken is not None
    assert (taken.origin, taken.edit_distance) == (ORIGIN, len(more))
    last = store.gold.revisions(gold_id)[-1]
    begun = began_as(last)
    assert begun is not None
    assert text(begun, "en") == f"begun from a draft by m, characters changed: {len(more)}"
    entry = store.gold.of_item(row)
    assert entry is not None
    assert (entry.source, entry.annotator) == (GoldSource.APP, "ann")
