"""Running builds and programs of converted trees."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TREES = ROOT / "corpus" / "trees"


def run(command: list[str], folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """A command in a folder, with ``cpu-build/bisheng`` able to find this checkout.

    Under ``make test`` the environment carries the outer make's level and flags; an inner make
    that inherits them prints its directories and shares the outer one's jobs.
    """
    outer = ("MAKELEVEL", "MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES")
    environment = {name: value for name, value in os.environ.items() if name not in outer}
    environment |= {"CUDAMIGRATE_PYTHON": sys.executable, "PYTHONPATH": str(ROOT)} | more
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def passes_only_with_kernels(program: list[str], folder: Path) -> None:
    """The program's own check holds, and notices when no kernel runs."""
    good = run(program, folder)
    assert good.returncode == 0 and good.stdout.endswith("PASS\n"), good.stdout + good.stderr
    bad = run(program, folder, CUDAMIGRATE_SKIP_KERNELS="1")
    assert bad.returncode == 1 and bad.stdout.endswith("FAIL\n")
