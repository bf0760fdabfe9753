"""What leaves the house of an item: everything made safe, and with redaction on masked."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path

import pytest

from annotate.analysis import disagreements
from annotate.domain.labelling_task import task
from annotate.domain.privacy.people import pseudonyms, without_people
from annotate.domain.privacy.redaction import (
    HIDDEN,
    OutgoingTexts,
    about,
    for_model,
    for_page,
    in_force,
    outgoing,
)
from annotate.project import Project
from annotate.store import Store
from annotate.store.labels.disagreements import DisagreementFilter
from proxy.errors import UsageError
from proxy.records import Context, Item, Turn
from support.llm import setup
from support.private import private

SECRET = "ann@example.org, 0912-345-678, record W-12345"
MASKED = "[e-mail], [phone], record [hidden]"
TABLE = "[redaction]\non = true\npatterns = ['W-\\d{5}']\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask(folder: Path, table: str) -> None:
    """Write assay.toml, never at the time of the one before."""
    path = folder / "assay.toml"
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(table)
    os.utime(path, ns=(before + 10**9, before + 10**9))


def test_only_texts_leave() -> None:
    """An outgoing record has the item's texts and no place for anything else."""
    assert [field.name for field in fields(OutgoingTexts)] == ["question", "answer", "contexts", "history", "reference"]


def test_a_model_sees_the_outgoing_texts_alone() -> None:
    """System, group, time, metadata, retriever scores and titles stay; lone surrogates leave as signs."""
    item = Item(
        id="1",
        question="Q\ud800?",
        answer="A.",
        contexts=(Context(text="c", id="7", title="Secret", score=0.9),),
        system="v1",
        timestamp="2026-01-01T00:00:00Z",
        group="g",
        language="ko",
        history=(Turn(role="user", text="before"),),
        reference="R",
        metadata={"patient": "x"},
    )

    assert for_model(item) == Item(
        id="1",
        question="Q\ufffd?",
        answer="A.",
        contexts=(Context(text="c"),),
        language="ko",
        history=(Turn(role="user", text="before"),),
        reference="R",
    )


def test_plain_text_is_unchanged() -> None:
    """Ordinary text in any script, with HTML and line breaks, leaves as it is."""
    item = Item(
        id="1",
        question="هل يجوز؟",
        answer="<b>ja</b>\nnein\t한국어 👩\u200d⚕️",
        contexts=(Context(text="b", score=0.9), Context(text="a")),
    )

    assert outgoing(item) == OutgoingTexts(question=item.question, answer=item.answer, contexts=("b", "a"))


def test_what_breaks_a_server_or_a_reader_is_replaced() -> None:
    """Lone surrogates, NUL and direction overrides leave as visible signs, in every text."""
    bad = "x\ud800\0\u202ey"
    texts = outgoing(Item(id="1", question=bad, answer=bad, contexts=(Context(text=bad),)))

    for text in (texts.question, texts.answer, *texts.contexts):
        assert text.startswith("x\ufffd\u2400")
        assert text.endswith("y")
        assert "\u202e" not in text
        text.encode("utf-8")


def test_every_text_is_masked_when_asked(folder: Path) -> None:
    """Question, answer, passages, turns and reference leave without what the patterns find; the item keeps all of it."""
    texts = {"question": SECRET, "answer": SECRET, "reference": SECRET}
    item = Item(id="1", contexts=(Context(text=SECRET),), history=(Turn(role="user", text=SECRET),), **texts)
    assert outgoing(item).question == SECRET

    ask(folder, TABLE)
    sent = outgoing(item)

    assert (sent.question, sent.answer, sent.reference, *sent.contexts) == (MASKED,) * 4
    assert sent.history == (Turn(role="user", text=MASKED),)
    assert for_model(item).question == MASKED
    assert "ann@" not in str(task("key", item))
    assert item.question == SECRET


def test_the_table_is_read_anew_when_it_changes(folder: Path) -> None:
    """Switching it off and on again shows at once, without a new process."""
    ask(folder, TABLE)
    assert in_force().is_on
    ask(folder, "[redaction]\non = false\n")
    assert not in_force().is_on
    (folder / "assay.toml").unlink()
    assert not in_force().is_on


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("on = 'yes'", r"toml: \[redaction\] on is true or false, not 'yes'"),
        ("off = true", r"\[redaction\] knows on, patterns, recognisers, hidden, shown, pseudonyms, not off"),
        ("patterns = 'a'", r"\[redaction\] patterns is a list of texts, not 'a'"),
        (
            "patterns = ['W-1', '(a)\\1']",
            r"\[redaction\] patterns: '\(a\)\\\\1' cannot be used: character 4 begins a backreference",
        ),
        ("hidden = ['colour']", r"\[redaction\] has no field colour: there are annotator"),
    ],
)
def test_what_the_table_does_not_know_is_said(folder: Path, table: str, words: str) -> None:
    """Nothing leaves under a table that nobody understands; a page masks what it can."""
    ask(folder, f"[redaction]\n{table}\n")

    with pytest.raises(UsageError, match=words):
        outgoing(Item(id="1", question="q", answer="a"))
    assert for_page("ann@example.org") == "[e-mail]"


