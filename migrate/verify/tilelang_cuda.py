"""Replays captured launches on the CUDA text that TileLang makes of migrated kernels.

One process lowers the kernels of a program and plans their launches; the text is then compiled
twice: by nvcc, where it is found, to know that it is CUDA, and by the host compiler over the CUDA
runtime for the CPU, to know its numbers. TileLang's headers are replaced by the stand-ins in
``emulation/include/tilelang_emu``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from migrate.core.artifact import EmittedKernel
from migrate.core.options import Options, base_environment
from migrate.core.resources import include_dir
from migrate.emulation.cuda_program import CudaSources, cuda_build_options
from migrate.emulation.run import RunResult, run_command
from migrate.emulation.source_rewrite import rewrite
from migrate.emulation.toolchain import CompileError, build_program, find_compiler
from migrate.ir.kernel import Kernel, Module
from migrate.verify.capture import Capture, Json, Launch
from migrate.verify.judge import Replayed, ReplayedLaunch
from migrate.verify.nvcc import COMPILED, NOT_FOUND, compile_with_nvcc
from migrate.verify.tilelang_job import launch_item, unreplayable
from migrate.verify.tilelang_replay import tilelang_installed

Job = tuple[EmittedKernel, Kernel, Module, tuple[Launch, ...]]
"""An emitted kernel, its IR with its module, and the launches to replay."""

NOT_LOWERED = "not-lowered"
ARCH = "sm_80"
"""What kernels are lowered for."""
_WORKER = "migrate.verify.tilelang_cuda_worker"
_START_SECONDS = 120.0
_LOWER_SECONDS = 30.0
_ADDRESS_SPACE = 32 << 30
# A device stops at an access that is not aligned; the host would not.
_STRICT = ("-fsanitize=alignment", "-fno-sanitize-recover=alignment")


@dataclass(frozen=True, slots=True)
class CudaReplayed:
    """What became of one kernel as CUDA.

    ``lowered``: TileLang made CUDA text of it. ``nvcc`` is ``compiled``, ``failed: MESSAGE``,
    ``not-found`` or ``not-lowered``. ``replayed`` has the results on the CPU runtime.
    """

    lowered: bool
    nvcc: str
    replayed: Replayed


def replay_tilelang_cuda(
    out: Path,
    jobs: Sequence[Job],
    capture: Capture | None,
    options: Options,
    work: Path,
    *,
    nvcc: bool = True,
) -> dict[str, CudaReplayed]:
    """Lower, compile and replay every kernel; results by kernel symbol.

    ``out`` is the output tree, ``work`` a scratch directory. Buffers lie in device memory between
    guard zones; a kernel that writes there has a problem. Without a capture, kernels are only
    compiled. ``nvcc`` false leaves nvcc out, as if it were not found.
    """
    if not tilelang_installed():
        lost = CudaReplayed(False, NOT_LOWERED, Replayed(False, (), "error: no TileLang"))
        return {e.symbol: lost for e, _, _, _ in jobs}
    work.mkdir(parents=True, exist_ok=True)
    lowering = _Lowering(out, capture, options, work, tuple(jobs))
    lowering.run()
    texts = _Texts(options, nvcc)
    return {job[0].symbol: _Kernel(job, lowering, texts, capture, options).result() for job in jobs}


# --- lowering


@dataclass(frozen=True, slots=True)
class _Outcome:
    """How the planning of one launch (``seq`` -1: of none) ended."""

    status: str
    detail: str


class _Lowering:
    """Runs the worker until every kernel has an outcome."""

    def __init__(
        self,
        out: Path,
        capture: Capture | None,
        options: Options,
        work: Path,
        jobs: tuple[Job, ...],
    ) -> None:
        self._out = out
        self._capture = capture
        self._options = options
        self._work = work
        self._jobs = jobs
        self.outcomes: dict[tuple[str, int], _Outcome] = {}
        self.texts: dict[str, dict[int, str]] = {}
        """For each kernel symbol the numbers of its CUDA texts with the functions' names."""
        self.plans: dict[tuple[str, int], int] = {}
        """The text that a launch runs; none for a launch of no threads."""
        self.log = ""

    def folder(self, symbol: str, seq: int) -> Path:
        """Where the job of a launch and its results lie."""
        folder = self._work / f"{symbol}.{seq}"
        folder.mkdir(parents=True, exist_ok=True)
        return folder.resolve()

    def source(self, number: int) -> Path:
        """The CUDA text with that number."""
        return self._work / "cuda" / f"{number}.cu"

    def run(self) -> None:
        """Start workers until all launches are planned; one that crashes costs one launch."""
        while True:
            pending = self._pending()
            if not pending:
                return
            known = len(self.outcomes)
            ended = self._work_once(pending)
            if len(self.outcomes) == known:
                lines = [x for x in ended.stderr.splitlines() if x.strip()]
                lost = _Outcome("compile", lines[-1] if lines else "the worker did not start")
                for kernel in pending:
                    self.outcomes[(str(kernel["symbol"]), -1)] = lost

    def failure(self, symbol: str) -> str:
        """Why a kernel could not be lowered, or nothing."""
        for (name, _), o in self.outcomes.items():
            if name == symbol and o.status == "compile":
                return o.detail
        return ""

    def _pending(self) -> list[dict[str, Json]]:
        kernels: list[dict[str, Json]] = []
        for emitted, _, _, launches in self._jobs:
            symbol = emitted.symbol
            if self.failure(symbol) or (symbol, -1) in self.outcomes:
                continue
            todo: list[Json] = []
            if self._capture is not None:
                for x in launches:
                    if not unreplayable(x) and (symbol, x.seq) not in self.outcomes:
                        folder = self.folder(symbol, x.seq)
                        todo.append(launch_item(x, self._capture, self._work / "blobs", folder))
            if todo or symbol not in self.texts:
                kernels.append(
                    {
                        "symbol": symbol,
                        "entry": emitted.entry,
                        "module": str((self._out / emitted.file).resolve()),
                        "launches": todo,
                    }
                )
        return kernels

    def _work_once(self, kernels: list[dict[str, Json]]) -> RunResult:
        results = self._work / "results.jsonl"
        results.unlink(missing_ok=True)
        items: list[Json] = list(kernels)
        job: dict[str, Json] = {
            "folder": str(self._work.resolve()),
            "seconds": _LOWER_SECONDS,
            "arch": ARCH,
            "first": sum(len(x) for x in self.texts.values()),
            "kernels": items,
        }
        path = self._work / "job.json"
        path.write_text(json.dumps(job), encoding="utf-8")
        limits = replace(
            self._options.limits,
            seconds=_START_SECONDS + _LOWER_SECONDS * len(kernels),
            memory_bytes=max(self._options.limits.memory_bytes, _ADDRESS_SPACE),
        )
        command = [sys.executable, "-m", _WORKER, str(path.resolve())]
        ended = run_command(command, limits, self._environment(), self._work, writable=None)
        self.log += ended.stderr
        self._read(results, ended)
        return ended

    def _environment(self) -> dict[str, str]:
        scratch = self._work / "tmp"
        scratch.mkdir(parents=True, exist_ok=True)
        return {
            **base_environment(),
            "TILELANG_CACHE_DIR": str((self._options.cache_dir / "tilelang").resolve()),
            "TMPDIR": str(scratch.resolve()),
            "OMP_NUM_THREADS": "1",
        }

    def _read(self, results: Path, ended: RunResult) -> None:
        running: tuple[str, int] | None = None
        lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
        for line in lines:
            item = json.loads(line)
            symbol, seq, at = str(item["symbol"]), int(item["seq"]), str(item["at"])
            if at == "start":
                running = (symbol, seq)
            elif at == "text":
                self.texts.setdefault(symbol, {})[seq] = str(item["status"])
            elif at == "plan":
                self.plans[(symbol, seq)] = int(item["status"])
            else:
                self.outcomes[(symbol, seq)] = _Outcome(str(item["status"]), str(item["detail"]))
                running = None
        if running is not None:
            cause = ended.signal or f"the worker ended with status {ended.exit}"
            self.outcomes[running] = _Outcome("compile", cause)


