"""`python -m annotate` is the command `assay`."""

from __future__ import annotations

from annotate.cli import main

main(prog_name="assay")
