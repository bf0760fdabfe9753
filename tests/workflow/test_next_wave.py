"""The next wave as people ask for it: a dry run's token draws exactly what it showed, once; the log says who drew."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import pytest

from annotate.analysis.planning import plan as planning_plan
from annotate.analysis.rule_in_force import built_in
from annotate.domain.sampling.outcomes import Proposed
from annotate.progress import ProgressCounter, heard_by
from annotate.store import Store
from annotate.workflow.judging.offline import judge
from annotate.workflow.judging.rules import follow_scores
from annotate.workflow.labelling.push import PushRequest
from annotate.workflow.labelling.sync import request
from annotate.workflow.sampling import waves
from annotate.workflow.sampling.draw import StaleProposal
from annotate.workflow.sampling.waves import WaveRequest
from proxy.errors import UsageError
from support.store import NOW, Assay, add, item, label


@pytest.fixture
def judged(store: Store) -> Store:
    """Sixty items of which judges have scored thirty."""
    add(store, *(item(str(n), question=f"Q {n}?") for n in range(60)))
    judge(store, list(built_in().values()), now=NOW)
    return store


def proposed(store: Store, **asked: object) -> Proposed:
    wanted = WaveRequest(**{"labels": 20, "seed": 5, **asked})  # type: ignore[arg-type]
    return waves.propose(store, waves.request_of(store, wanted), now=NOW)


def drawn(store: Store, proposal: Proposed) -> Proposed:
    return waves.draw(store, proposal.request, who="ann", now=NOW, token=proposal.drawn.token)


def test_what_was_shown_is_drawn_in_somebodys_name(judged: Store) -> None:
    """The same strata and token as the dry run, which wrote nothing; one event with counts and the seed."""
    proposal = proposed(judged)
    assert judged.sampling.waves.all() == []
    done = drawn(judged, proposal)

    assert done.drawn == proposal.drawn
    assert len(judged.sampling.waves.all_draws()) == proposal.drawn.draws == 20
    event = judged.audit.events.all()[-1]
    assert (event.who, event.what) == ("ann", "sample")
    assert event.read() == {"wave": 1, "labels": 20, "audit": 0.25, "seed": 5, "design": "stratified"}


def test_the_same_token_draws_once(judged: Store) -> None:
    """Whoever comes second is told, and the chain of events holds no second draw."""
    proposal = proposed(judged)
    drawn(judged, proposal)
    before = judged.audit.events.head()

    with pytest.raises(StaleProposal, match="wave 1 has been drawn since you looked"):
        drawn(judged, proposal)
    assert len(judged.sampling.waves.all()) == 1
    assert judged.audit.events.head() == before


def more(store: Store) -> None:
    add(store, item("new"))


def changed(store: Store) -> None:
    add(store, item("3", answer="Other."))


def scored(store: Store) -> None:
    store._db.conn.execute("UPDATE scores SET value = 0.9 WHERE item % 2 = 0")
    store._db.conn.execute("DELETE FROM verdicts")
    follow_scores(store, now=NOW)


@pytest.mark.parametrize("change", [more, changed, scored])
def test_a_change_of_what_would_be_drawn_is_refused(judged: Store, change: Callable[[Store], None]) -> None:
    """New traffic, other content, other verdicts: nothing is drawn, and what is proposed then is drawn."""
    proposal = proposed(judged)
    change(judged)

    with pytest.raises(StaleProposal, match="since you looked: nothing was drawn"):
        drawn(judged, proposal)
    assert judged.sampling.waves.all() == []
    assert drawn(judged, proposed(judged)).drawn.number == 1


def test_what_changes_nothing_of_the_draw_does_not_hold_it_up(judged: Store) -> None:
    """Another session's event is no reason to refuse."""
    proposal = proposed(judged)
    with judged.atomic():
        judged.audit.events.append("ingest", {"n": 1}, who="bob", now=NOW)

    assert drawn(judged, proposal).drawn.draws == 20


def test_tokens_tell_plans_apart(judged: Store) -> None:
    """Another seed, number of labels, audit or design is another plan; the same is the same."""
    asked: list[dict[str, object]] = [
        {},
        {"seed": 6},
        {"labels": 21},
        {"audit": 0.9},
        {"all_passed": True, "labels": 59},
    ]
    tokens = [proposed(judged, **options).drawn.token for options in asked]

    assert proposed(judged).drawn.token == tokens[0]
    different = {proposed(judged, **options).drawn.token for options in asked if options != {"audit": 0.9}}
    assert len(different) == 4


