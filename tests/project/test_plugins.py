"""Judges of other packages: a real package with entry points, installed beside everything else."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from annotate import Project
from annotate.plugins import from_entry_points
from annotate.present.messages import text
from proxy.errors import UsageError
from proxy.records import Verdict
from support.project import ingest, written
from support.store import Assay, traffic_row

BREVITY = '''
from proxy.records import JudgeFailure, Score, FailureKind


class Brevity:
    """1 / number of the answer's words."""

    name = "brevity"
    signature = "brevity|wit|v1"

    def judge(self, item):
        words = len(item.answer.split())
        return Score(item_id=item.id, judge=self.name, signature=self.signature, value=1 / max(1, words), reason="short")
'''
Install = Callable[[str, str, str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install a package: its name, its entry points, its module's source."""
    site = tmp_path / "site"

    def put(name: str, points: str, source: str) -> None:
        package, held = site / name, site / f"{name}-1.0.dist-info"
        package.mkdir(parents=True, exist_ok=True)
        held.mkdir(exist_ok=True)
        (package / "__init__.py").write_text(source)
        (held / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        group = "" if points.startswith("[") else "[assay.judges]\n"
        (held / "entry_points.txt").write_text(f"{group}{points}\n")
        if str(site) not in sys.path:
            monkeypatch.syspath_prepend(str(site))
        importlib.invalidate_caches()
        monkeypatch.delitem(sys.modules, name, raising=False)

    return put


@pytest.fixture
def loaded(project: Project) -> Project:
    """Eight answers of seven words."""
    ingest(project, [traffic_row(name) for name in "abcdefgh"])
    return project


def test_a_judge_of_a_package_judges_and_a_rule_reads_it(loaded: Project, install: Install) -> None:
    """Found by name, its scores kept with its signature, and a rule on them in force: 7 words, 1/7."""
    install("wit", "brevity = wit:Brevity", BREVITY)

    done = loaded.judge(["brevity"]).result.judged

    assert done.scores == 8
    assert [work.signature for work in done.judges] == ["brevity|wit|v1"]
    assert set(loaded.scores()["value"]) == {1 / 7}
    assert loaded.rules.set("brevity > 0.1").result.counts[Verdict.PASS] == 8


@pytest.mark.slow
def test_a_judge_of_a_package_judges_in_several_processes(loaded: Project, install: Install) -> None:
    """Workers find the package where this process does; the scores are the same."""
    install("wit", "brevity = wit:Brevity", BREVITY.replace('"short"', "str(__import__('os').getpid())"))

    done = loaded.judge(["brevity"], workers=2).result.judged

    assert (done.scores, done.errors, done.stayed_here) == (8, 0, ())
    assert set(loaded.scores()["value"]) == {1 / 7}
    assert str(os.getpid()) not in set(loaded.scores()["reason"])


def test_no_rule_is_proposed_on_a_judge_that_scored_nothing(loaded: Project, install: Install) -> None:
    """The command could not be obeyed: no judge of that name has scores."""
    install("bad", "broken = bad:Brevity", BREVITY.replace("brevity", "broken").replace("1 / max(1, words)", "1 / 0"))
    install("wit", "brevity = wit:Brevity", BREVITY)

    failed, scored = loaded.judge(["broken"]), loaded.judge(["brevity"])

    assert failed.result.judged.errors == 8
    assert not any("rule set" in command for step in failed.document.next for command in step.commands)
    assert [command for step in scored.document.next for command in step.commands] == ["assay rule set 'brevity > 0.5'"]


def test_no_rule_is_proposed_on_a_judge_that_abstained_throughout(loaded: Project, install: Install) -> None:
    """Such a rule would leave every answer without a verdict; to abstain is counted, and is no failure."""
    abstains = (
        "JudgeFailure(item_id=item.id, judge=self.name, signature=self.signature, kind=FailureKind.NOT_APPLICABLE, "
    )
    install(
        "mute",
        "never = mute:Brevity",
        BREVITY.replace("brevity", "never").replace("Score(", f"{abstains}reason='no') or Score("),
    )

    done = loaded.judge(["never"])

    [work] = done.result.judged.judges
    assert (work.scores, work.abstentions, work.failures) == (0, 8, 0)
    assert not any("rule set" in command for step in done.document.next for command in step.commands)


@pytest.mark.parametrize("rule_reads_it", [False, True])
def test_a_proposed_rule_says_how_many_answers_it_would_leave_unscored(
    loaded: Project, install: Install, *, rule_reads_it: bool
) -> None:
    """The judge scores one answer of eight: seven would have no verdict, as the rule then shows."""
    abstention = (
        "JudgeFailure(item_id=item.id, judge=self.name, signature=self.signature, kind=FailureKind.NOT_APPLICABLE, "
        "reason='no')"
    )
    some = BREVITY.replace("return Score(", f"return {abstention} if item.id != 'a' else Score(")
    if rule_reads_it:
        install("wit", "brevity = wit:Brevity", BREVITY)
        loaded.judge(["brevity"])
        loaded.rules.set("brevity > 0.1")
    install("wit", "brevity = wit:Brevity", some.replace("|v1", "|version2"))

    [step] = loaded.judge(["brevity"]).document.next

    assert text(step.message).endswith(
        "But brevity has no score for 7 of 8 answers, which this rule would leave unscored."
    )
    signatures = {"brevity": "brevity|wit|version2"}
    assert loaded.rules.set("brevity > 0.1", signatures=signatures).result.counts[Verdict.UNSCORED] == 7


def test_other_packages_are_loaded_only_where_they_are_asked_for(loaded: Project, install: Install) -> None:
    """A broken one harms neither the usual judges nor another package's."""
    install("bad", "broken = bad:Broken", "raise RuntimeError('this package is broken')")
    install("wit", "brevity = wit:Brevity", BREVITY)

    loaded.judge()
    loaded.judge(["brevity", "faithfulness"])
    with pytest.raises(UsageError, match=r"the judge broken of bad cannot be loaded: RuntimeError.*is broken"):
        loaded.judge(["broken"])


def test_a_judge_is_called_by_its_own_name_whatever_its_entry_point(loaded: Project, install: Install) -> None:
    """A package that cannot be loaded is looked through and does no harm; where the name is nowhere it is said."""
    install("bad", "broken = bad:Broken", "raise RuntimeError('this package is broken')")
    install("wit", "short = wit:Brevity", BREVITY)

    assert loaded.judge(["brevity"]).result.judged.scores == 8
    with pytest.raises(
        UsageError, match=r"there is no judge brevty: .*brevity.*; the judge broken of bad cannot be loaded"
    ):
        loaded.judge(["brevty"])


@pytest.mark.slow
def test_the_judges_of_the_rule_in_force_run_by_default(loaded: Project, install: Install) -> None:
    """A ninth answer gets its score from the plug-in too, so that it has a verdict; one that the rule does not read stays out."""
    install("wit", "brevity = wit:Brevity", BREVITY)
    install("other", "laconic = other:Brevity", BREVITY.replace("brevity", "laconic"))
    loaded.judge(["brevity"])
    loaded.judge()
    loaded.rules.set("min(faithfulness, brevity) > 0.1")
    ingest(loaded, [traffic_row("i")])

    result = loaded.judge().result

    assert {spent.judge for spent in result.judged.judges if spent.scores} >= {"faithfulness", "brevity"}
    assert "laconic" not in {spent.judge for spent in result.judged.judges}
    assert result.verdicts.counts[Verdict.UNSCORED] == 0
    assert result.verdicts.untried is None


@pytest.mark.slow
def test_a_score_that_was_imported_as_null_was_tried(project: Project) -> None:
    """Another import would bring null again: nobody is sent for it; an answer that no row named was not tried."""
    ingest(project, [traffic_row(name) for name in "ijk"])
    grades = [{"item_id": "i", "judge": "grade", "value": 0.9}, {"item_id": "j", "judge": "grade", "value": None}]
    project.import_scores(written("grades.jsonl", grades))
    project.rules.set("grade > 0.5")
    only_k = project.judge().result.verdicts

    project.import_scores(written("rest.jsonl", [{"item_id": "k", "judge": "grade", "value": None}]))
    nobody = project.judge().result.verdicts

    assert only_k.counts[Verdict.UNSCORED] == nobody.counts[Verdict.UNSCORED] == 2
    assert "grade has not tried 1 of all answers: run `assay scores import FILE`" in str(only_k.untried)
    assert nobody.untried is None


@pytest.mark.slow
def test_what_the_rule_reads_and_no_judge_here_gives_is_named(loaded: Project, install: Install) -> None:
    """A new version of the plug-in has another signature: its scores are not those of the rule."""
    install("wit", "brevity = wit:Brevity", BREVITY)
    loaded.judge(["brevity"])
    loaded.rules.set("brevity > 0.1")
    ingest(loaded, [traffic_row("i")])
    install("wit", "brevity = wit:Brevity", BREVITY.replace("|v1", "|version2"))
    answer = loaded.judge()

    assert "brevity" not in {spent.judge for spent in answer.result.judged.judges}
    assert answer.result.verdicts.counts[Verdict.UNSCORED] == 1
    assert "brevity has not tried 1 of all answers: run `assay judge --judges brevity`" in str(
        answer.result.verdicts.untried
    )


def test_the_scores_of_a_new_version_are_read_by_the_rule_that_names_them(loaded: Project, install: Install) -> None:
    """The step after judging with it; once taken, nothing is left to say."""
    install("wit", "brevity = wit:Brevity", BREVITY)
    loaded.judge(["brevity"])
    loaded.rules.set("brevity > 0.1")
    install("wit", "brevity = wit:Brevity", BREVITY.replace("|v1", "|version2"))

    steps = loaded.judge(["brevity"]).document.next

    signature = "brevity|wit|version2"
    assert [step.commands for step in steps] == [(f"assay rule set 'brevity > 0.1' --signature 'brevity={signature}'",)]
    loaded.rules.set("brevity > 0.1", signatures={"brevity": signature})
    assert not loaded.judge(["brevity"]).document.next


def test_judging_with_a_plug_in_alone_leads_to_a_rule_that_reads_it(loaded: Project, install: Install) -> None:
    """No advice to run other judges: the rule in force reads none of these scores."""
    install("wit", "brevity = wit:Brevity", BREVITY)

    answer = loaded.judge(["brevity"])

    assert [step.commands for step in answer.document.next] == [("assay rule set 'brevity > 0.5'",)]
    assert not answer.document.notes


def test_a_new_judge_is_proposed_beside_those_of_the_rule(loaded: Project, install: Install) -> None:
    """Where the rule takes the lowest score, and its own judges have scored."""
    install("wit", "brevity = wit:Brevity", BREVITY)
    loaded.judge()
    answer = loaded.judge(["brevity"])

    joined = "min(context_relevance, faithfulness, brevity) > 0.5"
    assert [step.commands for step in answer.document.next] == [(f"assay rule set '{joined}'",)]
    assert loaded.rules.set(joined).result.rule.expression == joined


def test_a_judge_that_there_is_not_is_told_with_those_that_there_are(loaded: Project, install: Install) -> None:
    """Those of packages among them."""
    install("wit", "brevity = wit:Brevity", BREVITY)

    with pytest.raises(UsageError, match=r"there is no judge brevty: the judges are .*faithfulness") as refused:
        loaded.judge(["brevty"])
    assert "; did you mean brevity?" in str(refused.value)
    assert "as entry points assay.judges: brevity of wit" in str(refused.value)


@pytest.mark.slow
def test_a_rule_on_a_judge_whose_package_is_not_here_says_so_first(loaded: Project, install: Install) -> None:
    """The store has been copied to a machine without the package: installing it is the way, importing scores another."""
    install("wit", "brevity = wit:Brevity", BREVITY)
    loaded.judge(["brevity"])
    loaded.rules.set("brevity > 0.1")
    install("wit", "nothing = wit:Nothing", "")
    ingest(loaded, [traffic_row("i")])

    untried = str(loaded.judge().result.verdicts.untried)

    assert "brevity has not tried 1 of all answers: no package that is installed here has this judge" in untried
    assert "entry points assay.judges; install it and run `assay judge --judges brevity`, or" in untried
    assert untried.endswith("`assay scores import FILE`")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("Brevity = 3", "cannot be loaded: TypeError"),
        ("", "cannot be loaded: AttributeError"),
        ("import nowhere_at_all", "cannot be loaded: ModuleNotFoundError"),
        (
            "class Brevity:\n    name, signature = 'brevity', 'brevity|v1'",
            "is no judge: it needs name, signature and judge",
        ),
        (BREVITY.replace('name = "brevity"', 'name = "Bre vity"'), "is no judge"),
        (BREVITY.replace('"brevity|wit|v1"', "None"), "a signature looks like 'brevity|wit|v1', not None"),
        (BREVITY.replace('"brevity|wit|v1"', '"faithfulness|offline|v2"'), "a signature looks like"),
        (BREVITY.replace('"brevity|wit|v1"', '"brevity|offline|v1"'), "a signature looks like"),
        (BREVITY.replace('"brevity|wit|v1"', '"brevity|v1"'), "a signature looks like"),
    ],
)
def test_what_is_no_judge_is_named_with_its_package(install: Install, source: str, words: str) -> None:
    """One line that says which package and what is wrong."""
    install("wit", "brevity = wit:Brevity", source)

    with pytest.raises(UsageError) as raised:
        from_entry_points(["brevity"])

    assert words in str(raised.value)
    assert "of wit" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_judge_that_raises_fails_its_item_and_no_other(loaded: Project, install: Install) -> None:
    """Its error is the reason, and the record says that not all was judged."""
    source = BREVITY.replace("words = len", "1 / (item.id != 'a')\n        words = len")
    install("wit", "brevity = wit:Brevity", source)

    done = loaded.judge(["brevity"]).result.judged

    assert (done.scores, done.errors, done.is_complete) == (7, 1, False)
    failed = loaded.scores().set_index("item_id").loc["a"]
    assert "ZeroDivisionError" in failed["reason"]


def test_our_judges_keep_their_names(loaded: Project, install: Install) -> None:
    """A package cannot take the place of a built-in judge."""
    install("wit", "faithfulness = wit:Brevity", BREVITY.replace("brevity", "faithfulness"))

    assert all("|offline|" in work.signature for work in loaded.judge(["faithfulness"]).result.judged.judges)


TAPE = '''
from annotate.traffic.traffic_source import Page

