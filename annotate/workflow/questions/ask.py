"""Ask a model for questions: each reply is kept as it comes, and read again in place of a second request."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice

from annotate.domain.privacy.redaction import for_model
from annotate.domain.questions import QuestionRequest
from annotate.store import Store
from annotate.workflow.judging.model_request import ModelRequest
from annotate.workflow.questions.passage_requests import PassageJob, PassageRequests, RequestsMade
from proxy.errors import EndpointError
from proxy.judges.llm.base import Setup
from proxy.judges.llm.form import Mode
from proxy.questions.filtering import Kept, filtered
from proxy.questions.from_model import QuestionMaker, subject
from proxy.questions.nearest import PassageIndex
from proxy.questions.records import BuiltQuestion, DropReason, Passage, QuestionKind
from proxy.text.tokens import words

# A passage of fewer words states no fact that a user would ask for.
FEWEST_WORDS = 6
NO_JSON = (
    "this model cannot reply in JSON, which a question with its answer needs: name another one, or let patterns ask"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class AskedModel:
    """The questions that a model made, what was dropped, and what the requests took."""

    kept: Kept
    made: RequestsMade


def ask_model(
    store: Store, index: PassageIndex, wanted: QuestionRequest, model: ModelRequest, clock: Callable[[], str]
) -> AskedModel:
    """Have a model make questions of passages that the seed chooses; what was replied before is not asked again."""
    makers: list[QuestionMaker] = []

    def jobs(setup: Setup) -> list[PassageJob]:
        makers.extend(question_makers(setup, index, wanted))
        return making_jobs(makers)

    made = asyncio.run(PassageRequests(store, model, clock).run(jobs))
    return AskedModel(kept=_kept(makers, index), made=made)


def question_makers(setup: Setup, index: PassageIndex, wanted: QuestionRequest) -> list[QuestionMaker]:
    """Return a maker for each kind of question; EndpointError where the model cannot reply in JSON."""
    if setup.mode is Mode.LAST_LINE:
        raise EndpointError(NO_JSON)
    chosen = chosen_sources(index, wanted)
    return [
        QuestionMaker(setup, kind, index, {subject(sources).id: sources for sources in chosen[kind]})
        for kind in QuestionKind
    ]


def making_jobs(makers: Sequence[QuestionMaker]) -> list[PassageJob]:
    """Return a job for each passage and pair that the makers are to ask about."""
    return [
        PassageJob(item=for_model(subject(sources)), judge=maker)
        for maker in makers
        for sources in maker.sources.values()
    ]


def _kept(makers: Sequence[QuestionMaker], index: PassageIndex) -> Kept:
    """Return the questions that came of the subjects, in their order; of some the endpoint gave no reply."""
    made: list[BuiltQuestion] = []
    dropped: Counter[DropReason] = Counter()
    for maker in makers:
        for name in maker.sources:
            outcome = maker.outcomes.get(name, DropReason.UNANSWERED)
            if isinstance(outcome, BuiltQuestion):
                made.append(outcome)
            else:
                dropped[outcome] += 1
    kept = filtered(made, index)
    return Kept(questions=kept.questions, dropped=kept.dropped + dropped)


def chosen_sources(index: PassageIndex, wanted: QuestionRequest) -> dict[QuestionKind, list[tuple[Passage, ...]]]:
    """Choose passages by lot, and pairs of a passage with the nearest one that is in no other pair."""
    lots = sorted(
        (passage for passage in index.passages if len(words(passage.text)) >= FEWEST_WORDS),
        key=lambda passage: sha256(f"{wanted.seed}|{passage.text}".encode("utf-8", "surrogatepass")).digest(),
    )
    return {
        QuestionKind.SINGLE: [(passage,) for passage in lots[: wanted.single]],
        QuestionKind.MULTI: list(islice(_pairs(index, lots), wanted.multi)),
    }


def _pairs(index: PassageIndex, lots: Sequence[Passage]) -> Iterator[tuple[Passage, ...]]:
    free = {passage.id for passage in lots}
    for passage in lots:
        if passage.id not in free:
            continue
        free.discard(passage.id)
        partner = next((other for other in index.ranked(passage.text) if other.id in free), None)
        if partner is not None:
            free.discard(partner.id)
            yield (passage, partner)
