"""Annotators, forms and projects that change while labels come in: real store, Label Studio in memory."""

from __future__ import annotations

import pytest

from annotate.domain.assignment import EVERYBODY, SECOND
from annotate.store import Store
from proxy.errors import UsageError
from support.store import Assay
from support.studio import DRAWS, Studio, again, named, pulled, pushed, words

TWO = ("ann", "ben")


def test_one_project_for_everybody_again(drawn: Store, studio: Studio) -> None:
    """What is open moves there, what annotators answered counts, and the next push remembers it."""
    projects = pushed(drawn, studio, annotators=TWO, overlap=0.5)
    studio.annotate(studio.task_of(studio.task_keys(projects["ann"])[-1], projects["ann"]), "right")
    pulled(drawn, studio)

    [(annotator, project)] = pushed(drawn, studio, is_for_everybody=True).items()
    assert annotator == EVERYBODY
    assert len(studio.task_keys(project)) == DRAWS - 1
    assert (len(studio.task_keys(projects["ann"])), len(studio.task_keys(projects["ben"]))) == (1, 0)
    assert drawn.labels.outbox.overlap(named(drawn, studio)) == 0
    assert again(drawn, studio) == (0, DRAWS - 1, 0)
    assert words(drawn) == {"right": 1}


def test_everybody_and_annotators_exclude_each_other(drawn: Store, studio: Studio) -> None:
    """Wrong usage sends nothing."""
    with pytest.raises(UsageError, match="--annotator"):
        pushed(drawn, studio, annotators=TWO, is_for_everybody=True)
    assert not studio.markers


def test_a_project_of_ones_own_after_annotators(drawn: Store, studio: Studio) -> None:
    """`--everybody --project` goes there; `--project` alone says so."""
    pushed(drawn, studio, annotators=TWO)
    studio.markers[3], studio.made_at[3] = "the team's own", studio.now()
    with pytest.raises(UsageError, match="--everybody"):
        pushed(drawn, studio, project=3)

    assert pushed(drawn, studio, project=3, is_for_everybody=True) == {EVERYBODY: 3}
    assert len(studio.task_keys(3)) == DRAWS


@pytest.mark.parametrize("word", ["unsure", None])
def test_an_annotator_stays_the_same_annotator_in_a_new_form(drawn: Store, studio: Studio, word: str | None) -> None:
    """What ann left unsure or skipped goes to ben, not to ann once more, when both get a form in another language."""
    first = pushed(drawn, studio, annotators=TWO)
    key = studio.task_keys(first["ann"])[0]
    studio.annotate(studio.task_of(key, first["ann"]), word)
    pulled(drawn, studio)

    later = pushed(drawn, studio, language="ko")
    assert key not in studio.task_keys(later["ann"])
    assert key in studio.task_keys(later["ben"])
    assert again(drawn, studio) == (0, DRAWS, 0)


def test_one_reading_counts_once_in_the_overlap_whatever_the_form(drawn: Store, studio: Studio) -> None:
    """Ann's answers in the old form are hers: each answer of the overlap waits for ben alone."""
    first = pushed(drawn, studio, annotators=TWO, overlap=1.0)
    for key in studio.task_keys(first["ann"]):
        studio.annotate(studio.task_of(key, first["ann"]), "right")
    pulled(drawn, studio)

    later = pushed(drawn, studio, language="ko")
    assert studio.task_keys(later["ann"]) == []
    assert len(studio.task_keys(later["ben"])) == DRAWS


def test_what_everybody_skipped_is_not_forgotten_when_annotators_come(drawn: Store, studio: Studio) -> None:
    """Each of the eight draws is with one of the two."""
    pushed(drawn, studio)
    studio.annotate(studio.task_of(studio.task_keys()[0]), None)
    pulled(drawn, studio)

    later = pushed(drawn, studio, annotators=TWO)
    assert sum(len(studio.task_keys(number)) for number in later.values()) == DRAWS


def test_the_second_annotators_project_changes_its_form_too(drawn: Store, studio: Studio) -> None:
    """An unsure answer that waits for a second annotator moves with the rest."""
    pushed(drawn, studio)
    unsure = studio.task_keys()[0]
    studio.annotate(studio.task_of(unsure), "unsure")
    pulled(drawn, studio)
    second = pushed(drawn, studio)[SECOND]

    later = pushed(drawn, studio, language="ko")
    assert (studio.task_keys(second), studio.task_keys(later[SECOND])) == ([], [unsure])
    assert later[SECOND] != second


@pytest.mark.parametrize("name", ["everybody", "Second  Annotator"])
def test_names_of_our_own_projects_are_no_annotators(drawn: Store, studio: Studio, name: str) -> None:
    """Such an annotator would share the project that everybody sees."""
    with pytest.raises(UsageError, match="none is called"):
        pushed(drawn, studio, annotators=(name, "ben"))


def test_space_around_a_name_is_no_other_annotator(drawn: Store, studio: Studio) -> None:
    """The project is found again."""
    assert pushed(drawn, studio, annotators=TWO) == pushed(drawn, studio, annotators=(" ann", "ben "))


@pytest.mark.slow
def test_annotators_and_their_overlap_may_stand_in_the_settings(
    drawn: Store, studio: Studio, loaded: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[push] holds a list; --everybody against it is refused."""
    loaded.write("assay.toml", '[push]\nannotator = ["ann", "ben"]\noverlap = 0.5\nlanguage = "ko"\nharm = true\n')
    monkeypatch.setattr("annotate.label_studio.address.connect", lambda *_: studio)

    assert [project["annotator"] for project in loaded.json("push")["projects"]] == list(TWO)
    assert {project.form_version for project in drawn.labels.outbox.projects(named(drawn, studio))} == {
        "labelling.v3.ko.harm"
    }
    assert "leave --annotator out" in loaded("push", "--everybody", status=2).stderr


def test_a_project_with_the_first_form_is_pulled_on_and_followed_by_a_new_one(
    drawn: Store, studio: Studio, loaded: Assay
) -> None:
    """After an upgrade what was pulled is unchanged, and what is open moves to a project with the form of today."""
    pushed(drawn, studio)
    studio.markers[1] = "made before there were marks"
    with drawn.atomic():
        drawn._db.conn.execute("UPDATE projects SET form_version = 'labelling.v1.en'")
    done = studio.task_keys()[0]
    studio.annotate(studio.task_of(done), "right")
    pulled(drawn, studio)
    with drawn.atomic():  # as step 0004 leaves it
        drawn._db.conn.execute("UPDATE projects SET cursor = NULL, swept_at = NULL, size = NULL, unread = NULL")
        drawn._db.conn.execute("UPDATE tasks SET seen = NULL")

    counts = pulled(drawn, studio)
    assert (counts.added, counts.revised, counts.unchanged) == (0, 0, 1)
    assert again(drawn, studio) == (DRAWS - 1, 0, DRAWS - 1)
    assert (studio.task_keys(1), len(studio.task_keys(2))) == ([done], DRAWS - 1)
    assert {row[0] for row in loaded.sql("SELECT form_version FROM annotations")} == {"labelling.v1.en"}