ANSWERED = [
    {"id": f"t{day}", "question": f"Day {day}?", "answer": "Yes.", "timestamp": f"2026-11-{day:02}T08:00:00Z"} for day in range(1, 21)
]


class Tape:
    """Seven answers a page, the cursor is how many were given."""

    name = "tape"
    row_format = "own"

    def pages(self, since, until, cursor):
        inside = [row for row in ANSWERED if f"{since:%Y-%m-%d}" <= row["timestamp"][:10] < f"{until:%Y-%m-%d}"]
        for start in range(int(cursor or 0), len(inside) or 1, 7):
            after = start + 7
            yield Page(inside[start:after], str(after) if after < len(inside) else None)
'''


def test_a_package_brings_a_source_of_traffic(project: Project, install: Install) -> None:
    """One class with name, row_format and pages; 20 days from the 11th on are ten answers."""
    install("reel", "[assay.traffic_sources]\ntape = reel:Tape", TAPE)

    done = project.fetch("tape", since="2026-11-11").result
    again = project.fetch("tape", since="2026-11-11").result

    assert (done.added.added, again.added.added, again.added.unchanged) == (10, 0, 10)
    assert project.items()["id"].iloc[0] == "t11"


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ("tape = reel:Nothing", "cannot be loaded"),
        ("tape = reel:object", "is no source"),
        ("other = reel:Tape", "no source tape: here are langfuse"),
    ],
)
def test_what_is_no_source_is_said(project: Project, install: Install, points: str, words: str) -> None:
    install("reel", f"[assay.traffic_sources]\n{points}", f"{TAPE}\nobject = dict\n")

    with pytest.raises(UsageError, match=words):
        project.fetch("tape")


VECTORS = """
CALLS = []


class Lengths:
    def __call__(self, texts):
        CALLS.append(list(texts))
        return [(3, 4) if text.endswith(".") else (4, 3) for text in texts]
"""
SIMILAR = ("judge", "--backend", "openai", "--judges", "question_answer_similarity", "--embedding-model", "lengths")


@pytest.mark.slow
def test_an_embedding_function_of_a_package_gives_vectors(assay: Assay, install: Install) -> None:
    """Eight answers that end with a full stop, to questions that do not: 24/25. Another version asks for all again."""
    assay("ingest", assay.write("t.jsonl", [traffic_row(name) for name in "abcdefgh"]))
    install("wit", "[assay.embeddings]\nlengths = wit:Lengths", VECTORS)

    first = assay.json(*SIMILAR)
    again = assay.json(*SIMILAR)

    assert (first["scores"], again["items"]) == (8, 0)
    assert assay.sql("SELECT DISTINCT round(value, 6) FROM scores") == [(0.96,)]
    assert assay.sql("SELECT DISTINCT url, model FROM vectors") == [("function:wit 1.0", "lengths")]
    calls = importlib.import_module("wit").CALLS
    assert sorted(text for call in calls for text in call) == sorted({text for call in calls for text in call})
    [used] = first["judges"]
    assert (used["prompt_tokens"], used["cost"]) == (0, None)


def test_an_embedding_function_that_cannot_be_had_is_named(assay: Assay, install: Install) -> None:
    assay("ingest", assay.write("t.jsonl", [traffic_row("a")]))
    install("wit", "[assay.embeddings]\nlengths = wit:broken", "def broken():\n    return 1 / 0\n")
    assert (
        "the embedding function lengths of wit cannot be loaded: ZeroDivisionError" in assay(*SIMILAR, status=2).stderr
    )
    install("wit", "[assay.embeddings]\nlengths = wit:number", "def number():\n    return 7\n")
    assert "lengths of wit makes no function" in assay(*SIMILAR, status=2).stderr


def test_a_function_gives_vectors_from_python(loaded: Project) -> None:
    """Its vectors are kept: the second run asks for none. A judge that asks a model for words is refused."""
    asked: list[str] = []

    def embed(texts: list[str]) -> object:
        asked.extend(texts)
        return [(3, 4) if text.endswith(".") else (4, 3) for text in texts]

    first = loaded.judge_with_vectors(["question_answer_similarity"], embed, model="lengths 1").result
    second = loaded.judge_with_vectors(["question_answer_similarity"], embed, model="lengths 1").result

    assert (first.run.judged.scores, second.run.judged.scores, len(asked)) == (8, 0, 16)
    assert list(loaded.scores()["value"]) == pytest.approx([0.96] * 8)
    with pytest.raises(UsageError, match="these judges ask a model: name it with --model"):
        loaded.judge_with_vectors(["answer_relevancy"], embed, model="lengths 1")
