"""Add an example or two to the help of every command."""

from __future__ import annotations

import click

EXAMPLES = {
    "align": ("assay align faithfulness --model gpt-5-mini --dry-run", "assay align faithfulness --undo"),
    "app": ("assay app --db clinic.db",),
    "backup": ("assay backup assay-friday.db",),
    "calibrate": ("assay calibrate --precision 0.95 --dry-run",),
    "compare": ("assay compare search-v1 search-v2", "assay compare @2026-10-01..2026-11-01 @2026-11-01..2026-12-01"),
    "demo": ("assay demo",),
    "diagnose": ("assay diagnose --full",),
    "doctor": ("assay doctor",),
    "draws export": ("assay draws export to_label.csv --blind",),
    "drift": ("assay drift --by week",),
    "events": ("assay events --full",),
    "feedback": ("assay feedback thumbs.csv",),
    "forget": ("assay forget --item ITEM_ID --dry-run",),
    "gold accept": ("assay gold accept --all", "assay gold accept GOLD_ID"),
    "gold add": ("assay gold add ITEM_ID --reference 'Stop it 48 hours before the scan.'",),
    "gold check": ("assay gold check --system search-v2 --release november --gate",),
    "gold diff": ("assay gold diff october november",),
    "gold duplicates": ("assay gold duplicates",),
    "gold edit": ("assay gold edit GOLD_ID --reference 'Stop it 48 hours before the scan.'",),
    "gold export": ("assay gold export gold.jsonl",),
    "gold history": ("assay gold history GOLD_ID",),
    "gold import": ("assay gold import references.csv",),
    "gold keep": ("assay gold keep GOLD_ID --why 'the passage changed its wording only'",),
    "gold list": ("assay gold list --status accepted",),
    "gold mark": ("assay gold mark GOLD_ID --knowledge-base-lacks yes",),
    "gold policy": ("assay gold policy",),
    "gold release": ("assay gold release november",),
    "gold releases": ("assay gold releases",),
    "gold retire": ("assay gold retire GOLD_ID",),
    "gold review": ("assay gold review",),
    "ingest": ("assay ingest traffic.jsonl --dry-run", "assay ingest runs.csv --map question=inputs.query"),
    "init": ("assay init --lake traffic-lake",),
    "judge": ("assay judge", "assay judge --backend openai --model gpt-5-mini --max-tokens 200000"),
    "labels adjudicate": ("assay labels adjudicate ITEM_ID --label wrong --why 'the leaflet says 48 hours'",),
    "labels annotators": ("assay labels annotators",),
    "labels disagreements": ("assay labels disagreements",),
    "labels export": ("assay labels export labels.csv",),
    "labels history": ("assay labels history ITEM_ID",),
    "labels import": ("assay labels import labelled.csv",),
    "labels opposite": ("assay labels opposite",),
    "mcp": ("assay mcp", "assay mcp --write"),
    "metrics": ("assay metrics",),
    "next": ("assay next",),
    "plan": ("assay plan --width 0.1", "assay plan --minutes 60"),
    "pull": ("assay pull",),
    "push": ("assay push",),
    "quarantine": ("assay quarantine --full",),
    "questions build": ("assay questions build leaflets.jsonl",),
    "questions export": ("assay questions export questions.jsonl",),
    "questions list": ("assay questions list",),
    "questions score": ("assay questions score answers.jsonl",),
    "report": (
        "assay report --worst 20 --system search-v1",
        "assay report --html report.html --gate",
        "assay report --markdown --junit report.xml",
    ),
    "rule learn": ("assay rule learn --dry-run",),
    "rule list": ("assay rule list",),
    "rule set": ("assay rule set 'faithfulness > 0.6'",),
    "run": ("assay run --traffic today.jsonl --rate 0.02 --gate",),
    "sample": ("assay sample --labels 200 --dry-run", "assay sample --rate 0.02"),
    "schema": ("assay schema report",),
    "scores export": ("assay scores export scores.csv",),
    "scores import": ("assay scores import ragas.csv",),
    "serve": ("assay serve --no-app",),
    "server moved": ("assay server moved http://old:8080 http://new:8080",),
    "show": ("assay show ITEM_ID",),
    "simulate": ("assay simulate --labels 200",),
    "slices": ("assay slices --by system --by week",),
    "up": ("assay up", "assay up --demo"),
}


def add_examples(group: click.Group, path: tuple[str, ...] = ()) -> None:
    """Let the help of every command in a group end with its examples."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            add_examples(command, (*path, name))
        else:
            command.epilog = "\b\nFor example:\n" + "\n".join(f"  {line}" for line in EXAMPLES[" ".join((*path, name))])
