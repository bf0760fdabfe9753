"""A home whose Label Studio is a stand-in that says it is healthy, and writes down how it was called."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from annotate.label_studio.local import TEMPLATE_VARIABLE, VERSION

# Its record of each command lies beside the data folder, and so do the files that make it break.
PROGRAM = """
import http.server, json, os, signal, sys, time
command, base = sys.argv[1], os.environ["LABEL_STUDIO_BASE_DATA_DIR"]
beside = os.path.dirname(base)
with open(os.path.join(beside, command + ".json"), "w") as out:
    json.dump({"arguments": sys.argv, "environment": dict(os.environ), "pid": os.getpid()}, out)
if os.path.exists(os.path.join(beside, "break-" + command)):
    sys.exit(3)
os.makedirs(os.path.join(base, "export"), exist_ok=True)
for name in ("export/some.json", "label_studio.sqlite3"):
    with open(os.path.join(base, name), "a") as out:
        out.write(command + " ")
class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(503 if os.path.exists(os.path.join(beside, "sick")) else 200)
        self.end_headers()
        self.wfile.write(b'{"status": "UP"}')
if os.path.exists(os.path.join(beside, "stubborn")):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if command == "start":
    port = int(sys.argv[sys.argv.index("--port") + 1])
    http.server.HTTPServer(("127.0.0.1", port), Health).serve_forever()
"""


class Seen(NamedTuple):
    """One call of the stand-in."""

    arguments: list[str]
    environment: dict[str, str]
    pid: int


def seen(folder: Path, command: str) -> Seen:
    return Seen(**json.loads((folder / f"{command}.json").read_text()))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose environment is complete and holds the stand-in."""
    monkeypatch.delenv(TEMPLATE_VARIABLE, raising=False)
    programs = tmp_path / "home" / f"label-studio-{VERSION}" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to(sys.executable)
    (programs / "label-studio").write_text(PROGRAM)
    (programs.parent / ".assay-complete").write_text(VERSION)
    return tmp_path / "home"
