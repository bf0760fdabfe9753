"""What one Label Studio can show after it was read, and what only a copy of it can; marks in descriptions; addresses."""

from __future__ import annotations

import pytest

from annotate.domain.server_identity import (
    KnownAnnotation,
    KnownWork,
    compare,
    has_mark,
    has_mark_of,
    mark,
    shown_address,
    store_of,
)

READ, LATER, EARLIER = "2026-11-21T09:00:00.500000Z", "2026-11-21T09:30:00.000000Z", "2026-11-21T08:00:00.000000Z"
KNOWN = KnownWork(
    keys={1: "k1", 2: "k2", 3: "k3"},
    seen={1: READ, 2: READ},
    annotations={
        10: KnownAnnotation("k1", "2026-11-21T09:00:00.500Z"),
        11: KnownAnnotation("k3", "2026-11-21T09:00:00.500Z"),
    },
)


def task(number: int, at: str = READ, key: str | None = None, **annotations: str) -> dict[str, object]:
    """A task as the server gives it, with annotations by their number, `_10`, and when each was made."""
    made = [{"id": int(name[1:]), "created_at": created} for name, created in annotations.items()]
    return {"id": number, "data": {"external_id": key or f"k{number}"}, "updated_at": at, "annotations": made}


@pytest.mark.parametrize(
    ("tasks", "unchanged"),
    [
        pytest.param([task(1, _10=EARLIER), task(2), task(3, _11=READ)], 2, id="as it was read"),
        pytest.param(
            [task(1, LATER), task(2), task(3, _11=READ)], 1, id="an annotation was deleted, which moves the task's time"
        ),
        pytest.param(
            [task(2, "2026-11-21T10:00:00.500+01:00"), task(3)], 1, id="a task was deleted, times in another zone"
        ),
        pytest.param(
            [task(1), task(2), task(4, LATER, "new", _12=LATER)], 2, id="the last was deleted and another made"
        ),
        pytest.param(
            [task(1, LATER, _10=READ), task(2), task(3), task(9, key="foreign")], 1, id="edited, beside a foreign task"
        ),
        pytest.param([task(1, "no time"), task(2), task(3, _11="")], 1, id="odd times show nothing"),
    ],
)
def test_what_one_server_can_show(tasks: list[dict[str, object]], unchanged: int) -> None:
    """Each may come after what is known; how many tasks are as they were is counted by hand."""
    assert compare(KNOWN, tasks)[0] is None
    assert compare(KNOWN, tasks).unchanged == unchanged


@pytest.mark.parametrize(
    ("tasks", "difference"),
    [
        ([task(1, EARLIER), task(2), task(3)], "its task 1 was last changed before the state that was read"),
        ([task(1), task(2, key="other"), task(3)], "its task 2 is another"),
        ([task(1, _11=EARLIER), task(2), task(3)], "its annotation 11 is another"),
        ([task(1, LATER, _10=LATER), task(2), task(3)], "its annotation 10 is another"),
    ],
)
def test_what_only_a_copy_can_show(tasks: list[dict[str, object]], difference: str) -> None:
    """A time that went back, a number for something else, an annotation made later."""
    assert compare(KNOWN, tasks).difference == difference


def test_nothing_known_is_nothing_recognised() -> None:
    """A project of which nothing was sent differs from none and is recognised by none of its tasks."""
    assert compare(KnownWork({}, {}, {}), [task(1)]) == (None, 0, 0, {}, 0)


@pytest.mark.parametrize(
    ("tasks", "beyond", "newest"),
    [
        ([task(1), task(2)], {3: 11}, 0),
        ([], {1: 10, 3: 11}, 0),
        ([task(1, _12=LATER), task(3)], {}, 12),
    ],
)
def test_what_is_absent_is_no_difference(tasks: list[dict[str, object]], beyond: dict[int, int], newest: int) -> None:
    """Labelled tasks beyond all that are there, each with its annotation, beside the newest annotation that is there."""
    comparison = compare(KNOWN, tasks)

    assert comparison.difference is None
    assert (comparison.beyond, comparison.newest_annotation) == (beyond, newest)


MARK = mark("5e1f", "Dr Ann", "labelling.v2.en", 2)


@pytest.mark.parametrize(
    ("description", "has_this", "has_any"),
    [
        (f"Made by Assay, which finds it by this mark: {MARK}", True, True),
        (f"Ours.\n\n{MARK.replace(' ', chr(10))}\nWe label on Fridays.", True, True),
        (f"{MARK}2", False, True),
        ("assay:5e1f:everybody:labelling.v2.en:1 and assay:beef:everybody:labelling.v2.en:1", False, True),
        ("assay:beef:everybody:labelling.v2.en:1", False, False),
        ("xassay:5e1f:everybody:1", False, False),
        (None, False, False),
    ],
)
def test_marks_are_read_from_what_people_wrote(description: object, *, has_this: bool, has_any: bool) -> None:
    """Two stores may share a project, a name has spaces, and a text may be wrapped."""
    assert has_mark(description, MARK) == has_this
    assert has_mark_of(description, store_of(MARK)) == has_any


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
        (" https://ann:secret@labels.example.org/ls/?token=secret ", "https://labels.example.org/ls"),
        ("labels.example.org", "labels.example.org"),
        ("https://labels.example.org/team@work/", "https://labels.example.org/team@work"),
        ("http://10.0.0.5:8080?next=http://elsewhere", "http://10.0.0.5:8080"),
        ("http://ann:pass@[::1]:8080/#top", "http://[::1]:8080"),
        ("http://ann:pa?ss/w@labels:8080", "http://labels:8080"),
    ],
)
def test_an_address_is_shown_without_secrets(url: str, shown: str) -> None:
    assert shown_address(url) == shown
