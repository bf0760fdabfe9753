"""Accounts behind events: who was signed in is proved by the chain, found when it is changed, and forgotten on request."""

from __future__ import annotations

from pathlib import Path

from annotate.domain.sign_in.roles import Role
from annotate.domain.sign_in.signed_in import Account, SignedIn
from annotate.store import Store
from support.store import NOW, Assay

ACCOUNT = Account("https://login.example.org", "s-1")
ANA = SignedIn(name="ana@example.org", account=ACCOUNT, role=Role.LEAD, until=0)


def act(path: Path, *names: str, signed_in: SignedIn | None = ANA) -> None:
    """Note an event in each name, on a store that was opened for who signed in."""
    store = Store(path, signed_in=signed_in)
    with store.atomic(durable=True):
        for name in names:
            store.audit.events.append("looked", {"n": 1}, who=name, now=NOW)
    store.close()


def test_an_event_tells_a_name_that_was_typed_from_one_that_was_proved(assay: Assay) -> None:
    """The same name by both ways, and another that nobody vouched for; the two sign-ins are one account."""
    act(assay.db, ANA.name, signed_in=None)
    act(assay.db, ANA.name, "bob")
    act(assay.db, ANA.name)
    proved = {"issuer": ACCOUNT.issuer, "subject": ACCOUNT.subject}

    events = assay.json("events")["events"]
    assert [(event["who"], event["signed_in"], event["account"]) for event in events] == [
        (ANA.name, False, None),
        (ANA.name, True, proved),
        ("bob", False, None),
        (ANA.name, True, proved),
    ]
    assert events[1]["detail"] == events[3]["detail"]
    assert assay.words("events").count("(signed in)") == 2
    assert assay.sql("SELECT count(*) FROM accounts") == [(1,)]
    assert assay.json("doctor")["problems"] == []


def test_two_accounts_of_one_name_stay_two(assay: Assay) -> None:
    """A provider may give an address to somebody else."""
    act(assay.db, ANA.name)
    other = Account(ACCOUNT.issuer, "s-2")
    act(assay.db, ANA.name, signed_in=SignedIn(name=ANA.name, account=other, role=None, until=0))

    assert [event["account"]["subject"] for event in assay.json("events")["events"]] == ["s-1", "s-2"]


def test_an_account_that_was_changed_or_removed_is_found(assay: Assay) -> None:
    """The chain of events covers who signed in, though the name stands in another table."""
    act(assay.db, ANA.name)
    assay.sql("UPDATE accounts SET subject = 's-2'")
    assert [words for words in assay.json("doctor", status=1)["problems"] if "is not as Assay wrote it" in words]
    assay.sql("DELETE FROM accounts")
    assert [words for words in assay.json("doctor", status=1)["problems"] if "is gone, and events name it" in words]


def test_a_person_who_is_forgotten_leaves_no_account(assay: Assay) -> None:
    """That somebody had signed in can still be told, not who; the store is sound, and a new sign-in is a new account."""
    act(assay.db, ANA.name)
    assay("forget", "--annotator", ANA.name, "--yes")

    [acted, forgot] = assay.json("events")["events"]
    assert (acted["signed_in"], acted["account"], forgot["what"]) == (True, None, "forget annotator")
    assert acted["who"].startswith("forgotten-")
    assert ACCOUNT.issuer.encode() not in assay.db.read_bytes()
    assert assay.json("doctor")["problems"] == []
    act(assay.db, ANA.name)
    assert assay.json("events")["events"][-1]["account"]["subject"] == "s-1"
