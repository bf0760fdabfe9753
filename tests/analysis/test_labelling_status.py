"""How the human side stands: every wave's ledger adds up, coverage is what the report says, nothing is counted twice."""

from __future__ import annotations

import pytest

from annotate.analysis.labelling import status
from annotate.analysis.labelling.status import HumanSide
from annotate.analysis.report import report
from annotate.analysis.rule_in_force import built_in
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.proposal import ProposalRequest
from annotate.store import Store
from annotate.workflow.judging.offline import judge
from annotate.workflow.sampling.draw import draw_wave
from support.store import LATER, NOW, add, item, take_labels


@pytest.fixture
def traffic(store: Store) -> Store:
    add(store, *(item(f"{n:02}", question=f"Q {n}?", answer="C" if n % 3 else "Other.") for n in range(90)))
    judge(store, list(built_in().values()), now=NOW)
    return store


def label(store: Store, ids: list[str], word: str, who: str = "ann") -> None:
    """One word on these."""
    take_labels(store, [{"item_id": item_id, "label": word, "annotator": who} for item_id in ids])


def of_wave(store: Store, number: int) -> list[str]:
    return [draw.item_id for draw in store.sampling.waves.all_draws() if draw.wave == number]


def adds_up(side: HumanSide) -> None:
    """Draws of a stratum are right, wrong, unsure, open or changed since; strata make the wave, waves make the progress."""
    for wave in side.waves:
        for part in wave.strata:
            done = part.done
            assert done.right + done.wrong + done.unsure + done.open + done.gone == part.drawn
            assert part.chance is None or part.chance == part.drawn / part.size
        assert wave.done.drawn == wave.drawn - wave.gone
        for name in ("right", "wrong", "unsure", "open", "skipped"):
            assert sum(getattr(part.done, name) for part in wave.strata) == getattr(wave.done, name)
    assert sum(wave.done.drawn for wave in side.waves) == side.progress.drawn
    assert sum(wave.done.open for wave in side.waves) == side.progress.open


def test_an_empty_store(store: Store) -> None:
    """Nothing was drawn, nobody labelled."""
    labelling = status.build(store)

    assert labelling.is_empty
    assert (labelling.annotator_agreement.agreement.estimate, labelling.pace.seconds) == (None, None)
    assert status.coverage(store).uncovered == 0


@pytest.mark.slow
def test_waves_of_every_kind_add_up(traffic: Store) -> None:
    """Strata, a stream, and one by chances of its own; labels, skips, and answers that changed since."""
    draw_wave(traffic, ProposalRequest(labels=30, seed=1), now=NOW)
    first = of_wave(traffic, 1)
    label(traffic, first[:10], "right")
    label(traffic, first[10:15], "wrong")
    label(traffic, first[15:17], "unsure")
    label(traffic, first[:4], "right", "ben")
    add(traffic, item(first[0], answer="Newer."), item(first[20], answer="Newer."), now=LATER)
    draw_wave(traffic, ProposalRequest(labels=12, seed=2, design=WaveDesign.ACTIVE), now=LATER)
    add(traffic, *(item(f"new-{n}") for n in range(12)), now=LATER)
    draw_wave(traffic, ProposalRequest(seed=3, design=WaveDesign.STREAM, rate=0.5, rate_failed=0.5), now=LATER)

    labelling = status.build(traffic)
    adds_up(labelling)
    assert [wave.wave.design for wave in labelling.waves] == [
        WaveDesign.STRATIFIED,
        WaveDesign.ACTIVE,
        WaveDesign.STREAM,
    ]
    assert labelling.waves[0].gone == 2
    assert labelling.outdated == 1
    assert any(part.chance is None for part in labelling.waves[1].strata)
    assert labelling.annotator_agreement.n == 3  # the fourth that two have read has other content by now
    frames = {frame.wave: frame for frame in status.coverage(traffic).frames}
    assert (frames[1].items, frames[1].gone) == (90, 2)


@pytest.mark.slow
def test_what_no_wave_covers_is_what_the_report_says(traffic: Store) -> None:
    """Before any draw, after one that counts, after new traffic, and while a wave is out that does not count yet."""

    def check(framed: int, counted: int) -> None:
        judged = status.coverage(traffic)
        assert judged.uncovered == report.build(traffic).uncovered
        assert judged.covered == (90 + len(new), framed, counted)

    new: list[str] = []
    check(0, 0)
    draw_wave(traffic, ProposalRequest(labels=20, seed=1), now=NOW)
    label(traffic, of_wave(traffic, 1), "right")
    check(90, 90)
    new += ["x", "y"]
    add(traffic, *(item(name) for name in new))
    check(90, 90)
    draw_wave(traffic, ProposalRequest(labels=20, seed=2), now=NOW)
    check(92, 90)
    assert "wave 2 counts once half of its draws have labels (0 of 20 have)" in status.build(traffic).notes
    assert [wave.counts for wave in status.build(traffic).waves] == [True, False]


def test_a_wave_of_an_earlier_rule_is_told(traffic: Store) -> None:
    """The rule of the draw stays in the ledger; that another is in force is said."""
    from annotate.workflow.judging.rules import set_rule

    draw_wave(traffic, ProposalRequest(labels=10, seed=1), now=NOW)
    assert not status.build(traffic).waves[0].is_old_rule
    set_rule(traffic, "mine", "faithfulness > 0.9", {}, who="tester", now=LATER)

    [wave] = status.build(traffic).waves
    assert wave.is_old_rule
    assert wave.wave.rule.startswith("default v1")
