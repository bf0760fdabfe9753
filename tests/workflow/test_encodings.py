"""Files in another encoding than UTF-8 through every import: read where it is certain, with a word on the screen."""

from __future__ import annotations

import pytest

from annotate import Project
from support.store import Assay

GERMAN = "id;question;answer;contexts\nf;Wie heiß?;Größer.;Über München.\n"


def write(assay: Assay, name: str, text: str, encoding: str = "cp1252") -> str:
    path = assay.folder / name
    path.write_bytes(text.encode(encoding))
    return str(path)


def test_traffic_of_a_german_spreadsheet_comes_in_and_the_screen_says_so(assay: Assay) -> None:
    """With a word of it, so that another encoding is noticed."""
    file = write(assay, "t.csv", GERMAN)

    dry, done = assay("ingest", file, "--dry-run"), assay("ingest", file)

    for out in (dry, done):
        words = " ".join((out.stdout + out.stderr).split())
        assert "t.csv is no UTF-8 and was read as cp1252 (for example heiß); where that is wrong, name its" in words
    items = Project.open(assay.db).items()
    assert (*items.question, *items.answer, *items.contexts[0]) == ("Wie heiß?", "Größer.", "Über München.")
    assert assay.json("ingest", file)["guessed"] == [{"file": "t.csv", "encoding": "cp1252", "example": "heiß"}]


def test_a_named_encoding_is_not_doubted(assay: Assay) -> None:
    """The same bytes are other words where the user says so; nothing is said then."""
    done = assay.json("ingest", write(assay, "t.csv", GERMAN), "--encoding", "cp1251")

    assert done["guessed"] == []
    assert list(Project.open(assay.db).items().answer) == [GERMAN.encode("cp1252").decode("cp1251").split(";")[5]]
    assert "no such encoding" in assay("ingest", "t.csv", "--encoding", "latino", status=2).stderr


@pytest.mark.slow
def test_labels_thumbs_scores_and_references_are_read_likewise(loaded: Assay) -> None:
    """One way in for all."""
    label = write(loaded, "l.csv", "item_id,label,rationale\na,wrong,Prüfen Sie\n")
    thumb = write(loaded, "f.csv", "item_id,value,comment\na,-1,Völlig falsch\n")
    score = write(loaded, "s.csv", "item_id,judge,value,reason\na,tone,0.5,schön gesagt\n")
    gold = write(loaded, "g.csv", "question,reference\nWie groß?,Größer.\n")

    for command, file in (
        *((("labels", "import"), label), (("feedback",), thumb), (("scores", "import"), score)),
        (("gold", "import"), gold),
    ):
        done = loaded.json(*command, file)
        assert [each["encoding"] for each in done["guessed"]] == ["cp1252"]
        assert done["quarantined"] == 0
        assert loaded.json(*command, file, "--encoding", "cp1252")["guessed"] == []
