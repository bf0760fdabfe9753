"""Compare systems, and find slices, stages and changes that need attention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from annotate.present.answer import Answer, answer_of
from annotate.project.frames import frame
from annotate.project.store_access import StoreAccess
from proxy.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from annotate.analysis.comparison.compare import Alone, ComparedSystems
    from annotate.analysis.comparison.rank import Ranked
    from annotate.analysis.diagnosis import Diagnoses
    from annotate.analysis.drift.windows import Drift
    from annotate.analysis.slices.find import Slices


class FindingMethods(StoreAccess):
    """What a project says of systems, slices, stages and time."""

    def compare(self, first: str, second: str, *, judge: str | None = None) -> Answer[ComparedSystems]:
        """Say whether the second system is better than the first, on the same questions.

        Parameters
        ----------
        first, second
            Two systems by name, or two windows of time: ``"@2026-10-01..2026-11-01"``, ``"SYSTEM@FROM..TO"``; TO is not in it.
        judge
            A judge whose scores are shown beside the labels; None: one that grades answers, where there is one.

        Returns
        -------
        Answer of ComparedSystems
            The share of right answers of each, their long-run difference (second minus first) with its 95 % interval,
            and what that shows.

        Raises
        ------
        UsageError
            For a name that no answer has, where both name the same answers, or for a judge without scores of them.
        """
        from annotate.analysis.comparison import compare
        from annotate.analysis.next_step.comparison import after_comparison
        from annotate.domain.gate_limits import of_compare
        from annotate.present import comparison

        limits = of_compare()
        with self.reading() as store:
            result = compare.compare(store, (first, second), judge=judge, limits=limits)
        steps = after_comparison(result, self.way)
        return Answer(result, comparison.document(result, steps), "comparison", self.path)

    def rank(self, *systems: str, criterion: str | None = None) -> Answer[Ranked]:
        """Rank these systems by the share of right answers, or by one criterion.

        Parameters
        ----------
        systems
            Names as for `compare`, each once.
        criterion
            ``"context_relevance"``, ``"faithfulness"`` or ``"answer_relevance"``: rank by the share of answers that annotators do
            not call wrong for this.

        Returns
        -------
        Answer of Ranked
            The share of each with its 95 % interval, and the ranks that it may have.

        Raises
        ------
        UsageError
            Where no name is given, for a name that no answer has, or names that share answers.
        """
        from annotate.analysis.comparison import rank
        from annotate.analysis.next_step.comparison import after_ranking
        from annotate.domain.gate_limits import of_compare
        from annotate.present import ranking
        from proxy.judges.trained.pairs import Criterion

        limits = of_compare()
        with self.reading() as store:
            result = rank.rank(store, systems, limits, Criterion(criterion) if criterion else None)
        return Answer(result, ranking.document(result, after_ranking(result, self.way)), "ranking", self.path)

    def systems(self) -> pd.DataFrame:
        """Return the systems that the store has answers of, as a frame like `items()`: it lists rows, and measures nothing.

        Returns
        -------
        pandas.DataFrame
            One row a system: `system` is its name, `answers` the number of its current answers.
        """
        from annotate.analysis.comparison.selections import Names

        with self.reading() as store:
            sizes = Names.of(store).systems
        return frame(({"system": name, "answers": size} for name, size in sizes.items()), ("system", "answers"))

    def alone(self, name: str) -> Answer[Alone]:
        """Return what this system alone could be compared with.

        Parameters
        ----------
        name
            A system or a window, as for `compare`.

        Returns
        -------
        Answer of Alone
            The name, and the other systems.

        Raises
        ------
        UsageError
            For a name that no answer has.
        """
        from annotate.analysis.comparison import compare
        from annotate.analysis.next_step.comparison import after_one_system

        with self.reading() as store:
            alone = compare.alone(store, name)
        return answer_of("comparison.alone", self.path, alone, steps=after_one_system(alone))

    def slices(self, *, by: Sequence[str] = (), level: float = 0.05) -> Answer[Slices]:
        """Name the slices of the traffic where the proxy errs more than elsewhere.

        Parameters
        ----------
        by
            system, language, day, week, month or metadata.NAME; without any, the system and fields of yours with few values.
            Fields that are derived from texts are always among them.
        level
            Report slices with an adjusted p-value up to this one, in (0, 1).

        Returns
        -------
        Answer of Slices
            The slices that were tested, with their shares of mistakes and adjusted p-values, and those that were confirmed.

        Raises
        ------
        UsageError
            For a field that no item has.
        """
        from annotate.analysis.next_step.slices import after_slices
        from annotate.analysis.slices import find
        from annotate.present import slices

        with self.reading() as store:
            result = find.build(store, by=by, level=level)
        return Answer(result, slices.document(result, after_slices(result, self.way)), "slices", self.path)

    def diagnose(
        self, *, relevance_above: float = 0.5, faithfulness_above: float = 0.5, system: str | None = None
    ) -> Answer[Diagnoses]:
        """Say which stage of the app to mend first, where the labels show it.

        Parameters
        ----------
        relevance_above, faithfulness_above
            Scores in [0, 1]: strictly above them, passages are relevant and an answer is faithful.
        system
            Diagnose this system alone; None: each system.

        Returns
        -------
        Answer of Diagnoses
            For each system the stage that is named, or why none can be.

        Raises
        ------
        UsageError
            For a system that no answer has.
        """
        from annotate.analysis import diagnosis
        from annotate.analysis.diagnosis import Thresholds
        from annotate.analysis.next_step.diagnosis import after_diagnosis
        from annotate.present import diagnosis as present_diagnosis

        with self.reading() as store:
            result = diagnosis.build(store, thresholds=Thresholds(relevance_above, faithfulness_above), system=system)
        steps = after_diagnosis(result, self.way)
        return Answer(result, present_diagnosis.document(result, steps), "diagnosis", self.path)

    def drift(
        self,
        *,
        by: str = "week",
        baseline: int = 4,
        good: float | None = None,
        bad: float | None = None,
        false_alarms: float = 0.05,
        weeks: int = 26,
        since: str | None = None,
    ) -> Answer[Drift]:
        """Say whether quality has dropped or a judge has changed.

        Parameters
        ----------
        by
            The windows: day, week or month.
        baseline
            How many windows at first are the measure of the later ones.
        good, bad
            Rates of right answers: watch that it stays at `good`, and raise an alarm where it has fallen to `bad`.
        false_alarms
            The chance of an alarm in `weeks` weeks without any change.
        weeks
            How many weeks `false_alarms` speaks of.
        since
            Watch anew from this day, ``"2026-11-01"``.

        Returns
        -------
        Answer of Drift
            Each window with its estimates, the alarms, and the changes of judges.

        Raises
        ------
        ValueError
            Where `by` is none of these.
        UsageError
            For `bad` that is not below `good`.
        """
        from annotate.analysis.drift.windows import By, drift
        from annotate.analysis.next_step.drift import after_drift
        from annotate.domain.gate_limits import of_drift
        from annotate.present import drift as present_drift
        from proxy.drift.drift import Plan

        if bad is not None and (good is None or bad >= good):
            raise UsageError("--bad is a rate below --good: give both")
        size = By(by)
        plan = Plan(baseline=baseline, horizon=size.windows_in(weeks), good=good, bad=bad, false_alarms=false_alarms)
        limits = of_drift()
        with self.reading() as store:
            result = drift(store, plan, by=size, weeks=weeks, since=since, limits=limits)
        return Answer(result, present_drift.document(result, after_drift(result, self.way)), "drift", self.path)
