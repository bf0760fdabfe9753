"""Give tests of a pipeline the fixture `assay_gold`.

Pytest imports this module in every environment that has Assay: whatever else is needed is imported when the fixture is used.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from annotate.analysis.gold.regression import Checked
    from annotate.domain.gold.regression import Check
    from annotate.present.answer import Answer
    from annotate.workflow.gold.pipeline import Pipeline


class GoldTest:
    """Tests a pipeline on the questions of the gold set."""

    def __call__(
        self,
        pipeline: Pipeline,
        *,
        db: str | Path | None = None,
        release: str | None = None,
        role: str = "test",
        judge: str | None = None,
        threshold: float | None = None,
    ) -> Answer[Checked]:
        """Ask the pipeline each question, and fail where the gate of `assay gold check` would.

        The test is skipped where that cannot be told, with what is missing.

        Parameters
        ----------
        pipeline
            Called with a question and the turns before it (objects with role and text), and returns its answer as text.
        db
            The store; None: that of ASSAY_DB, of assay.toml, else assay.db.
        release, role, judge, threshold
            As for `Project.gold.check_pipeline`.

        Returns
        -------
        Answer of Checked
            What became of each entry, for further assertions.
        """
        __tracebackhide__ = True
        from annotate.present.commands import usual_store
        from annotate.project import Project
        from proxy.errors import AssayError

        gold = Project.open(usual_store() if db is None else db).gold
        try:
            answer = gold.check_pipeline(pipeline, release=release, role=role, judge=judge, threshold=threshold)
        except AssayError as error:
            pytest.fail(str(error), pytrace=False)
        _decide(answer)
        return answer


def _decide(answer: Answer[Checked]) -> None:
    """Fail or skip the test with the reasons."""
    __tracebackhide__ = True
    from annotate.present.gold import check as gold_check
    from annotate.present.messages import printed

    check = answer.result.check
    gate = gold_check.gate(check, answer.result.limits)
    gaps = [printed(gap) for gap in gold_check.gaps(check)]
    if gate.reasons or _is_unanswered(check):
        pytest.fail("\n".join((*gate.reasons, *gaps, "", answer.to_text().rstrip("\n"))), pytrace=False)
    if gate.undecided or gaps:
        missing = "; ".join((*gaps, *gate.undecided))
        pytest.skip(f"{printed(answer.document.answer)} Missing: {missing}")


def _is_unanswered(check: Check) -> bool:
    from annotate.domain.gold.regression import Fate

    return bool(check.of(Fate.NO_ANSWER))


@pytest.fixture(scope="session")
def assay_gold() -> GoldTest:
    """Ask a pipeline the test questions of the gold set, and fail where its answers are worse than those before."""
    return GoldTest()
