"""End a Label Studio when the process that started it has ended; a separate program, `python watching.py PID FOLDER`.

Standard input is a pipe whose other end is with that process alone: it ends without a word where the process was killed. The
server is then left over, and would hold its port and its folder; its group is ended, if it is still the one on that folder.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

SECONDS = 10.0


def main(group: int, folder: str) -> None:
    """Wait, then end the group."""
    if sys.stdin.buffer.read() or folder not in command_of(group):
        return
    for sign in (signal.SIGTERM, signal.SIGKILL):
        send(group, sign)
        until = time.monotonic() + SECONDS
        while send(group, 0):
            if time.monotonic() > until:
                break
            time.sleep(0.2)
        else:
            return


def send(group: int, sign: int) -> bool:
    """Signal the group; whether there is one."""
    try:
        os.killpg(group, sign)
    except OSError:
        return False
    return True


def command_of(pid: int) -> str:
    """Return the command line of a process, empty where there is none: the number may be another's by now."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        pass
    try:
        done = subprocess.run(["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, check=False)
    except OSError:
        return ""
    return done.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
