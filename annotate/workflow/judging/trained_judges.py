"""Train light judges on the project's own references, and keep their models; none of them is put in force."""

from __future__ import annotations

from dataclasses import dataclass

from annotate.analysis.trained_judges.supported_answers import TrainingAnswers, training_answers
from annotate.analysis.trained_versions import TRAINED_AT
from annotate.store import Store
from proxy.evaluation.held_out_pairs import HeldOut, held_out
from proxy.judges.trained.training import NotTrained, Trained, train

JUDGES_TRAINED = "judges trained"


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainedHere:
    """A judge that was trained, how many pairs taught it, and how it does on those that were held out.

    `shrinkage` is None where pairs showed no gain over the offline judge: then it ranks answers just as that one does.
    """

    judge: str
    signature: str
    taught: int
    held_out: HeldOut
    shrinkage: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainingRun:
    """What was read, the judges that were trained, and the criteria for which there were too few pairs."""

    read: TrainingAnswers
    judges: tuple[TrainedHere, ...]
    not_trained: tuple[NotTrained, ...]
    seed: int


def train_judges(store: Store, *, seed: int, who: str, now: str) -> TrainingRun:
    """Train a judge of each criterion that has enough pairs; trained again on the same answers it is the same judge."""
    with store.snapshot():
        answers = training_answers(store)
    outcomes = train(answers.answers, seed=seed)
    trained = [outcome for outcome in outcomes if isinstance(outcome, Trained)]
    judges = tuple(_measured(outcome) for outcome in trained)
    if trained:
        known = {TRAINED_AT: now, "seed": seed, "answers": len(answers.answers)}
        with store.atomic():
            for outcome in trained:
                store.scores.describe(
                    outcome.judge.name, outcome.judge.signature, outcome.judge.model.settings() | known
                )
            detail = {
                "signatures": [judge.signature for judge in judges],
                "seed": seed,
                "answers": len(answers.answers),
            }
            store.audit.events.append(JUDGES_TRAINED, detail, who=who, now=now)
    return TrainingRun(
        read=answers,
        judges=judges,
        not_trained=tuple(outcome for outcome in outcomes if isinstance(outcome, NotTrained)),
        seed=seed,
    )


def _measured(trained: Trained) -> TrainedHere:
    judge = trained.judge
    return TrainedHere(
        judge=judge.name,
        signature=judge.signature,
        taught=sum(trained.taught.values()),
        held_out=held_out(trained),
        shrinkage=None if trained.is_stock else trained.shrinkage,
    )
