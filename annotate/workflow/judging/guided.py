"""Build the judges of a run, each with what labels taught it where such a version is in force."""

from __future__ import annotations

from collections.abc import Sequence

from annotate.analysis.aligned_judges.alignment import guidance_of
from annotate.store import Store
from annotate.workflow.judging.runs import Options
from proxy.judges.llm.base import LlmJudge, Setup
from proxy.judges.llm.guidance import GuidedJudge
from proxy.judges.menu import build


def judges_of(store: Store, setup: Setup, options: Options) -> Sequence[LlmJudge]:
    """Return what a run asks: the versions on trial, else the judges of its choice as they are in force."""
    if options.versions is not None:
        return options.versions(setup)
    return tuple(in_force(store, setup, judge) for judge in build(setup, options.choice))


def in_force(store: Store, setup: Setup, judge: LlmJudge) -> LlmJudge:
    """Return the version of this judge that is in force; one call for several scores is never guided."""
    if len(judge.judges) != 1:
        return judge
    alignment = store.scores.alignments.in_force(*judge.judges[0])
    if alignment is None:
        return judge
    return GuidedJudge(judge=judge, setup=setup, guidance=guidance_of(store, alignment), signature=alignment.signature)
