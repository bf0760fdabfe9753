"""Write ranx.json: random rankings and the values that ranx gives them. Needs `pip install ranx`.

    python tests/samples/ranx_values.py

ranx compiles its metrics and brings some 40 packages, so its values are kept and it is not installed for the tests.
"""

import json
import random
from importlib.metadata import version
from pathlib import Path

from ranx import Qrels, Run, evaluate

METRICS = ("hit_rate", "reciprocal_rank", "ndcg", "ndcg_burges", "precision", "recall", "average_precision")
RANX = {"average_precision": "map", "reciprocal_rank": "mrr"}
DEPTHS = (None, 1, 3, 10)

rng = random.Random(0)
cases = []
for _ in range(200):
    pool = [f"d{number}" for number in range(20)]
    retrieved = rng.sample(pool, rng.randint(1, 12))
    relevant = {name: rng.randint(0, 3) for name in rng.sample(pool, rng.randint(1, 8))}
    if any(relevant.values()):
        cases.append({"retrieved": retrieved, "relevant": relevant})
qrels = Qrels(
    {f"q{n:03}": {name: grade for name, grade in case["relevant"].items() if grade} for n, case in enumerate(cases)}
)
run = Run(
    {f"q{n:03}": {name: float(-rank) for rank, name in enumerate(case["retrieved"])} for n, case in enumerate(cases)}
)
values = {}
for metric in METRICS:
    for k in DEPTHS:
        suffix = "" if k is None else f"@{k}"
        scores = evaluate(qrels, run, RANX.get(metric, metric) + suffix, return_mean=False)
        values[metric + suffix] = [round(float(score), 12) for score in scores]
sample = {"ranx": version("ranx"), "cases": cases, "values": values}
(Path(__file__).parent / "ranx.json").write_text(json.dumps(sample) + "\n", encoding="utf-8")
