"""Times four launches on this runtime and on HIP-CPU, side by side; prints a table.

usage: python -m tests.performance.side_by_side [HIP_CPU_INCLUDE_DIR [TBB_DIR]]

HIP-CPU (https://github.com/ROCm/HIP-CPU, MIT, header only) and TBB are not part of this project.
Without them only our own columns are printed. The original runs each launch twice as written,
proves the form as loops twice, and is timed from then on; the other runtime gets as many launches
to warm up. Figures are medians of five launches, and of three such processes; wall time, and
in brackets CPU time. The load is that of the machine in the minute before the row was done.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.emulation.cuda_program import CudaSources, build_cuda_program
from migrate.emulation.toolchain import find_compiler
from migrate.pipeline.fission import fission_program
from migrate.pipeline.inputs import find_programs
from migrate.pipeline.stages import read

SOURCE = Path(__file__).with_name("launches.cu")
LAUNCHES = ("saxpy", "matmul", "tree", "shuffle")
CORES = ("0", "0,1")


def build_own(work: Path) -> Path:
    """The program on this project's runtime, with its kernels as loops linked beside."""
    (program,) = find_programs((SOURCE,))
    ir = read(program, Options(Target.TILELANG, cache_dir=work / "cache"))
    sources = CudaSources((SOURCE,), fissioned=fission_program(ir).text)
    return build_cuda_program(sources, work, find_compiler(), work / "cache").path


def build_other(work: Path, include: Path, tbb: Path | None) -> Path:
    """The same source as HIP on HIP-CPU, at -O3."""
    program = work / "other"
    command = [find_compiler().program, "-std=c++17", "-O3", "-DOTHER_RUNTIME", "-I", str(include)]
    libraries = ["-ltbb", "-pthread"]
    if tbb is not None:
        folder = next(p.parent for p in sorted(tbb.rglob("libtbb.so")))
        command += ["-I", str(tbb / "usr" / "include")]
        libraries = ["-L", str(folder), f"-Wl,-rpath,{folder}", *libraries]
    command += ["-x", "c++", str(SOURCE), "-o", str(program), *libraries]
    subprocess.run(command, check=True, timeout=300)
    return program


def milliseconds(
    program: Path, launch: str, cores: str, more: Mapping[str, str]
) -> tuple[float, float]:
    """Wall and CPU time: medians of three processes, each the median of its five launches."""
    found: list[tuple[float, float]] = []
    for _ in range(3):
        run = subprocess.run(
            ["taskset", "-c", cores, str(program), launch],
            env={**os.environ, **more}, capture_output=True, text=True, check=True, timeout=300,
        )  # fmt: skip
        wall, cpu = run.stdout.split()[1:3]
        found.append((float(wall), float(cpu)))
    return statistics.median(w for w, _ in found), statistics.median(c for _, c in found)


def _cell(times: tuple[float, float]) -> str:
    return f"{times[0]:.2f} ({times[1]:.2f})"


def main(args: list[str]) -> None:
    """Build, run, print a Markdown table."""
    with tempfile.TemporaryDirectory(prefix="side-by-side-") as scratch:
        work = Path(scratch)
        own = build_own(work)
        tbb = Path(args[1]).resolve() if len(args) > 1 else None
        other = build_other(work, Path(args[0]).resolve(), tbb) if args else None
        theirs_head = "HIP-CPU ms | loops / HIP-CPU | " if other is not None else ""
        print(f"| launch | cores | on stacks ms | as loops ms | {theirs_head}load |")
        print("|---" * (7 if other is not None else 5) + "|")
        for cores in CORES:
            for launch in LAUNCHES:
                stacks = milliseconds(own, launch, cores, {"CUDAMIGRATE_FISSION": "0"})
                loops = milliseconds(own, launch, cores, {})
                row = [launch, str(len(cores.split(","))), _cell(stacks), _cell(loops)]
                if other is not None:
                    theirs = milliseconds(other, launch, cores, {})
                    ratios = (loops[0] / theirs[0], loops[1] / theirs[1])
                    row += [_cell(theirs), _cell(ratios)]
                row.append(f"{os.getloadavg()[0]:.1f}")
                print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
