"""Plan, simulate and draw waves, and keep a stream of draws open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from annotate.present.answer import Answer, answer_of
from annotate.project.reports import report_now
from annotate.project.store_access import StoreAccess

if TYPE_CHECKING:
    from annotate.analysis.planning.plan import LabellingPlan
    from annotate.analysis.planning.simulate import Simulated, Simulation
    from annotate.domain.sampling.outcomes import PairsDrawn, Proposed, StreamState


class SamplingMethods(StoreAccess):
    """What a project does to choose what is labelled."""

    def plan(
        self,
        *,
        quantity: str = "correctness",
        width: float = 0.1,
        audit: float | None = None,
        assurance: float = 0.8,
        minutes: float | None = None,
    ) -> Answer[LabellingPlan]:
        """Say how many labels a wanted width of an interval asks for, where, and how long they take.

        Parameters
        ----------
        quantity
            correctness, pass_precision, sensitivity, specificity, accuracy or kappa.
        width
            The wanted width of its 95 % interval, from end to end: 0.1 is 10 points of a share.
        audit
            The least share of the draws that goes to failed answers; None: a quarter, less where few fail.
        assurance
            The share of simulations in which the interval is to be as narrow as wanted, between 0 and 1.
        minutes
            Say, too, how many labels fit into so many minutes of an expert, and what width they reach.

        Returns
        -------
        Answer of LabellingPlan
            The status, the draws by stratum, the present width beside the wanted one, and the labels that a plain random sample
            would take.

        Raises
        ------
        UsageError
            Where the store has no item, the assurance is no share between 0 and 1, or the minutes are not above 0.
        """
        from annotate.analysis.next_step.planning import after_plan
        from annotate.analysis.planning import plan
        from annotate.present import planning

        with self.reading() as store:
            result = plan.build(store, plan.PlanRequest(quantity, width, audit, assurance, minutes))
            report = report_now(store)
        return Answer(result, planning.document(result, after_plan(result, self.way, report)), "planning", self.path)

    def simulate(self, simulation: Simulation) -> Answer[Simulated]:
        """Simulate a sample on the traffic: how wide the intervals would be, and how often they would hold what is assumed.

        Parameters
        ----------
        simulation
            The sample, how often to simulate it, and what to assume of the answers where labels do not tell.

        Returns
        -------
        Answer of Simulated
            For each quantity the mean width of its 95 % interval, and the share of simulations in which it held the
            assumed value.

        Raises
        ------
        UsageError
            Where there are fewer items than labels, or too few labels for the waves.
        """
        from annotate.analysis.next_step.planning import after_simulation
        from annotate.analysis.planning import simulate
        from annotate.present import simulation as present_simulation

        with self.reading() as store:
            result = simulate.run(store, simulation)
        steps = after_simulation(result, self.way)
        return Answer(result, present_simulation.document(result, steps), "simulation", self.path)

    def sample(
        self,
        labels: int | None = None,
        *,
        audit: float | None = None,
        all_passed: bool = False,
        part: str | None = None,
        active: bool = False,
        rate: float | None = None,
        rate_failed: float | None = None,
        seed: int | None = None,
        dry_run: bool = False,
    ) -> Answer[Proposed]:
        """Draw a wave of answers for labelling; never one that was drawn before.

        Parameters
        ----------
        labels
            About how many answers to draw.
        audit
            The least share of them from failed answers; None: a quarter, less where few fail.
        all_passed
            Take every passed answer.
        part
            Draw of this slice only, by its name in `slices`.
        active
            Favour answers of which earlier labels leave us unsure.
        rate, rate_failed
            A stream in place of `labels`: the chance of each new answer, and of a failed one.
        seed
            The same seed on the same store draws the same answers; None: a new one.
        dry_run
            Propose the wave and draw nothing.

        Returns
        -------
        Answer of Proposed
            The wave with its strata, and what it leaves unknown.

        Raises
        ------
        UsageError
            Where the options contradict each other, or there is nothing left to draw.
        """
        from annotate.analysis.next_step.labelling import after_wave
        from annotate.analysis.rule_in_force import without_verdicts
        from annotate.present import waves as present_waves
        from annotate.workflow.sampling import waves

        asked = waves.WaveRequest(
            labels=labels,
            audit=audit,
            all_passed=all_passed,
            part=part,
            active=active,
            rate=rate,
            rate_failed=rate_failed,
            seed=seed,
        )
        waves.check(asked)
        if dry_run:
            with self.reading() as store:
                result = waves.propose(store, waves.request_of(store, asked), now=self.now)
                unscored = without_verdicts(store)
        else:
            with self.writing() as store:
                result = waves.draw(store, waves.request_of(store, asked), who=self.who, now=self.now)
                unscored = without_verdicts(store)
        return Answer(
            result, present_waves.document(result, after_wave(result, self.way, unscored)), "waves", self.path
        )

    def open_stream(
        self, rate: float, rate_failed: float | None = None, *, seed: int | None = None
    ) -> Answer[StreamState]:
        """Open a stream: while `assay serve` runs, each answer that arrives is judged and has its chance to be drawn.

        Parameters
        ----------
        rate, rate_failed
            The chance of each answer, and of one that failed, is disputed or has a thumb down; None: the same.
        seed
            The same seed draws the same answers, also as `sample` with the same rate; None: a new one.

        Returns
        -------
        Answer of StreamState
            The stream.

        Raises
        ------
        UsageError
            Where a stream is open already.
        """
        from annotate.analysis.next_step.labelling import after_stream
        from annotate.workflow.sampling import stream

        with self.writing(make=True) as store:
            result = stream.open_stream(store, rate, rate_failed, seed, who=self.who, now=self.now)
            waiting = store.sampling.waves.progress().open
        return answer_of("waves.stream", self.path, result, steps=after_stream(result, waiting, self.way))

    def close_stream(self) -> Answer[StreamState]:
        """End the stream that is open; what it drew stays drawn.

        Returns
        -------
        Answer of StreamState
            How many answers had their chance meanwhile, and how many were drawn.

        Raises
        ------
        UsageError
            Where no stream is open.
        """
        from annotate.analysis.next_step.labelling import after_stream
        from annotate.workflow.sampling import stream

        with self.writing() as store:
            result = stream.close_stream(store, who=self.who, now=self.now)
            waiting = store.sampling.waves.progress().open
        return answer_of("waves.stream", self.path, result, steps=after_stream(result, waiting, self.way))

    def sample_pairs(
        self,
        systems: Sequence[str],
        labels: int,
        *,
        seed: int | None = None,
        difference: float = 0.05,
        dry_run: bool = False,
    ) -> Answer[PairsDrawn]:
        """Draw about so many answers of these systems: those that tell most about which is better.

        Parameters
        ----------
        systems
            Two systems or more, as for `compare`.
        labels
            About how many answers.
        seed
            The lots are drawn by it; None: a new one.
        difference
            The difference of two systems whose power is told, as a share.
        dry_run
            Propose the wave and draw nothing.

        Returns
        -------
        Answer of PairsDrawn
            How many answers and complete pairs were drawn, and how often their labels are expected to show the difference.

        Raises
        ------
        UsageError
            For less than two systems or one label, or where there is nothing left to draw.
        """
        from annotate.analysis.next_step.labelling import after_wave
        from annotate.domain.sampling import designs
        from annotate.workflow.sampling import paired_waves

        seed = designs.new_seed() if seed is None else seed
        with self.reading() if dry_run else self.writing() as store:
            drawn = paired_waves.draw(
                store,
                systems,
                labels,
                seed=seed,
                now=self.now,
                who=self.who,
                difference=difference,
                dry_run=dry_run,
            )
        return answer_of("pairs_drawn.document", self.path, drawn, steps=after_wave(drawn, self.way))
