"""A store in which a model's judge was taught, and the part of the Judges page that shows it."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest

from support.alignment import GUIDELINE, NoisyJudge, labelled
from support.app import Open, nothing
from support.endpoint import Endpoint
from support.store import Assay, once

# Guidelines that change which answers the judge errs on, and not on how many.
USELESS = "Keep to the leaflet"


def align(assay: Assay, endpoint: Endpoint, *more: str) -> dict[str, Any]:
    """Align the judge `overall` by the command."""
    return assay.json("align", "overall", "--model", "m", "--base-url", endpoint.url, *more)


def taught(assay: Assay) -> Assay:
    """A judge whose version with guidelines errs on 5 % in place of 35 %, and is in force."""

    def make() -> None:
        labelled(assay, 200)
        with Endpoint(policy=NoisyJudge(told=0.05)) as endpoint:
            align(assay, endpoint)

    return once(assay, "taught", make)


def measured_twice(assay: Assay) -> Assay:
    """The same, and after it guidelines of a person that are not shown to be better."""

    def make() -> None:
        labelled(assay, 200)
        with Endpoint(policy=NoisyJudge(told=0.05)) as endpoint:
            align(assay, endpoint)
            align(assay, endpoint, "--guidelines", assay.write("mine.txt", f"{GUIDELINE}\n{USELESS}\n"))

    return once(assay, "taught-twice", make)


def judged_by_model(assay: Assay, labels: int) -> Assay:
    """Answers that a model's judge has scored and experts have labelled, and no version of it."""

    def make() -> None:
        labelled(assay, labels)
        with Endpoint(policy=NoisyJudge()) as endpoint:
            options = ("--backend", "openai", "--model", "m", "--base-url", endpoint.url)
            assay("judge", *options, "--judges", "overall")

    return once(assay, f"judged-by-model-{labels}", make)


def versions(assay: Assay) -> list[dict[str, Any]]:
    """What the command says of the versions that were measured."""
    listed: list[dict[str, Any]] = assay.json("align", "overall", "--list")["versions"]
    return listed


def open_part(opened: Open) -> AppTest:
    """The part of the page, on the store that is there."""
    return opened(nothing, "judges").segmented_control(key="judges").set_value("teach").run()
