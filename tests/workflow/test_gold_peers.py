"""The gold set in the forms of other tools, read by these tools' own loaders and classes.

Langfuse's and OpenAI's classes stand beside ours. Opt-in are the others, which bring some 200 packages: `make test-peers` installs and
runs them, ASSAY_PEERS names the folder of their environment. Read with Ragas 0.4.3, DeepEval 4.3.1, LangSmith 0.15.1,
Phoenix' client 3.5.0, Langfuse 5.0.4 and datasets 5.0.1. promptfoo is of another language: its file is read as YAML.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from openai.types.evals.create_eval_jsonl_run_data_source_param import SourceFileContentContent
from pydantic import TypeAdapter

from annotate.domain.gold.release import EXPORT_COLUMNS
from annotate.workflow.gold.export_formats import write

PEERS = Path(os.environ.get("ASSAY_PEERS") or "/nowhere") / "bin" / "python"
HISTORY = [{"role": "user", "text": "Is it open?"}, {"role": "assistant", "text": "Ward 3 is."}]
SECONDS = 300

# Each prints [question, reference, passages] of every entry, as the tool's own loader gives them.
LOADERS = {
    "ragas": """
import sys, types
try:
    import ragas
except ModuleNotFoundError as error:  # 0.4.3 imports a module that LangChain has dropped
    sys.modules[error.name] = types.ModuleType(error.name)
    sys.modules[error.name].ChatVertexAI = sys.modules[error.name].VertexAI = object
from ragas import EvaluationDataset
rows = [[one.user_input, one.reference, one.retrieved_contexts] for one in EvaluationDataset.from_jsonl(path)]
""",
    "deepeval": """
from deepeval.dataset import EvaluationDataset
dataset = EvaluationDataset()
dataset.add_goldens_from_json_file(path)
rows = [[one.input, one.expected_output, one.context] for one in dataset.goldens]
""",
    "langsmith": """
from langsmith.schemas import ExampleCreate
examples = [ExampleCreate(**json.loads(line)) for line in open(path, encoding="utf-8")]
rows = [[one.inputs["question"], one.outputs["answer"], one.inputs["contexts"]] for one in examples]
assert all(one.id and one.split and one.metadata["gold_id"] for one in examples)
""",
    "phoenix": """
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from phoenix.client import Client
sent = []
class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        sent.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.answer({"data": {"dataset_id": "RGF0YXNldDox", "version_id": "v"}})
    def do_GET(self):
        if self.path.endswith("arize_phoenix_version"):
            return self.answer("99.0.0", is_text=True)
        examples = {"dataset_id": "RGF0YXNldDox", "version_id": "v", "examples": []}
        self.answer({"data": examples if "examples" in self.path else {"id": "RGF0YXNldDox", "name": "gold"}})
    def answer(self, body, is_text=False):
        content = body.encode() if is_text else json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
server = HTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
client = Client(base_url=f"http://127.0.0.1:{server.server_port}")
client.datasets.create_dataset(name="gold", examples=[json.loads(line) for line in open(path, encoding="utf-8")])
(body,) = sent
texts = zip(body["inputs"], body["outputs"], strict=True)
rows = [[asked["question"], given["answer"], asked["contexts"]] for asked, given in texts]
assert body["example_ids"] == [one["gold_id"] for one in body["metadata"]] and body["splits"] == [["test"]] * 3, body
assert body["inputs"][1]["history"], body
""",
    "langfuse": """
from langfuse.api import CreateDatasetItemRequest
from langfuse.api.core.pydantic_utilities import parse_obj_as
items = [parse_obj_as(CreateDatasetItemRequest, json.loads(line)) for line in open(path, encoding="utf-8")]
rows = [[one.input["question"], one.expected_output, one.input["contexts"]] for one in items]
assert all(one.dataset_name and one.id and one.status for one in items)
""",
    "hf": """
from datasets import load_dataset
splits = load_dataset(path)
rows = [[one["question"], one["reference"], one["contexts"]] for split in sorted(splits) for one in splits[split]]
""",
}
ENDINGS = {"deepeval": ".json", "hf": ""}


def row(number: int, **own: object) -> dict[str, Any]:
    """An entry as it is exported."""
    texts = {"gold_id": f"gold-{number}", "question": f"When {number}?", "reference": "In 1987, “perhaps” 🏥."}
    known = {"history": [], "contexts": ["a | b", "c\n\nd"], "role": "test", "status": "released", "forgotten": False}
    return {**dict.fromkeys(EXPORT_COLUMNS), **texts, **known, "lacks_knowledge": False, "release": "v1", **own}


ROWS = [row(1), row(2, history=HISTORY), row(3, contexts=[])]


@pytest.mark.slow
@pytest.mark.parametrize("tool", LOADERS)
def test_the_tool_s_own_loader_reads_it(tmp_path: Path, tool: str) -> None:
    """Every entry, with its passages one by one; the question of a conversation ends with what was asked."""
    python = Path(sys.executable) if tool == "langfuse" else PEERS
    if not python.exists():
        pytest.skip("ASSAY_PEERS names no environment with this tool: `make test-peers` makes one")
    path = tmp_path / f"gold{ENDINGS.get(tool, '.jsonl')}"
    write(str(path), tool, ROWS)
    script = f"import json, sys\npath = sys.argv[1]\n{LOADERS[tool]}\nprint('ROWS' + json.dumps(rows))"
    quiet = {"DEEPEVAL_TELEMETRY_OPT_OUT": "1", "RAGAS_DO_NOT_TRACK": "true", "HF_HUB_OFFLINE": "1"}
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **quiet}
    done = subprocess.run(
        [python, "-c", script, path], capture_output=True, text=True, timeout=SECONDS, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    read = json.loads(next(line[4:] for line in done.stdout.splitlines() if line.startswith("ROWS")))

    assert [entry[1:] for entry in read] == [[entry["reference"], entry["contexts"]] for entry in ROWS]
    assert [entry[0].endswith(f"When {number}?") for number, entry in enumerate(read, start=1)] == [True] * 3
    if tool in {"ragas", "deepeval"}:
        assert "Ward 3 is." in read[1][0]


def test_openai_reads_its_lines(tmp_path: Path) -> None:
    """By the class that its client sends a file's content with."""
    path = tmp_path / "gold.jsonl"
    write(str(path), "openai", ROWS)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    read = [TypeAdapter(SourceFileContentContent).validate_python(line) for line in lines]

    assert [(entry["item"]["question"], entry["item"]["contexts"]) for entry in read] == [
        (entry["question"], entry["contexts"]) for entry in ROWS
    ]
    assert read[1]["item"]["history"] == HISTORY


def test_promptfoo_s_file_is_yaml(tmp_path: Path) -> None:
    """What is written as JSON is read the same by a YAML parser."""
    path = tmp_path / "gold.yaml"
    write(str(path), "promptfoo", ROWS)

    assert yaml.safe_load(path.read_text(encoding="utf-8")) == json.loads(path.read_text(encoding="utf-8"))