def test_settings_of_the_file_are_the_defaults(assay: Assay) -> None:
    """[sample], [plan] and [push] as the commands read them, with either spelling of a key."""
    assert waves.defaults() == WaveRequest(labels=100)
    assert planning_plan.defaults() == ("correctness", 0.1, None, 0.8, None)
    assert request() == PushRequest()
    assay.write(
        "assay.toml",
        '[sample]\nlabels = 9\nall-passed = true\naudit = 1\nslice = "x: y"\n[plan]\nwidth = 0.2\naudit = 0.5\nassurance = 0.9\n'
        '[push]\nannotator = "ann"\ntitle = "T"\nlanguage = "ko"\nharm = false\neverybody = false\nproject = 3\noverlap = 0\n',
    )

    assert waves.defaults() == WaveRequest(labels=9, all_passed=True, audit=1.0, part="x: y")
    assert planning_plan.defaults() == ("correctness", 0.2, 0.5, 0.9, None)
    assert request() == PushRequest(
        title="T", project=3, annotators=("ann",), overlap=0.0, language="ko", asks_harm=False, is_for_everybody=False
    )


@pytest.mark.parametrize(
    ("text", "reason", "read"),
    [
        ("[sample]\nlabels = 0", "a whole number from 1", waves.defaults),
        ("[sample]\nlabels = true", "a whole number from 1", waves.defaults),
        ("[sample]\naudit = 2", "a number from 0 to 1", waves.defaults),
        ('[sample]\nall_passed = "yes"', "true or false", waves.defaults),
        ("[sample]\nslice = 3", "a text", waves.defaults),
        ('sample = "x"', "is a table", waves.defaults),
        ("[push]\nannotator = 3", "a text or a list of texts, not 3", request),
        ('[push]\nlanguage = "xx"', "language is one of", request),
        ('[push]\nguide = "no-such-file"', "cannot be read", request),
    ],
)
def test_settings_that_the_command_would_refuse_are_refused(
    assay: Assay, text: str, reason: str, read: Callable[[], object]
) -> None:
    """With the place in the file, before anything is drawn or sent."""
    assay.write("assay.toml", text)

    with pytest.raises(UsageError, match=reason):
        read()


@pytest.mark.slow
def test_what_a_wave_is_expected_to_tell_is_what_the_plan_says(assay: Assay) -> None:
    """`plan` asks for n labels for a width; the expected width of a wave of n lies near the median of its simulations."""
    rows = [
        {"id": str(n), "question": f"Where is room {n}?", "contexts": [f"Room {n} is upstairs."], "answer": answer}
        for n in range(200)
        for answer in [f"Room {n} is upstairs." if n % 4 else "Bring slippers on Tuesday."]
    ]
    assay("ingest", assay.write("t.jsonl", rows))
    assay("judge")
    plan = assay.json("plan", "--width", "0.25")

    with closing(Store(assay.db)) as store:
        proposal = proposed(store, labels=plan["further_labels"])
        foreseen = dict(planning_plan.foresee(store, proposal.drawn.strata, plan["further_labels"]))

    assert plan["needed"] == "draw more"
    assert foreseen["correctness"] == pytest.approx(plan["expected_width"], rel=0.05)
    assert set(foreseen) == {"correctness", "pass_precision", "sensitivity", "specificity", "accuracy", "kappa"}


@pytest.mark.slow
def test_a_plan_says_that_draws_wait_before_it_asks_for_more(assay: Assay) -> None:
    """The answer begins with the draws that are out, and the next command sends them, not another draw."""
    rows = [{"id": str(n), "question": f"Q {n}?", "contexts": ["C"], "answer": f"A {n}."} for n in range(300)]
    assay("ingest", assay.write("t.jsonl", rows))
    assay("judge")
    assay("sample", "--labels", "40", "--seed", "1")

    told = assay("plan", "--width", "0.1").stdout
    assert told.startswith("Label the 40 open draws first, then plan again: ")
    next_step = told.partition("next: ")[2].splitlines()
    assert next_step[1:] == ["    assay draws export FILE --blind", "    assay labels import FILE"]

    ids = [row[0] for row in assay.sql("SELECT i.id FROM draws d JOIN items i ON i.key = d.item ORDER BY d.key")]
    assay("labels", "import", assay.write("l.jsonl", [label(item, "right", "ann") for item in ids[1:]]))
    assert assay("plan", "--width", "0.02").stdout.startswith("Label the open draw first")


def test_progress_is_heard_where_somebody_listens() -> None:
    """What, how far and of how much; silence again after, also where the listener itself fails."""
    heard: list[tuple[str, int, int | None]] = []
    with heard_by(lambda *step: heard.append(step)), ProgressCounter("sending", 10) as progress:
        progress.advance(4)
        progress.advance(6)
    with ProgressCounter("pulling") as progress:
        progress.advance(1)

    assert heard == [("sending", 4, 10), ("sending", 10, 10)]
