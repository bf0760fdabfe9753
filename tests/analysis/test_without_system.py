"""Answers that name no system are a part of the traffic that reports, diagnoses and lists can be asked for."""

from __future__ import annotations

from contextlib import closing

import pytest
from click.testing import CliRunner

from annotate.analysis import diagnosis, disagreements
from annotate.analysis.diagnosis import Thresholds
from annotate.analysis.report import report
from annotate.analysis.rule_in_force import rule_in_force
from annotate.cli import main
from annotate.domain.selection import WITHOUT_SYSTEM, Selection
from annotate.present.messages import text
from annotate.present.report.selection import name
from annotate.store import Store
from annotate.store.labels.disagreements import DisagreementFilter
from proxy.errors import UsageError
from support.mixed import SYSTEMS, mixed
from support.store import Assay, add, item


@pytest.mark.slow
def test_each_answer_is_in_one_part() -> None:
    """Items, labels and disagreements of the three parts add up to all traffic, and those without a system are as many."""
    with closing(Store(":memory:")) as store:
        mixed(store)
        parts = [Selection(system=system or WITHOUT_SYSTEM) for system in SYSTEMS]
        whole, reports = report.build(store), [report.build(store, selection=part) for part in parts]
        key = disagreements.ground(store).key
        listed = [store.labels.disagreements.total(key, DisagreementFilter(system=part.system)) for part in parts]
        sizes = store.traffic.partitions.sizes("system")
        differing = store.labels.disagreements.total(key, DisagreementFilter())
        systems = [store.traffic.items.get(row).system for row in store.labels.that_count()]
        every = diagnosis.build(store, thresholds=Thresholds()).each
        [alone] = diagnosis.build(store, thresholds=Thresholds(), system=WITHOUT_SYSTEM).each

    assert [part.items for part in reports] == [sizes[system] for system in SYSTEMS]
    for count in (lambda known: known.items, lambda known: known.progress.labelled, lambda known: known.hand_picked):
        assert sum(map(count, reports)) == count(whole)
        assert count(reports[-1]) > 0
    assert reports[-1].progress.labelled + reports[-1].hand_picked == systems.count(None)
    assert sum(listed) == differing
    assert listed[-1] > 0
    assert alone == next(diagnosis for diagnosis in every if diagnosis.system is None)
    assert text(name(parts[-1])) == "without a system"


def test_where_all_name_a_system_it_is_refused(assay: Assay) -> None:
    """In a sentence that names the systems there are."""
    with closing(Store(assay.db)) as store:
        add(store, item("a", system="old"))
        rule_in_force(store)
        with pytest.raises(UsageError, match=r"no answer is without a system: the systems are old \(1\)"):
            report.build(store, selection=Selection(system=WITHOUT_SYSTEM))


@pytest.mark.slow
def test_commands_take_the_empty_name(assay: Assay) -> None:
    """Both say that it is these answers."""
    with closing(Store(assay.db)) as store:
        mixed(store)
    for command in ("report", "diagnose"):
        result = CliRunner().invoke(main, [command, "--system", "", "--db", str(assay.db)], prog_name="assay")
        assert result.exit_code == 0, result.output
    assert "ithout a system" in CliRunner().invoke(main, ["report", "--system", "", "--db", str(assay.db)]).output
