"""Runs a whole program whose launches are calls of TileLang kernels, on the CPU runtime.

The kernels are compiled for TileLang's ``c`` target by the tree's own ``build_kernels.py``, the
host program is built over the CUDA runtime for the CPU. CUDA's own kernels do nothing in these runs
(``CUDAMIGRATE_SKIP_KERNELS``), so a launch that was not replaced cannot help a program to pass.
"""

from __future__ import annotations

import importlib.metadata
import io
import json
import shutil
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from migrate.core.artifact import Artifact, EmittedKernel
from migrate.core.content_store import ContentStore, DamagedEntry, digest
from migrate.core.options import Options
from migrate.emulation.cuda_program import (
    BuiltProgram,
    CudaSources,
    RunSetup,
    build_cuda_program,
    run_program,
)
from migrate.emulation.run import RunResult, run_command
from migrate.emulation.toolchain import CompileError, find_compiler
from migrate.ir.program import SourceUnit
from migrate.verify.ascend_program import MigratedRun
from migrate.verify.capture import Json, Launch
from migrate.verify.tilelang_replay import tilelang_environment, tilelang_limits

ON_CPU = "CUDAMIGRATE_ON_CPU"
"""The macro of generated headers for libraries of the ``c`` target."""
REFUSED_LAUNCH = "did not run: "
"""What the generated code prints of a launch that it could not stand for."""
SHAPES = "kernel_shapes.json"
"""The shapes of launches that a program used, as ``build_kernels.py`` takes them."""
_BUILDER = "build_kernels.py"
_LISTING = "_kernels.json"
_BUILD_SECONDS = 30.0

KernelLaunches = tuple[EmittedKernel, tuple[Launch, ...]]
"""A generated kernel and every launch of it that is known."""


@dataclass(frozen=True, slots=True, order=True)
class LaunchShape:
    """What a variant of a kernel is compiled for: the module's path without a suffix, the function
    there, the threads of a block along its axes, and the bytes of dynamic shared memory."""

    module: str
    kernel: str
    block: tuple[int, int, int]
    shared: int


def launch_shapes(kernels: Sequence[KernelLaunches]) -> tuple[LaunchShape, ...]:
    """The distinct shapes of the original's own launches."""
    found = {
        LaunchShape(e.file.with_suffix("").as_posix(), e.entry, x.block, x.shared_bytes)
        for e, launches in kernels
        for x in launches
        if x.source == "captured"
    }
    return tuple(sorted(found))


def shapes_text(shapes: Iterable[LaunchShape]) -> str:
    """``kernel_shapes.json``, which ``build_kernels.py`` reads."""
    rows = [
        json.dumps(
            {"module": s.module, "kernel": s.kernel, "block": s.block, "shared": s.shared},
        )
        for s in sorted(set(shapes))
    ]
    return "[\n" + ",\n".join(f"  {row}" for row in rows) + "\n]\n" if rows else "[]\n"


def _sizes(statics: list[str], shape: LaunchShape) -> tuple[int, ...]:
    """What a variant is made for, by the texts of a listing."""
    x, y, z = shape.block
    known = {f"launch.block[{axis}]": size for axis, size in enumerate(shape.block)}
    known |= {"launch.lanes": x * y * z, "shared": shape.shared}
    return tuple(known[text] for text in statics)


def build_libraries(
    tree: Path, folder: Path, target: str, shapes: Path | None, options: Options, work: Path
) -> RunResult:
    """Compile the kernels of an output tree into ``folder``, for ``c`` or a CUDA architecture.

    ``shapes`` is a file like ``kernel_shapes.json``, which the tree may hold itself. ``work`` is a
    scratch directory. A tree without C++ launches fails.
    """
    command = [sys.executable, str((tree / _BUILDER).resolve()), str(folder.resolve())]
    command += ["--target", target]
    count = 1
    if shapes is not None:
        command += ["--shapes", str(shapes.resolve())]
        count += len(json.loads(shapes.read_text(encoding="utf-8")))
    count += len(list(tree.rglob("*_kernels.json")))
    limits = tilelang_limits(options.limits, count * _BUILD_SECONDS)
    environment = tilelang_environment(options, work)
    return run_command(command, limits, environment, work, writable=None)


