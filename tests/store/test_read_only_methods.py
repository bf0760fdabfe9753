"""On a store that cannot be written every method of a project that only looks answers."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from annotate import Project
from support.read_only import IN_ONE_PLACE, bound_script
from support.store import Assay

METHODS = (
    *(
        "items()",
        "frame()",
        "design",
        "scores()",
        "labels()",
        "draws()",
        "gold()",
        "quarantine()",
        "quarantine(state='dismissed')",
        "report()",
        "next()",
        "show('t0')",
        "metrics()",
    ),
    *(
        "plan(width=0.2)",
        "sample(labels=6, dry_run=True)",
        "sample_pairs(['old', 'new'], 4, dry_run=True)",
        "reliability()",
    ),
    *(
        "calibrate(0.6, dry_run=True)",
        "compare('old', 'new')",
        "rank('old', 'new')",
        "systems()",
        "alone('old')",
        "slices()",
    ),
    *("diagnose()", "drift()", "print_report()", "rules.history()", "rules.learn(dry_run=True)"),
    *(
        "labels.export('-')",
        "labels.history('t0')",
        "labels.annotators()",
        "labels.disagreements()",
        "labels.opposite()",
    ),
    *("scores.export('-')", "draws.export('-')", "gold.entries()", "gold.review()"),
    *("gold.duplicates()", "gold.releases()", "gold.export('-')", "gold.policy()", "export_quarantine('-')"),
    *(
        "gold.history('g')",
        "gold.diff('a', 'b')",
        "gold.check_pipeline(lambda question, history: 'A.')",
        "way",
        "write_report(f'{there}/report.html')",
    ),
    *(
        "maintenance.doctor()",
        "maintenance.events()",
        "maintenance.head()",
        "maintenance.backup(Path(there, 'copy.db'))",
    ),
    *(
        "simulate(Simulation(labels=6, repetitions=20))",
        "estimate_calls(ModelRequest(model='m', url='http://127.0.0.1:9/v1'))",
        "estimate_alignment(ALIGN)",
        "alignments()",
        "export_guidelines('overall', 'guidelines.txt')",
        "estimate_probe(ProbeRequest(model=ModelRequest(model='m', url='http://127.0.0.1:9/v1')))",
    ),
    *("judges()", "preview_masking()"),
    *("questions()", "questions('accepted')", "question_items()"),
    *("export_questions('-')", "score_questions('answers.jsonl')"),
    *("maintenance.forget_items(['t0'], dry_run=True)", "maintenance.forget_annotator('ann', dry_run=True)"),
)


# Prints, by method, the error that it ends with; `there` is a folder that may be written.
CALLS_METHODS = """
import json, sys, tempfile
from pathlib import Path
from annotate import Project
from annotate.analysis.planning.simulate import Simulation
from annotate.workflow.judging.model_request import ModelRequest
from annotate.workflow.judging.alignment import AlignmentRequest
from annotate.workflow.judging.runs import Options
from annotate.workflow.questions.probe import ProbeRequest
from proxy.judges.menu import MenuChoice

OVERALL = Options(choice=MenuChoice(names=("overall",)))
ALIGN = AlignmentRequest(judge="overall", request=ModelRequest(model="m", url="http://127.0.0.1:9/v1", options=OVERALL))
project, faults = Project.open(sys.argv[1]), {}
with tempfile.TemporaryDirectory() as there:
    for method in json.loads(sys.argv[2]):
        try:
            eval(f"project.{method}")
        except Exception as error:
            faults[method] = repr(error)
print()
print(json.dumps(faults))
"""


@pytest.mark.slow
@IN_ONE_PLACE
def test_every_method_that_looks_answers_on_a_store_that_cannot_be_written(locked: Assay) -> None:
    """From Python as from the command; not a row is another after it."""
    before = locked.db.read_bytes()
    ended = bound_script(locked, CALLS_METHODS, str(locked.db), json.dumps(METHODS))
    faults = json.loads(ended.splitlines()[-1])
    absent = {
        "export_guidelines('overall', 'guidelines.txt')",
        "export_questions('-')",
        "score_questions('answers.jsonl')",
    }
    assert faults.keys() == {"gold.history('g')", "gold.diff('a', 'b')", *absent}  # nothing of these names is there
    assert "read-only" not in str(faults)
    assert locked.db.read_bytes() == before


# Methods that change the store, or are no question to one.
CHANGING_METHODS = {
    *("move_server", "maintenance.join_servers"),
    *(
        "ingest",
        "fetch",
        "import_scores",
        "import_feedback",
        "import_labels",
        "dismiss_quarantined",
        "judge",
        "judge_with_model",
        "judge_with_vectors",
        "train_judges",
        "align",
        "undo_alignment",
        "map_scores",
        "undo_score_map",
        "run",
        "demo",
    ),
    *("open_stream", "close_stream", "push", "pull", "deliver", "exchange", "open", "reading", "writing"),
    *("who", "now", "folder", "rules.set", "scores.send", "labels.adjudicate", "labels.take_back"),
    *("gold.import_references", "gold.add", "gold.accept", "gold.accept_all", "gold.retire", "gold.retire_all"),
    *("build_questions", "probe"),
    *("gold.edit", "gold.keep", "gold.mark", "gold.release", "gold.check"),
    *("maintenance.make", "maintenance.set_masking", "maintenance.renew_key", "maintenance.remove_keys"),
}


def test_every_method_is_known_to_look_or_to_change() -> None:
    """A new one of Project, or of a part of it, has to be named here; a name that is gone has to go."""
    looking = {method.partition("(")[0] for method in METHODS}
    assert looking.isdisjoint(CHANGING_METHODS)
    assert looking | CHANGING_METHODS == set(methods())


def methods() -> Iterator[str]:
    """What stands behind `project.`: each public method and property, each part that can be called, and each method of a part."""
    yield from public(Project)
    for name, part in vars(Project("assay.db")).items():
        if type(part).__module__.startswith("annotate."):
            yield from (f"{name}.{own}" for own in public(type(part)))
            if callable(part):
                yield name


def public(kind: type) -> list[str]:
    """The public names of a class."""
    return [name for name in dir(kind) if not name.startswith("_")]
