"""Align a model's judge with what experts say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotate.present.answer import Answer, answer_of
from annotate.project.store_access import StoreAccess

if TYPE_CHECKING:
    from annotate.analysis.aligned_judges.learning_curve import MeasuredVersions
    from annotate.domain.alignment import Alignment
    from annotate.domain.score_map import MeasuredMap
    from annotate.present.actions import WrittenFile
    from annotate.workflow.judging.alignment import AlignmentRequest, AlignmentRun
    from annotate.workflow.judging.alignment_estimate import AlignmentEstimate
    from annotate.workflow.judging.score_map import ScoreMapping


class AlignmentMethods(StoreAccess):
    """What a project does so that its judges learn from experts."""

    def align(self, request: AlignmentRequest) -> Answer[AlignmentRun]:
        """Try versions of a judge on some labels, measure one on others, and put it in force where it is better.

        Parameters
        ----------
        request
            The judge, the model that it asks, and what the run may cost.

        Returns
        -------
        Answer of AlignmentRun
            The version with its AUROC beside that of the judge in force, or why the judge stays as it is.

        Raises
        ------
        UsageError
            For a share of tuning questions that differs from what was decided, and for what no model can be asked.
        EndpointError
            Where the endpoint cannot be used at all. A run that stopped on the way says so in what it returns.
        """
        from annotate.analysis.next_step.alignment import after_aligning
        from annotate.workflow.judging import alignment

        with self.writing() as store:
            run = alignment.align(store, request, who=self.who, clock=lambda: self.now)
        return answer_of("alignment.aligned", self.path, run, steps=after_aligning(run, request.request))

    def estimate_alignment(self, request: AlignmentRequest) -> Answer[AlignmentEstimate]:
        """Work out what `align` would take, and which gain the labels could show; nothing is sent.

        Parameters
        ----------
        request
            As for `align`.

        Returns
        -------
        Answer of AlignmentEstimate
            The labels for tuning and measuring, the smallest gain that these would show, calls, tokens and cost.
        """
        from annotate.workflow.judging import alignment_estimate

        with self.reading() as store:
            result = alignment_estimate.estimate(store, request)
        return answer_of("alignment.estimate", self.path, result)

    def undo_alignment(self, judge: str, *, model: str | None = None) -> Answer[Alignment]:
        """Ask a judge again as it was before its version was put in force.

        Parameters
        ----------
        judge
            The name of the judge.
        model
            The model that it asks, where versions for several are in force.

        Returns
        -------
        Answer of Alignment
            The version that is in force no longer; its scores stay.

        Raises
        ------
        UsageError
            Where no version of this judge is in force, or versions for several models are.
        """
        from annotate.workflow.judging import alignment

        with self.writing() as store:
            result = alignment.undo(store, judge, who=self.who, now=self.now, model=model)
        return answer_of("alignment.undone", self.path, result)

    def map_scores(
        self, judge: str, *, signature: str | None = None, share: float | None = None
    ) -> Answer[ScoreMapping]:
        """Map the score of a judge to P(right) as labels have it, and put the map in force where other labels show it nearer.

        Parameters
        ----------
        judge
            The name of a judge, whatever kind.
        signature
            Which of its scores; None: those that the rule in force reads, else those in use.
        share
            The share of questions that tune this judge; None: as decided before, else 0.3.

        Returns
        -------
        Answer of ScoreMapping
            The map with Brier's score beside that of the score as it is, or why the score stays as it is.

        Raises
        ------
        UsageError
            For a share that differs from what was decided, and for a judge without scores to map.
        """
        from annotate.analysis.next_step.alignment import after_mapping
        from annotate.workflow.judging import score_map

        with self.writing() as store:
            result = score_map.map_scores(store, judge, signature, share, who=self.who, now=self.now)
        return answer_of("score_map.mapped", self.path, result, steps=after_mapping(result))

    def undo_score_map(self, judge: str) -> Answer[MeasuredMap]:
        """Map new scores of a judge no longer; those that were mapped stay.

        Parameters
        ----------
        judge
            The name of the judge.

        Returns
        -------
        Answer of MeasuredMap
            The map that is in force no longer.

        Raises
        ------
        UsageError
            Where no map of this judge is in force.
        """
        from annotate.workflow.judging import score_map

        with self.writing() as store:
            result = score_map.undo_score_map(store, judge, who=self.who, now=self.now)
        return answer_of("score_map.undone", self.path, result)

    def alignments(self, judge: str | None = None) -> Answer[MeasuredVersions]:
        """List the versions of judges that labels guided and measured, with their guidelines and their learning curves.

        Parameters
        ----------
        judge
            Of this judge alone.

        Returns
        -------
        Answer of MeasuredVersions
            The versions, the oldest first, each with how it was measured and whether it is in force; for each judge how those
            that were ever in force agree with experts on the labels that measure all of them; and the maps of scores.
        """
        from annotate.analysis.aligned_judges.learning_curve import measured_versions

        with self.reading() as store:
            result = measured_versions(store, judge)
        return answer_of("alignment.versions", self.path, result)

    def export_guidelines(self, judge: str, file: str, *, model: str | None = None) -> Answer[WrittenFile]:
        """Write the guidelines of the version in force, a line each, for people to edit.

        Parameters
        ----------
        judge
            The name of the judge.
        file
            A file of text.
        model
            The model that it asks, where versions for several are in force.

        Returns
        -------
        Answer of WrittenFile
            The file and its number of lines.

        Raises
        ------
        UsageError
            Where no version with guidelines is in force.
        """
        from annotate.files.writing import write_whole
        from annotate.present.actions import WrittenFile
        from annotate.workflow.judging.alignment import only_in_force
        from proxy.errors import UsageError

        with self.reading() as store:
            lines = only_in_force(store.scores.alignments.every(judge), judge, model).guidelines
        if not lines:
            raise UsageError(f"no guidelines of {judge} are in force: its version shows examples alone")
        content = "".join(f"{line}\n" for line in lines).encode()
        write_whole(file, ".txt", lambda stream: stream.write(content))
        return answer_of("actions.exported", self.path, WrittenFile(file, len(lines)))
