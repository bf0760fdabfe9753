"""A judge whose accuracy depends on what it is told, in a known way, and a store with labels of the answers that it judges.

The model knows the truth of each answer, and errs on a share of them. On `told` it errs less where the guideline is in its task,
and on `shown` where examples are in its data: which answers it errs on is a matter of chance in each case anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from support.replies import Ruling
from support.scored import open_ids
from support.store import Assay, label, once, traffic_row

GUIDELINE = "An answer that names the wrong floor is wrong however sure it sounds"
SECOND_GUIDELINE = "An answer that sends the patient to another clinic is wrong"
SECRET = "Dr Silvia Notburga"


def chance(*parts: object) -> float:
    """A number in [0, 1) that stands for these parts."""
    return int(sha256("\0".join(map(str, parts)).encode()).hexdigest()[:12], 16) / 16**12


def is_right(number: int, seed: int = 0) -> bool:
    return chance("truth", seed, number) < 0.6


@dataclass(frozen=True)
class NoisyJudge:
    """The policy: how often the model errs as it is, with the guideline, with both guidelines, and with examples.

    As a writer it keeps the guidelines that it is given.
    """

    plain: float = 0.35
    told: float = 0.35
    told_both: float = 0.35
    shown: float = 0.35
    seed: int = 0
    noise: int = 0
    writes: str = GUIDELINE

    def __call__(self, key: str, choices: tuple[str, ...], data: dict[str, Any], body: dict[str, Any]) -> Ruling:
        if data.get("cases"):
            return Ruling("listed", text=" ".join(dict.fromkeys([*data.get("guidelines", []), f"{self.writes}."])))
        system = next(turn["content"] for turn in body["messages"] if turn["role"] == "system")
        is_told, is_shown = GUIDELINE in system, bool(data.get("examples"))
        is_told_both = is_told and SECOND_GUIDELINE in system
        known = ((is_told, self.told), (is_told_both, self.told_both), (is_shown, self.shown))
        errors = min([self.plain, *(errors for applies, errors in known if applies)])
        number = int("".join(filter(str.isdigit, str(data["question"]))) or 0)
        errs = chance("error", self.noise, number, is_told, is_shown, *([SECOND_GUIDELINE] * is_told_both)) < errors
        return Ruling("yes" if is_right(number, self.seed) is not errs else "no", probability=1.0)


def labelled(assay: Assay, labels: int, *, items: int = 400, seed: int = 0) -> Assay:
    """Answers to as many questions, of which so many are drawn and labelled as they are, each with a reason."""

    def make() -> None:
        rows = [traffic_row(f"i{n}", question=f"Where is room {n}?") for n in range(items)]
        assay("ingest", assay.write("traffic.jsonl", rows))
        assay("judge")
        assay("sample", "--labels", str(labels), "--seed", "1")
        given = [
            label(
                name,
                "right" if is_right(int(name[1:]), seed) else "wrong",
                annotator=SECRET,
                rationale=f"{SECRET} has looked it up.",
            )
            for name in open_ids(assay)
        ]
        assay("labels", "import", assay.write("labels.jsonl", given))

    return once(assay, f"aligning-{labels}-{items}-{seed}", make)