def test_fields_are_hidden_unless_they_are_shown(folder: Path) -> None:
    """With redaction on the caller's own fields and groups stay here; more can be named, and others be let out."""
    assert not in_force().hides("metadata.ward")
    ask(folder, "[redaction]\non = true\nhidden = ['comment']\nshown = ['metadata.channel']\n")

    assert [in_force().hides(name) for name in ("metadata.ward", "group", "comment")] == [True] * 3
    assert [in_force().hides(name) for name in ("metadata.channel", "rationale")] == [False] * 2
    assert for_page("too late", fields=("comment",)) == HIDDEN


def test_people_are_annotators_with_a_number() -> None:
    """The same name is the same annotator wherever it stands as a word, however it is written; short ones only alone."""
    people = pseudonyms(["dr-lin", "Ann", "陳醫師", "x", "dr-lin"])

    assert people == {"dr-lin": "Annotator 1", "Ann": "Annotator 2", "陳醫師": "Annotator 3", "x": "Annotator 4"}
    assert without_people("dr-lin", people) == "Annotator 1"
    assert (
        without_people("DR-LIN, ann and陳醫師說x: Annual", people)
        == "Annotator 1, Annotator 2 andAnnotator 3說x: Annual"
    )
    assert without_people("x", people) == "Annotator 4"


def test_a_masked_score_has_a_signature_of_its_own(folder: Path) -> None:
    """Off, the signature is what it always was; on, and with other patterns, another."""
    off = setup().signature("faithfulness", "faithfulness", 1)
    assert in_force().digest == ""
    ask(folder, "[redaction]\non = true\n")
    on = setup(masking=in_force().digest).signature("faithfulness", "faithfulness", 1)
    ask(folder, TABLE)
    own = setup(masking=in_force().digest).signature("faithfulness", "faithfulness", 1)

    assert setup(masking="").signature("faithfulness", "faithfulness", 1) == off
    assert len({off, on, own}) == 3


@pytest.mark.slow
def test_files_that_leave_hold_nothing_that_was_planted(store_in_file: Store, folder: Path) -> None:
    """The tasks of a wave, the list of disagreements, the report to send: full of it without redaction, free of it with.

    Names within a question or a passage are not known as names there: no pattern finds them.
    """
    planted = private(store_in_file)

    def leaving() -> str:
        items = store_in_file.traffic.items.read([draw.item for draw in store_in_file.sampling.waves.all_draws()])
        tasks = [str(task("key", item)) for item in items.values()]
        ground = disagreements.ground(store_in_file)
        lists = [
            disagreements.as_file(store_in_file, ground, DisagreementFilter(), ending).decode()
            for ending in ("csv", "jsonl")
        ]
        report = Project.open(store_in_file.path).print_report(is_plain=True)
        return "\n".join([*tasks, *lists, report])

    before = leaving()
    mail, phone, record, own = planted[3:7]
    assert [text for text in (mail, phone, record, own) if text not in before] == []
    ask(folder, "[redaction]\non = true\npatterns = ['W-\\d{8}']\n")
    after = leaving()

    assert [text for text in planted[3:] if text in after] == []
    assert "[e-mail]" in after
    assert "Annotator 1" in after


def test_what_a_judge_quotes_in_pieces_is_masked_too(folder: Path) -> None:
    """A telephone number of the answer, taken apart by a judge's words; a number that stays in the item stays here."""
    item = Item(id="1", question="Who is it?", answer="Call 555-123-4005 for 20 mg.", contexts=(Context(text="20 mg"),))
    said = "numbers not in the passages: 555, 123, 4005; 20 is there"
    assert about(item, said) == said

    ask(folder, "[redaction]\non = true\n")

    assert about(item, said) == f"numbers not in the passages: {HIDDEN}, {HIDDEN}, {HIDDEN}; 20 is there"


def test_the_teams_own_patterns_come_first(folder: Path) -> None:
    """Else a built-in one takes a part, and theirs finds nothing."""
    ask(folder, "[redaction]\non = true\npatterns = ['MRN-[0-9]{1,9}']\n")
    assert for_page("chart MRN-1000512 of today") == f"chart {HIDDEN} of today"
