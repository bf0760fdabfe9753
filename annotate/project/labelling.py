"""Exchange tasks and annotations with Label Studio."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from annotate.present.answer import Answer, answer_of
from annotate.project.store_access import StoreAccess

if TYPE_CHECKING:
    from annotate.analysis.labelling.masking_preview import MaskingPreview
    from annotate.label_studio.client import LabelStudio
    from annotate.workflow.judging.model_request import ModelRequest
    from annotate.workflow.labelling.push import PushRequest
    from annotate.workflow.labelling.server_moves import ServerMove
    from annotate.workflow.labelling.sync import PullResult, PushResult


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchanged:
    """The answers of a pull and of the push after it.

    Attributes
    ----------
    pulled : Answer of PullResult
        As of `pull`.
    pushed : Answer of PushResult or None
        As of `push`; None where no project on the server is in use.
    """

    pulled: Answer[PullResult]
    pushed: Answer[PushResult] | None


class LabellingMethods(StoreAccess):
    """What a project does to get labels."""

    def push(
        self,
        url: str | None = None,
        request: PushRequest | None = None,
        *,
        ask: str | None = None,
        share: float | None = None,
    ) -> Answer[PushResult]:
        """Send the open draws to Label Studio; the token comes from LABEL_STUDIO_API_KEY.

        Parameters
        ----------
        url
            The server; None: the one that `assay up` started.
        request
            Which project, for whom, and what the form is like; None: as the last time.
        ask
            What is asked after the verdict: "passages" (which are relevant, and whether they suffice) or "nothing"; None: as
            the last time.
        share
            The share of the answers of which `ask` asks, by chance; None: as the last time, at first all.

        Returns
        -------
        Answer of PushResult
            What was sent, where the server is, and where annotators without an account sign up.

        Raises
        ------
        LabelStudioError
            Where the server cannot be reached, or does not take the tasks.
        UsageError
            Where no server or no token is known, and for a share without a question.
        """
        from annotate.workflow.labelling import sync
        from annotate.workflow.labelling.push import PushRequest

        wanted = (request or PushRequest()).asking(ask, share)
        with self.writing() as store:
            result = sync.send(store, url, wanted, who=self.who, now=self.now)
        return answer_of("labelling.pushed", self.path, result)

    def preview_masking(
        self,
        *,
        draws: bool = True,
        url: str | None = None,
        request: PushRequest | None = None,
        model: ModelRequest | None = None,
    ) -> Answer[MaskingPreview]:
        """Say what redaction would mask in the texts that are about to leave, and to whom; sends and writes nothing.

        Parameters
        ----------
        draws
            Look at the draws that `push` would send; else at the answers that a model judge would be sent.
        url
            The server that `push` would send to; None: the one that `assay up` started.
        request
            As of `push`, for who gets how many; None: as the last time.
        model
            As of `judge_with_model`, for the answers that it has not judged; None: all answers.

        Returns
        -------
        Answer of MaskingPreview
            Counts by kind, in how many of the answers looked at (200 at most), and some masked texts.
        """
        from annotate.analysis.labelling.masking_preview import preview
        from annotate.workflow.judging import model_request
        from annotate.workflow.labelling import sync
        from annotate.workflow.labelling.push import PushRequest

        with self.reading() as store:
            if draws:
                division = sync.division(store, url, request or PushRequest())
                result = replace(preview(store, division.to_send, to_experts=True), division=division)
            else:
                items = model_request.waiting(store, model) if model else store.traffic.items.every_key()
                result = preview(store, items, to_experts=False)
        return answer_of("maintenance.preview", self.path, result)

    def pull(self, url: str | None = None, *, project: int | None = None, full: bool = False) -> Answer[PullResult]:
        """Bring annotations back from Label Studio, of one project or all of ours.

        Parameters
        ----------
        url
            The server; None: the one that `assay up` started.
        project
            The number of the project on the server; None: all of ours.
        full
            Read every annotation, not only those that changed since the last pull.

        Returns
        -------
        Answer of PullResult
            The annotations that are new or changed, and how far the labelling is now.

        Raises
        ------
        LabelStudioError
            Where the server cannot be reached, or does not give them.
        UsageError
            Where no server or no token is known, or nothing was pushed to it yet.
        """
        from annotate.analysis.next_step.labelling import after_pull
        from annotate.workflow.labelling import sync

        with self.writing() as store:
            result = sync.fetch(store, url, project=project, full=full, who=self.who, now=self.now)
        return answer_of("labelling.pulled", self.path, result, steps=after_pull(result.done))

    def move_server(self, old: str, new: str, *, dry_run: bool = False, join: bool = False) -> Answer[ServerMove]:
        """Note that a Label Studio is at another address, where nothing in its projects says so.

        Parameters
        ----------
        old
            Its address as the store knows it.
        new
            Its address now; what is kept of it under that address is joined.
        dry_run
            Say what would be done, and do nothing.
        join
            Join them though both hold annotations and nothing shows that they are one.

        Returns
        -------
        Answer of ServerMove
            The projects that move with it, and how many annotations stand in them.

        Raises
        ------
        UsageError
            Where no server is known at `old`, or another one at `new`, or both hold annotations of unlike projects.
        """
        from annotate.workflow.labelling import server_moves

        with self.reading() if dry_run else self.writing() as store:
            moved = server_moves.move(store, old, new, dry_run=dry_run, joins_unlike=join, who=self.who, now=self.now)
        return answer_of("labelling.server_moved", self.path, moved)

    def deliver(self, studio: LabelStudio, request: PushRequest) -> Answer[PushResult]:
        """Send the open draws over a connection that is there.

        Where somebody deleted the project on the server, they go to a new one.

        Parameters
        ----------
        studio
            The connection.
        request
            Which project, for whom, and what the form is like.

        Returns
        -------
        Answer of PushResult
            As of `push`; `is_replaced` where what is open went to a new project.

        Raises
        ------
        LabelStudioError
            Where the server cannot be reached, or does not take the tasks.
        """
        from annotate.workflow.labelling import sync

        with self.writing() as store:
            result = sync.deliver(store, studio, request, who=self.who, now=self.now)
        return answer_of("labelling.pushed", self.path, result)

    def exchange(self, studio: LabelStudio) -> Exchanged:
        """Bring annotations back over a connection that is there, then send the open draws.

        Parameters
        ----------
        studio
            The connection.

        Returns
        -------
        Exchanged
            The answer of the pull and that of the push: two answers, as either may be news without the other.

        Raises
        ------
        LabelStudioError
            Where the server cannot be reached, or refuses.
        UsageError
            Where nothing was pushed to the server yet.
        """
        from annotate.analysis.next_step.labelling import after_pull
        from annotate.workflow.labelling import sync

        with self.writing() as store:
            pulled, pushed = sync.exchange(store, studio, who=self.who, now=self.now)
        return Exchanged(
            pulled=answer_of("labelling.pulled", self.path, pulled, steps=after_pull(pulled.done)),
            pushed=answer_of("labelling.pushed", self.path, pushed) if pushed else None,
        )
