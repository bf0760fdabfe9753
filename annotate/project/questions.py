"""Build test questions from passages, let them out, and score a system's answers to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotate.present.answer import Answer, answer_of
from annotate.project.frames import frame
from annotate.project.store_access import StoreAccess

if TYPE_CHECKING:
    import pandas as pd

    from annotate.analysis.questions.listing import QuestionListing
    from annotate.analysis.questions.score import ScoredQuestions
    from annotate.domain.probe import Probed, ProbeEstimate
    from annotate.domain.questions import QuestionRequest, QuestionsBuilt
    from annotate.present.actions import WrittenFile
    from annotate.workflow.judging.model_request import ModelRequest
    from annotate.workflow.questions.probe import ProbeRequest


class QuestionMethods(StoreAccess):
    """What a project does with test questions: their answers are known, and no user asked them."""

    def build_questions(
        self,
        passages: str | None = None,
        *,
        request: QuestionRequest | None = None,
        model: ModelRequest | None = None,
    ) -> Answer[QuestionsBuilt]:
        """Build test questions with known answers, and items of them for each of RGB's four abilities.

        Building again adds nothing twice, and a model is not asked again for what it has replied.

        Parameters
        ----------
        passages
            A file whose rows are passages (``text``, ``id``) or have ``contexts``; None: the contexts in the store.
        request
            How many questions, at which noise rates, by which seed; None: the usual ones.
        model
            The model that asks; None: patterns of plain sentences, offline.

        Returns
        -------
        Answer of QuestionsBuilt
            What is new, and what was dropped for which reason. Each question is a gold candidate of role synthetic.

        Raises
        ------
        UsageError
            Where there are no passages, or a budget of money without prices.
        EndpointError
            Where the endpoint's fault stopped the run; what came of it so far is kept.
        """
        from annotate.analysis.next_step.questions import after_questions_build
        from annotate.domain.questions import QuestionRequest
        from annotate.workflow.questions.build import Building, build

        building = Building(wanted=request or QuestionRequest(), file=passages, model=model)
        with self.writing(make=passages is not None, sends=model is not None) as store:
            result = build(store, building, who=self.who, clock=lambda: self.now)
        return answer_of("questions.built", self.path, result, steps=after_questions_build(result, passages))

    def questions(self, status: str | None = None) -> Answer[QuestionListing]:
        """List the test questions.

        Parameters
        ----------
        status
            candidate, accepted or retired; None: all.

        Returns
        -------
        Answer of QuestionListing
            The questions with their answers and sources.
        """
        from annotate.analysis.next_step.questions import after_questions_list
        from annotate.analysis.questions.listing import listing
        from annotate.domain.gold import GoldStatus

        with self.reading() as store:
            result = listing(store, GoldStatus(status) if status else None)
        waiting = result.counts.get(GoldStatus.CANDIDATE, 0)
        return answer_of(
            "questions.listed", self.path, result, steps=after_questions_list(waiting, sum(result.counts.values()))
        )

    def question_items(self) -> pd.DataFrame:
        """Return the test items of questions that nobody has retired, with their conditions and what is expected.

        Returns
        -------
        pandas.DataFrame
            One row an item: id, question_id, kind, ability, noise_rate, question, expected (a list of groups: each is required,
            any text of it will do), sources (ids), contexts, and the fact that was changed, original and replacement.
        """
        from annotate.analysis.questions.listing import ITEM_COLUMNS, item_rows

        with self.reading() as store:
            return frame(item_rows(store), ITEM_COLUMNS)

    def export_questions(self, file: str, *, accepted: bool = False) -> Answer[WrittenFile]:
        """Write the test items as rows of traffic without an answer, for an app to answer.

        Parameters
        ----------
        file
            Ends in .jsonl or .csv; ``-`` is standard output.
        accepted
            Only items of questions that a person has accepted; without it, of all that nobody has retired.

        Returns
        -------
        Answer of WrittenFile
            How many items were written.

        Raises
        ------
        UsageError
            Where there are none.
        """
        from annotate.analysis.next_step.questions import after_questions_export
        from annotate.present.actions import WrittenFile
        from annotate.workflow.questions.export import export

        with self.reading() as store:
            count = export(store, file, accepted=accepted)
        return answer_of("questions.exported", self.path, WrittenFile(file, count), steps=after_questions_export())

    def score_questions(
        self, file: str, *, system: str | None = None, accepted: bool = False
    ) -> Answer[ScoredQuestions]:
        """Score a system's answers to the test items by RGB's four abilities; nothing is kept.

        Parameters
        ----------
        file
            Rows with the ``id`` that `export_questions` wrote, and an ``answer``.
        system
            Count the rows of this system alone; None: of the only one.
        accepted
            Only items of questions that a person has accepted.

        Returns
        -------
        Answer of ScoredQuestions
            Each quantity as RGB's code marks it and with its faults fixed, with n and 95 % interval.

        Raises
        ------
        UsageError
            Where no row answers a test item, or several systems answer and none is chosen.
        """
        from annotate.analysis.questions.score import score
        from annotate.domain.questions import QuestionAnswerFile

        with self.reading() as store:
            result = score(store, QuestionAnswerFile(path=file, system=system, accepted=accepted))
        return answer_of("questions.scored", self.path, result)

    def estimate_probe(self, request: ProbeRequest) -> Answer[ProbeEstimate]:
        """Work out what `probe` would take, in calls, tokens and money; nothing is sent.

        Parameters
        ----------
        request
            As for `probe`.

        Returns
        -------
        Answer of ProbeEstimate
            Questions, calls and tokens, about; the cost in the currency of the prices, None without prices.
        """
        from annotate.workflow.questions.probe import estimate

        with self.reading() as store:
            return answer_of("probe.estimated", self.path, estimate(store, request))

    def probe(self, request: ProbeRequest) -> Answer[Probed]:
        """Ask a model questions with known answers, made from the passages that answers failed on at synthesis.

        A reply that is kept is not asked for again. No estimate of the traffic reads what comes of it.

        Parameters
        ----------
        request
            The model, how many questions, which answers, and what it may cost.

        Returns
        -------
        Answer of Probed
            The share answered right with its interval, with all passages of an answer and with its own alone.

        Raises
        ------
        UsageError
            Where no model is named, a system is unknown, or a budget of money has no prices.
        EndpointError
            Where the endpoint's fault stopped the run; what came of it so far is kept.
        """
        from annotate.workflow.questions.probe import run

        with self.writing(sends=True) as store:
            return answer_of("probe.probed", self.path, run(store, request, who=self.who, clock=lambda: self.now))
