"""Judge answers, and choose the threshold of the rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from annotate.present.answer import Answer, answer_of
from annotate.project.store_access import StoreAccess

if TYPE_CHECKING:
    from annotate.analysis.calibration.certify import Calibrated
    from annotate.analysis.calibration.reliability import RuleReliability
    from annotate.analysis.judges.table import JudgesTable
    from annotate.present.judging import ModelVerdicts, OfflineRun
    from annotate.workflow.judging.cost_estimate import CallEstimate
    from annotate.workflow.judging.model_request import ModelRequest
    from annotate.workflow.judging.trained_judges import TrainingRun
    from proxy.judges.metrics.listing import MetricListing


class JudgingMethods(StoreAccess):
    """What a project does to judge its answers."""

    def judge(
        self, judges: Sequence[str] = (), *, workers: int | None = None, engine: str = "local"
    ) -> Answer[OfflineRun]:
        """Score every item that lacks a score of these offline judges.

        Parameters
        ----------
        judges
            Names of judges that run on this machine, those of installed plug-ins included. Without names, the offline judges
            that usually run, and those whose scores the rule in force reads.
        workers
            In how many processes; the scores are the same. Without it one for each core, or this one alone for fewer than 500
            items; judges of other packages then run in this one alone.
        engine
            "local" is this machine; "ray" the cluster that RAY_ADDRESS names, else one on this machine for this run.

        Returns
        -------
        Answer of OfflineRun
            How many items were judged, with scores, abstentions and errors by judge, and the verdicts that follow.

        Raises
        ------
        UsageError
            For a name that no judge has, an unknown engine, or one that is not installed.
        """
        from annotate.analysis.judges.metric_coverage import metric_coverage
        from annotate.analysis.next_step.judging import after_judging
        from annotate.analysis.verdicts import verdicts
        from annotate.present.judging import OfflineRun
        from annotate.workflow.judging import offline
        from annotate.workflow.judging.engines.choice import engine_of

        chosen_engine = engine_of(engine, workers)
        with self.writing() as store:
            chosen = offline.judges_by_name(store, judges) if judges else offline.by_default(store)
            judged = offline.judge(store, chosen, now=self.now, engine=chosen_engine)
            result = OfflineRun(judged, verdicts(store), metric_coverage(store, chosen))
        default = result.verdicts.rule if result.verdicts.rule.is_default else None
        named = {
            judge.name: judge.signature for judge in chosen if judges or (default and judge.name in default.signatures)
        }
        return answer_of("judging.offline", self.path, result, steps=after_judging(result.verdicts, {}, named=named))

    def train_judges(self, *, seed: int = 0) -> Answer[TrainingRun]:
        """Train light judges of context relevance, faithfulness and answer relevance on the project's own references.

        Parameters
        ----------
        seed
            Which references are held out, and which pairs are made of them, follows from it.

        Returns
        -------
        Answer of TrainingRun
            Each judge with its AUROC on held-out synthetic pairs beside that of the offline judge. They score answers where
            they are named, ``judge(["faithfulness_trained"])``, and none is put in force.
        """
        from annotate.analysis.next_step.judging import after_training
        from annotate.workflow.judging import trained_judges

        with self.writing() as store:
            result = trained_judges.train_judges(store, seed=seed, who=self.who, now=self.now)
        return answer_of(
            "trained_judges.training", self.path, result, steps=after_training([judge.judge for judge in result.judges])
        )

    def metrics(self) -> Answer[MetricListing]:
        """List the metrics with standard names that `judge` knows; no store is needed.

        Returns
        -------
        Answer of MetricListing
            Of each metric its formula, source, needs, range, what it misses and worked numbers; `proxy.metrics()` is a frame.
        """
        from proxy.judges.metrics.listing import listing

        return answer_of("metrics.catalogue", self.path, listing())

    def judges(self) -> Answer[JudgesTable]:
        """Say which judges and metrics tell right from wrong, by annotators' labels.

        Returns
        -------
        Answer of JudgesTable
            Of each judge and metric its AUROC, an interval that holds for all of them at once, the verdict that follows, and
            why it has no score on some answers.
        """
        from annotate.analysis.judges import table
        from annotate.analysis.report import report as reports

        with self.reading() as store:
            result = table.build(store, reports.build(store))
        return answer_of("judges.measured", self.path, result)

    def judge_with_model(self, request: ModelRequest) -> Answer[ModelVerdicts]:
        """Ask a model for every score that is missing; its key comes from OPENAI_API_KEY.

        Parameters
        ----------
        request
            The model, its endpoint, which judges ask it, and what the run may cost.

        Returns
        -------
        Answer of ModelVerdicts
            What was judged, what it cost, why it stopped where it did not come to its end, and the verdicts that follow.

        Raises
        ------
        EndpointError
            Where the endpoint cannot be used at all. A run that stopped on the way says so in what it returns.
        """
        from annotate.analysis.aligned_judges.alignment import out_of_force
        from annotate.analysis.next_step.alignment import align_again
        from annotate.analysis.next_step.judging import after_judging
        from annotate.analysis.verdicts import verdicts
        from annotate.present.judging import ModelVerdicts
        from annotate.workflow.judging import model_request

        with self.writing() as store:
            run = model_request.run(store, request, who=self.who, clock=lambda: self.now)
            lost = out_of_force(store, run.signatures)
            result = ModelVerdicts(run, verdicts(store), tuple(lost))
        steps = (*align_again(lost, request), *after_judging(result.verdicts, run.signatures))
        return answer_of("judging.by_model", self.path, result, steps=steps)

    def judge_with_vectors(
        self, judges: Sequence[str], embed: Callable[[list[str]], object], *, model: str
    ) -> Answer[ModelVerdicts]:
        """Score by judges that compare vectors, which a function of yours gives; no text leaves.

        Parameters
        ----------
        judges
            Names of metrics that need an embedding model and no other, such as ``"semantic_similarity"``.
        embed
            Gets a list of texts and returns a row of numbers for each, such as a list of lists or a NumPy array.
        model
            What the vectors are called by, with a version: vectors under a name are kept, and scores belong to it.

        Returns
        -------
        Answer of ModelVerdicts
            What was judged, and the verdicts that follow.

        Raises
        ------
        UsageError
            For a name that no such judge has.
        """
        from annotate.workflow.judging.model_request import ModelRequest
        from annotate.workflow.judging.runs import EmbeddingRequest, Options
        from proxy.judges.menu import MenuChoice

        options = Options(
            choice=MenuChoice(names=tuple(judges)), embeddings=EmbeddingRequest(model=model, function=embed)
        )
        return self.judge_with_model(ModelRequest(options=options))

    def estimate_calls(self, request: ModelRequest) -> Answer[CallEstimate]:
        """Work out what `judge_with_model` would take, in calls, tokens and money; nothing is sent.

        Parameters
        ----------
        request
            As for `judge_with_model`.

        Returns
        -------
        Answer of CallEstimate
            Items, calls and tokens, about; the cost in the currency of the prices, None without prices.
        """
        from annotate.workflow.judging import model_request

        with self.reading() as store:
            estimate = model_request.estimate(store, request)
        return answer_of("judging.estimate", self.path, estimate)

    def calibrate(
        self,
        precision: float,
        *,
        confidence: float = 0.9,
        share: float = 0.5,
        seed: int = 0,
        claim: str | None = None,
        dry_run: bool = False,
    ) -> Answer[Calibrated]:
        """Find the lowest threshold that is certified to keep the precision, and put it in force.

        Parameters
        ----------
        precision
            The least share of right answers among passed ones.
        confidence
            How sure the guarantee is to be.
        share
            The share of the labels that choose; the others score the rule.
        seed
            The labels that choose are drawn by it.
        claim
            ``"window"`` or ``"long-run"``: the guarantee that it must have. None: the strongest that is shown.
        dry_run
            Change nothing.

        Returns
        -------
        Answer of Calibrated
            The threshold with its guarantee, or why none can be given. Nothing is put in force without a guarantee.
        """
        from annotate.analysis.calibration import certify
        from annotate.analysis.next_step.calibration import after_calibration
        from annotate.present import calibration
        from annotate.workflow.judging import threshold
        from proxy.stats.calibration.threshold_tests import Claim

        asked = None if claim is None else Claim(claim.replace("-", "_"))
        request = certify.GuaranteeRequest(
            precision=precision, confidence=confidence, share=share, seed=seed, claim=asked
        )
        if dry_run:
            with self.reading() as store:
                result = certify.calibrate(store, request, now=self.now)
        else:
            with self.writing() as store:
                result = threshold.put_certified(store, request, who=self.who, now=self.now)
        steps = after_calibration(result, self.way)
        return Answer(result, calibration.document(result, steps), "calibration", self.path)

    def reliability(self) -> Answer[RuleReliability]:
        """Show what the value of the rule says of P(right).

        Returns
        -------
        Answer of RuleReliability
            P(right) by the value of the rule, or why the labels cannot tell.
        """
        from annotate.analysis.calibration import reliability
        from annotate.analysis.next_step.calibration import after_reliability
        from annotate.present import reliability as present_reliability

        with self.reading() as store:
            result = reliability.explain(store)
        steps = after_reliability(result, self.way)
        return Answer(result, present_reliability.document(result, steps), "reliability", self.path)
