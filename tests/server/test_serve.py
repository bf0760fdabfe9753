"""`assay serve` as a process without any Label Studio: the app is there, the webhook answers, a failure is one line, and it ends."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from support.serving import SECRET, Serve, members, until
from support.store import Assay
from support.tiers import shortly

NOWHERE = "http://127.0.0.1:9"


@pytest.mark.slow
@pytest.mark.parametrize("number", shortly([signal.SIGINT, signal.SIGTERM, signal.SIGHUP], signal.SIGINT))
def test_it_serves_while_label_studio_is_down_and_leaves_nothing(
    loaded: Assay, serve: Callable[..., Serve], monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """The app and the webhook answer, the failure is said once though a nudge tries again, and the signal ends all of it."""
    monkeypatch.setenv("ASSAY_WEBHOOK_SECRET", SECRET)
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", "a" * 40)
    run = serve("--url", NOWHERE, "--pull-every", "1")

    run.app()
    run.line("tried again with growing waits")
    assert (run.nudge(), run.nudge("wrong-secret-of-the-same-length")) == (204, 401)

    assert run.ends(number) == 0
    assert run.said().count("tried again") == 1
    assert run.said().rstrip().endswith("stopped") or "stopped\n" in run.said()
    assert SECRET not in run.said()
    assert "Traceback" not in run.said()


@pytest.mark.slow
def test_where_it_is_killed_the_app_ends_too_and_its_port_is_free(loaded: Assay, serve: Callable[..., Serve]) -> None:
    """Nothing of it is left a few seconds after SIGKILL to the command alone, and the next start has the same port at once."""
    run = serve()
    port = int(run.app().rpartition(":")[2])

    run.process.kill()
    run.process.wait()
    until(lambda: not members(run.process.pid), run.said, 15)

    assert serve("--port", str(port)).app().endswith(f":{port}")


def test_the_app_sends_to_the_server_that_is_named(loaded: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--url` holds for the buttons of the page Labelling too."""
    given: list[dict[str, str]] = []

    def instead(db: Path, wanted: int | None, more: dict[str, str], *, host: str) -> None:
        given.append(more)
        raise KeyboardInterrupt

    monkeypatch.setenv("LABEL_STUDIO_API_KEY", "a" * 40)
    monkeypatch.setattr("annotate.cli.serve.app_process", instead)
    loaded("serve", "--url", NOWHERE)
    assert given == [{"LABEL_STUDIO_URL": NOWHERE}]


@pytest.mark.slow
def test_without_a_secret_there_is_no_route(loaded: Assay, serve: Callable[..., Serve]) -> None:
    """It is said, nothing listens but the app, and SIGTERM ends it."""
    run = serve()
    run.app()

    assert "no webhook: it needs ASSAY_WEBHOOK_SECRET" in run.said()
    assert "POST http" not in run.said()
    assert run.ends(signal.SIGTERM) == 0


@pytest.mark.parametrize(
    ("secret", "args", "words"),
    [
        ("short", (), "openssl rand -hex 32"),
        (None, ("--register", "http://assay.test/label-studio"), "--register needs ASSAY_WEBHOOK_SECRET"),
        (SECRET, ("--url", NOWHERE), "put one into LABEL_STUDIO_API_KEY"),
    ],
)
def test_what_cannot_work_is_wrong_usage(
    loaded: Assay, monkeypatch: pytest.MonkeyPatch, secret: str | None, args: tuple[str, ...], words: str
) -> None:
    """Status 2 before anything is started."""
    monkeypatch.delenv("LABEL_STUDIO_API_KEY", raising=False)
    if secret is not None:
        monkeypatch.setenv("ASSAY_WEBHOOK_SECRET", secret)

    assert words in loaded("serve", *args, status=2).stderr