# --- compiling


class _Texts:
    """Compiles CUDA texts."""

    def __init__(self, options: Options, with_nvcc: bool) -> None:
        self._options = options
        self._with_nvcc = with_nvcc

    def nvcc(self, source: Path) -> str:
        """See :func:`compile_with_nvcc`."""
        if not self._with_nvcc:
            return NOT_FOUND
        return compile_with_nvcc(source, source.with_suffix(".cubin"))

    def program(self, source: Path, function: str) -> Path:
        """The program that replays one CUDA function. Raises ``CompileError`` and ``ValueError``
        for text that the rewriter does not understand."""
        result = rewrite(source.read_text(encoding="utf-8"))
        if result.problems:
            first = result.problems[0]
            raise ValueError(f"line {first.line}: {first.message}")
        main = (
            "\n#include <replay.h>\n"
            "int main(int argc, char** argv) {\n"
            f"  return tilelang_emu::replay(argc, argv, {function});\n"
            "}\n"
        )
        path = source.with_suffix(".cpp")
        path.write_text(result.text + main, encoding="utf-8")
        headers = include_dir() / "tilelang_emu"
        sources = CudaSources((path,), include_dirs=(headers,), flags=_STRICT)
        settings = cuda_build_options(sources, self._options.cache_dir)
        compiler = find_compiler(self._options.cxx)
        return build_program(compiler, [path], source.with_suffix(".replay"), settings)


