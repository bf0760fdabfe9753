"""What `assay diagnose` says: the stage of each system or why none is named, counts, and causes of a named stage."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.analysis import diagnosis
from annotate.analysis.diagnosis import Cuts, Diagnosis
from annotate.pages.kit import cache, layout, quantities, texts
from annotate.pages.kit.escaping import escaped
from annotate.pages.kit.messages import marked, say
from annotate.present import diagnosis as present_diagnosis
from annotate.present import naming
from annotate.store import Store
from proxy.diagnosis import Stage
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.trust import percent

STAGES = ("system", "stage", "wrong", "right", "share")


def show(store: Store, system: str | None, *, is_all: bool) -> None:
    """What can be named in a sentence, then counts by part and the causes of named stages, of the systems looked at."""
    found = cache.kept(store, "diagnoses", lambda: diagnosis.build(store, cuts=Cuts()))
    shown = [one for one in found.each if is_all or one.system == system]
    texts.heading(say("judges.mend"))
    namings = [one.naming for one in shown]
    for line in (naming.comparison(namings, found.whole if is_all else None), *naming.advices(namings)):
        st.markdown(escaped(line))
    if any(one.wrong for one in shown):
        texts.heading(say("judges.mend_stages"))
        columns = [say(f"judges.mend_column_{name}") for name in STAGES]
        layout.table(_stages(shown), columns, alt=say("judges.mend_stages"))
    likely, possible = (_causes(shown, is_likely=is_likely) for is_likely in (True, False))
    if likely or possible:
        texts.heading(say("judges.mend_likely" if likely else "judges.mend_possible"))
    if likely:
        _bullets(likely)
    if possible:
        label = marked("judges.mend_rest", count=len(possible))
        with st.expander(label, on_change="rerun", key="judges-causes") as rest:
            if rest.open:
                _bullets(possible)
    lines = [line for command in present_diagnosis.commands(found) for line in command.split(" && ")]
    layout.commands(store, ["assay diagnose", *lines])


def _bullets(lines: Sequence[str]) -> None:
    st.markdown("\n".join(f"- {one}" for one in lines))


def _stages(shown: Sequence[Diagnosis]) -> list[list[object]]:
    """A row for each part that holds a labelled wrong answer; the share is per 100 of all the system's answers."""
    return [
        [
            _name(one.system),
            say(f"judges.stage_{each.stage}"),
            say("judges.of", part=each.wrong, whole=one.wrong),
            "—" if each.stage is Stage.RERANK else say("judges.of", part=each.right, whole=one.right),
            _share(each.share),
        ]
        for one in shown
        for each in one.findings
        if each.wrong
    ]


def _share(found: Estimate) -> str:
    if found.estimate is None or found.low is None or found.high is None:
        return f"— ({found.reason})"
    return f"{percent(found.estimate)} ({quantities.span((found.low, found.high), percent)})"


def _causes(shown: Sequence[Diagnosis], *, is_likely: bool) -> list[str]:
    """The causes that something speaks for, or the others, as markdown."""
    return [
        marked(
            "judges.mend_cause" if cause.evidence else "judges.mend_bare",
            system=_name(one.system),
            stage=say(f"judges.stage_{each.stage}"),
            cause=cause.name,
            evidence=cause.evidence,
            remedy=cause.remedy,
        )
        for one in shown
        for each in one.findings
        for cause in each.causes
        if cause.is_likely is is_likely
    ]


def _name(system: str | None) -> str:
    return say("judges.no_system") if system is None else texts.others(system)
