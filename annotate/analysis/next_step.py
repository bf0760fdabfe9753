"""Say what to do next: the only place that does.

Open draws come before new ones, and nothing is asked for that is not there.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from annotate.analysis.calibration.certify import Calibrated
from annotate.analysis.calibration.reliability import Explained
from annotate.analysis.comparison.compare import Alone, ComparedSystems
from annotate.analysis.comparison.rank import Ranked
from annotate.analysis.diagnosis import Diagnoses
from annotate.analysis.drift.windows import Drift, first_day
from annotate.analysis.gold.regression import Checked
from annotate.analysis.planning.plan import LabellingPlan
from annotate.analysis.planning.simulate import Simulated
from annotate.analysis.report.report import Report
from annotate.analysis.rule_in_force import Unscored
from annotate.analysis.slices.find import Slices
from annotate.analysis.verdicts import Verdicts
from annotate.domain.gold.outcomes import Accepted, Exported
from annotate.domain.gold.regression import Fate
from annotate.domain.label_studio_sync import Pulled
from annotate.domain.message import Step, message
from annotate.domain.sampling.outcomes import PairsDrawn, Proposed, ToLabel
from annotate.label_studio import configured
from proxy.comparison.comparison import NEEDED, ComparisonStanding
from proxy.diagnosis import Naming, Obstacle, Stage
from proxy.evaluation.evidence_ledger import Doubt
from proxy.evaluation.trust import Case, Trust
from proxy.planning.labels_needed import Status

SAMPLE = "assay sample --labels"
DRAW = f"{SAMPLE} 100"
INGEST, JUDGE = "assay ingest FILE", "assay judge"
NEW_TRAFFIC = (INGEST, JUDGE)
STREAM, DRIFT = "assay sample --rate 0.02", "assay drift"
PUSH, PULL = "assay push", "assay pull"
EXPORT, IMPORT = "assay draws export FILE --blind", "assay labels import FILE"
DISAGREEMENTS, REVIEW, LABELS = "assay labels disagreements", "assay gold review", "assay labels import FILE"
SET_RULE = "assay rule set EXPRESSION"
TWO, FEWEST_DRAWN, MOST_DRAWN = 2, 30, 200
USUAL = 200  # labels to begin with, where nothing tells
FOR_SLICES, OF_A_SLICE, MOST_SLICES = 300, 60, 3
FOR_A_NAME = 100
LABELS_HELP = (Obstacle.TOO_FEW, Obstacle.NOT_SEPARATED, Obstacle.ELSEWHERE)
REPORT, CALIBRATE, PLAN = "assay report", "assay calibrate", "assay plan"
SLICES, DIAGNOSE = "assay slices", "assay diagnose"
WIDE = 0.8  # the share of the labels to choose, where no more can be labelled
USUAL_AUDIT = 0.25  # the least share of a draw that goes to failed answers
FOR_THE_OTHERS = 10  # so that strata beside the passed one get their least, however few are left of it

LLAMAINDEX_READS = ("context_relevance", "faithfulness_yes_no")
LLAMAINDEX = f"min({', '.join(LLAMAINDEX_READS)}) > 0.5"
BRING_BACK = Step(message("steps.bring_back"), (IMPORT,))

_ALL_LABELLED = Step(message("steps.all_labelled"), NEW_TRAFFIC)


class Way(NamedTuple):
    """How draws come to annotators, and how their labels come back."""

    send: str
    fetch: str

    @property
    def commands(self) -> tuple[str, str]:
        """Both commands, in their order."""
        return self.send, self.fetch


LABEL_STUDIO, FILES = Way(PUSH, PULL), Way(EXPORT, IMPORT)


def way_of(db: Path) -> Way:
    """Return the way that leads somewhere from this store: Label Studio where one is known, else files."""
    return LABEL_STUDIO if configured.is_known(db) else FILES


@dataclass(frozen=True, kw_only=True, slots=True)
class StepState:
    """What decides the next step: the report, and how draws come to annotators here."""

    report: Report
    way: Way


def next_step(state: StepState) -> tuple[Step, ...]:
    """Name the first stage of the loop that has work waiting, then what waits for a decision at any stage."""
    report, decisions = state.report, [*after_labels(state.report.disputed)]
    if report.flagged:
        decisions.append(Step(message("steps.flagged", count=report.flagged), (REVIEW,)))
    return (_stage(report, state.way), *decisions)


def after_labels(disagreements: int) -> tuple[Step, ...]:
    """Have somebody decide what annotators disagree on."""
    return (Step(message("steps.disagreements", count=disagreements), (DISAGREEMENTS,)),) if disagreements else ()


def adjudicate_one(items: Sequence[str]) -> tuple[Step, ...]:
    """Look at the first of these items, and decide."""
    if not items:
        return ()
    item = shlex.quote(items[0])
    look, decide = f"assay labels history {item}", f"assay labels adjudicate {item} --label right --why TEXT"
    return (Step(message("steps.adjudicate"), (look, decide)),)


def after_pull(back: Pulled) -> tuple[Step, ...]:
    """Send again what is gone."""
    return (Step(message("steps.send_again"), (PUSH,)),) if back.gone or back.lost else ()


def after_judging(verdicts: Verdicts, signatures: Mapping[str, str]) -> tuple[Step, ...]:
    """Say what would let answers pass where none does, and how the rule reads what was just judged.

    Parameters
    ----------
    verdicts : Verdicts
        Those of the rule in force.
    signatures : mapping
        The signature of each judge that ran, by its name.
    """
    steps, shortfall, rule = list[Step](), verdicts.shortfall, verdicts.rule
    if shortfall and shortfall.next:
        key = "steps.judge_by_reference" if shortfall.references else "steps.bring_passages"
        steps.append(Step(message(key), shortfall.next))
    reads = dict(rule.signatures)
    if reads.keys() <= signatures.keys():
        expression, names = rule.expression, tuple(reads)
    else:
        expression, names = LLAMAINDEX, LLAMAINDEX_READS
    if signatures.keys() >= set(names) and any(reads.get(name) != signatures[name] for name in names):
        chosen = " ".join(f"--signature '{name}={signatures[name]}'" for name in names)
        steps.append(Step(message("steps.read_these"), (f"assay rule set '{expression}' {chosen}",)))
    return tuple(steps)


def label_more(left: ToLabel, wanted: int, draw: str, way: Way) -> Step:
    """Say how to label `wanted` more of a part of the traffic.

    Parameters
    ----------
    left : ToLabel
        What can still be labelled of this part.
    wanted : int
        How many labels are wanted.
    draw : str
        The command that draws of this part, up to its number of draws.
    way : Way
        How draws come to annotators.
    """
    if left.waiting:
        return Step(message("steps.label_open", count=left.waiting), way.commands)
    if not left.undrawn:
        return Step(message("steps.nothing_left"), (INGEST,))
    count = min(wanted, left.undrawn)
    key = "steps.draw_all" if count == left.undrawn else "steps.draw_some"
    return Step(message(key, count=count), (f"{draw} {count}", way.send))


def after_drift(result: Drift, way: Way) -> tuple[Step, ...]:
    """Say what an alarm asks for; without one, bring what is missing, or label on and look again."""
    steps = list[Step]()
    if alarm := result.watched.quality.alarm:
        steps.append(Step(message("steps.dropped"), (SLICES, DIAGNOSE)))
        if alarm.began > result.windows[0].name:  # else nothing lies before it
            day = first_day(alarm.began)
            steps.append(Step(message("steps.before_and_since"), (f"assay compare '@..{day}' '@{day}..'",)))
    if result.watched.judge_alarms or any(change.is_alarm for change in result.changes):
        steps.append(Step(message("steps.judge_changed"), ("assay calibrate", "assay report")))
    if steps:
        return (*steps, Step(message("steps.watch_anew"), (f"{DRIFT} --since DATE",)))
    return (_watch_on(result, way),)


def after_comparison(result: ComparedSystems, way: Way) -> tuple[Step, ...]:
    """Say what a difference asks for; where none is shown, label on, in pairs where both answered the same questions."""
    comparison = result.comparison
    if not all(side.counted.items for side in result.sides):
        return (Step(message("steps.name_window")),)
    if comparison.standing in {ComparisonStanding.BETTER, ComparisonStanding.WORSE}:
        is_broken = any(listed.is_broken for listed in result.listed)
        return (Step(message("steps.read_broken" if is_broken else "steps.still_wrong"), (DIAGNOSE,)),)
    if result.same_questions:
        names = " ".join(shlex.quote(side.name) for side in result.sides)
        return (label_more(result.left, NEEDED, f"assay compare {names} --draw", way),)
    wanted = USUAL if comparison.more is None else max(20, min(1000, 10 * math.ceil(comparison.more / 10)))
    return (
        label_more(result.left, wanted, "assay sample --labels", way),
        Step(message("steps.same_questions")),
    )


def after_one_system(alone: Alone) -> tuple[Step, ...]:
    """Name another system, or bring its answers."""
    if alone.others:
        names = " ".join(map(shlex.quote, (alone.name, alone.others[0])))
        return (Step(message("steps.name_another"), (f"assay compare {names}",)),)
    return (Step(message("steps.another_system"), (INGEST,)),)


def after_ranking(result: Ranked, way: Way) -> tuple[Step, ...]:
    """Say how to tell apart those that may be the best, or to measure those that could not be."""
    standings = result.standings
    leaders = {standing.number for standing in standings.leaders}
    wanted = {standing.number for standing in standings.systems if standing.best is None}
    if len(leaders) == 1 and not wanted:
        worst = max(standing.worst or 0 for standing in standings.leaders)
        wanted = {standing.number for standing in standings.measured if (standing.best or 0) <= worst}
    else:
        wanted |= leaders
    if len(wanted) < TWO:
        return (Step(message("steps.best_still_fails"), (REPORT, DIAGNOSE)),)
    lefts = [result.sides[number].left for number in sorted(wanted)]
    left = ToLabel(sum(each.undrawn for each in lefts), sum(each.waiting for each in lefts))
    names = " ".join(shlex.quote(result.names[number]) for number in sorted(wanted))
    count = min(MOST_DRAWN, max(FEWEST_DRAWN, 20 * len(wanted)))
    return (label_more(left, count, f"assay compare {names} --draw", way),)


def after_gold_check(result: Checked) -> tuple[Step, ...]:
    """Bring the answers that are missing, have those labelled that nobody can tell, and read what is wrong."""
    check, steps = result.check, list[Step]()
    if not check.comparisons:
        return (Step(message("steps.gold_accept"), (REVIEW,)),)
    if missing := len(check.of(Fate.NO_ANSWER)):
        steps.append(Step(message("steps.gold_ask", count=missing), (INGEST,)))
    if untold := len(check.of(Fate.UNCHECKED, Fate.CANNOT_TELL)):
        steps.append(Step(message("steps.gold_label", count=untold), (LABELS,)))
    if steps:
        return tuple(steps)
    key = "steps.read_broken" if check.of(Fate.BROKE) else "steps.still_wrong"
    return (Step(message(key), ("assay diagnose",)),) if check.of(Fate.BROKE, Fate.STILL_WRONG) else ()


TO_REVIEW = Step(message("steps.gold_review"), (REVIEW,))


def after_gold_add(gold_id: str) -> tuple[Step, ...]:
    """Have the new candidate accepted."""
    return (Step(message("steps.gold_accept_it"), (f"assay gold accept {gold_id}",)),)


def after_gold_accept(result: Accepted) -> tuple[Step, ...]:
    """Review what could not be accepted unseen."""
    return (TO_REVIEW,) if result.corrections or result.own or result.withheld else ()


def after_gold_export(result: Exported) -> tuple[Step, ...]:
    """Review the candidates that were left out."""
    return (TO_REVIEW,) if result.candidates else ()


def after_gold_release(left: int) -> tuple[Step, ...]:
    """Review what was left out of a release."""
    return (TO_REVIEW,) if left else ()


def after_gold_review(count: int) -> tuple[Step, ...]:
    """Decide each entry that waits."""
    names = ("accept GOLD_ID", "edit GOLD_ID --reference TEXT", "keep GOLD_ID --why TEXT", "retire GOLD_ID")
    commands = tuple(f"assay gold {name}" for name in names)
    return (Step(message("steps.gold_decide"), commands),) if count else ()


def _watch_on(result: Drift, way: Way) -> Step:
    supply = result.supply
    if not result.items:
        return Step(message("steps.ingest"), (INGEST,))
    if not result.windows:
        return Step(message("steps.times"), (f"{INGEST} --map timestamp=FIELD",))
    if result.tries_days:
        return Step(message("steps.days"), (f"{DRIFT} --by day",))
    if supply.has_new:
        return Step(message("steps.stream"), (STREAM, DRIFT))
    if supply.open:
        key = "steps.label_on" if supply.has_undrawn else "steps.label_last"
        return Step(message(key, count=supply.open), (*way.commands, DRIFT))
    if supply.has_undrawn:
        return Step(message("steps.draw_on"), (DRAW, DRIFT))
    return Step(message("steps.used_up"), (*NEW_TRAFFIC, STREAM, DRIFT))


def after_calibration(result: Calibrated, way: Way) -> tuple[Step, ...]:
    """Say what a calibration asks for: a decision, labels, or a look at the report."""
    choice, left = result.choice, ToLabel(undrawn=result.left, waiting=result.open)
    usual = (label_more(left, USUAL, SAMPLE, way),)
    if result.objection:
        return (Step(message("steps.decide"), (DISAGREEMENTS,)),)
    if choice is None:
        return (_unscored(result.unscored),)
    if result.all_pass or (result.guarantee and result.scoring):
        return (Step(message("steps.see_report"), (REPORT,)),)
    if result.guarantee or result.waits:
        return usual
    if choice.undecided_test:
        return (Step(message("steps.decide"), (DISAGREEMENTS,)),)
    if result.draws_needed is not None:
        more = label_more(left, result.draws_needed, SAMPLE, way)
        return (more,) if left.waiting or left.undrawn else (*_wider(result), more)
    return usual if result.has_few else (Step(message("steps.see_report"), (REPORT,)),)


def _wider(result: Calibrated) -> tuple[Step, ...]:
    """The same with more of the labels choosing, where that is possible."""
    request = result.request
    if request.share >= WIDE:
        return ()
    asked = f"{CALIBRATE} --precision {request.precision:g} --confidence {request.confidence:g} --share {WIDE:g}"
    return (Step(message("steps.more_choose"), (asked,)),)


def after_reliability(explained: Explained, way: Way) -> tuple[Step, ...]:
    """Say what helps once it is known, or not, what a value says of P(right)."""
    if explained.unscored:
        return (_unscored(explained.unscored),)
    if explained.meaning.reason:
        left = ToLabel(undrawn=explained.left, waiting=explained.open)
        return (label_more(left, USUAL, SAMPLE, way),)
    if explained.meaning.tells and explained.objection is None:
        return (Step(message("steps.calibrate"), (f"{CALIBRATE} --precision 0.9",)),)
    return (Step(message("steps.see_report"), (REPORT,)),)


def _unscored(unscored: Unscored | None) -> Step:
    """What gives the answers a value of the rule in force."""
    command = unscored.command if unscored else JUDGE
    return Step(
        message({INGEST: "steps.ingest", SET_RULE: "steps.other_judge"}.get(command, "steps.judge")), (command,)
    )


def after_plan(plan: LabellingPlan, way: Way) -> tuple[Step, ...]:
    """Say what a plan asks for: labels of open draws before new draws, and first what stands in the way of both."""
    match plan.status:
        case Status.MET:
            return (Step(message("steps.see_report"), (REPORT,)),)
        case Status.DOUBT:
            return (_doubt(plan, way),)
        case Status.NEVER:
            return (_obstacle(plan, way),)
    if plan.open:
        return (Step(message("steps.label", count=plan.open), way.commands),)
    return (_draw(plan.further, plan.audit, way),)


def after_simulation(simulated: Simulated, way: Way) -> tuple[Step, ...]:
    """Draw so many labels, or plan how many to add to those there are, which a rehearsal leaves out."""
    request = simulated.request
    if not simulated.stage.labels:
        return (_draw(request.labels, request.audit, way),)
    return (Step(message("steps.plan_more"), (" ".join((PLAN, *_audit_option(request.audit))),)),)


def after_wave(wave: Proposed | PairsDrawn, way: Way) -> tuple[Step, ...]:
    """Have what was drawn labelled; a proposal asks for nothing."""
    draws = wave.draws if isinstance(wave, PairsDrawn) else wave.drawn.draws
    if wave.is_proposal or not draws:
        return ()
    return (Step(message("steps.label", count=draws), way.commands),)


def after_slices(result: Slices, way: Way) -> tuple[Step, ...]:
    """Say how to confirm what was found by search; without a finding, bring the labels that could show one."""
    tested, worse = result.examined.tested, result.examined.worse
    if not sum(result.labels.values()):
        return (label_more(result.left, FOR_SLICES, SAMPLE, way),)
    if result.is_unjudged:
        return () if result.failed else (Step(message("steps.judge"), (JUDGE,)),)
    if result.objections:
        return (_settle(result.objections[0].doubt, result.left.waiting, way),)
    if count := sum(confirmation.open for confirmation in result.confirmations):
        return (Step(message("steps.label_on", count=count), (*way.commands, SLICES)),)
    if not tested and not result.examined.untested:
        return ()
    searched = [finding.slice.name for finding in worse if finding.slice.is_searched]
    if worse and not searched:
        return (Step(message("steps.still_wrong"), (DIAGNOSE,)),)
    if not tested or not result.left.undrawn:
        return (label_more(result.left, FOR_SLICES, SAMPLE, way),)
    names = searched[:MOST_SLICES] or [tested[0].slice.name]
    waves = [f"{SAMPLE} {OF_A_SLICE} --slice {shlex.quote(name)}" for name in dict.fromkeys(names)]
    return (Step(message("steps.confirm_slice" if searched else "steps.nearest_slice"), (*waves, way.send, SLICES)),)


def after_diagnosis(result: Diagnoses, way: Way) -> tuple[Step, ...]:
    """Say how to see whether a change of the named stage helped; else bring what could name one."""
    if not result.each:
        return (label_more(result.left, USUAL, SAMPLE, way),)
    namings = [diagnosis.naming for diagnosis in result.each]
    if named := [naming for naming in namings if naming.stage]:
        old = next((naming.system for naming in named if naming.system is not None), "OLD")
        pair = f"assay compare {shlex.quote(old)} NEW"
        return (Step(message("steps.mend"), (*NEW_TRAFFIC, f"{pair} --draw 100", way.send, pair)),)
    return tuple(_for_a_name(result, namings, way))


def _for_a_name(result: Diagnoses, namings: Sequence[Naming], way: Way) -> Iterator[Step]:
    """What could bring a name where there is none: scores, labels, another threshold or more traffic, where each can help."""
    obstacles = {naming.obstacle for naming in namings}
    stuck = [naming for naming in namings if naming.obstacle in LABELS_HELP]
    left = result.left
    helps = any(_labels_help(naming) for naming in stuck) and (left.undrawn or left.waiting)
    reaches = [naming.reach for naming in namings if naming.obstacle is Obstacle.ONE_SIDED and naming.reach]
    threshold = next((reach.threshold for reach in reaches if reach.threshold is not None), None)
    if Obstacle.OBJECTION in obstacles:
        yield Step(message("steps.decide"), (DISAGREEMENTS,))
    if Obstacle.UNSCORED in obstacles and not any(diagnosis.failed for diagnosis in result.each):
        yield Step(message("steps.judge"), (JUDGE,))
    if helps:
        yield label_more(left, FOR_A_NAME, SAMPLE, way)
    if threshold is not None:
        yield Step(message("steps.other_relevance"), (f"{DIAGNOSE} --relevance-threshold {threshold}",))
    elif not helps and (stuck or reaches):
        yield Step(message("steps.nothing_left"), (INGEST,))


def _labels_help(naming: Naming) -> bool:
    """Whether there are answers enough for labels to show a difference that matters."""
    return naming.obstacle is Obstacle.ELSEWHERE or naming.tested[Stage.RETRIEVAL].contrast.is_possible


def _draw(labels: int, audit: float, way: Way) -> Step:
    command = " ".join((SAMPLE, str(labels), *_audit_option(audit)))
    return Step(message("steps.draw_so_many", count=labels), (command, way.send))


def _audit_option(audit: float) -> tuple[str, ...]:
    return () if audit == USUAL_AUDIT else ("--audit", f"{audit:g}")


def _doubt(plan: LabellingPlan, way: Way) -> Step:
    """What removes the doubt that more labels alone do not."""
    return _settle(plan.objection.doubt if plan.objection else None, plan.open, way)


def _settle(doubt: Doubt | None, waiting: int, way: Way) -> Step:
    if doubt is Doubt.PENDING:
        return Step(message("steps.label", count=waiting), way.commands)
    return Step(message("steps.annotators" if doubt is Doubt.ANNOTATORS else "steps.decide"), (DISAGREEMENTS,))


def _obstacle(plan: LabellingPlan, way: Way) -> Step:
    """What makes the quantity measurable."""
    command = plan.obstacle.command if plan.obstacle else REPORT
    if command == PUSH:
        return Step(message("steps.label", count=plan.open), way.commands) if plan.open else _ALL_LABELLED
    keys = {JUDGE: "steps.judge", PLAN: "steps.larger_audit", "assay rule list": "steps.other_threshold"}
    return Step(message(keys.get(command, "steps.see_report")), (command,))


def _stage(report: Report, way: Way) -> Step:
    progress = report.progress
    if not report.items:
        return Step(message("steps.ingest"), (INGEST,))
    if not report.judged:
        return Step(message("steps.judge"), (JUDGE,))
    if not report.waves:
        return Step(message("steps.draw"), (DRAW,))
    if not progress.labelled:
        return Step(message("steps.label", count=progress.drawn), way.commands)
    if progress.open:
        return Step(message("steps.waiting", count=progress.open, drawn=progress.drawn), way.commands)
    if report.uncovered:
        return Step(message("steps.uncovered", count=report.uncovered), (DRAW, way.send))
    return _after_labels(report, way)


def _after_labels(report: Report, way: Way) -> Step:
    """What helps once every drawn answer is labelled."""
    if report.progress.drawn >= report.items:
        return _ALL_LABELLED
    if report.trust.status is Trust.YES:
        return Step(message("steps.keep_watching"), (*NEW_TRAFFIC, DRAW))
    if report.trust.status is Trust.NO:
        return _improve(report)
    return _more_labels(report, way)


def _improve(report: Report) -> Step:
    """What helps a proxy that is shown not to do: a better rule, and where too little of what passes is right, a stricter one."""
    if report.trust.case is not Case.BELOW:
        return Step(message("steps.improve"), (SET_RULE,))
    return Step(message("steps.stricter"), (f"assay calibrate --precision {report.trust.limit:g} --dry-run", SET_RULE))


def _more_labels(report: Report, way: Way) -> Step:
    """As many as the verdict asks for: its number is of passed answers, and a draw takes failed ones beside."""
    needed = report.trust.needed
    if report.trust.case is Case.DOUBT:
        return Step(message("steps.annotators"), (DISAGREEMENTS,))
    if needed is not None and needed.few_questions:
        return Step(message("steps.more_questions"), NEW_TRAFFIC)
    if needed is None or needed.more is None:
        return Step(message("steps.more_labels"), (DRAW, way.send))
    if needed.left == 0:
        return Step(message("steps.none_left"), NEW_TRAFFIC)
    wanted = needed.more if needed.left is None else needed.left
    spare = FOR_THE_OTHERS if needed.left is not None else 0
    draws = 10 * math.ceil((wanted / (1 - USUAL_AUDIT) + spare) / 10)
    if needed.left is not None:
        step = message("steps.all_passed", count=wanted, draws=draws)
        return Step(step, (f"assay sample --labels {draws} --all-passed", way.send))
    return Step(message("steps.so_many", count=wanted, draws=draws), (f"assay sample --labels {draws}", way.send))
