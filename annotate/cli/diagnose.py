"""Why wrong answers are wrong: which stage failed, and what to do about it."""

from __future__ import annotations

import click

from annotate.cli.context import Run, common

CUT = click.FloatRange(0, 1, max_open=True)


@click.command()
@click.option(
    "--relevance-cut",
    type=CUT,
    default=0.5,
    show_default=True,
    help="Passages are relevant where context relevance lies above this.",
)
@click.option(
    "--faithfulness-cut",
    type=CUT,
    default=0.5,
    show_default=True,
    help="An answer is faithful where faithfulness lies above this.",
)
@click.option("--system", help="Diagnose this system alone.")
@common
def diagnose(run: Run, relevance_cut: float, faithfulness_cut: float, system: str | None) -> None:
    """Say which stage of the app to mend first: retrieval, reranking, synthesis, or the proxy itself."""
    from annotate.analysis import diagnosis
    from annotate.analysis.diagnosis import Cuts
    from annotate.present import diagnosis as present_diagnosis
    from annotate.present import diagnosis_json, naming

    with run.reading() as store:
        found = diagnosis.build(store, cuts=Cuts(relevance_cut, faithfulness_cut), system=system)
    sentence = naming.comparison([one.naming for one in found.each], found.whole)
    commands = present_diagnosis.commands(found)
    run.say("\n".join(present_diagnosis.page(found)), diagnosis_json.as_json(found, sentence, commands))
