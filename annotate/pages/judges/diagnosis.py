"""What `assay diagnose` says: the stage of each system or why none is named, counts, and causes of a named stage.

What it says of each system by itself is on this page already, and its misses on the page of disagreements.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from annotate.analysis import diagnosis
from annotate.analysis.diagnosis import Thresholds
from annotate.analysis.next_step import after_diagnosis, way_of
from annotate.pages.kit import cache, draw, texts
from annotate.pages.kit.escaping import escaped
from annotate.pages.kit.messages import say, told
from annotate.present import diagnosis as present_diagnosis
from annotate.store import Store


def show(store: Store, system: str | None, *, is_all: bool) -> None:
    """What can be named in a sentence, then counts by part and the causes of named stages, of the systems looked at."""
    result = cache.kept(store, "diagnoses", lambda: diagnosis.build(store, thresholds=Thresholds()))
    if not is_all:
        result = replace(result, each=[each for each in result.each if each.system == system], unlabelled=())
    document = present_diagnosis.document(result, after_diagnosis(result, way_of(store.path)))
    texts.heading(say("judges.mend"))
    st.markdown(escaped(told(document.answer)))
    of_all = [part for part in document.sections if not part.title or part.title.key != "diagnosis.system"]
    draw.sections(of_all, "judges-diagnosis")
    draw.messages(document.notes)
    draw.steps(store, document.next)
