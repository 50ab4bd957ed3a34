"""Times the front end on a tree: ``python tests/performance/front_end.py DIR [JOBS] [REPEAT]``.

Prints files a second with a warm precompiled header and an empty cache of units, the time of a
second run with nothing changed, and the peak memory of the parent and the largest child. CPU time
is printed as well, since a loaded machine does not change it. The cache is a scratch folder of its
own; medians are over REPEAT rounds.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def _round(tree: Path, jobs: int, cache: Path) -> dict[str, float]:
    """One run in a fresh process: its seconds, files and peak memory in MB."""
    done = subprocess.run(
        [sys.executable, __file__, "--once", str(tree), str(jobs)],
        env={**os.environ, "CUDAMIGRATE_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def once(tree: Path, jobs: int) -> None:
    """Extract a tree and print what it took, as JSON."""
    from migrate.core.options import Options
    from migrate.core.targets import Target
    from migrate.pipeline.extraction import extract
    from migrate.pipeline.inputs import find_inputs

    started = time.perf_counter()
    inputs = find_inputs((tree,))
    found = extract(inputs.programs, Options(Target.TILELANG, jobs=jobs))
    seconds = time.perf_counter() - started
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(k) for k in kinds]
    peak = sum(u.ru_maxrss for u in used) / 1024
    cpu = sum(u.ru_utime + u.ru_stime for u in used)
    print(json.dumps({"seconds": seconds, "files": len(found.files), "peak": peak, "cpu": cpu}))


def main() -> None:
    """The benchmark from the command line."""
    tree = Path(sys.argv[1])
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    repeat = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    cache = Path(tempfile.mkdtemp(prefix="cudamigrate-bench-"))
    _round(tree, jobs, cache)  # builds the precompiled header
    first: list[dict[str, float]] = []
    second: list[dict[str, float]] = []
    for _ in range(repeat):
        shutil.rmtree(cache / "units", ignore_errors=True)
        first.append(_round(tree, jobs, cache))
        second.append(_round(tree, jobs, cache))
    shutil.rmtree(cache)
    files = first[0]["files"]
    cold = statistics.median(r["seconds"] for r in first)
    warm = statistics.median(r["seconds"] for r in second)
    print(f"files: {files:.0f}, processes: {jobs}, rounds: {repeat}")
    print(f"first run: {cold:.2f} s, {files / cold:.1f} files/s")
    busy = [statistics.median(r["cpu"] for r in rounds) for rounds in (first, second)]
    print(f"CPU time: {busy[0]:.2f} s, {jobs * files / busy[0]:.1f} files/s on {jobs} idle cores")
    print(f"CPU time of the second run: {busy[1]:.2f} s, {100 * busy[1] / busy[0]:.1f} %")
    print(f"second run: {warm:.2f} s, {100 * warm / cold:.1f} % of the first")
    print(f"peak memory, parent and largest child: {max(r['peak'] for r in first):.0f} MB")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--once"]:
        once(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
