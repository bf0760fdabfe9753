"""What is left of a certificate later: the rule set back, labels that change, other seeds, another look."""

from __future__ import annotations

import pytest

from annotate.store import Store
from support.calibration import RULE, ready_to_choose, value_of
from support.store import Assay, label

THRESHOLD = ("calibrate", "--precision", "0.9")


@pytest.fixture
def certified(assay: Assay) -> Assay:
    """400 items, 240 of them labelled, a threshold chosen by half of them."""
    ready_to_choose(assay)
    assert assay.json(*THRESHOLD)["saved"]
    return assay


def drawn(assay: Assay) -> list[int]:
    """The numbers of the drawn items."""
    store = Store(assay.db)
    try:
        return [int(draw.item_id[1:]) for draw in store.sampling.waves.all_draws()]
    finally:
        store.close()


def spoil(assay: Assay) -> None:
    """People change their mind on sixty answers of high value."""
    rows = [label(f"i{n}", "wrong") for n in drawn(assay) if value_of(n) > 0.7][:60]
    assay("labels", "import", assay.write("changed.jsonl", rows))


@pytest.mark.slow
def test_a_certified_cut_that_is_set_back_keeps_its_record_and_roles(certified: Assay) -> None:
    """Set by hand under any name after another rule, its verdicts are the same: what chose it still scores nothing."""
    before = certified.json("report")
    expression = before["rule"]["expression"]
    certified("rule", "set", RULE, "--name", "mine")
    assert certified.json("report")["kappa"]["n"] == 240
    for name in ("mine", "other"):
        certified("rule", "set", RULE, "--name", name)
        certified("rule", "set", expression, "--name", name)
        after, page = certified.json("report"), certified.words("report")
        assert after["rule"]["guarantee"] == before["rule"]["guarantee"]
        assert after["kappa"] == before["kappa"]
        assert "The threshold is guaranteed for this window and for the long run: at least 90 %" in page
        assert "not calibrated" not in after["rule"]["basis"]
    assert certified(*THRESHOLD).stdout.startswith("The threshold in force")


def test_the_certified_rule_set_again_changes_nothing(certified: Assay) -> None:
    """It is in force already: no new version."""
    before = certified.json("rule", "list")["rules"]
    certified("rule", "set", before[-1]["expression"], "--name", before[-1]["name"])

    assert certified.json("rule", "list")["rules"] == before


@pytest.mark.slow
def test_labels_that_no_longer_prove_the_cut_are_told(certified: Assay) -> None:
    """None is found now: the old rule stays, and the page says what its guarantee is worth; a higher promise says nothing of it."""
    higher = certified.words("calibrate", "--precision", "0.99")
    spoil(certified)
    page = certified.words(*THRESHOLD)

    assert "In force stays mine, version 2: quality > 0." in higher
    assert "no longer show" not in higher
    assert "no threshold is shown" in page.partition(".")[0].lower()
    assert (
        "guaranteed for 90 % at 90 % confidence, by labels of waves up to 1 (for this window and for the long run)."
        in page
    )
    assert "The labels as they are now no longer show that" in page


@pytest.mark.slow
def test_another_seed_is_another_look(certified: Assay) -> None:
    """Whoever tries seed after seed is told how often none was found, with more labels or fewer."""
    spoil(certified)
    for tries, seed in enumerate("1234"):
        assert certified.json(*THRESHOLD, "--seed", seed)["earlier_looks"] == tries
    assert certified.json(*THRESHOLD, "--seed", "4")["earlier_looks"] == 3
