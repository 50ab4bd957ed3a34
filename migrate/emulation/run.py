"""Runs a program that may crash, hang or fill the disk, and says how it ended.

The sandbox: own session, bare environment, limits on time, memory, files, output and processes,
and where Linux allows it to an ordinary user, own namespaces (no network, no process outlives the
run) and writing to the work folder only (Landlock). ``sandbox_child.py`` is the inner half.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from pathlib import Path

from migrate.core.codes import checks as codes
from migrate.core.codes.verification import ORIGINAL_FAILS, RUN_CRASHED, RUN_TIMED_OUT
from migrate.core.diagnostics import Diagnostic, Outcome
from migrate.core.options import Limits
from migrate.emulation.processes import usage_below
from migrate.emulation.sandbox_child import landlock_version

_SHOWN_BYTES = 8 << 20
_CHILD = Path(__file__).with_name("sandbox_child.py")
_LOOK_SECONDS = 0.05
_MOST_FILES = 20_000
_END_SECONDS = 10.0


class Stop(Enum):
    """Which limit ended a run."""

    NOT = ""
    TIME = "time"
    MEMORY = "memory"
    OUTPUT = "output"
    PROCESSES = "processes"
    FILES = "files"


_STOP_CODES = {
    Stop.TIME: RUN_TIMED_OUT,
    Stop.MEMORY: codes.RUN_MEMORY,
    Stop.OUTPUT: codes.RUN_OUTPUT,
    Stop.PROCESSES: codes.RUN_PROCESSES,
    Stop.FILES: codes.RUN_FILES,
}
_OUT_OF_MEMORY = ("std::bad_alloc", "cuda_emu: out of memory")


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended.

    ``exit`` is the exit status, or minus the signal's number. ``signal`` is the signal's name
    (``SIGSEGV``), empty for a normal end. ``seconds`` is wall time. The texts are cut at 8 MiB.
    ``stopped`` is the limit that ended it; ``limits`` are those it ran under. ``most_memory`` is
    the most bytes that were in use.
    """

    exit: int
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool
    signal: str
    stopped: Stop = Stop.NOT
    limits: Limits = field(default_factory=Limits)
    most_memory: int = 0

    @property
    def ok(self) -> bool:
        """Ended in time, by itself, with status 0."""
        return self.exit == 0 and not self.timed_out and self.stopped is Stop.NOT

    def diagnostic(self) -> Diagnostic | None:
        """What to report about a run that was not ``ok``."""
        if self.ok:
            return None
        stopped = self.stopped
        if stopped is Stop.NOT and self.signal and self._ran_out_of_memory():
            stopped = Stop.MEMORY
        if stopped is not Stop.NOT or self.timed_out:
            code = _STOP_CODES[Stop.TIME if stopped is Stop.NOT else stopped]
            return Diagnostic(code, Outcome.STOPPED, self._limit_words(stopped))
        words = [line for line in self.stderr.splitlines() if line.strip()]
        last = next((w for w in reversed(words) if w.startswith("cuda_emu:")), "")
        detail = f": {last or words[-1]}" if words else ""
        if self.signal:
            return Diagnostic(RUN_CRASHED, Outcome.STOPPED, f"{self.signal}{detail}")
        return Diagnostic(ORIGINAL_FAILS, Outcome.STOPPED, f"exit status {self.exit}{detail}")

    def _ran_out_of_memory(self) -> bool:
        """It crashed with the limit all but used up, or says so itself."""
        said = any(words in self.stderr for words in _OUT_OF_MEMORY)
        return said or self.most_memory * 10 > self.limits.memory_bytes * 9

    def _limit_words(self, stopped: Stop) -> str:
        after = f"after {self.seconds:.1f} s"
        limits = self.limits
        match stopped:
            case Stop.MEMORY:
                return f"{after}: more than {limits.memory_bytes >> 20} MiB of memory"
            case Stop.OUTPUT:
                return f"{after}: more than {limits.output_bytes >> 20} MiB of output"
            case Stop.PROCESSES:
                return f"{after}: more than {limits.processes} processes"
            case Stop.FILES:
                return f"{after}: more than {limits.file_bytes >> 20} MiB, or too many, files"
            case Stop.NOT | Stop.TIME:
                return f"stopped {after}"


@dataclass(frozen=True, slots=True)
class Confinement:
    """What this system lets the sandbox do: ``writes`` by Landlock, ``processes`` by namespaces."""

    writes: bool
    processes: bool


