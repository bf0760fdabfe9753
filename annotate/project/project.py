"""The public API: one method for each thing that can be done with a store.

The methods of each stage lie in a base class of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from annotate.project.gold import ProjectGold
from annotate.project.labels import ProjectLabels
from annotate.project.maintenance import Maintenance
from annotate.project.questions import QuestionMethods
from annotate.project.scores import ProjectDraws, ProjectRules, ProjectScores
from annotate.project.stages import StageMethods

if TYPE_CHECKING:
    from annotate.domain.run_record import Run, RunStage
    from annotate.project.run_options import RunOptions


class Project(StageMethods, QuestionMethods):
    """A store and what can be done with it.

    Whatever opens the store raises StoreError where that cannot be done.

    Attributes
    ----------
    scores, draws, labels, gold
        Each returns a frame where it is called, and has methods of its own.
    rules
        The rule that turns scores into verdicts.
    maintenance
        What keeps the store sound: doctor, events, backup, forget.

    Parameters
    ----------
    path
        The store's file; `ingest` makes it where there is none.
    who
        In whose name things are changed: ASSAY_USER or the login name, unless it is given.
    """

    def __init__(self, path: str | Path, *, who: str | None = None) -> None:
        super().__init__(path, who=who)
        self.scores = ProjectScores(self)
        self.rules = ProjectRules(self)
        self.draws = ProjectDraws(self)
        self.labels = ProjectLabels(self)
        self.gold = ProjectGold(self)
        self.maintenance = Maintenance(self)

    @classmethod
    def open(cls, path: str | Path = "assay.db", *, who: str | None = None) -> Project:
        """Return the project whose store is this file.

        Parameters
        ----------
        path
            The store's file; nothing is opened or made yet.
        who
            In whose name things are changed: ASSAY_USER or the login name, unless it is given.

        Returns
        -------
        Project
            The project.
        """
        return cls(path, who=who)

    def __repr__(self) -> str:
        return f"Project({str(self.path)!r})"

    def demo(self, tell: Callable[[str], None], *, leave_open: int = 0) -> None:
        """Take the demo's sixteen answers through every stage; `leave_open` draws are left for a person to label.

        Parameters
        ----------
        tell
            Called with each line that tells what happens.
        leave_open
            How many of the draws get no label.
        """
        from annotate.workflow import demo

        with self.writing(make=True) as store:
            demo.walk(store, tell, now=self.now, leave_open=leave_open)

    def run(self, options: RunOptions | None = None, *, on_step: Callable[[RunStage], None] | None = None) -> Run:
        """Run every stage of the loop once: ingest, judge, sample, push, pull, report and drift.

        Running it again adds nothing twice. A stage that fails is recorded and the rest goes on, except past a broken store.

        Parameters
        ----------
        options
            What to take in and draw, and the options of each stage; None: judge what is there and report.
        on_step
            Called with each step as it ends.

        Returns
        -------
        Run
            The steps in order, each with its status and result.

        Raises
        ------
        StoreError
            Where there is no store, or another run is at work on it.
        """
        from annotate.project.run import run
        from annotate.project.run_options import RunOptions

        return run(self, options or RunOptions(), on_step or (lambda step: None))
