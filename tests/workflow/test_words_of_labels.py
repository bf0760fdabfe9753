"""Words of a team's own for right, wrong and unsure: an option says what they mean."""

from __future__ import annotations

import pytest

from support.store import Assay


def words_of(assay: Assay) -> list[str]:
    """The word of each label that is kept, by item."""
    rows = assay.sql("SELECT l.judgement FROM labels l JOIN items i ON i.key = l.item ORDER BY i.id")
    return [word for (word,) in rows]


@pytest.mark.slow
def test_a_table_says_its_own_words(loaded: Assay) -> None:
    """A word that is not known waits in quarantine, and leaves it once the option says what it means."""
    file = loaded.write("l.csv", "item_id,label,annotator\na,RICHTIG,x\nb,passt,x\nc,schlecht,x\n")

    first = loaded.json("labels", "import", file, status=4)
    assert (first["added"], first["quarantined"]) == (1, 2)
    assert "--words right=WORD" in loaded.quarantine()[0]["reason"]

    then = loaded.json("labels", "import", file, "--words", "right=PASST", "--words", "wrong=schlecht")
    assert (then["added"], then["repaired"], loaded.quarantine()) == (2, 2, [])
    assert words_of(loaded) == ["right", "right", "wrong"]


def test_marks_of_one_to_five_are_no_labels(loaded: Assay) -> None:
    """A 1 among them is the worst mark, and was right by itself; the option says which marks are right."""
    file = loaded.write("l.csv", "item_id,label\na,1\nb,5\nc,3\n")

    assert "--words" in loaded("labels", "import", file, status=1).stderr
    assert words_of(loaded) == []

    loaded("labels", "import", file, "--words", "right=4,5", "--words", "wrong=1,2", "--words", "unsure=3")
    assert words_of(loaded) == ["wrong", "right", "unsure"]


def test_words_that_contradict_each_other_are_wrong_usage(loaded: Assay) -> None:
    """Nothing is kept."""
    file = loaded.write("l.csv", "item_id,label\na,x\n")
    said = loaded("labels", "import", file, "--words", "right=x", "--words", "wrong=X", status=2).stderr
    assert "both right and wrong" in said
