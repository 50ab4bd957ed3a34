"""Replays captured launches on migrated Ascend C kernels, one process a launch."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from migrate.analysis.device_variables import device_variables
from migrate.core.artifact import Artifact, EmittedKernel
from migrate.core.codes import target as target_codes
from migrate.core.options import Options
from migrate.emulation.run import RunResult, run_command
from migrate.emulation.toolchain import CompileError, build_program, find_compiler
from migrate.ir.kernel import Kernel, Module
from migrate.verify.ascend_driver import driver_source
from migrate.verify.ascend_isolate import faulty_kernels, without_kernels
from migrate.verify.ascend_program import build_options, compiled_with, stage_sources
from migrate.verify.capture import Argument, Capture, Launch
from migrate.verify.judge import Replayed, ReplayedLaunch

Job = tuple[EmittedKernel, Kernel, Module, tuple[Launch, ...]]
"""An emitted kernel, its IR with its module, and the launches to replay."""


def replay_ascend(
    out: Path,
    artifact: Artifact,
    jobs: Sequence[Job],
    capture: Capture | None,
    options: Options,
    work: Path,
) -> dict[str, Replayed]:
    """Replay every launch; results by kernel symbol.

    ``out`` is the output tree, ``work`` a scratch directory. Buffers are surrounded by guard bytes;
    a kernel that writes there has a problem. Without a capture, kernels are only compiled.
    """
    work.mkdir(parents=True, exist_ok=True)
    replay = _Replay(out, artifact, capture, options, work)
    found: dict[str, Replayed] = {}
    for main, group in replay.groups(jobs).items():
        found.update(replay.group(main, group))
    return found


@dataclass(slots=True)
class _Replay:
    out: Path
    artifact: Artifact
    capture: Capture | None
    options: Options
    work: Path
    _staged: Path = field(init=False)

    def __post_init__(self) -> None:
        self._staged = self.work / "src"

    def groups(self, jobs: Sequence[Job]) -> dict[str, list[Job]]:
        """Jobs by the ``.asc`` file in which their kernels are seen."""
        found: dict[str, list[Job]] = {}
        for job in jobs:
            path = compiled_with(self.artifact, job[0].file)
            found.setdefault(str(path), []).append(job)
        return found

    def group(self, main: str, jobs: list[Job]) -> dict[str, Replayed]:
        """All jobs of one file: one driver, then one run a launch.

        Kernels that do not compile are left out of the driver, so that the others get a verdict.
        """
        faults: dict[str, str] = {}
        while True:
            left = [j for j in jobs if j[0].symbol not in faults]
            found = {j[0].symbol: Replayed(False, (), faults.get(j[0].symbol, "")) for j in jobs}
            try:
                program = self._build(main, left, faults) if left else None
            except CompileError as error:
                new = faulty_kernels(error.stderr, self.artifact.kernels)
                if not new or new.keys() <= faults.keys():
                    return found | {j[0].symbol: Replayed(False, (), error.stderr) for j in left}
                faults.update({k: v for k, v in new.items() if k not in faults})
                continue
            except ValueError as error:
                return found | {j[0].symbol: Replayed(False, (), f"error: {error}") for j in left}
            for emitted, kernel, module, launches in left:
                assert program is not None
                read = _variables_read(kernel, module)
                results = tuple(self._launch(program, emitted, x, read) for x in launches)
                found[emitted.symbol] = Replayed(True, results)
            return found

    def _build(self, main: str, jobs: list[Job], left_out: Iterable[str]) -> Path:
        edited = without_kernels(self.out, self.artifact, left_out)
        stage_sources(self.out, self.artifact, self._staged, edited)
        variables = sorted(
            {g.name for _, _, m, ls in jobs for x in ls for g in x.globals if _has(m, g.name)}
        )
        named = dict(self.artifact.variables)
        shown = [(name, named.get(name, name)) for name in variables]
        entries = [(e.symbol, e.entry) for e, _, _, _ in jobs]
        place = self._staged / Path(main)
        driver = place.with_name(f"{place.stem}.replay.cpp")
        driver.write_text(driver_source(place.name, entries, shown), encoding="utf-8")
        settings = build_options(self.artifact, self.options, self._staged)
        # Functions of other files that host code here calls are never reached. GNU ld gives them
        # lazy relocations of no type, which the loader refuses; it leaves none when bound at once.
        lenient = (*settings.libraries, "-Wl,--unresolved-symbols=ignore-all", "-Wl,-z,now")
        settings = replace(settings, libraries=lenient)
        program = self.work / f"{place.stem}.replay"
        return build_program(find_compiler(self.options.cxx), [driver], program, settings)

    # --- one launch -------------------------------------------------------------------------

    def _launch(
        self, program: Path, emitted: EmittedKernel, launch: Launch, read: frozenset[str]
    ) -> ReplayedLaunch:
        assert self.capture is not None
        folder = self.work / f"{emitted.symbol}.{launch.seq}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        reason = _unreplayable(launch, read)
        if reason:
            return ReplayedLaunch(launch.seq, not_run=reason)
        job = folder / "job"
        job.write_text(self._job(emitted, launch, folder), encoding="utf-8")
        limits = self.options.limits
        command = [str(program.resolve()), str(job.resolve())]
        result = run_command(command, limits, writable=(folder,))
        refused = _refused(result)
        if refused:
            made = ReplayedLaunch(launch.seq, not_run=refused)
        elif not result.ok:
            made = ReplayedLaunch(launch.seq, problem=_problem(result))
        else:
            made = ReplayedLaunch(
                launch.seq,
                {b.alloc: (folder / f"buffer_{b.alloc}").read_bytes() for b in launch.buffers},
                {g.name: (folder / f"global_{g.name}").read_bytes() for g in launch.globals},
            )
        shutil.rmtree(folder, ignore_errors=True)
        return made

    def _job(self, emitted: EmittedKernel, launch: Launch, folder: Path) -> str:
        assert self.capture is not None
        g, b = launch.grid, launch.block
        lines = [
            f"kernel {emitted.symbol}",
            f"out {folder.resolve()}",
            f"grid {g[0]} {g[1]} {g[2]}",
            f"block {b[0]} {b[1]} {b[2]}",
            f"shared {launch.shared_bytes}",
        ]
        for buffer in launch.buffers:
            file = folder / f"before_{buffer.alloc}"
            file.write_bytes(self.capture.blob(buffer.before))
            lines.append(f"buffer {buffer.alloc} {buffer.size} {file.resolve()}")
            lines += [f"inner {buffer.alloc} {w.at} {w.alloc} {w.offset}" for w in buffer.pointers]
        for variable in launch.globals:
            file = folder / f"before_{variable.name}"
            file.write_bytes(self.capture.blob(variable.before))
            lines.append(f"global {variable.name} {file.resolve()}")
            lines += [
                f"inside {variable.name} {w.at} {w.alloc} {w.offset}" for w in variable.pointers
            ]
        for argument in launch.args:
            lines += _argument(argument)
        return "\n".join(lines) + "\n"


def _argument(a: Argument) -> list[str]:
    if a.kind == "pointer":
        return [f"pointer {a.alloc} {a.offset}"]
    words = [f"word {w.at} {w.alloc} {w.offset}" for w in a.pointers]
    return [f"raw {a.data.hex()}", *words]


def _variables_read(kernel: Kernel, module: Module) -> frozenset[str]:
    """Device variables that a kernel uses, those left out whose value is in the code."""
    return device_variables(kernel, module) & {g.name for g in module.globals if g.init is None}


def _unreplayable(launch: Launch, read: frozenset[str]) -> str:
    """Why a launch cannot be replayed, or nothing; ``read`` are the device variables it needs."""
    missing = sorted(read - {g.name for g in launch.globals})
    if missing:
        return f"device variable {missing[0]} was not captured"
    if read and launch.ambiguous:
        return f"two device variables are named {launch.ambiguous}"
    for a in launch.args:
        if a.kind == "pointer" and a.alloc == -2:
            return f"argument {a.name} does not point to device memory"
    known = {b.alloc for b in launch.buffers}
    for a in launch.args:
        words = [w.alloc for w in a.pointers]
        if a.kind == "pointer":
            words.append(a.alloc)
        if any(w >= 0 and w not in known for w in words):
            return f"the buffer of argument {a.name} was not captured"
    return ""


def _refused(result: RunResult) -> str:
    """What the launch function said that ended the program before its kernel ran, or nothing."""
    last = (result.stderr.strip().splitlines() or [""])[-1]
    codes = (target_codes.NO_ROOM.id, target_codes.LAUNCH_LIMIT.id)
    return last if result.signal == "SIGABRT" and last.startswith(codes) else ""


def _problem(result: RunResult) -> str:
    if result.timed_out:
        return f"stopped after {result.seconds:.1f} s"
    lines = [x for x in result.stderr.splitlines() if x.strip()]
    first = next((x for x in lines if "violation" in x or x.startswith("replay:")), "")
    detail = first or (lines[-1] if lines else "no message")
    ended = result.signal or f"exit status {result.exit}"
    return f"{ended}: {detail}"


def _has(module: Module, name: str) -> bool:
    return any(g.name == name for g in module.globals)
