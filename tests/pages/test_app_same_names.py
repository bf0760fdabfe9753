"""Names of others that are also ours, or the same as far as they are shown: tables and pictures keep them apart."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from annotate.analysis.comparison import graded
from annotate.cli import main
from annotate.domain.selection import Selection
from annotate.pages.comparison.sides import LONGEST
from annotate.pages.kit.tables import _apart
from annotate.store import Store
from support.app import Open, tables
from support.store import traffic_row

ITEMS = 24
LONG = "x" * LONGEST


def run(store: Store, *args: str) -> None:
    """A command on this store."""
    result = CliRunner().invoke(main, [*args, "--db", str(store.path)], prog_name="assay")
    assert result.exit_code == 0, result.output


def filled(store: Store, systems: tuple[str, str], judge: str) -> None:
    """Two systems on the same questions, a judge's scores and a label for every answer; the first breaks now and then."""
    folder = store.path.parent
    names = [(f"{place}-{n}", system, n) for place, system in enumerate(systems) for n in range(ITEMS)]
    rows = [traffic_row(item_id, question=f"Q {n}?", system=system) for item_id, system, n in names]
    scores = [{"item_id": item_id, "judge": judge, "value": n / ITEMS} for item_id, _, n in names]
    said = [
        {
            "item_id": item_id,
            "annotator": "ann",
            "label": "wrong" if n % (3 if item_id[0] == "0" else 5) == 0 else "right",
        }
        for item_id, _, n in names
    ]
    for name, content in (("traffic", rows), ("scores", scores), ("labels", said)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in content))
    run(store, "ingest", str(folder / "traffic.jsonl"))
    run(store, "scores", "import", str(folder / "scores.jsonl"))
    run(store, "rule", "set", f"{judge} > 0.5")
    run(store, "sample", "--labels", str(2 * ITEMS), "--seed", "1")
    run(store, "labels", "import", str(folder / "labels.jsonl"))


@pytest.mark.slow
def test_a_judge_may_be_called_as_a_column_is(opened: Open) -> None:
    """The table of the answers furthest apart has a column Distance, and so is the judge called."""
    app = opened(lambda store: filled(store, ("a", "b"), "Distance"), "judges")
    app.segmented_control(key="judges").set_value("scores").run()

    assert ["Answer", "Distance", "Annotators", "Distance (2)"] in [
        list(dataframe.columns) for dataframe in tables(app)
    ]


@pytest.mark.slow
def test_a_system_may_be_called_as_a_column_is(opened: Open) -> None:
    """The table of what broke has a column Question, and so is the system called."""
    app = opened(lambda store: filled(store, ("Question", "b"), "s"), "systems")
    app.query_params["systems"] = "answers"
    app.run()
    columns = [set(dataframe.columns) for dataframe in tables(app)]

    assert {"What", "Question", "Question (2)", "b"} in columns


@pytest.mark.slow
def test_systems_with_the_same_beginning_are_told_apart(opened: Open) -> None:
    """Both names are cut at the same place: each keeps its letter."""
    app = opened(lambda store: filled(store, (f"{LONG} one", f"{LONG} two"), "s"), "systems")
    app.query_params["systems"] = "answers"
    app.run()
    columns = [list(dataframe.columns) for dataframe in tables(app)]

    assert ["What", "Question", f"A: {LONG}…", f"B: {LONG}…"] in columns


@pytest.mark.slow
def test_every_question_in_the_picture_of_grades_has_its_text(store_in_file: Store) -> None:
    """The text of each of the first NAMED questions is read, not of those alone that the command lists."""
    filled(store_in_file, ("a", "b"), "correctness")
    judge_grades = graded.judge_grades(store_in_file, (Selection(system="a"), Selection(system="b")), "correctness")

    assert judge_grades is not None
    assert graded.LISTED < ITEMS <= graded.NAMED
    assert {judge_grades.questions[question.question] for question in judge_grades.grades.questions} == {
        f"Q {n}?" for n in range(ITEMS)
    }


def test_columns_are_numbered_until_they_differ() -> None:
    """Also where a name looks like a number that was given."""
    assert _apart(["a", "b"]) == ["a", "b"]
    assert _apart(["a", "a (2)", "a", "a"]) == ["a", "a (2)", "a (3)", "a (4)"]