@lru_cache(maxsize=1)
def confinement() -> Confinement:
    """Asks the system once."""
    script = "import sandbox_child as s; print(int(s.leave_namespaces()))"
    try:
        run = subprocess.run(
            [sys.executable, "-c", script],
            cwd=_CHILD.parent,
            env={"PATH": os.defpath},
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return Confinement(landlock_version() > 0, False)
    return Confinement(landlock_version() > 0, run.stdout.strip() == "1")


def _text(path: Path) -> str:
    with path.open("rb") as stream:
        return stream.read(_SHOWN_BYTES).decode("utf-8", "replace")


def _folder_is_full(folder: Path, most_bytes: int) -> bool:
    """Whether the files below ``folder`` are too many or together too large."""
    files = total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            files += 1
            try:
                total += os.lstat(os.path.join(place, name)).st_size
            except OSError:
                continue
            if total > most_bytes or files > _MOST_FILES:
                return True
    return False


@dataclass(slots=True)
class _Watch:
    """Looks at a running program until it ends by itself or passes a limit."""

    process: subprocess.Popen[bytes]
    limits: Limits
    outputs: tuple[Path, ...]
    folder: Path
    begin: float
    looks: int = 0

    def until_end(self) -> Stop:
        """Waits; returns the limit that was passed, or ``Stop.NOT``."""
        try:
            ended = os.pidfd_open(self.process.pid)
        except OSError:
            return self._without_descriptor()
        try:
            waiting = select.poll()
            waiting.register(ended, select.POLLIN)
            while not waiting.poll(1000 * min(_LOOK_SECONDS, max(0.0, self._left()))):
                stop = self._passed()
                if stop is not Stop.NOT:
                    return stop
            return Stop.NOT
        finally:
            os.close(ended)

    def _without_descriptor(self) -> Stop:
        while True:
            try:
                self.process.wait(min(_LOOK_SECONDS, max(0.001, self._left())))
                return Stop.NOT
            except subprocess.TimeoutExpired:
                stop = self._passed()
                if stop is not Stop.NOT:
                    return stop

    def _left(self) -> float:
        return self.limits.seconds - (time.monotonic() - self.begin)

    def _passed(self) -> Stop:
        self.looks += 1
        if self._left() <= 0:
            return Stop.TIME
        if any(path.stat().st_size > self.limits.output_bytes for path in self.outputs):
            return Stop.OUTPUT
        usage = usage_below(self.process.pid, self.limits.processes)
        if usage.processes > self.limits.processes:
            return Stop.PROCESSES
        if usage.memory > self.limits.memory_bytes:
            return Stop.MEMORY
        full = self.looks % 16 == 0 and _folder_is_full(self.folder, self.limits.file_bytes)
        return Stop.FILES if full else Stop.NOT


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the program and all that it started; the child does it, and gets time for that."""
    process.terminate()
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _settings(
    command: Sequence[str], limits: Limits, writable: Sequence[Path] | None, status: int
) -> str:
    cores = max(1, os.cpu_count() or 1)
    return json.dumps(
        {
            "command": list(command),
            "writable": None if writable is None else [str(p.absolute()) for p in writable],
            "address_space": limits.memory_bytes + limits.reserved_bytes,
            "file_bytes": limits.file_bytes,
            "cpu_seconds": int(limits.seconds * cores) + 1,
            "processes": limits.processes,
            "status": status,
        }
    )


def _ended(line: str) -> tuple[int, int]:
    """Status (minus a signal's number) and memory in the child's result line; -9 without a line."""
    word, _, rest = line.strip().partition(" ")
    if word == "failed":
        raise OSError(rest)
    values = [int(value) for value in rest.split()]
    if len(values) != 2:
        return -int(signal.SIGKILL), 0
    return (values[0] if word == "exit" else -values[0]), values[1] * 1024


def run_command(
    command: Sequence[str],
    limits: Limits,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    stdin: Path | None = None,
    writable: Sequence[Path] | None = (),
    files: Sequence[tuple[str, Path]] = (),
) -> RunResult:
    """Runs ``command`` in a sandbox, in ``folder`` or an empty scratch directory.

    Wall time, CPU time, memory, files, output and processes are limited; network and other
    processes are out of reach where the system allows that (``confinement``). Files can be written
    in ``folder``, the scratch directory and ``writable`` only; None lets a command of our own write
    anywhere. ``files`` are copied there before: a relative name and the file.
    ``environment`` is added to a bare one (PATH, HOME, LANG). Whatever the program left
    running is killed. Raises ``OSError`` when it cannot be started at all.
    """
    with tempfile.TemporaryDirectory(
        prefix="cudamigrate-run-", ignore_cleanup_errors=True
    ) as scratch:
        home = Path(scratch) / "home"
        home.mkdir()
        for name, file in files:
            place = (folder or home) / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place)
        env = {"PATH": os.defpath, "HOME": str(home), "TMPDIR": str(home), "LANG": "C.UTF-8"}
        env.update(environment or {})
        out, err = Path(scratch) / "stdout", Path(scratch) / "stderr"
        allowed = None if writable is None else (home, *((folder,) if folder else ()), *writable)
        reading, writing = os.pipe()
        begin = time.monotonic()
        with (
            os.fdopen(reading, "r") as result,
            out.open("wb") as to_out,
            err.open("wb") as to_err,
            (stdin or Path(os.devnull)).open("rb") as from_in,
        ):
            words = [sys.executable, "-I", "-S", str(_CHILD)]
            try:
                process = subprocess.Popen(
                    [*words, _settings(command, limits, allowed, writing)],
                    stdin=from_in,
                    stdout=to_out,
                    stderr=to_err,
                    cwd=folder or home,
                    env=env,
                    start_new_session=True,
                    pass_fds=(writing,),
                )
            finally:
                os.close(writing)
            stopped = _Watch(process, limits, (out, err), home, begin).until_end()
            _end(process)
            line = result.readline()
        seconds = time.monotonic() - begin
        code, memory = _ended(line)
        if code == -signal.SIGXCPU:
            stopped = Stop.TIME
        known = code < 0 and -code in set(signal.Signals)  # real-time signals have no name
        name = signal.Signals(-code).name if known else ""
        timed_out = stopped is Stop.TIME
        return RunResult(
            code, _text(out), _text(err), seconds, timed_out, name, stopped, limits, memory
        )
