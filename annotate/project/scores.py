"""The scores of a project, the rule that turns them into verdicts, and the draws that are labelled."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from annotate.present.answer import Answer, answer_of
from annotate.project.frames import frame
from annotate.project.reports import report_now
from annotate.project.store_access import StoreAccess
from proxy.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from annotate.analysis.learned_rule import LearnedRule
    from annotate.analysis.verdicts import RuleVersion, Verdicts
    from annotate.present.actions import WrittenFile
    from annotate.workflow.send_scores import SentScores

SCORE_COLUMNS = ("item_id", "judge", "value", "reason", "signature", "reply")


class ProjectScores:
    """The scores of a project; called, it returns them as a frame."""

    def __init__(self, access: StoreAccess) -> None:
        self._access = access

    def __call__(self) -> pd.DataFrame:
        """Return every score and failure of the current answers, one row each.

        Returns
        -------
        pandas.DataFrame
            Columns item_id, judge, value (in [0, 1]; missing for a failure), reason, signature and reply.
        """
        with self._access.reading() as store:
            return frame(store.scores.rows(), SCORE_COLUMNS)

    def export(self, file: str) -> Answer[WrittenFile]:
        """Write every score and failure of the current answers to a .jsonl or .csv file.

        Parameters
        ----------
        file
            A .jsonl or .csv file; ``-`` is standard output.

        Returns
        -------
        Answer of WrittenFile
            The file and its number of rows.
        """
        from annotate.present.actions import WrittenFile
        from annotate.workflow.leaving import write_masked

        with self._access.reading() as store:
            count = write_masked(store, file, SCORE_COLUMNS, store.scores.rows())
        return answer_of("actions.exported", self._access.path, WrittenFile(file, count))

    def send(self, destination: str, *, kinds: Collection[str] = ()) -> Answer[SentScores]:
        """Send labels, verdicts and scores to where the traces are, masked as the store asks for.

        Parameters
        ----------
        destination
            ``"langfuse:"``, ``"otlp:http://localhost:4318"``, ``"otlp:"`` (OpenTelemetry's variables name the endpoint), or
            ``"otlp:scores.jsonl"``.
        kinds
            Of ``"labels"``, ``"verdicts"`` and ``"judges"``; without any all three.

        Returns
        -------
        Answer of SentScores
            How many were sent. Sent again they take their own places.

        Raises
        ------
        UsageError
            For another destination or kind.
        SourceError
            Where they are not taken, with what to do.
        """
        from annotate.domain.outgoing_score import OutgoingKind
        from annotate.workflow import send_scores

        if odd := set(kinds) - set(OutgoingKind) or (
            set() if send_scores.is_destination(destination) else {destination}
        ):
            raise UsageError(f"{min(odd)}: send labels, verdicts or judges to langfuse: or otlp:")
        chosen = [OutgoingKind(kind) for kind in kinds] or list(OutgoingKind)
        with self._access.writing(sends=True) as store:
            done = send_scores.send(store, destination, chosen, who=self._access.who, now=self._access.now)
        return answer_of("ingest.sent", self._access.path, done)


class ProjectRules:
    """The rules of a project: the one in force, and those before it."""

    def __init__(self, access: StoreAccess) -> None:
        self._access = access

    def set(
        self, expression: str, *, name: str = "custom", signatures: Mapping[str, str] | None = None
    ) -> Answer[Verdicts]:
        """Put a rule in force.

        Parameters
        ----------
        expression
            Such as ``"min(context_relevance, faithfulness) > 0.5"``; ``pct(judge)`` is a percentile.
        name
            A new expression under a name is its next version.
        signatures
            Which scores of a judge to read, by judge.

        Returns
        -------
        Answer of Verdicts
            The rule as it is kept, and how many answers have each verdict.

        Raises
        ------
        RuleError
            Where the expression is no rule, or reads a judge or a signature without scores.
        """
        from annotate.analysis.next_step.judging import after_rule
        from annotate.analysis.verdicts import verdicts
        from annotate.present import rule
        from annotate.workflow.judging import rules

        with self._access.writing() as store:
            rules.set_rule(store, name, expression, signatures or {}, who=self._access.who, now=self._access.now)
            result = verdicts(store)
        return Answer(result, rule.document(result, after_rule(result)), "rule", self._access.path)

    def learn(self, *, dry_run: bool = False) -> Answer[LearnedRule]:
        """Learn a rule from half of the labelled questions, and put it in force where the others show that it is better.

        Parameters
        ----------
        dry_run
            Change nothing.

        Returns
        -------
        Answer of LearnedRule
            The rule with its difference in kappa to the one in force, or why none is learned. Nothing is put in force that is
            not shown to agree better with annotators, however often one looks.
        """
        from annotate.analysis import evidence_ledger
        from annotate.analysis.learned_rule import learned_rule
        from annotate.analysis.next_step.learned_rule import after_learning
        from annotate.analysis.next_step.loop import StepState, next_step
        from annotate.analysis.rule_in_force import rule_in_force
        from annotate.present import learned_rule as present_learned
        from annotate.workflow.judging.learned_rule import put_learned

        if dry_run:
            with self._access.reading() as store:
                key, rule = rule_in_force(store)
                objections = evidence_ledger.objections(store)
                result, report = learned_rule(store, key, rule, next(iter(objections), None)), report_now(store)
        else:
            with self._access.writing() as store:
                result, report = put_learned(store, who=self._access.who, now=self._access.now), report_now(store)
        way = self._access.way
        steps = after_learning(result, way, next_step(StepState(report=report, way=way)))
        return Answer(result, present_learned.document(result, steps), "learned_rule", self._access.path)

    def history(self) -> Answer[list[RuleVersion]]:
        """Return every rule and version.

        Returns
        -------
        Answer of list of RuleVersion
            Each with when it was set, and whether it is in force.
        """
        from annotate.analysis.verdicts import history
        from annotate.present import rule

        with self._access.reading() as store:
            versions = history(store)
        return Answer(versions, rule.history(versions), "rules", self._access.path)


class ProjectDraws:
    """The draws of a project; called, it returns them as a frame."""

    def __init__(self, access: StoreAccess) -> None:
        self._access = access

    def __call__(self) -> pd.DataFrame:
        """Return every draw, in the order in which annotators see them.

        Returns
        -------
        pandas.DataFrame
            Columns wave, item_id, stratum, inclusion_probability (in (0, 1], that of its wave alone), drawn_at and label (missing
            where none has come back).
        """
        from annotate.analysis.labelling.rows import DRAW_COLUMNS, draw_rows

        with self._access.reading() as store:
            return frame(draw_rows(store), DRAW_COLUMNS)

    def export(
        self, file: str, *, every: bool = False, blind: bool = False, share: float | None = None
    ) -> Answer[WrittenFile]:
        """Write the open draws with their items and columns to fill in.

        Parameters
        ----------
        file
            A .jsonl or .csv file; ``-`` is standard output.
        every
            Also the draws that have a label.
        blind
            Only what an expert may see; item_id becomes a key.
        share
            The share of the open draws that are asked about their passages, by chance, above 0 and at most 1; None: of none.

        Returns
        -------
        Answer of WrittenFile
            The file and its number of rows.
        """
        from annotate.analysis.next_step.labelling import after_draws_export
        from annotate.present.actions import WrittenFile
        from annotate.workflow.sampling import export

        access = self._access
        with access.writing(sends=True) as store:
            count = export.write(store, file, every=every, blind=blind, share=share, who=access.who, now=access.now)
            can_draw = store.sampling.waves.has_undrawn()
            steps = after_draws_export(count, can_draw=can_draw, has_items=bool(store.traffic.items.count()))
        return answer_of("actions.exported", self._access.path, WrittenFile(file, count), what="draws", steps=steps)
