"""Runs a program that may crash, hang or fill the disk, and says how it ended."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from migrate.core.codes.verification import ORIGINAL_FAILS, RUN_CRASHED, RUN_TIMED_OUT
from migrate.core.diagnostics import Diagnostic, Outcome
from migrate.core.options import Limits

_SHOWN_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended.

    ``exit`` is the exit status, or minus the signal's number. ``signal`` is the signal's name
    (``SIGSEGV``), empty for a normal end. ``seconds`` is wall time. The texts are cut at 8 MiB.
    """

    exit: int
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool
    signal: str

    @property
    def ok(self) -> bool:
        """Ended in time, by itself, with status 0."""
        return self.exit == 0 and not self.timed_out

    def diagnostic(self) -> Diagnostic | None:
        """What to report about a run that was not ``ok``."""
        if self.ok:
            return None
        if self.timed_out:
            cause = f"stopped after {self.seconds:.1f} s"
            return Diagnostic(RUN_TIMED_OUT, Outcome.STOPPED, cause)
        words = [line for line in self.stderr.splitlines() if line.strip()]
        last = next((w for w in reversed(words) if w.startswith("cuda_emu:")), "")
        detail = f": {last or words[-1]}" if words else ""
        if self.signal:
            return Diagnostic(RUN_CRASHED, Outcome.STOPPED, f"{self.signal}{detail}")
        return Diagnostic(ORIGINAL_FAILS, Outcome.STOPPED, f"exit status {self.exit}{detail}")


@lru_cache(maxsize=1)
def _isolation() -> tuple[str, ...]:
    """Command words that cut the network off, where an ordinary user is allowed to."""
    program = shutil.which("unshare")
    if program is None:
        return ()
    words = (program, "--map-root-user", "--net")
    try:
        run = subprocess.run([*words, "true"], capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return words if run.returncode == 0 else ()


def _limited(command: Sequence[str], limits: Limits, threads: int) -> list[str]:
    """The command under the shell's resource limits, which the program and its children inherit."""
    cpu = max(1, int(limits.seconds * max(1, threads)) + 1)
    script = (
        f"ulimit -c 0; ulimit -v {(limits.memory_bytes + limits.reserved_bytes) // 1024}; "
        f'ulimit -f {max(1, limits.file_bytes // 512)}; ulimit -t {cpu}; exec "$@"'
    )
    return ["/bin/sh", "-c", script, "sh", *_isolation(), *command]


def _text(path: Path) -> str:
    with path.open("rb") as stream:
        return stream.read(_SHOWN_BYTES).decode("utf-8", "replace")


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def run_command(
    command: Sequence[str],
    limits: Limits,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    stdin: Path | None = None,
    writable: tuple[Path, ...] = (),
) -> RunResult:
    """Runs ``command`` in a process group of its own, in ``folder`` or an empty scratch directory.

    Wall time, CPU time, address space and file sizes are limited; the network is off where that
    needs no privileges. ``environment`` is added to a bare one (PATH, HOME, LANG). Whatever the
    program left running is killed. Raises ``OSError`` when it cannot be started at all.
    """
    with tempfile.TemporaryDirectory(prefix="cudamigrate-run-") as scratch:
        home = Path(scratch) / "home"
        home.mkdir()
        env = {"PATH": os.defpath, "HOME": str(home), "TMPDIR": str(home), "LANG": "C.UTF-8"}
        env.update(environment or {})
        out, err = Path(scratch) / "stdout", Path(scratch) / "stderr"
        words = _limited(command, limits, os.cpu_count() or 1)
        begin = time.monotonic()
        with (
            out.open("wb") as to_out,
            err.open("wb") as to_err,
            (stdin or Path(os.devnull)).open("rb") as from_in,
            subprocess.Popen(
                words,
                stdin=from_in,
                stdout=to_out,
                stderr=to_err,
                cwd=folder or home,
                env=env,
                start_new_session=True,
            ) as process,
        ):
            timed_out = False
            try:
                process.wait(limits.seconds)
            except subprocess.TimeoutExpired:
                timed_out = True
            _kill_group(process)
            code = process.wait()
        seconds = time.monotonic() - begin
        if code > 128 and code - 128 in set(signal.Signals):  # real-time signals have no name
            code = 128 - code  # a shell between us and the program reports signals this way
        if code == -signal.SIGXCPU:
            timed_out = True
        name = signal.Signals(-code).name if code < 0 else ""
        return RunResult(code, _text(out), _text(err), seconds, timed_out, name)
