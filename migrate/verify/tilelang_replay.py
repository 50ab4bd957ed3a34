"""Replays captured launches on migrated TileLang kernels with the real compiler's ``c`` target.

All kernels of a program run in one Python process, since importing torch and TileLang takes
seconds. A crash or a timeout ends that process; the launch it belongs to is known from the
results written so far, and a new process takes the rest. What a launch left is kept by content
(:mod:`migrate.verify.replay_store`), so that nothing starts where nothing changed.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from migrate.core.artifact import EmittedKernel
from migrate.core.content_store import ContentStore
from migrate.core.diagnostics import UserError
from migrate.core.options import Limits, Options, base_environment
from migrate.emulation.run import RunResult, run_command
from migrate.emulation.toolchain import find_compiler
from migrate.ir.kernel import Kernel, Module
from migrate.verify.capture import Capture, Json, Launch
from migrate.verify.judge import Replayed, ReplayedLaunch
from migrate.verify.replay_store import ReplayStore
from migrate.verify.tilelang_job import launch_item, unreplayable

Job = tuple[EmittedKernel, Kernel, Module, tuple[Launch, ...]]
"""An emitted kernel, its IR with its module, and the launches to replay."""

_START_SECONDS = 120.0
"""Imports and the first compilation on a loaded machine."""
_BUILD_SECONDS = 30.0
"""Lowering and g++ for one kernel; measured 1 to 4."""
_ADDRESS_SPACE = 32 << 30
"""torch and TileLang reserve much more than they use."""
_WORKER = Path(__file__).with_name("tilelang_worker.py")


def tilelang_installed() -> bool:
    """Whether the extra with TileLang and torch is there."""
    return all(importlib.util.find_spec(name) is not None for name in ("tilelang", "torch"))


def replayed_libraries(work: Path) -> Path:
    """Where a replay with that scratch directory leaves the libraries of the kernels it built."""
    return work / "libraries"


def tilelang_environment(options: Options, work: Path) -> dict[str, str]:
    """The environment of a process that compiles with TileLang, with ``work`` for its scratch."""
    scratch = work / "tmp"
    scratch.mkdir(parents=True, exist_ok=True)
    return {
        **base_environment(),
        "TILELANG_CACHE_DIR": str((options.cache_dir / "tilelang").resolve()),
        "TMPDIR": str(scratch.resolve()),
        "OMP_NUM_THREADS": "1",
    }


def tilelang_limits(limits: Limits, seconds: float) -> Limits:
    """The limits of such a process, which works for ``seconds`` once it has started."""
    return replace(
        limits,
        seconds=_START_SECONDS + seconds,
        memory_bytes=max(limits.memory_bytes, _ADDRESS_SPACE),
    )


def _store(options: Options) -> ReplayStore | None:
    """Where results of replays are kept; the key holds the versions of all that makes them."""
    if not options.reuse_runs:
        return None
    try:
        compiler = find_compiler(options.cxx).version
    except UserError:
        compiler = ""
    packages = (f"{n} {importlib.metadata.version(n)}" for n in ("tilelang", "torch", "numpy"))
    tools = "\n".join((sys.version, compiler, *packages)).encode() + _WORKER.read_bytes()
    return ReplayStore(ContentStore(options.cache_dir / "replays", options.cache_bytes), tools)


def replay_tilelang(
    out: Path,
    jobs: Sequence[Job],
    capture: Capture | None,
    options: Options,
    work: Path,
) -> dict[str, Replayed]:
    """Replay every launch; results by kernel symbol.

    ``out`` is the output tree, ``work`` a scratch directory. Buffers lie between guard bytes; a
    kernel that writes there has a problem. Without a capture, kernels are only compiled.
    """
    if not tilelang_installed():
        text = "error: TileLang is not installed"
        return {e.symbol: Replayed(False, (), text) for e, _, _, _ in jobs}
    work.mkdir(parents=True, exist_ok=True)
    return _Replay(out, capture, options, work, tuple(jobs)).run()


@dataclass(frozen=True, slots=True)
class _Outcome:
    """How one launch (``seq`` -1: a compilation alone) ended."""

    status: str
    detail: str


class _Replay:
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
        self._outcomes: dict[tuple[str, int], _Outcome] = {}
        self._skipped: dict[tuple[str, int], str] = {}
        self._log: list[str] = []
        self._store = _store(options)
        self._modules = {e.file: _content(out / e.file) for e, _, _, _ in jobs}
        self._kept: dict[tuple[str, int], ReplayedLaunch] = {}

    def run(self) -> dict[str, Replayed]:
        """Start workers until every launch has an outcome."""
        self._recall()
        while True:
            pending = self._pending()
            if not pending:
                break
            known = len(self._outcomes)
            self._work_once(pending)
            if len(self._outcomes) == known:
                self._give_up(pending)
        return {e.symbol: self._result(e, launches) for e, _, _, launches in self._jobs}

    # --- what is known

    def _recall(self) -> None:
        """Take the results of launches that are known."""
        for emitted, launch in self._each():
            seq = -1 if launch is None else launch.seq
            if self._store is None or not self._is_open(emitted.symbol, launch):
                continue
            key = self._store.key(self._modules[emitted.file], emitted.entry, launch)
            if launch is None or self._capture is None:
                known = self._store.compiles(key)
            else:
                found = self._store.load(key, launch, self._capture)
                known = found is not None
                if found is not None:
                    self._kept[(emitted.symbol, seq)] = found
            if known:
                self._outcomes[(emitted.symbol, seq)] = _Outcome("ok", "")

    def _each(self) -> Iterator[tuple[EmittedKernel, Launch | None]]:
        """Every launch; one of ``None`` for a kernel that has none."""
        for emitted, _, _, launches in self._jobs:
            for launch in launches or (None,):
                yield emitted, launch

    def _remember(
        self, emitted: EmittedKernel, launch: Launch | None, left: ReplayedLaunch
    ) -> None:
        if self._store is not None:
            key = self._store.key(self._modules[emitted.file], emitted.entry, launch)
            self._store.save(key, launch, left, self._capture)

    # --- jobs

    def _pending(self) -> list[dict[str, Json]]:
        kernels: list[dict[str, Json]] = []
        for emitted, _, _, launches in self._jobs:
            todo = [x for x in launches if self._is_open(emitted.symbol, x)]
            alone = not launches and self._is_open(emitted.symbol, None)
            if todo or alone:
                kernels.append(
                    {
                        "symbol": emitted.symbol,
                        "entry": emitted.entry,
                        "module": str((self._out / emitted.file).resolve()),
                        "libraries": str(
                            (replayed_libraries(self._work) / emitted.file)
                            .with_suffix("")
                            .resolve()
                        ),
                        "launches": [self._launch(emitted.symbol, x) for x in todo],
                    }
                )
        return kernels

    def _is_open(self, symbol: str, launch: Launch | None) -> bool:
        if launch is None:
            return (symbol, -1) not in self._outcomes
        key = (symbol, launch.seq)
        if key in self._outcomes or key in self._skipped:
            return False
        if self._compile_failed(symbol):
            return False
        reason = "nothing was captured" if self._capture is None else unreplayable(launch)
        if reason:
            self._skipped[key] = reason
            return False
        return True

    def _compile_failed(self, symbol: str) -> bool:
        return any(s == symbol and o.status == "compile" for (s, _), o in self._outcomes.items())

    def _folder(self, symbol: str, seq: int) -> Path:
        folder = self._work / f"{symbol}.{seq}"
        folder.mkdir(parents=True, exist_ok=True)
        return folder.resolve()

    def _launch(self, symbol: str, launch: Launch) -> dict[str, Json]:
        assert self._capture is not None
        folder = self._folder(symbol, launch.seq)
        return launch_item(launch, self._capture, self._work / "blobs", folder)

    # --- the worker

    def _work_once(self, kernels: list[dict[str, Json]]) -> None:
        results = self._work / "results.jsonl"
        results.unlink(missing_ok=True)
        job = self._work / "job.json"
        limits = self._options.limits
        items: list[Json] = list(kernels)
        text: dict[str, Json] = {
            "folder": str(self._work.resolve()),
            "seconds": limits.seconds + _BUILD_SECONDS,
            "kernels": items,
        }
        job.write_text(json.dumps(text), encoding="utf-8")
        count = sum(max(1, len(_list(k["launches"]))) for k in kernels)
        wide = tilelang_limits(limits, count * (limits.seconds + _BUILD_SECONDS))
        command = [sys.executable, str(_WORKER.resolve()), str(job.resolve())]
        environment = tilelang_environment(self._options, self._work)
        result = run_command(command, wide, environment, self._work, writable=None)
        self._log.append(result.stderr)
        self._read(results, result)

    def _read(self, results: Path, ended: RunResult) -> None:
        running: tuple[str, int] | None = None
        lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
        for line in lines:
            item = json.loads(line)
            key = (str(item["symbol"]), int(item["seq"]))
            if item["at"] == "start":
                running = key
            else:
                self._outcomes[key] = _Outcome(str(item["status"]), str(item["detail"]))
                running = None
        if running is not None:
            self._outcomes[running] = _Outcome("crashed", _ending(ended))

    def _give_up(self, kernels: list[dict[str, Json]]) -> None:
        """The worker never came to a launch: its own start failed."""
        lines = [x for x in "".join(self._log).splitlines() if x.strip()]
        detail = lines[-1] if lines else "the worker did not start"
        for k in kernels:
            seqs = [int(str(x["seq"])) for x in _items(k["launches"])] or [-1]
            for seq in seqs:
                self._outcomes[(str(k["symbol"]), seq)] = _Outcome("compile", detail)

    # --- results

    def _result(self, emitted: EmittedKernel, launches: tuple[Launch, ...]) -> Replayed:
        symbol = emitted.symbol
        for (name, _), outcome in self._outcomes.items():
            if name == symbol and outcome.status == "compile":
                return Replayed(False, (), f"error: {outcome.detail}\n{''.join(self._log)[-4000:]}")
        if not launches and self._outcomes[(symbol, -1)].status == "ok":
            self._remember(emitted, None, ReplayedLaunch(-1))
        return Replayed(True, tuple(self._replayed(emitted, x) for x in launches))

    def _replayed(self, emitted: EmittedKernel, launch: Launch) -> ReplayedLaunch:
        symbol = emitted.symbol
        key = (symbol, launch.seq)
        if key in self._kept:
            return self._kept[key]
        if key in self._skipped:
            return ReplayedLaunch(launch.seq, not_run=self._skipped[key])
        outcome = self._outcomes[key]
        if outcome.status == "not-run":
            return ReplayedLaunch(launch.seq, not_run=outcome.detail)
        if outcome.status != "ok":
            return ReplayedLaunch(launch.seq, problem=outcome.detail)
        folder = self._folder(symbol, launch.seq)
        left = ReplayedLaunch(
            launch.seq,
            {b.alloc: (folder / f"buffer_{b.alloc}").read_bytes() for b in launch.buffers},
            {g.name: (folder / f"global_{g.name}").read_bytes() for g in launch.globals},
        )
        self._remember(emitted, launch, left)
        return left


def _content(path: Path) -> bytes:
    """A generated file; nothing where it is missing, which the worker will tell."""
    return path.read_bytes() if path.is_file() else b""


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _items(value: Json) -> list[dict[str, Json]]:
    return [x for x in _list(value) if isinstance(x, dict)]


def _ending(ended: RunResult) -> str:
    if ended.timed_out or ended.signal in ("SIGALRM", "Alarm clock"):
        return "the kernel ran past its time limit"
    return ended.signal or f"the process ended with status {ended.exit}"