@dataclass(slots=True)
class BridgedProgram:
    """The migrated program of an output tree.

    ``tree`` is the tree, ``work`` a scratch directory, ``units`` the program as it was read,
    ``host_sources`` plain C++ files of it that are linked as they are, ``setup`` how the original
    was run.
    """

    tree: Path
    artifact: Artifact
    kernels: tuple[KernelLaunches, ...]
    units: tuple[SourceUnit, ...]
    host_sources: tuple[Path, ...]
    options: Options
    setup: RunSetup
    work: Path
    libraries: Path | None = None
    """Libraries that were built before, for a replay of the same kernels."""
    _built: BuiltProgram | None = field(default=None, init=False)

    def run(self, *, skip_kernels: bool) -> MigratedRun:
        """Build what is not built, and run; ``skip_kernels`` is the negative control."""
        store, key = self._store(skip_kernels)
        known = None if store is None else _load(store, key)
        if known is not None:
            return MigratedRun(known)
        try:
            built = self._build()
        except CompileError as error:
            return MigratedRun(None, error.stderr)
        if built is None:
            return MigratedRun(None, (self.work / "kernels.log").read_text(encoding="utf-8"))
        result = run_program(built, self._setup(skip_kernels))
        if store is not None and not result.timed_out:
            store.save(key, _pack(result))
        return MigratedRun(result)

    def _setup(self, skip_kernels: bool) -> RunSetup:
        more = [
            ("CUDAMIGRATE_SKIP_KERNELS", "1"),
            ("CUDAMIGRATE_TILELANG_DIR", str((self.work / "kernels").resolve())),
        ]
        if skip_kernels:
            more.append(("CUDAMIGRATE_SKIP_TILELANG", "1"))
        return replace(self.setup, environment=(*self.setup.environment, *more))

    def _build(self) -> BuiltProgram | None:
        """The executable and its libraries; nothing when TileLang rejects one."""
        if self._built is None and self._libraries():
            compiler = find_compiler(self.options.cxx)
            self._built = build_cuda_program(
                self._sources(), self.work, compiler, self.options.cache_dir
            )
        return self._built

    def _sources(self) -> CudaSources:
        """The program's sources in the tree; what was not changed is laid there as it was."""
        for path, text in self._unchanged():
            place = self.tree / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text)
        own = [self.tree / u.main.relative for u in self.units]
        names = {p.name for p in own}
        folders = {p.parent for p in own} | {self.tree / f.path.parent for f in self.artifact.files}
        originals = {u.main.path.parent for u in self.units}
        return CudaSources(
            (*own, *(h for h in self.host_sources if h.name not in names)),
            include_dirs=(*sorted(folders), *self.options.include_dirs, *sorted(originals)),
            defines=(*self.options.defines, ON_CPU),
            std=self.options.std,
        )

    def _unchanged(self) -> Iterator[tuple[PurePosixPath, bytes]]:
        made = {f.path for f in self.artifact.files}
        for unit in self.units:
            for file in unit.files:
                path = PurePosixPath(file.relative.as_posix())
                if path not in made:
                    yield path, file.text

    def _libraries(self) -> bool:
        folder = self.work / "kernels"
        folder.mkdir(parents=True, exist_ok=True)
        wanted = set(self.wanted_libraries())
        if self.libraries is not None:
            _take(self.libraries, folder, wanted)
        if wanted and all((folder / name).is_file() for name in wanted):
            return True
        shapes = self.work / SHAPES
        shapes.write_text(shapes_text(launch_shapes(self.kernels)), encoding="utf-8")
        result = build_libraries(self.tree, folder, "c", shapes, self.options, self.work)
        (self.work / "kernels.log").write_text(result.stderr, encoding="utf-8")
        return result.ok

    def wanted_libraries(self) -> Iterator[str]:
        """The libraries of the kernels that are launched, as ``build_kernels.py`` names them."""
        shapes = launch_shapes(self.kernels)
        for file in self.artifact.files:
            if not file.path.name.endswith(_LISTING):
                continue
            listing: dict[str, dict[str, list[str]]] = json.loads(file.content)
            module = file.path.as_posix().removesuffix(_LISTING)
            for shape in shapes:
                if shape.module == module:
                    sizes = _sizes(listing["kernels"][shape.kernel], shape)
                    yield f"{module}/{'-'.join([shape.kernel, *map(str, sizes)])}.so"

    # --- runs that are known

    def _store(self, skip_kernels: bool) -> tuple[ContentStore | None, str]:
        """Where the run is kept, by all that it depends on; nowhere for unread host files."""
        if not self.options.reuse_runs:
            return None, ""
        parts = [f"{f.path}\0".encode() + f.content for f in self.artifact.files]
        parts += [f"{path}\0".encode() + text for path, text in self._unchanged()]
        parts += [f"{p}\0".encode() + p.read_bytes() for p in self.host_sources]
        parts += [f"{name}\0".encode() + p.read_bytes() for name, p in self.setup.files]
        how = repr((self.setup.args, self.setup.limits, skip_kernels, self.options.defines))
        texts = (
            *(how, self.options.std, str(self.options.include_dirs), sys.version),
            *(importlib.metadata.version(n) for n in ("tilelang", "torch")),
            find_compiler(self.options.cxx).version,
            shapes_text(launch_shapes(self.kernels)),
        )
        store = ContentStore(self.options.cache_dir / "bridged", self.options.cache_bytes)
        return store, digest(*(t.encode() for t in texts), *parts)


def _take(made: Path, folder: Path, names: Iterable[str]) -> None:
    """Copy those of the libraries that were built before."""
    for name in names:
        if (made / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(made / name, folder / name)


def _pack(result: RunResult) -> bytes:
    out = io.BytesIO()
    facts: Mapping[str, Json] = {
        "exit": result.exit,
        "stdout": result.stdout,
        "stderr": result.stderr,
        "seconds": result.seconds,
        "signal": result.signal,
    }
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("result.json", json.dumps(facts))
    return out.getvalue()


def _load(store: ContentStore, key: str) -> RunResult | None:
    try:
        content = store.load(key)
        if content is None:
            return None
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            facts: dict[str, str | int | float] = json.loads(packed.read("result.json"))
    except (DamagedEntry, OSError, ValueError, KeyError, zipfile.BadZipFile):
        return None
    return RunResult(
        int(facts["exit"]),
        str(facts["stdout"]),
        str(facts["stderr"]),
        float(facts["seconds"]),
        False,
        str(facts["signal"]),
    )
