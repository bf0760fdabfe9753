"""Lakes for tests: in a folder and on a real S3 server, tables, and what goes wrong with files.

`lake_address` runs a test on both; what needs the server is `long`. The server is moto's, in an environment of its own
(`make s3-server`), as it pins old versions: ASSAY_S3_SERVER names its command.
"""

from __future__ import annotations

import hashlib
import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pytest
from pyarrow.fs import FileSelector, FileType

from annotate.store.lake.parts import Lake, LakePart
from support.store import ROOT

KINDS = ("items", "scores")
DAY = [("date", "2026-11-20")]
PLACES = [pytest.param("folder"), pytest.param("s3", marks=pytest.mark.long)]
SERVER = Path(".assay") / "s3" / "bin" / "moto_server"
START_SECONDS = 60


class S3Server(NamedTuple):
    """A server that runs."""

    port: int

    def address(self, bucket: str, prefix: str = "lake", keys: str = "") -> str:
        user = f"{keys}@" if keys else ""
        return f"s3://{user}{bucket}/{prefix}?region=us-east-1&scheme=http&endpoint_override=127.0.0.1:{self.port}"

    def make(self, bucket: str) -> None:
        from pyarrow.fs import S3FileSystem

        place = f"127.0.0.1:{self.port}"
        keys = {"access_key": "tests", "secret_key": "tests", "region": "us-east-1"}
        s3 = S3FileSystem(**keys, scheme="http", endpoint_override=place, allow_bucket_creation=True)
        s3.create_dir(bucket)


def _command() -> str | None:
    beside = Path(sys.executable).with_name("moto_server")
    for path in (os.environ.get("ASSAY_S3_SERVER"), ROOT / SERVER, beside):
        if path and os.access(path, os.X_OK):
            return str(path)
    return None


@pytest.fixture(scope="session")
def s3_server() -> Iterator[S3Server]:
    """An S3 server on a port of this machine, for the whole run."""
    command = _command()
    if command is None:
        pytest.skip("there is no S3 server: make s3-server")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([command, "-H", "127.0.0.1", "-p", str(port)], **quiet)
    try:
        _wait(process, port)
        yield S3Server(port)
    finally:
        process.kill()
        process.wait()


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + START_SECONDS
    while True:
        assert process.poll() is None, "the S3 server ended"
        assert time.monotonic() < end, "the S3 server does not answer"
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return


@pytest.fixture
def s3_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys in the environment, and no question to the machine's own cloud."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "tests")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "tests")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture(params=PLACES)
def lake_address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a lake that has nothing yet, in a folder and on S3."""
    if request.param == "folder":
        return str(tmp_path / "lake")
    request.getfixturevalue("s3_keys")
    server: S3Server = request.getfixturevalue("s3_server")
    bucket = "tests-" + hashlib.sha256(str(tmp_path).encode()).hexdigest()[:20]
    server.make(bucket)
    return server.address(bucket)


@pytest.fixture
def lake(lake_address: str) -> Lake:
    return Lake.open(lake_address)


def rows(count: int, *, first: int = 0) -> pa.Table:
    """Rows with a key, a text, a value that may be missing, and a list."""
    keys = range(first, first + count)
    return pa.table(
        {
            "key": pa.array(keys, pa.int64()),
            "text": pa.array([f"answer {key} 답변 {'long ' * (key % 7)}" for key in keys], pa.string()),
            "value": pa.array([None if key % 5 == 0 else key / 7 for key in keys], pa.float64()),
            "passages": pa.array([[f"passage {n}" for n in range(key % 3)] for key in keys], pa.list_(pa.string())),
        }
    )


def noise(number: int, size: int = 300_000) -> pa.Table:
    """A table that zstd cannot make smaller, the same for the same number."""
    return pa.table({"key": [number], "text": [random.Random(number).randbytes(size)]})


def wide(count: int) -> pa.Table:
    """Rows of a kilobyte: their column takes several pages, which end where pieces of a table end."""
    return pa.table({"key": range(count), "text": [random.Random(key).randbytes(1000) for key in range(count)]})


def content(lake: Lake, path: str) -> bytes:
    with lake._files.filesystem.open_input_file(lake._files.full(path)) as file:
        return bytes(file.read())


def overwrite(lake: Lake, part: LakePart, changed: bytes) -> None:
    """Put other bytes under the name of a part."""
    path = lake._files.full(part.path)
    if lake._files.filesystem.type_name == "local":
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    with lake._files.filesystem.open_output_stream(path) as file:
        file.write(changed)


def flipped(whole: bytes, place: int) -> bytes:
    return whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]


def files(lake: Lake) -> list[str]:
    """Every file below the root, whatever it is."""
    selector = FileSelector(lake._files.root, recursive=True, allow_not_found=True)
    infos = lake._files.filesystem.get_file_info(selector)
    start = f"{lake._files.root}/"
    return sorted(info.path.removeprefix(start) for info in infos if info.type == FileType.File)