class _Kernel:
    """Compiles and replays one kernel."""

    def __init__(
        self,
        job: Job,
        lowering: _Lowering,
        texts: _Texts,
        capture: Capture | None,
        options: Options,
    ) -> None:
        self._symbol = job[0].symbol
        self._launches = job[3]
        self._lowering = lowering
        self._texts = texts
        self._capture = capture
        self._options = options
        self._programs: dict[int, Path] = {}

    def result(self) -> CudaReplayed:
        """Everything about the kernel."""
        failure = self._lowering.failure(self._symbol)
        texts = self._lowering.texts.get(self._symbol, {})
        if failure or not texts:
            log = f"error: {failure or 'it was not lowered'}\n{self._lowering.log[-4000:]}"
            return CudaReplayed(False, NOT_LOWERED, Replayed(False, (), log))
        said = [self._texts.nvcc(self._lowering.source(n)) for n in texts]
        nvcc = next((x for x in said if x != COMPILED), COMPILED)
        try:
            for number, function in texts.items():
                source = self._lowering.source(number)
                self._programs[number] = self._texts.program(source, function)
        except CompileError as error:
            return CudaReplayed(True, nvcc, Replayed(False, (), error.stderr))
        except ValueError as error:
            return CudaReplayed(True, nvcc, Replayed(False, (), f"error: {error}"))
        replayed = tuple(self._launch(x) for x in self._launches)
        return CudaReplayed(True, nvcc, Replayed(True, replayed))

    def _launch(self, launch: Launch) -> ReplayedLaunch:
        if self._capture is None:
            return ReplayedLaunch(launch.seq, not_run="nothing was captured")
        reason = unreplayable(launch)
        if reason:
            return ReplayedLaunch(launch.seq, not_run=reason)
        key = (self._symbol, launch.seq)
        planned = self._lowering.outcomes[key]
        if planned.status == "not-run":
            return ReplayedLaunch(launch.seq, not_run=planned.detail)
        if planned.status != "ok":
            return ReplayedLaunch(launch.seq, problem=planned.detail)
        number = self._lowering.plans.get(key)
        if number is None:  # the launch has no threads
            return ReplayedLaunch(
                launch.seq,
                {b.alloc: self._capture.blob(b.before) for b in launch.buffers},
                {g.name: self._capture.blob(g.before) for g in launch.globals},
            )
        folder = self._lowering.folder(*key)
        command = [str(self._programs[number].resolve()), str(folder / "job")]
        ended = run_command(command, self._options.limits, writable=(folder,))
        if not ended.ok:
            return ReplayedLaunch(launch.seq, problem=_problem(ended))
        count = len(launch.buffers)
        return ReplayedLaunch(
            launch.seq,
            {b.alloc: (folder / f"buffer_{n}").read_bytes() for n, b in enumerate(launch.buffers)},
            {
                g.name: (folder / f"buffer_{count + n}").read_bytes()
                for n, g in enumerate(launch.globals)
            },
        )


def _problem(ended: RunResult) -> str:
    if ended.timed_out:
        return f"stopped after {ended.seconds:.1f} s"
    lines = [x for x in ended.stderr.splitlines() if x.strip()]
    told = ("runtime error", "cuda_emu:", "replay:")
    first = next((x for x in lines if any(w in x for w in told)), lines[-1] if lines else "")
    return f"{ended.signal or f'exit status {ended.exit}'}: {first or 'no message'}"
