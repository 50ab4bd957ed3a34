"""Builds the Ascend C test programs, each once a session."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

from migrate.emulation.asc_rewrite import compile_flags, rewrite_asc

PROGRAMS = Path(__file__).parent / "ascendc_programs"

#: Exit code of a program that broke a rule.
VIOLATION = 86


@lru_cache(maxsize=1)
def _work() -> Path:
    place = Path(tempfile.mkdtemp(prefix="ascendc_tests_"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place


@lru_cache(maxsize=1)
def compiler() -> str:
    """The first host compiler found."""
    return next((c for c in ("g++", "clang++") if shutil.which(c)), "g++")


@lru_cache(maxsize=16)
def program(name: str, arch: int) -> Path:
    """The compiled program ``ascendc_programs/<name>.asc``."""
    source = PROGRAMS / f"{name}.asc"
    cpp = _work() / f"{name}_{arch}.cpp"
    cpp.write_text(rewrite_asc(source.read_text(encoding="utf-8"), source.name), encoding="utf-8")
    out = cpp.with_suffix("")
    command = [compiler(), *compile_flags(arch), "-O0", str(cpp), "-o", str(out)]
    subprocess.run(command, check=True, timeout=120)
    return out


def run(path: Path, *args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """One run with a time limit; both output streams are captured."""
    return subprocess.run(
        [str(path), *args],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **environment},
        check=False,
    )


def syntax_errors(code: str, arch: int) -> str:
    """Messages of the compiler for a source that need not compile; empty if it does."""
    cpp = _work() / f"snippet_{abs(hash((code, arch)))}.cpp"
    cpp.write_text(rewrite_asc(code, "snippet.asc"), encoding="utf-8")
    command = [compiler(), *compile_flags(arch), "-fsyntax-only", str(cpp)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return "" if done.returncode == 0 else done.stderr
